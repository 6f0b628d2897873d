"""When an audit looks and learns: sizes that add up, and streams that no two rounds share."""

from itertools import chain

import pytest

from auditor.search.schedule import CONFIRM, EXPLORE, EXPLORE_MORE, MEASURE, PHASES, ROUNDS, lessons, looks
from auditor.tuning import TUNING


@pytest.mark.parametrize("until", [1, 96, 1000, 10**5, 10**9])
@pytest.mark.parametrize("numbers", [True, False])
def test_the_rounds_of_all_lessons_add_up(until, numbers):
    found = list(chain.from_iterable(lessons(0, until, numbers, 2**18, TUNING.rounds)))
    assert sum(size for _, size in found) == until
    assert [index for index, _ in found] == list(range(len(found)))


def test_two_rounds_of_an_audit_never_share_a_stream():
    """Soundness rests on it: the longest audit that fits a machine has far fewer rounds than a phase allows."""
    sizes = {
        EXPLORE: list(chain.from_iterable(lessons(0, 10**15, True, 2**18, TUNING.rounds))),
        EXPLORE_MORE: list(chain.from_iterable(lessons(4096, 10**15, True, 2**18, TUNING.rounds))),
        MEASURE: list(chain.from_iterable(lessons(96, 10**15, True, 2**18, TUNING.rounds))),
        CONFIRM: looks(10**15, 2 * 10**16, TUNING.rounds),
    }
    assert set(sizes) == set(PHASES)
    names = [phase.stream(index) for phase, rounds in sizes.items() for index, _ in rounds]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("index", [-1, ROUNDS])
def test_a_round_beyond_its_phase_would_share_a_stream_and_is_refused(index):
    with pytest.raises(ValueError, match="at most 1000 rounds"):
        EXPLORE.stream(index)

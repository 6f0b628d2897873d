"""The list of mechanisms that are broken on some pair only: it is as long as it says, and each makes pairs that run."""

import pytest
from hypothesis import HealthCheck, given, settings

from benchmarks.pairs.__main__ import measured
from benchmarks.pairs.broken import BROKEN
from benchmarks.pairs.case import Case
from benchmarks.pairs.correct import CORRECT
from benchmarks.pairs.harder import HARDER
from benchmarks.pairs.kept import KEPT
from benchmarks.pairs.later import LATER
from benchmarks.pairs.releases import RELEASES
from benchmarks.pairs.tables import TABLES
from benchmarks.pairs.values import VALUES
from mechanisms.core.neighbours import NeighbourPair

BROKEN_CLAIMS = [*BROKEN, *HARDER, *LATER, *VALUES, *RELEASES, *TABLES]
KEPT_CLAIMS = [*CORRECT, *KEPT]
ALL = [*BROKEN_CLAIMS, *KEPT_CLAIMS]


def test_the_list_is_long_enough_and_every_name_is_used_once():
    assert len(BROKEN_CLAIMS) >= 25
    assert len(KEPT_CLAIMS) >= 10
    assert len({case.name for case in ALL}) == len(ALL)
    assert all(case.where for case in BROKEN_CLAIMS)
    assert not any(case.where for case in KEPT_CLAIMS)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_every_case_makes_neighbours(case: Case):
    @settings(max_examples=3, database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case.pairs)
    def check(pair):
        assert isinstance(pair, NeighbourPair)

    check()


def test_one_of_each_kind_comes_out_as_it_should():
    unclipped = next(case for case in BROKEN if case.name == "unclipped_above")
    correct = next(case for case in CORRECT if case.name == "clipped_sum")
    assert measured(unclipped, 0, 5000, 1e-3)[0]
    assert not measured(correct, 0, 5000, 1e-3)[0]  # a false alarm has probability 0.001

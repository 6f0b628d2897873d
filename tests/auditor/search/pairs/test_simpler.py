"""The simplest pair of a search is judged once more on fresh draws: luck on few of them does not replace the worst."""

from dataclasses import dataclass, field

import pytest

from auditor.search.pairs.judge import Suspect
from auditor.search.pairs.simpler import simpler_pairs
from auditor.tuning import TUNING
from mechanisms.core.neighbours import NeighbourPair

WORST, LUCKY, HONEST = NeighbourPair([1, 2, 3], [1, 2]), NeighbourPair([1], []), NeighbourPair([1, 2], [1])
FEW = TUNING.pairs.shrink[0]


@dataclass
class Judge:
    """Promises what the pair keeps, but for a pair that looks bad on the fewest draws alone."""

    promises: dict[int, float]
    trials: int = 100_000
    tuning: object = TUNING
    draws: object = field(default_factory=lambda: type("Draws", (), {"seed": 0}))

    def __call__(self, pair, n, what, raises):
        return 1.0 if pair is LUCKY and n == FEW else self.promises[id(pair)]


class Hypothesis:
    """Offers the pairs from the simplest on."""

    @staticmethod
    def shrink(strategy, found, keeps, *, most, seed, worth=lambda pair: True):
        simple = next(pair for pair in (LUCKY, HONEST, WORST) if keeps(pair))
        return type("Found", (), {"value": simple})


def simpler(honest, lucky=0.0):
    judge = Judge({id(WORST): 1.4, id(LUCKY): lucky, id(HONEST): honest})
    best = Suspect(type("Found", (), {"value": WORST}), "error", 1.4)
    return simpler_pairs(Hypothesis, None, best, judge)


def test_a_lucky_pair_gives_way_to_the_simplest_that_keeps_the_leak():
    assert simpler(1.0) == (HONEST,)


def test_without_such_a_pair_the_worst_one_stays():
    assert simpler(0.1) == (WORST,)


@pytest.mark.parametrize("lucky", [1.0, 0.9])
def test_a_pair_that_keeps_its_promise_is_taken_at_once(lucky):
    assert simpler(1.2, lucky) == (LUCKY,)

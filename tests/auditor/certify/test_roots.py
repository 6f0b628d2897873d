"""The last point at which a monotone condition does not hold: how near it is, and that rounding does not decide."""

import math

import pytest

from auditor.certify import exact
from auditor.certify.exact import Guesses
from auditor.certify.roots import first_true, last_false

STEP, WITHIN = 0.0045103, 0.0045103 / 16  # as in the bounds: a whole number of halvings meets `within` exactly


@pytest.mark.parametrize("edge", [-0.3, 0.0, 0.2107, 0.2119, 1.7])
def test_the_last_false_point_is_below_the_edge_and_near(edge):
    for tenth in range(-30, 31):
        found = last_false(lambda x: x >= edge, edge + tenth * STEP / 10, STEP, WITHIN)
        assert edge - WITHIN <= found < edge


def test_a_last_digit_of_the_guess_does_not_decide_how_often_is_halved():
    """It did: `high - low` was compared with a number that it equals but for rounding."""
    asked: list[float] = []

    def holds(x: float) -> bool:
        asked.append(x)
        return x >= 0.21085

    lengths = set()
    guess = 0.2103
    for _ in range(200):
        asked.clear()
        last_false(holds, guess, STEP, WITHIN)
        lengths.add(len(asked))
        guess = math.nextafter(guess, math.inf)
    assert len(lengths) == 1


def test_the_first_number_for_which_a_condition_holds():
    assert [first_true(lambda n, at=at: n >= at, 0, 100) for at in (1, 37, 100)] == [1, 37, 100]


def test_a_last_digit_of_the_claim_does_not_move_the_bounds(monkeypatch):
    """Two versions of scipy give the same claim with another last digit. The bounds agreed to three digits, because
    rounding decided how often an interval was halved, in the search for the bound and in the test itself."""
    counts, alpha = Guesses(21032, 7954, 35904), 0.006999999999999999
    found = []
    for epsilon, weight, cost, ends in (
        (0.27661739889685055, 1.2183480115075451, 0.2999999999999998, (0.21254399707212687, 0.23070905089096858)),
        (0.2766173988968497, 1.2183480115075473, 0.2999999999999996, (0.2125439970721269, 0.2307090508909686)),
    ):  # with scipy 1.17 and with scipy 1.12
        monkeypatch.setattr(exact, "nuisance_set", lambda *_, ends=ends: ends)
        delta = exact.delta_lower(counts, epsilon, 2, weight, alpha)
        found.append((delta, exact.epsilon_lower(counts, cost, weight, alpha)))
    assert found[0] == pytest.approx(found[1], rel=1e-9)

"""tradeoff() and tradeoff_samples(): curves below the truth, for every kind of output, and what breaks them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from auditor import MechanismError, NeighbourPair, TradeOff, UsageError, curves, per_draw, tradeoff, tradeoff_samples
from auditor.certify.advantage import EventCounts, advantages
from auditor.certify.hull import certified_hull
from auditor.search import nested as nested_module
from mechanisms.laplace import Laplace

PAIR = NeighbourPair(1, 0)
VALUES = ("values",)


def gaussian(d: Any, n: int, rng: np.random.Generator) -> Any:
    return d + rng.normal(0, 1, n)


def above_gaussian(curve: TradeOff, mu: float = 1.0) -> bool:
    x, y = np.array([*curve.points[1:-1], (0.5, 0.5)]).T
    return bool((y > norm.cdf(norm.ppf(np.clip(x, 1e-300, 1)) + mu) + 1e-12).any())


def test_a_gaussian_is_nearly_known() -> None:
    """Fixed seed. The bounds leave two standard deviations of what other seeds give."""
    curve = tradeoff(gaussian, PAIR, trials=100_000, views=VALUES, jobs=1)
    assert 0.96 < curve.mu < 1
    assert curve.times(4).epsilon_at(1e-3) < 7.07  # mu = 2, exact: 7.0623
    assert not above_gaussian(curve)


def test_the_same_seed_gives_the_same_bytes() -> None:
    same = [tradeoff(gaussian, PAIR, trials=300_000, seed=3, jobs=jobs, views=VALUES).to_json() for jobs in (1, 2, 1)]
    assert same[0] == same[1] == same[2]
    assert same[0] != tradeoff(gaussian, PAIR, trials=300_000, seed=4, jobs=1, views=VALUES).to_json()


def rate_above(runs: int, trials: int) -> float:
    return sum(
        above_gaussian(tradeoff(gaussian, PAIR, trials=trials, seed=s, jobs=1, views=VALUES)) for s in range(runs)
    )


def test_the_curve_passes_the_truth_seldom() -> None:
    """80 curves at 5 %: more than 12 would come with probability below 3e-4."""
    assert rate_above(80, 2000) <= 12


def test_bounds_that_are_not_simultaneous_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken twin: every event has the whole alpha, here 20 %. Of 60 honest curves more than 21 would be above the
    truth with probability below .3 %, and the bounds are cautious beside; of the twin's about 24 are.
    """
    monkeypatch.setattr(curves, "advantages", lambda c, s, levels: advantages(c, s, np.full(len(s), 0.2)))
    assert rate_above(60, 20_000) > 21


def test_events_chosen_on_the_counting_draws_are_caught() -> None:
    """Broken twin: of 400 features without information, the one that looks best on the very draws that count."""
    rng = np.random.default_rng(5)

    def fails(honest: bool) -> int:
        found = 0
        for _ in range(40):
            left, right = rng.random((2, 400, 400)) < 0.5
            chosen = left.sum(axis=0) - right.sum(axis=0) if not honest else rng.random(400)
            best = int(np.argmax(chosen))
            seen = (np.array([float(side[:, best].sum())]) for side in (left, right))
            counts = EventCounts(*seen, 400, 400)
            found += len(certified_hull(advantages(counts, np.array([1.0]), np.array([0.05])))) > 2
        return found

    assert fails(honest=False) > 20
    assert fails(honest=True) <= 8  # Bin(40, .05) passes 8 with probability below 1e-4


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_randomized_response(epsilon: float) -> None:
    keep = 1 / (1 + math.exp(-epsilon))

    def response(d: Any, n: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(n) < keep, d, 1 - d)

    curve = tradeoff(response, PAIR, trials=50_000, jobs=1)
    assert 0.9 * epsilon < curve.epsilon_at(0.0) <= epsilon
    assert curve.times(10).epsilon_at(0.0) == pytest.approx(10 * curve.epsilon_at(0.0))


def words(d: Any, rng: np.random.Generator) -> Any:
    return "yes" if rng.random() < (0.9 if d else 0.5) else "no"


def bottom(d: Any, n: int, rng: np.random.Generator) -> Any:
    return np.where(rng.random(n) < 0.1 + 0.3 * d, np.nan, rng.normal(0, 1, n))


def vectors(d: Any, n: int, rng: np.random.Generator) -> Any:
    return d + rng.laplace(0, 1, (n, 3))


def mixed(d: Any, rng: np.random.Generator) -> Any:
    u = rng.random()
    return None if u < 0.2 + 0.3 * d else ("low", u) if u < 0.6 else 7


def two_sided(d: Any, n: int, rng: np.random.Generator) -> Any:
    return rng.normal(0, 1 + 1.5 * d, n)


@pytest.mark.parametrize(
    ("mechanism", "least", "truth"),
    [
        (per_draw(words), 0.36, 0.4),
        (bottom, 0.26, 0.3),
        (vectors, 0.48, 0.568),
        (per_draw(mixed), 0.26, 0.3),
        (two_sided, 0.36, 0.416),
    ],
)
def test_every_kind_of_output(mechanism: Any, least: float, truth: float) -> None:
    """Total variation (delta at epsilon 0): close to the truth, and not above it."""
    curve = tradeoff(mechanism, PAIR, trials=20_000, jobs=1, views=VALUES)
    assert least < curve.delta_at(0.0) <= truth


def test_bits_are_looked_at_where_asked() -> None:
    """The last bit of the fraction says which dataset it was; the values are the same."""

    def leaky(d: Any, n: int, rng: np.random.Generator) -> Any:
        return (rng.integers(0, 2**20, n) * 2 + d) / 2**30

    assert tradeoff(leaky, PAIR, trials=20_000, jobs=1, views=("bits",)).delta_at(0.0) > 0.9


def test_what_tells_nothing_apart_is_the_diagonal() -> None:
    def same(d: Any, n: int, rng: np.random.Generator) -> Any:
        return rng.normal(0, 1, n)

    curve = tradeoff(same, PAIR, trials=20_000, jobs=1, views=VALUES)
    assert curve.epsilon_at(1e-3) < 0.1
    constant = tradeoff(lambda d, n, rng: np.zeros(n), PAIR, trials=500, jobs=1)
    assert constant.points == [(0.0, 0.0), (1.0, 1.0)]
    assert "at least 0" in str(constant)


def test_a_mechanism_brings_its_own_pair() -> None:
    curve = tradeoff(Laplace(), trials=20_000, jobs=1)
    assert curve.epsilon_at(0.0) <= 1
    assert "replace-one" in curve.certificates[0].pair


@pytest.mark.parametrize("trials", [1, 2, 5, 40])
def test_hardly_a_draw(trials: int) -> None:
    assert tradeoff(gaussian, PAIR, trials=trials, jobs=1).points[0] == (0.0, 0.0)


def test_bad_arguments() -> None:
    with pytest.raises(UsageError, match="pairs are needed"):
        tradeoff(gaussian)
    with pytest.raises(UsageError, match="alpha must be a probability"):
        tradeoff(gaussian, PAIR, alpha=2.0)
    with pytest.raises(UsageError, match="trials must be a whole number"):
        tradeoff(gaussian, PAIR, trials=0)
    with pytest.raises(UsageError, match="jobs must be a whole number"):
        tradeoff(gaussian, PAIR, jobs=0)


def test_a_mechanism_that_seeds_itself_is_noticed() -> None:
    def stored(d: Any, n: int, rng: np.random.Generator) -> Any:
        return np.random.default_rng(0).normal(d, 1, n)

    with pytest.raises(MechanismError, match="must draw anew"):
        tradeoff(stored, PAIR, trials=500_000, jobs=1)


def test_samples() -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(1, 1, 20_000), rng.normal(0, 1, 15_000)
    curve = tradeoff_samples(left, right, views=VALUES)
    assert 0.9 < curve.mu < 1
    assert curve == tradeoff_samples(left.tolist(), right.tolist(), views=VALUES)
    assert curve != tradeoff_samples(left, right, seed=1, views=VALUES)
    assert sum(curve.certificates[0].trials) < 35_000


def test_samples_of_other_kinds() -> None:
    rng = np.random.default_rng(0)
    texts = ["a" if u < 0.8 else "b" for u in rng.random(4000)], ["a" if u < 0.4 else "b" for u in rng.random(4000)]
    assert 0.3 < tradeoff_samples(*texts).delta_at(0.0) < 0.4
    rows = rng.laplace(1, 1, (5000, 2)), rng.laplace(0, 1, (5000, 2))
    assert 0.3 < tradeoff_samples(*rows, views=VALUES).delta_at(0.0) < 0.62


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (3.0, [1.0], "recorded outputs must be an array"),
        (np.zeros(5), np.zeros(100), "at least 100 outputs, got 5 on the left"),
        (np.zeros(200), np.zeros((200, 2)), "outputs of one kind"),
    ],
)
def test_samples_that_are_none(left: Any, right: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        tradeoff_samples(left, right)


def test_thresholds_stand_in_both_tails() -> None:
    """Deep ones on both sides for a million draws, fewer for a thousand."""
    from auditor.sampling.source import Source
    from auditor.search.past import Past

    source = Source(gaussian, 1, 0, 0, "test", 0)
    source = source.piloted(32)[0]
    past = Past(VALUES)
    past.add(source.one_side("left", 50_000, "a"), source.one_side("right", 50_000, "b"))
    many, few = nested_module.nested(past, 10**6), nested_module.nested(past, 1000)
    assert many is not None
    assert few is not None
    assert min(many.cuts) < -2 < 3 < max(many.cuts)
    assert len(few.cuts) < len(many.cuts) < 40
    assert math.isclose(many.shares.sum(), 1.0)
    assert few.shares.sum() <= 1 + 1e-12

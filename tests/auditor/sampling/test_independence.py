"""Every bound assumes independent draws. Gross breaches are noticed, and independent draws hardly ever accused."""

import hashlib
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from auditor import ApproxDP, MechanismError, audit, per_draw
from auditor.events.outputs import Form, Outputs
from auditor.sampling import independence
from auditor.sampling.independence import TWOS, fingerprint, order_p_value, order_sentence, twos_p_value

NUMBERS = Form("numbers", 1, True)


def numbers(values) -> Outputs:
    return Outputs(np.asarray(values, dtype=np.float64).reshape(-1, 1), None, NUMBERS)


def labels(values) -> Outputs:
    return Outputs(np.full((len(values), 1), np.nan), list(values), Form("labels", 1, False))


def run(sample, epsilon=1.0, **options):
    return audit(sample, ApproxDP(epsilon), [(0, 1)], **{"trials": 6000, "views": ("values",), "jobs": 1, **options})


# The exact test


@pytest.mark.parametrize("table", [(3, 9, 12, 12), (0, 7, 9, 30), (40, 60, 100, 100), (5, 5, 10, 10), (1, 0, 1, 1)])
def test_fisher_is_twice_the_smaller_hypergeometric_tail(table):
    a, b, n, m = table
    law = stats.hypergeom(n + m, a + b, n)
    expected = min(1.0, 2 * min(law.cdf(a), law.sf(a - 1)))
    assert independence.fisher(*table) == pytest.approx(expected, rel=1e-9)


def test_fisher_by_enumeration():
    """All 924 ways to set 6 of 12 bits: a p-value of at most t comes with probability at most t."""
    values = []
    for places in itertools.combinations(range(12), 6):
        bits = np.isin(np.arange(12), places)
        values.append(independence.fisher(int(bits[:5].sum()), int(bits[5:].sum()), 5, 7))
    found = np.array(values)
    assert all((found <= t + 1e-12).mean() <= t + 1e-12 for t in np.unique(found))


LAWS = {
    "normal": lambda rng, n: numbers(rng.standard_normal(n)),
    "few values": lambda rng, n: numbers(rng.integers(0, 3, n)),
    "rare": lambda rng, n: numbers(rng.random(n) < 0.01),
    "half without an answer": lambda rng, n: numbers(np.where(rng.random(n) < 0.5, np.nan, 1.0)),
    "labels": lambda rng, n: labels(rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])),
}


@pytest.mark.parametrize("law", LAWS)
def test_the_order_of_independent_draws_is_not_accused(law):
    """1000 samples at level .05: more than 89 alarms of an exact test have probability below 1e-6."""
    alarms = sum(order_p_value(LAWS[law](np.random.default_rng(seed), 512)) <= 0.05 for seed in range(1000))
    assert alarms <= stats.binom.isf(1e-6, 1000, 0.05)


def walk(rng, n):
    return np.cumsum(rng.standard_normal(n))


def alternating(rng, n):
    return np.where(np.arange(n) % 2, rng.standard_normal(n), 3.0)


def drifting(rng, n):
    return rng.standard_normal(n) + np.linspace(0, 1, n)


def mirrored(rng, n):
    half = rng.standard_normal(n // 2 + 1)
    return np.stack([half, -half], axis=1).ravel()[:n]


def sticky(rng, n):
    return np.repeat(rng.standard_normal(n // 2 + 1), 2)[:n]


@pytest.mark.parametrize("order", [walk, alternating, drifting, mirrored, sticky], ids=lambda f: f.__name__)
def test_draws_that_depend_on_their_order_are_noticed(order):
    rng = np.random.default_rng(0)
    fine = numbers(rng.standard_normal(2048))
    assert order_sentence((fine, fine)) is None
    said = order_sentence((fine, numbers(order(rng, 2048))))
    assert said is not None
    assert said.startswith("The draws on the right input depend on their order")


def test_an_audit_says_that_draws_depend_on_their_order():
    def drawn(dataset, n, rng):
        return dataset + walk(rng, n)

    assert any("depend on their order" in line for line in run(drawn, trials=4000).warnings)
    assert not run(lambda d, n, rng: d + rng.laplace(0, 1, n)).warnings


@pytest.mark.parametrize("law", LAWS)
def test_two_draws_of_a_call_are_not_accused_when_they_are_independent(law):
    """1000 samples at level .05: more than 89 alarms of an exact test have probability below 1e-6."""
    alarms = sum(twos_p_value(LAWS[law](np.random.default_rng(seed), 2 * TWOS)) <= 0.05 for seed in range(1000))
    assert alarms <= stats.binom.isf(1e-6, 1000, 0.05)


def one_answer(dataset, n, rng):
    """A size=n is missing: one coin for the whole call."""
    return np.full(n, dataset if rng.random() < 0.75 else 1 - dataset)


def one_word(dataset, n, rng):
    """The same with labels."""
    return [("no", "yes")[value] for value in one_answer(dataset, n, rng)]


@pytest.mark.parametrize("drawn", [one_answer, one_word])
def test_a_refutation_says_that_the_draws_of_a_call_are_one(drawn):
    """Randomized response for log 3, with one coin a call: two calls a side may well be taken for no noise at all."""
    results = [run(drawn, math.log(3), seed=seed, trials=2000) for seed in range(12)]
    refuted = [result for result in results if result.refuted]
    assert len(refuted) > 6
    assert all(len(result.warnings) == 1 for result in refuted)
    assert any("draws of one call on the left input go together" in result.warnings[0] for result in refuted)


def test_a_mechanism_without_calls_for_two_draws_keeps_its_verdict():
    def picky(dataset, n, rng):
        if n == 2:
            raise ValueError("n must be at least 3")
        return dataset + rng.laplace(0, 0.25, n)

    result = run(picky, trials=2000)
    assert result.refuted
    assert result.warnings == ()


class Counter:
    """Every second call of a whole life is without noise."""

    def __init__(self):
        self.calls = 0

    def __call__(self, dataset, rng):
        self.calls += 1
        return dataset + 5.0 if self.calls % 2 else dataset + rng.laplace()


class Pairs(Counter):
    """The same with a tuple for an output."""

    def __call__(self, dataset, rng):
        return super().__call__(dataset, rng), rng.random()


@pytest.mark.parametrize("kind", [Counter, Pairs])
def test_state_from_draw_to_draw_is_noticed(kind):
    assert any("keeps state" in line for line in run(per_draw(kind()), 9.0, trials=2000).warnings)


# Own randomness


def test_own_randomness_is_noticed():
    result = run(lambda dataset, n, rng: dataset + np.random.default_rng().laplace(0, 1, n), alpha=1e-6)
    assert not result.refuted  # by chance in one of a million runs
    assert not result.replayable
    assert any("draws its own randomness" in line for line in result.limits)


@pytest.mark.parametrize(
    "sample",
    [
        lambda dataset, n, rng: dataset + rng.laplace(0, 1, n),
        lambda dataset, n, rng: np.where(rng.random(n) < 0.5, np.nan, 0.0),
        lambda dataset, n, rng: [("a", x) if x < 0.5 else None for x in rng.random(n)],
        lambda dataset, n, rng: rng.spawn(1)[0].normal(dataset, 10.0, (n, 2)),
    ],
    ids=["numbers", "no answer", "labels", "spawned"],
)
def test_what_uses_its_stream_can_be_replayed(sample):
    result = run(sample)
    assert result.replayable
    assert not any("cannot be replayed" in limit for limit in result.limits)


# Inputs that change


CHANGED = {
    "an array": (lambda: np.zeros(3), lambda d: d.__iadd__(1)),
    "an array's shape": (lambda: np.zeros(4), lambda d: d.resize(2, refcheck=False)),
    "a list": (lambda: [1, 2, 3], lambda d: d.append(4)),
    "a nested list": (lambda: [[1], [2]], lambda d: d[1].clear()),
    "a dict": (lambda: {"a": 1, "b": [2]}, lambda d: d.update(a=2)),
    "a set": (lambda: {1, 2}, lambda d: d.add(len(d) + 1)),
    "a tuple of arrays": (lambda: (np.zeros(2), "x"), lambda d: d[0].fill(9)),
    "a list that is shuffled": (lambda: list(range(50)), lambda d: d.reverse() or d.append(0)),
    "an array of objects": (lambda: np.array([1, "a", None], dtype=object), lambda d: d.__setitem__(0, 5)),
}


@pytest.mark.parametrize("kind", CHANGED)
def test_a_mechanism_that_changes_its_input_is_an_error(kind):
    make, change = CHANGED[kind]

    def sample(dataset, n, rng):
        change(dataset)
        return rng.laplace(0, 1, n)

    with pytest.raises(MechanismError, match=r"must leave its input as it is, got a left dataset of pair 1"):
        audit(sample, ApproxDP(1.0), [(make(), make())], trials=1000, jobs=1)


def test_a_change_that_comes_late_is_noticed():
    def sample(dataset, n, rng):
        if n > 200:
            dataset.append(1)
        return rng.laplace(0, 1, n)

    with pytest.raises(MechanismError, match="must leave its input as it is"):
        audit(sample, ApproxDP(1.0), [([1], [2])], trials=3000, jobs=1)


@pytest.mark.parametrize("kind", CHANGED)
def test_a_fingerprint_knows_a_change(kind):
    make, change = CHANGED[kind]
    data = make()
    before = fingerprint(data)
    assert before is not None
    assert fingerprint(make()) == before
    change(data)
    assert fingerprint(data) != before


@pytest.mark.parametrize("value", [0, 1.5, "text", b"x", None, True, object(), lambda: 0, itertools.count()])
def test_what_cannot_change_or_be_looked_at_has_no_fingerprint(value):
    assert fingerprint(value) is None


def test_a_circle_has_no_fingerprint():
    circle: list = []
    circle.append(circle)
    assert fingerprint(circle) is None


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(plain, max_size=4))
def test_a_fingerprint_is_stable_and_short(data):
    found = fingerprint(data)
    assert found is not None
    assert found == fingerprint(data)
    assert len(found) == hashlib.blake2b(digest_size=16).digest_size


def test_views_of_one_buffer_are_read_before_they_change():
    """A mechanism that returns the same array each time; its result is that of one that does not."""
    buffer = np.empty(2**17)

    def reused(dataset, n, rng):
        out = buffer[:n]
        rng.standard_exponential(out=out)
        out += dataset
        return out

    fresh = run(lambda dataset, n, rng: dataset + rng.standard_exponential(n), name="m")
    assert run(reused, name="m").without_timings() == fresh.without_timings()


def test_a_list_that_is_used_again_is_read_before_it_changes():
    """The same for labels in a list."""
    kept: list[str] = []

    def fresh(dataset, n, rng):
        return ["yes" if one else "no" for one in rng.random(n) < 0.25 + 0.5 * dataset]

    def reused(dataset, n, rng):
        kept[:] = fresh(dataset, n, rng)
        return kept

    assert run(reused, name="m").without_timings() == run(fresh, name="m").without_timings()

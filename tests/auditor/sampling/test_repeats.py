"""Calls that repeat each other are noticed, also where outputs hardly vary; what never varies is not accused."""

import math

import numpy as np
import pytest

from auditor import ApproxDP, MechanismError, audit
from auditor.events.outputs import Form, Outputs
from auditor.sampling.repeats import CallsSeen, first_outputs

LEFT, RIGHT = (0, 0), (0, 1)  # pair and side


def numbers(values) -> Outputs:
    return Outputs(np.asarray(values, dtype=np.float64).reshape(-1, 1), None, Form("numbers", 1, True))


def labels(values) -> Outputs:
    return Outputs(np.full((len(values), 1), np.nan), list(values), Form("labels", 1, False))


def run(sample, epsilon=1.0, **options):
    return audit(sample, ApproxDP(epsilon), [(0, 1)], **{"trials": 6000, "views": ("values",), "jobs": 1, **options})


def test_calls_with_the_same_outputs_are_recognised():
    rng = np.random.default_rng(1)
    first, second = (first_outputs(numbers(rng.standard_normal(100))) for _ in range(2))
    calls = CallsSeen()
    assert not calls.repeated([(LEFT, first), (LEFT, second)])
    assert calls.repeated([(RIGHT, first)])
    assert calls.repeated([(LEFT, second[:400])])  # a shorter call that begins alike
    assert not calls.repeated([(LEFT, second[:400][::-1])])


@pytest.mark.parametrize(
    "outputs",
    [numbers(np.zeros(100)), labels(["a"] * 100), numbers([0.5])],
    ids=["constant", "one label", "one draw"],
)
def test_outputs_that_never_vary_are_not_accused(outputs):
    assert not CallsSeen().repeated([(LEFT, first_outputs(outputs))] * 5000)


@pytest.mark.parametrize(
    "outputs", [numbers(np.arange(100) == 7), numbers([0.5, 1.5, 2.5])], ids=["one of a hundred", "three draws"]
)
def test_a_few_calls_may_repeat_by_chance_and_many_may_not(outputs):
    """The chances are 1/100 and 1/6 a call: below 2.5e-7 after 4 and after 9 that repeat the first."""
    enough = 4 if len(outputs) == 100 else 9
    call = (LEFT, first_outputs(outputs))
    calls = CallsSeen()
    assert not calls.repeated([call] * enough)
    assert calls.repeated([call])


def test_one_call_that_differs_ends_the_suspicion():
    same, other = ((LEFT, first_outputs(numbers(np.arange(100) == k))) for k in (7, 8))
    assert not CallsSeen().repeated([same] * 3 + [other] + [same] * 50)


def test_the_sides_are_looked_at_each_on_its_own():
    """Left calls repeat each other, right calls too, and the two sides differ."""
    left, right = (first_outputs(numbers(np.arange(100) == k)) for k in (7, 8))
    assert CallsSeen().repeated([(LEFT, left), (RIGHT, right)] * 4)


def test_coarse_independent_calls_are_not_accused():
    """At an e-value of 4, independent calls are accused with probability at most 1/4: of 400, at most 147 (1e-7)."""
    rng, alarms = np.random.default_rng(5), 0
    for _ in range(400):
        calls, most = CallsSeen(), 0.0
        for _ in range(30):
            calls.repeated([(LEFT, first_outputs(numbers(rng.random(2) < 0.5)))])
            most = max(most, calls.log_evidence)
        alarms += most >= math.log(4)
    assert 0 < alarms <= 147


def test_every_column_counts():
    """A constant first column does not make calls alike."""
    rng, form = np.random.default_rng(0), Form("vectors", 2, True)
    firsts = [first_outputs(Outputs(np.column_stack([np.ones(64), rng.random(64)]), None, form)) for _ in range(2)]
    assert firsts[0] != firsts[1]
    assert len(firsts[0]) == 8 * 64


def test_labels_that_repeat_are_recognised():
    first = first_outputs(labels(np.random.default_rng(0).choice(list("abcd"), 64)))
    calls = CallsSeen()
    assert not calls.repeated([(LEFT, first)])
    assert calls.repeated([(LEFT, first)])


def seeded_numbers(dataset, n, rng):
    return dataset + np.random.default_rng(0).laplace(0, 1, n)


def seeded_tuples(dataset, n, rng):
    return [(number, 1.0) for number in seeded_numbers(dataset, n, rng).tolist()]


def seeded_rarely(dataset, n, rng):
    """(0, .03)-DP: hardly an output varies."""
    return (np.random.default_rng(0).random(n) < 0.03 * dataset).astype(float)


def seeded_rounded(dataset, n, rng):
    return np.round(np.random.default_rng(0).laplace(0, 0.3, n))


def seeded_second_column(dataset, n, rng):
    return np.column_stack([np.ones(n), np.random.default_rng(0).random(n)])


@pytest.mark.parametrize("sample", [seeded_numbers, seeded_tuples, seeded_rarely, seeded_rounded, seeded_second_column])
def test_a_mechanism_that_seeds_itself_is_an_error(sample):
    with pytest.raises(MechanismError, match=r"the same outputs from two of them; it seeds itself"):
        run(sample)


def test_a_mechanism_without_noise_is_refuted_and_not_an_error():
    result = run(lambda dataset, n, rng: np.full(n, float(dataset)))
    assert result.refuted
    assert result.replayable
    assert result.warnings == (
        "The output never varied on either input: the mechanism adds no noise, or the same noise in every draw.",
    )

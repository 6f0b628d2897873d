"""A wrong argument gets a sentence that says what is wrong, before anything is drawn."""

import functools
import math

import numpy as np
import pytest

from auditor import ApproxDP, NeighbourPair, UsageError, audit, per_draw
from auditor.request import name_of, request
from mechanisms.laplace import Laplace


def sample(dataset, n, rng):
    raise AssertionError("nothing may be drawn")


GOOD = {
    "mechanism": sample,
    "claim": ApproxDP(1.0),
    "pairs": [(0, 1)],
    "trials": 100,
    "alpha": 0.01,
    "seed": 0,
    "views": None,
    "name": None,
}


def asked(**changes):
    return request(**{**GOOD, **changes})


class NoSample:
    pass


class Own:
    """A mechanism that carries its claim, pairs and views."""

    id = "own"
    claim = ApproxDP(0.5)
    views = ("bits",)

    def sample(self, dataset, n, rng):
        return np.zeros(n)

    def neighbours(self):
        return [NeighbourPair("a", "b")]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mechanism": 7}, "a mechanism must have sample.*got int"),
        ({"mechanism": NoSample()}, "a mechanism must have sample.*got NoSample"),
        ({"mechanism": Own}, "instance or a function, got the class Own; call it"),
        ({"mechanism": lambda dataset, rng: 0}, "takes .dataset, n, rng.*wrap.*per_draw"),
        ({"mechanism": lambda: 0}, "takes .dataset, n, rng."),
        ({"claim": None}, "a claim must be ApproxDP, .* or TradeOffClaim, got claim=None"),
        ({"claim": 1.0}, r"a claim must be ApproxDP, .*, got claim=1\.0"),
        ({"claim": ApproxDP}, "a claim must be ApproxDP"),
        ({"pairs": None}, "pairs are needed"),
        ({"pairs": []}, r"at least one pair of neighbours, got pairs=\[\]"),
        ({"pairs": 5}, "a list of .left, right., got pairs=5"),
        ({"pairs": "ab"}, "a list of .left, right., got pairs='ab'"),
        ({"pairs": [0, 1]}, "a NeighbourPair or .left, right., got 0"),
        ({"pairs": [(0, 1, 2)]}, r"a NeighbourPair or .left, right., got \(0, 1, 2\)"),
        ({"pairs": ["ab"]}, "a NeighbourPair or .left, right., got 'ab'"),
        ({"trials": 0}, "trials must be a whole number of at least 1, got trials=0"),
        ({"trials": -5}, "trials must be a whole number"),
        ({"trials": 10.0}, r"trials must be a whole number of at least 1, got trials=10\.0"),
        ({"trials": True}, "trials must be a whole number"),
        ({"trials": "100"}, "trials must be a whole number"),
        ({"alpha": 0.0}, r"alpha must be a probability strictly between 0 and 1, got alpha=0\.0"),
        ({"alpha": 1}, "alpha must be a probability strictly between 0 and 1, got alpha=1"),
        ({"alpha": math.nan}, "alpha must be a probability strictly between 0 and 1, got alpha=nan"),
        ({"alpha": "small"}, "alpha must be a probability"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got seed=-1"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"views": ()}, r"views must be a tuple out of .*, got views=\(\)"),
        ({"views": "values"}, "views must be a tuple out of"),
        ({"views": ("values", "colours")}, "view must be one of 'values', 'bits', got view='colours'"),
    ],
)
def test_a_wrong_argument_is_named_with_its_rule(change, words):
    with pytest.raises(UsageError, match=words):
        asked(**change)
    with pytest.raises(UsageError, match=words):
        audit(**{**GOOD, **change})


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((-1.0,), "epsilon must be a finite number of at least 0"),
        ((math.nan,), "epsilon must be a finite number of at least 0"),
        ((math.inf,), "epsilon must be a finite number of at least 0"),
        (("1",), "epsilon must be a finite number of at least 0"),
        ((1.0, -0.1), r"delta must be a probability in \[0, 1\]"),
        ((1.0, 1.1), r"delta must be a probability in \[0, 1\]"),
        ((1.0, math.nan), r"delta must be a probability in \[0, 1\]"),
    ],
)
def test_an_impossible_claim_cannot_be_built(arguments, words):
    with pytest.raises(ValueError, match=words):
        ApproxDP(*arguments)


def test_the_original_error_is_kept_as_the_cause():
    with pytest.raises(UsageError) as caught:
        asked(raises="never")
    assert isinstance(caught.value.__cause__, ValueError)
    with pytest.raises(UsageError) as caught:
        asked(mechanism=lambda dataset, rng: 0)
    assert isinstance(caught.value.__cause__, TypeError)


def test_what_the_mechanism_carries_is_used_unless_something_else_is_asked_for():
    found = asked(mechanism=Own(), claim=None, pairs=None)
    assert (found.claim, found.views, found.name) == (ApproxDP(0.5), ("bits",), "own")
    assert (found.pairs[0].left, found.pairs[0].right) == ("a", "b")
    other = asked(mechanism=Own(), views=("values",), name="mine")
    assert (other.claim, other.views, other.name) == (ApproxDP(1.0), ("values",), "mine")
    assert other.pairs[0].left == 0


def test_a_mechanism_of_the_notes_needs_no_other_argument():
    found = asked(mechanism=Laplace(), claim=None, pairs=None)
    assert found.claim == Laplace().claim
    assert found.views == ("values",)
    assert len(found.pairs) == len(Laplace().neighbours())


def test_anyone_elses_code_is_looked_at_in_both_views_each_once():
    assert asked().views == ("values", "bits")
    assert asked(views=("bits", "bits")).views == ("bits",)
    assert asked(views=["values"]).views == ("values",)


def test_pairs_may_be_tuples_lists_or_a_generator():
    pair = NeighbourPair(0, 1)
    assert asked(pairs=[pair]).pairs == (pair,)
    assert [(p.left, p.right) for p in asked(pairs=([k, k + 1] for k in range(2))).pairs] == [(0, 1), (1, 2)]


def test_every_callable_that_takes_the_arguments_is_a_mechanism():
    class Callable:
        def __call__(self, dataset, n, rng):
            return np.zeros(n)

    def scaled(scale, dataset, n, rng):
        return np.zeros(n)

    for mechanism in (
        Callable(),
        functools.partial(scaled, 1.0),
        per_draw(lambda dataset, rng: 0),
        lambda *arguments: 0,
        lambda dataset, n, rng, extra=None: 0,
    ):
        assert callable(asked(mechanism=mechanism).sample)


def test_names_come_from_the_mechanism_and_say_what_was_wrapped():
    def my_count(dataset, rng):
        return 0

    assert name_of(per_draw(my_count)).endswith("my_count")
    assert name_of(Own()) == "own"
    assert name_of(NoSample()) == "NoSample"
    assert name_of(functools.partial(my_count, 1)) == "partial"


def test_per_draw_takes_functions_only():
    with pytest.raises(ValueError, match=r"per_draw takes a function of .dataset, rng., got 3"):
        per_draw(3)

"""What has no fixed place in an output is read by its content: under keys that never come twice, by a value in it."""

from dataclasses import dataclass
from ipaddress import ip_network

import numpy as np
import pytest

from auditor import ApproxDP, audit, per_draw
from auditor.events.kinds import MISSING
from auditor.events.trees.picked import Picked, picks
from auditor.events.trees.tree import grow
from benchmarks.eyes.by_content import BY_CONTENT

PURE = ApproxDP(1.0)


@pytest.mark.parametrize("leak", BY_CONTENT, ids=lambda leak: leak.name)
def test_a_leak_without_a_fixed_place_is_found(leak):
    assert audit(leak.leak, PURE, [(0, 1)], trials=4000, jobs=1).refuted


def test_a_zero_with_a_minus_sign_is_a_matter_of_the_implementation():
    (leak,) = (leak for leak in BY_CONTENT if "minus" in leak.name)
    assert not audit(leak.leak, PURE, [(0, 1)], trials=2000, jobs=1, views=("values",)).refuted


def test_a_value_that_stands_in_one_element_of_each_list_names_it():
    lists = [[("ann", place), ("ann", 9 + place), ("kim", 7)][:: 1 - 2 * (place % 2)] for place in range(8)]
    found = picks(lists)
    assert Picked((0,), "kim") in found
    assert all(pick.value != "ann" for pick in found)  # twice in a list
    assert Picked((0,), "kim").of(lists[0]) == ("kim", 7)
    assert Picked((0,), "eve").of(lists[0]) is MISSING
    assert str(Picked(("user", 0), 3)) == "user[0] = 3"


def test_a_value_at_one_place_names_nothing():
    assert picks([[("kim", place), ("bob", 1)] for place in range(8)]) == []


def test_true_is_not_one():
    assert Picked((0,), 1).of([(True,), (1,)]) == (1,)


def test_keys_that_never_come_twice_have_no_columns_of_their_own():
    names = grow([{f"{place}-{k}": k for k in range(5)} for place in range(32)]).numbers
    assert len(names) == 10  # five values, and the places at which they were put in
    assert all(".items[" in f".{name}" or "items[" in name for name in names)


def test_private_attributes_are_named_as_not_looked_at():
    class Model:
        def __init__(self, value, secret):
            self.value, self._secret = value, secret

    result = audit(per_draw(lambda d, rng: Model(rng.random(), d)), PURE, [(0, 1)], trials=500, jobs=1)
    assert not result.refuted
    assert any("Not looked at: x._secret" in text for text in result.limits)


def test_what_is_beyond_the_looked_at_characters_is_named():
    def long(d, rng):
        return rng.bytes(2000).hex() + str(d)[:0]

    result = audit(per_draw(long), PURE, [(0, 1)], trials=1000, jobs=1)
    assert any("x from its character 2048 on" in text for text in result.limits)


class Nulls:
    """A frame of polars, as far as it is looked at: one null or one NaN."""

    columns, dtypes = ("score",), ("Float64",)

    def __init__(self, missing):
        self.missing = missing

    def __array__(self, dtype=None, copy=None):
        return np.array([[0.5], [np.nan], [1.5]])

    def null_count(self):
        return int(self.missing is None)

    def to_dict(self, as_series):
        return {"score": [0.5, self.missing, 1.5]}


def test_a_null_is_not_nan():
    def frames(d, rng):
        return Nulls(None if d else float("nan"))

    assert audit(per_draw(frames), PURE, [(0, 1)], trials=500, jobs=1).refuted


def test_fields_of_attrs_are_read_whatever_their_names():
    class Field:
        name = "_n"

    class Summary:
        __attrs_attrs__ = (Field,)
        __slots__ = ("__weakref__", "_n")

        def __init__(self, n):
            self._n = n

    result = audit(per_draw(lambda d, rng: (Summary(d), rng.random())), PURE, [(0, 1)], trials=500, jobs=1)
    assert result.refuted
    assert not any("Not looked at" in text for text in result.limits)


def test_what_is_private_beside_the_fields_of_a_dataclass_is_named():
    @dataclass
    class Guest:
        score: float

    def guests(d, rng):
        guest = Guest(rng.random())
        vars(guest)["_room"] = d
        return guest

    result = audit(per_draw(guests), PURE, [(0, 1)], trials=500, jobs=1)
    assert any("Not looked at: x._room" in text for text in result.limits)


def test_reading_an_object_does_not_change_how_it_is_read():
    """A network keeps what was computed of it: it looked as if its mechanism drew its own randomness."""

    def networks(d, rng):
        return ip_network((int(rng.integers(2**20)) << 12, 24))

    result = audit(per_draw(networks), PURE, [(0, 1)], trials=500, jobs=1)
    assert not any("draws its own randomness" in text for text in result.limits)

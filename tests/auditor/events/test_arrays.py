"""The type of an array is the doing of its batch: a member is read alike in every type in which it can come."""

import contextlib
import functools
import math
from collections import namedtuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import ApproxDP, audit, per_draw
from auditor.errors import MechanismError
from auditor.events.outputs import Form, Outputs, canonical, form_of

PURE = ApproxDP(1.0)
DAY, SECOND, NANO = (np.datetime64(text) for text in ("2020-01-02", "2020-01-02T00:00:01", "2020-01-02T00:00:00.5"))


def read(raw, form: Form) -> Outputs:
    return canonical(raw, len(raw), "m", form)


def rows(outputs: Outputs) -> list[tuple[object, ...]]:
    return [(label, *map(repr, row)) for label, row in zip(outputs.texts(), outputs.numbers.tolist(), strict=True)]


def records(items):
    return np.array(items, dtype=[("a", float), ("b", object)])


def frame(items):
    return pd.DataFrame({"a": items, "b": ["x"] * len(items)})


def masked(items):
    return np.ma.masked_values([math.pi if item is None else item for item in items], math.pi)


def series(items, **how):
    return pd.Series(items, **how)


# a way to make a batch, members that are alike in every batch, members that change the type of an array
WAYS = {
    "texts beside numbers": (np.array, [1, 2, -3, True, 2.5, 1e300, 0.1, math.inf], ["none", "a longer text"]),
    "bytes beside numbers": (np.array, [1, 2, -3], [b"none"]),
    "bytes beside texts": (np.array, [b"a", b"b"], ["c"]),
    "texts of several widths": (np.array, ["a", "bc", "1", "007"], ["a much longer text"]),
    "texts that are numbers beside None": (np.array, ["1", "2.5"], [None]),
    "whole numbers beside floats": (np.array, [1, 2, 3, True], [0.5, math.nan]),
    "numbers beside None": (np.array, [1, 2, 0.5], [None]),
    "large whole numbers that are rounded": (np.array, [1, 2**53 + 1], [0.5]),
    "short floats beside floats": (np.array, [np.float32(0.1), np.float16(0.1)], [0.5]),
    "units of time": (np.array, [DAY, np.datetime64("2021-05-05")], [SECOND, NANO, np.datetime64("NaT", "s")]),
    "units of lengths of time": (np.array, [np.timedelta64(2, "D")], [np.timedelta64(1, "ms")]),
    "records with a text": (records, [(1.0, 2), (2.0, True)], [(1.0, "none")]),
    "records of inferred types": (np.rec.fromrecords, [(1.0, 2), (2.5, 3)], [(1.0, "none")]),
    "frames with a missing number": (frame, [1, 2, 3], [math.nan]),
    "frames with a missing text": (frame, ["1", "a"], [None]),
    "masked numbers": (masked, [1, 2, 3], [None]),
    "series with a missing number": (series, [1, 2, 3], [None]),
    "nullable series": (functools.partial(series, dtype="Int64"), [1, 2], [None]),
    "categories": (functools.partial(series, dtype="category"), [1, 2], [None]),
    "categories of texts": (functools.partial(series, dtype="category"), ["a", "1"], [None, 2]),
    "rows with a text": (np.array, [[1, 2], [2, 0.5]], [[1, "none"]]),
    "rows with None": (np.array, [[1, 2], [2, 0.5]], [[1, None]]),
}


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_member_of_an_array_is_read_on_its_own(way, data):
    """Whatever the pilot saw, and whatever else is in the batch: else it is an error, never another reading."""
    make, plain, others = WAYS[way]
    batches = st.lists(st.sampled_from(plain + others), min_size=1, max_size=5)
    with contextlib.suppress(MechanismError):
        form = form_of([make(data.draw(batches)), make(data.draw(batches))], "m")
        item = data.draw(st.sampled_from(plain + others))
        alone = rows(read(make([item]), form))[0]
        before, after = data.draw(batches), data.draw(batches)
        assert rows(read(make([*before, item, *after]), form))[len(before)] == alone


@pytest.mark.parametrize("way", ["texts beside numbers", "whole numbers beside floats", "frames with a missing number"])
def test_common_ways_are_read_and_not_refused(way):
    make, plain, others = WAYS[way]
    for pilot in (plain, plain + others):
        form = form_of([make(pilot)], "m")
        assert rows(read(make(plain), form)) == rows(read(make(plain + others), form))[: len(plain)]


@pytest.mark.parametrize(
    ("pilot", "later", "words"),
    [
        (np.array([0.1], np.float32), np.array(["none", np.float32(0.1)]), "texts and short floats"),
        (np.array([DAY]), np.array(["none"]), "texts and times"),
        (["1", 2], np.array(["1", 2]), "texts and a list"),
        (np.array([2**60 + 1]), np.array([2**60 + 1, 0.5]), "beyond 2\\^53"),
        (np.array([2**60 + 1, None]), np.array([float(2**60), "x"], dtype=object), "beyond 2\\^53"),
        (frame([1, 2]), frame([1, 2]).assign(c=1), "the same columns"),
    ],
)
def test_what_cannot_be_read_alike_is_refused_with_what_to_do(pilot, later, words):
    form = form_of([pilot], "m")
    with pytest.raises(MechanismError, match=words) as caught:
        read(later, form)
    assert "return a list" in str(caught.value)


def test_columns_of_a_frame_are_read_by_name():
    one = pd.DataFrame([{"a": 1, "b": "x"}])
    other = pd.DataFrame([{"b": "y", "a": 2}])
    form = form_of([one], "m")
    assert rows(read(other[["b", "a"]], form)) == rows(read(other[["a", "b"]], form))
    assert read(other[["b", "a"]], form).numbers[0, 0] == 2


def mixed(dataset, n, rng):
    """A rare text makes texts of a whole array: tight at epsilon 1."""
    p = 0.002 * math.e if dataset else 0.002
    return np.array(["none" if rng.random() < p else int(rng.integers(0, 3)) for _ in range(n)])


def missing(dataset, n, rng):
    """A rare None makes floats of a frame's whole numbers, and with a text beside them there are rows of objects."""
    p = 0.002 * math.e if dataset else 0.002
    return frame([None if rng.random() < p else int(rng.integers(0, 3)) for _ in range(n)])


def units(dataset, n, rng):
    """A rare second makes seconds of an array of days."""
    p = 0.002 * math.e if dataset else 0.002
    return np.array([SECOND if rng.random() < p else DAY + int(rng.integers(0, 3)) for _ in range(n)])


@pytest.mark.parametrize("mechanism", [mixed, missing, units])
def test_a_rare_member_does_not_change_the_others(mechanism):
    """Tight mechanisms at alpha .001: two false refutations of five have probability below 1e-5 each."""
    refuted = sum(audit(mechanism, PURE, [(0, 1)], trials=4000, alpha=0.001, seed=s, jobs=1).refuted for s in range(5))
    assert refuted < 2


def a_function():
    """Something that has an address."""


def a_generator():
    yield 1


class Hidden:
    """Tells where it is in a way of its own."""

    def __repr__(self) -> str:
        return f"Hidden<{id(self):#x}>"


Pair = namedtuple("Pair", "first second")


@pytest.mark.parametrize(
    "make",
    [
        lambda: a_function,
        lambda: [].append,
        lambda: Hidden().__repr__,
        Hidden,
        object,
        lambda: (1.0, lambda: 0),
        lambda: {"f": a_function},
        lambda: Pair("x", object()),
        lambda: str(a_function),
        lambda: f"model {object()}",
    ],
)
def test_a_text_with_an_address_is_no_output(make):
    mechanism = per_draw(lambda dataset, rng: make())
    with pytest.raises(MechanismError, match="address in memory"):
        audit(mechanism, PURE, [(0, 1)], trials=100, jobs=1)


def test_a_hexadecimal_number_is_an_output():
    mechanism = per_draw(lambda dataset, rng: ["0xdeadbeef", "look at 0x12", b"0xab"][int(rng.integers(3))])
    assert not audit(mechanism, PURE, [(0, 1)], trials=500, jobs=1).refuted


@pytest.mark.parametrize("output", [3.0, "always", (1, "a"), {"a": 1}, None, np.zeros(3)])
def test_an_output_that_never_varies_is_told(output):
    result = audit(per_draw(lambda dataset, rng: output), PURE, [(0, 1)], trials=500, jobs=1)
    assert any("never varied" in warning for warning in result.warnings)


def test_an_output_that_varies_on_one_side_is_not_told():
    mechanism = per_draw(lambda dataset, rng: float(rng.integers(2)) if dataset else 0.0)
    assert not any("never varied" in w for w in audit(mechanism, PURE, [(0, 1)], trials=500, jobs=1).warnings)


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [(0, 0, True), ([1, 2], [1, 2], True), ("a", "a", True), ([1, 2], (1, 2), False), ([1], [2], False), (0, 1, False)],
)
def test_a_pair_of_one_dataset_is_told(left, right, told):
    result = audit(lambda d, n, rng: rng.random(n), PURE, [(left, right)], trials=500, jobs=1)
    assert any("the right input are the same" in warning for warning in result.warnings) == told

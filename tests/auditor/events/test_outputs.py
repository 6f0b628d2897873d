"""An output is read the same way whatever stands beside it; otherwise an event is no set of outputs."""

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from auditor import ApproxDP, audit, per_draw
from auditor.errors import MechanismError
from auditor.events import features
from auditor.events.event import Event
from auditor.events.outputs import Form, Outputs, canonical, form_of, join
from auditor.events.scores import Labels, Region, Steps, Value


def read(raw, form=None) -> Outputs:
    return canonical(raw, len(raw), "m", form or form_of([raw], "m"))


@dataclass(frozen=True)
class Answer:
    """What a library may return."""

    value: object
    note: str = "ok"


class Tensor:
    """Something that numpy can read, and that is not of numpy."""

    def __init__(self, held) -> None:
        self.held = held

    def __array__(self, dtype=None, copy=None):
        return np.array(self.held, dtype=dtype)

    def __repr__(self) -> str:
        return f"tensor({self.held})"


class Table(Tensor):
    """A table of mixed columns: as a data frame, it has rows and lists its columns' names."""

    def __len__(self) -> int:
        return len(self.held)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.held, dtype=object)

    def __iter__(self):
        return iter(["count", "note"])


RECORD = np.dtype([("a", float), ("b", int)])
LEAVES = st.one_of(
    st.floats(),
    st.integers(-5, 5),
    st.integers(-(2**64), 2**64),
    st.booleans(),
    st.booleans().map(np.bool_),
    st.none(),
    st.sampled_from(["fail", "", "#", "1.0", "None"]),
    st.floats(width=32).map(np.float32),
    st.integers(-(2**62), 2**62).map(np.int64),
    st.fractions(),
    st.complex_numbers(allow_nan=False, allow_infinity=False),
    st.datetimes(),
    st.dates(),
    st.times(),
    st.timedeltas(),
    st.floats(-5, 5).map(Answer),
    st.floats(-5, 5).map(Tensor),
    st.lists(st.floats(-5, 5), min_size=1, max_size=3).map(Tensor),
    st.lists(st.floats(-5, 5), min_size=1, max_size=3).map(np.array),
    st.floats(-5, 5).map(lambda x: np.array([(x, 1)], dtype=RECORD)[0]),
)
ITEMS = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4).map(tuple), max_leaves=20)
NUMBERS = st.one_of(st.floats(), st.integers(-(2**64), 2**64), st.booleans(), st.booleans().map(np.bool_), st.none())


def same(left: Outputs, right: Outputs) -> bool:
    labels = (left.labels is None) == (right.labels is None)
    if left.labels is not None and right.labels is not None:
        labels = left.labels == right.labels
    return labels and np.array_equal(left.numbers, right.numbers, equal_nan=True)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(ITEMS, NUMBERS), min_size=1, max_size=8), st.lists(ITEMS, max_size=4))
def test_an_output_is_read_on_its_own(batch, pilot):
    """The contract, for lists of anything, in the form of the batch and in one that other draws fixed."""
    for form in (form_of([batch], "m"), form_of([[*pilot, "label"]], "m"), Form("numbers", 1, True)):
        whole = read(batch, form)
        for place, item in enumerate(batch):
            assert same(whole.take(slice(place, place + 1)), read([item], form)), (item, batch)


@settings(max_examples=100, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=8))
@example([2**60, 1.5])
@example([np.bool_(True), None])
@example([2**63, -1])
def test_numbers_are_read_on_their_own(batch):
    for form in (form_of([batch], "m"), form_of([["label"]], "m"), form_of([[0.5]], "m")):
        whole = read(batch, form)
        for place, item in enumerate(batch):
            assert same(whole.take(slice(place, place + 1)), read([item], form)), (item, batch)


def features_of(outputs: Outputs) -> list[str]:
    width = outputs.numbers.shape[1]
    listed = features.values_features(outputs) + features.bits_features(outputs)
    return [*dict.fromkeys([*listed, "x", "sum", "range", "argmax", "first change", "bottoms", "first bottom"])][
        : 8 + 2 * width
    ]


@settings(max_examples=30, deadline=None)
@given(st.lists(ITEMS, min_size=2, max_size=6))
@example([(), 1.3e308 + 1.3e308j])
def test_features_and_events_look_at_one_output_at_a_time(batch):
    form = form_of([[*batch, "label"]], "m")
    whole = read(batch, form)
    for feature in features_of(whole):
        with np.errstate(all="ignore"):
            column = features.column_of(whole, feature)
            alone = [features.column_of(read([item], form), feature)[0] for item in batch]
        assert np.array_equal(column, alone, equal_nan=True), feature
    assert whole.labels is not None
    events = [
        Event(Value("x"), Region("<=", 0.0), None),
        Event(Steps("sum", (0.0, 1.0), (1.0, -1.0, 2.0), 5.0), Region(">=", 1.0), None),
        Event(Labels(((whole.labels[0], 1.0),)), Region(">=", 1.0), None),
    ]
    for event in events:
        with np.errstate(all="ignore"):
            alone = sum(event.guesses(read([item], form))[0] for item in batch)
            assert event.guesses(whole)[0] == alone


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.floats(), min_size=3, max_size=3), min_size=2, max_size=6))
def test_rows_of_arrays_are_read_on_their_own(rows):
    batch = np.array(rows)
    form = form_of([batch], "m")
    whole = read(batch, form)
    for place in range(len(batch)):
        assert same(whole.take(slice(place, place + 1)), read(batch[place : place + 1], form))
    for feature in features.values_features(whole) + features.bits_features(whole):
        with np.errstate(all="ignore"):
            alone = [features.column_of(whole.take(slice(place, place + 1)), feature)[0] for place in range(len(batch))]
            assert np.array_equal(features.column_of(whole, feature), alone, equal_nan=True), feature


@pytest.mark.parametrize(
    ("raw", "kind", "width"),
    [
        (np.zeros(4), "numbers", 1),
        (np.zeros(4, dtype=bool), "numbers", 1),
        (np.zeros(4, dtype=np.int8), "numbers", 1),
        ([1.0, 2.5, None], "numbers", 1),
        ([1, 2.5, None], "labels", 2),
        ([None, None], "numbers", 1),
        ([Fraction(1, 2), Fraction(1, 3)], "labels", 4),
        ([Decimal("0.5"), Decimal("NaN")], "labels", 2),
        (np.zeros((4, 3)), "vectors", 3),
        (np.zeros((4, 3, 2)), "vectors", 6),
        (np.zeros(4, dtype=complex), "vectors", 4),
        (np.zeros(4, dtype=[("a", float), ("b", int)]), "vectors", 2),
        (np.array(["a", "b"]), "labels", 1),
        ([2**60, 1], "labels", 7),
        (np.array([2**60, 1]), "labels", 8),
        (["a", 1.0], "labels", 3),
        ([(1, 2), (3, 4)], "labels", 3),
        ([(1, 2), (1, 2, 3)], "labels", 7),
        ([(1,) * 20, (2,)], "labels", 41),
        ([{"a": 1}, {"b": 2}], "labels", 6),
        ([1j, 2 + 1j], "labels", 5),
        ([Tensor(1.0), Tensor(2.0)], "numbers", 1),
        ([Tensor([1.0, 2.0]), Tensor([1.0, 3.0])], "vectors", 2),
        ([np.zeros((2, 2)), np.ones((2, 2))], "vectors", 4),
        ([np.zeros(2), np.zeros(3)], "labels", 11),
        (list(np.zeros(2, dtype=RECORD)), "vectors", 2),
        ([Answer(1.5), Answer(2.5)], "labels", 3),
        ([datetime(2026, 1, 2), datetime(2026, 1, 3)], "labels", 12),
        (Table([[1.5, "a"], [2.5, "b"]]), "labels", 3),
    ],
)
def test_form_of_every_kind_of_output(raw, kind, width):
    form = form_of([raw, raw], "m")
    assert (form.kind, form.width) == (kind, width)
    assert len(read(raw, form)) == len(raw)


def test_bottom_is_nan_whether_it_is_none_or_a_failure_among_numbers():
    form = form_of([[1.0, 2.0]], "m")
    assert np.isnan(read([None, "fail", math.nan, (1,)], form).numbers[:, 0]).all()


def columns(outputs: Outputs) -> dict[str, list[float]]:
    return {name: outputs.numbers[:, place].tolist() for place, name in enumerate(outputs.form.names)}


def test_the_parts_of_an_output_are_columns_by_path():
    outputs = read([{"n": 1, "rows": [{"v": 1.5}, {"v": 2.5}]}, {"n": 2, "rows": [{"v": 3.5}]}])
    found = columns(outputs)
    assert found["n"] == [1, 2]
    assert found["rows[0].v"] == [1.5, 3.5]
    assert found["length of rows"] == [2, 1]
    assert found["rows[1].v"][0] == 2.5
    assert math.isnan(found["rows[1].v"][1])
    assert len(set(found["type of rows[1] (0 not there, 1 dict)"])) == 2


def test_objects_of_libraries_are_read_for_their_numbers():
    """Not by a text in which no two draws are alike: an audit would see nothing in it."""
    assert columns(read([Answer((1.5, 2)), Answer(2.5, "late")]))["value[0]"][0] == 1.5
    assert columns(read([Answer(2.5), Answer(3.5)]))["value"] == [2.5, 3.5]
    table = read(Table([[1.5, "a"], [2.5, "b"]]))
    assert columns(table)["x[0]"] == [1.5, 2.5]
    assert len(set(columns(table)["text of x[1] (0 'a', 1 'b')"])) == 2
    ragged = columns(read([Tensor([1.0, 2.0]), Tensor([3.0])]))
    assert ragged["values[0]"] == [1.0, 3.0]
    assert columns(read([6 + 8j, 1j]))["size"] == [10.0, 1.0]


def test_times_are_read_in_seconds_and_parts():
    found = columns(read([datetime(1970, 1, 3), datetime(1970, 1, 3, 0, 0, 7, tzinfo=UTC)]))
    assert found["x"] == [172_800.0, 172_807.0]
    assert found["second of x"] == [0, 7]
    assert math.isnan(found["offset of x"][0])
    assert found["offset of x"][1] == 0
    assert columns(read([time(0, 1, 30, 500_000), time(1)]))["x"] == [90.5, 3600.0]
    assert columns(read([timedelta(days=2), timedelta(0)]))["day of x"] == [2, 0]
    assert columns(read([date(1970, 1, 3), date(1970, 1, 1)]))["x"] == [172_800.0, 0.0]


def test_what_the_first_draws_did_not_have_is_a_label():
    form = form_of([[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]], "m")
    later = [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "x", "c": 3},
        {"a": None, "b": "x"},
        {"a": 1, "b": "z"},
        {"b": "x", "a": 1},
        7,
    ]
    labels = read(later, form).labels
    assert labels is not None
    assert len(set(labels)) == len(later)
    assert "another key 'c'" in labels[1]
    assert labels[2] == "a is NoneType"
    assert labels[3] == "b = 'z'"


@pytest.mark.parametrize("wrap", [Answer, Tensor, lambda x: timedelta(seconds=x), lambda x: complex(x, 1)])
def test_a_leak_in_an_object_of_a_library_is_found(wrap):
    counts = per_draw(lambda dataset, rng: wrap(dataset + rng.laplace(0, 0.5)))
    assert audit(counts, ApproxDP(1.0), [(0, 1)], trials=2000, jobs=1).refuted


def test_equal_sets_are_read_alike_and_dicts_by_the_order_of_their_keys():
    outputs = read([{"c", "d", "e"}, {"e", "d", "c"}, {"a": "x", "b": "y"}, {"b": "y", "a": "x"}])
    assert same(outputs.take(slice(0, 1)), outputs.take(slice(1, 2)))
    assert not same(outputs.take(slice(2, 3)), outputs.take(slice(3, 4)))


def test_a_leak_in_the_numbers_of_a_dict_is_found():
    counts = per_draw(lambda dataset, rng: {"count": dataset + rng.laplace(0, 0.5)})
    assert audit(counts, ApproxDP(1.0), [(0, 1)], trials=4000).verdict == "refuted"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ([1.0, 2.0, 3.0], "must return 2 outputs for n=2, got 3"),
        ("ab", "got a str"),
        (7.0, "got a float"),
        (np.float64(7.0), "got a float64"),
        (np.array(7.0), "got a ndarray"),
        ([object(), object()], "address in memory"),
        (np.zeros((2, 3)), "one shape on every dataset and call, got numbers and vectors of 3"),
    ],
)
def test_what_is_not_n_outputs_is_an_error_that_names_the_mechanism(raw, words):
    form = form_of([[Answer(1.0)]], "m") if "memory" in words else Form("numbers", 1, True)
    with pytest.raises(MechanismError, match=words) as caught:
        canonical(raw, 2, "my mechanism", form)
    assert "my mechanism" in str(caught.value)


def test_different_shapes_on_the_two_sides_are_an_error():
    with pytest.raises(MechanismError, match=r"one shape.*vectors of 2 and vectors of 3"):
        form_of([np.zeros((4, 2)), np.zeros((4, 3))], "m")
    with pytest.raises(MechanismError, match=r"one shape.*vectors of 2 and objects"):
        canonical([1.0, "a"], 2, "m", Form("vectors", 2, True))


def test_join_is_the_batches_in_order():
    form = form_of([["a", 1.0]], "m")
    parts = [read(["a", 1.0], form), read([(2.0, "b")], form)]
    joined = join(parts)
    assert len(joined) == 3
    assert same(joined.take(slice(2)), parts[0])
    assert same(joined.take(slice(2, 3)), parts[1])


# Two mechanisms that were refuted falsely when the form of a batch depended on the batch


def rare_long_tuples(dataset, rng):
    """Length 6 with probability .02 against .02/e, otherwise 2 or 3: tight at epsilon 1."""
    if rng.random() < 0.02 * math.exp(-dataset):
        return (0,) * 6
    return (0,) * int(rng.integers(2, 4))


def response_with_failures(dataset, rng):
    """Randomized response as floats, with a rare text: tight at epsilon 1."""
    if rng.random() < 0.01:
        return "fail"
    return float(dataset if rng.random() < math.e / (1 + math.e) else 1 - dataset)


@pytest.mark.parametrize("mechanism", [rare_long_tuples, response_with_failures])
def test_rare_outputs_do_not_change_the_others(mechanism):
    """Tight mechanisms at alpha .05: more than 4 of 12 false refutations have probability below 2e-4 each."""
    refuted = sum(
        audit(per_draw(mechanism), ApproxDP(1.0), [(0, 1)], trials=1500, alpha=0.05, seed=seed, jobs=1).refuted
        for seed in range(12)
    )
    assert refuted <= 4


class Hidden:
    """An object whose text and public attributes hide its number."""

    def __init__(self, value) -> None:
        self._value = value
        self.fitted = True

    def __repr__(self) -> str:
        return "Hidden()"


class Shown(Hidden):
    """The same with an attribute that can be read, and some that cannot."""

    def __init__(self, value) -> None:
        super().__init__(value)
        self.coef_ = [value, 1.0]
        self.rng = np.random.default_rng(0)
        self.lock = object()

    @property
    def danger(self):
        raise AssertionError("no code of an output is run")


def test_an_object_in_which_nothing_varies_is_an_error_that_says_what_to_return():
    with pytest.raises(MechanismError, match="class Hidden in whose public attributes nothing varies; return"):
        audit(per_draw(lambda d, rng: Hidden(d + rng.laplace())), ApproxDP(1.0), [(0, 9)], trials=500, jobs=1)


def test_the_public_attributes_of_an_object_are_read_and_the_rest_is_named():
    result = audit(per_draw(lambda d, rng: Shown(d + rng.laplace())), ApproxDP(1.0), [(0, 9)], trials=500, jobs=1)
    assert result.refuted
    assert any("coef_[0]" in text and "Not looked at: lock" in text for text in result.limits)
    assert "coef_[0]" in str(result.witness)

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


@settings(max_examples=60, deadline=None)
@given(st.lists(ITEMS, min_size=2, max_size=6))
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
        ([1, 2.5, None], "numbers", 1),
        ([None, None], "numbers", 1),
        ([Fraction(1, 2), 3], "numbers", 1),
        ([Decimal("0.5"), Decimal("NaN")], "numbers", 1),
        (np.zeros((4, 3)), "vectors", 3),
        (np.zeros((4, 3, 2)), "vectors", 6),
        (np.zeros(4, dtype=complex), "vectors", 2),
        (np.zeros(4, dtype=[("a", float), ("b", int)]), "vectors", 2),
        (np.array(["a", "b"]), "labels", 1),
        ([2**60, 1], "labels", 1),
        (np.array([2**60, 1]), "labels", 1),
        (["a", 1.0], "labels", 2),
        ([(1, 2), (3, 4)], "labels", 2),
        ([(1, 2), (1, 2, 3)], "labels", 6),
        ([(1,) * 20, (2,)], "labels", 16),
        ([{"a": 1}, {"b": 2}], "labels", 1),
        ([1j, 2 + 1j], "vectors", 2),
        ([1j, 1.0], "labels", 4),
        ([Tensor(1.0), Tensor(2.0)], "numbers", 1),
        ([Tensor([1.0, 2.0]), Tensor([1.0, 3.0])], "vectors", 2),
        ([np.zeros((2, 2)), np.ones((2, 2))], "vectors", 4),
        ([np.zeros(2), np.zeros(3)], "labels", 6),
        (list(np.zeros(2, dtype=RECORD)), "vectors", 2),
        ([Answer(1.5), Answer(2.5)], "labels", 1),
        ([datetime(2026, 1, 2), datetime(2026, 1, 3)], "labels", 1),
        (Table([[1.5, "a"], [2.5, "b"]]), "labels", 1),
    ],
)
def test_form_of_every_kind_of_output(raw, kind, width):
    form = form_of([raw, raw], "m")
    assert (form.kind, form.width) == (kind, width)
    assert len(read(raw, form)) == len(raw)


def test_bottom_is_nan_whether_it_is_none_or_a_failure_among_numbers():
    form = form_of([[1.0, 2.0]], "m")
    assert np.isnan(read([None, "fail", math.nan, (1,)], form).numbers[:, 0]).all()


def test_what_a_label_says_beside_its_numbers():
    outputs = read([("yes", 1.5, None), ("no", (2, 3)), "text", 2**60, 7])
    assert outputs.labels is not None
    assert outputs.labels == ["('yes', #, None)", "('no', (#, #))", "text", str(2**60), "#"]
    assert outputs.numbers[0, :2].tolist()[0] == 1.5
    assert outputs.numbers[1, :2].tolist() == [2.0, 3.0]


def test_objects_of_libraries_are_read_for_their_numbers():
    """Not by a text in which no two draws are alike: an audit would see nothing in it."""
    answers = read([Answer((1.5, 2)), Answer(2.5, "late")])
    assert answers.labels == ["((#, #), 'ok')", "(#, 'late')"]
    assert answers.numbers[:, 0].tolist() == [1.5, 2.5]
    table = read(Table([[1.5, "a"], [2.5, "b"]]))
    assert table.labels == ["(#, 'a')", "(#, 'b')"]
    assert table.numbers[:, 0].tolist() == [1.5, 2.5]
    mixed = read([Tensor([1.0, 2.0]), Tensor(3.0), np.array([(4.0, 5)], dtype=RECORD)[0], 6 + 7j])
    assert np.nan_to_num(mixed.numbers[:, :2], nan=-1).tolist() == [[1, 2], [3, -1], [4, 5], [6, 7]]


def test_times_are_read_in_seconds():
    days = [date(1970, 1, 3), datetime(1970, 1, 3), datetime(1970, 1, 3, tzinfo=UTC), timedelta(days=2)]
    assert read([*days, time(0, 1, 30, 500_000)]).numbers[:, 0].tolist() == [172_800.0] * 4 + [90.5]


@pytest.mark.parametrize("wrap", [Answer, Tensor, lambda x: timedelta(seconds=x), lambda x: complex(x, 1)])
def test_a_leak_in_an_object_of_a_library_is_found(wrap):
    counts = per_draw(lambda dataset, rng: wrap(dataset + rng.laplace(0, 0.5)))
    assert audit(counts, ApproxDP(1.0), [(0, 1)], trials=2000, jobs=1).refuted


def test_equal_sets_and_dicts_are_equal_labels():
    outputs = read([{"a": "x", "b": "y"}, {"b": "y", "a": "x"}, {"c", "d", "e"}, {"e", "d", "c"}])
    assert outputs.labels is not None
    assert outputs.labels[0] == outputs.labels[1]
    assert outputs.labels[2] == outputs.labels[3]


def test_the_numbers_in_a_dict_are_columns_by_key():
    outputs = read([{"b": 2.5, "a": "x"}, {"a": "y", "b": 3.5}, {"b": (4.5, {"c": 5.5}), "a": "x"}])
    assert outputs.labels == [
        "(('a', 'x'), ('b', #))",
        "(('a', 'y'), ('b', #))",
        "(('a', 'x'), ('b', (#, (('c', #)))))",
    ]
    assert outputs.numbers[:, 0].tolist() == [2.5, 3.5, 4.5]
    assert outputs.numbers[2, 1] == 5.5


def test_a_leak_in_the_numbers_of_a_dict_is_found():
    counts = per_draw(lambda dataset, rng: {"count": dataset + rng.laplace(0, 0.5)})
    assert audit(counts, ApproxDP(1.0), [(0, 1)], trials=4000).verdict == "refuted"


def test_numbers_beyond_the_columns_are_told_apart_by_their_text():
    long = tuple(range(20))
    outputs = read([long, (*long[:-1], 99)])
    assert outputs.labels is not None
    assert outputs.labels[0] != outputs.labels[1]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ([1.0, 2.0, 3.0], "must return 2 outputs for n=2, got 3"),
        ("ab", "got a str"),
        (7.0, "got a float"),
        (np.float64(7.0), "got a float64"),
        (np.array(7.0), "got a ndarray"),
        ([object(), object()], "without a repr"),
        (np.zeros((2, 3)), "one shape on every dataset and call, got numbers and vectors of 3"),
    ],
)
def test_what_is_not_n_outputs_is_an_error_that_names_the_mechanism(raw, words):
    form = Form("labels", 16, False) if "repr" in words else Form("numbers", 1, True)
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
    """Tight mechanisms at alpha .05: more than 5 of 20 false refutations have probability below 4e-4 each."""
    refuted = sum(
        audit(per_draw(mechanism), ApproxDP(1.0), [(0, 1)], trials=1500, alpha=0.05, seed=seed, jobs=1).refuted
        for seed in range(20)
    )
    assert refuted <= 5


class Opaque:
    """An object that shows its number in its text only."""

    def __init__(self, value) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Opaque({self.value})"


@pytest.mark.parametrize(
    ("output", "unread"),
    [
        (lambda noisy: Opaque(noisy), True),
        (lambda noisy: Opaque(round(noisy)), False),
        (lambda noisy: ("count", noisy), False),
        (lambda noisy: noisy, False),
    ],
)
def test_texts_that_never_repeat_are_said_to_be_unread(output, unread):
    mechanism = per_draw(lambda dataset, rng: output(dataset + rng.laplace(0, 1)))
    result = audit(mechanism, ApproxDP(2.0), [(0, 1)], trials=1000, jobs=1, views=("values",))
    assert any("Hardly two outputs have the same text" in warning for warning in result.warnings) == unread

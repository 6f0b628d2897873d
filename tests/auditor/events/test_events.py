"""Events are plain data: what they count, say and store must be the same event."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.events.event import Event, event_from_dict
from auditor.events.outputs import Form, Outputs, canonical
from auditor.events.scores import Labels, Region, Rows, Steps, Sum, Trees, Value

NUMBERS = st.one_of(st.floats(), st.integers(-3, 3).map(float))
EDGES = st.sets(st.one_of(st.floats(allow_nan=False), st.integers(-3, 3).map(float)), max_size=6).map(
    lambda edges: tuple(sorted(edges))
)


def numbers(*values) -> Outputs:
    return canonical(np.array(values, dtype=float), len(values), "m", Form("numbers", 1, True))


def vectors(*rows) -> Outputs:
    return canonical(np.array(rows, dtype=float), len(rows), "m", Form("vectors", len(rows[0]), True))


def labels(*items) -> Outputs:
    return canonical(list(items), len(items), "m", Form("labels", 16, False))


@st.composite
def tables(draw):
    edges = draw(EDGES)
    value = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0])
    return Steps("x", edges, tuple(draw(value) for _ in range(len(edges) + 1)), draw(value))


def cell_of(table: Steps, x: float) -> float:
    """The table's value at x, the slow way."""
    if math.isnan(x):
        return table.bottom
    return table.values[sum(edge <= x for edge in table.edges)]


@settings(max_examples=200, deadline=None)
@given(tables(), st.lists(NUMBERS, min_size=1, max_size=12), st.sampled_from([-1.5, -1.0, 0.0, 1.0]))
def test_a_table_counts_what_it_scores(table, values, at):
    outputs = numbers(*values)
    scores = [cell_of(table, x) for x in values]
    assert table.of(outputs).tolist() == scores
    event = Event(table, Region("<=", at), Region(">=", at + 0.5))
    assert event.guesses(outputs) == (sum(s <= at for s in scores), sum(s >= at + 0.5 for s in scores))
    other = Event(table, None, Region("<=", at))
    assert other.guesses(outputs) == (0, sum(s <= at for s in scores))


def test_a_table_with_very_many_edges_counts_the_same():
    rng = np.random.default_rng(0)
    edges = tuple(np.sort(rng.random(1000)).tolist())
    table = Steps("x", edges, tuple(rng.integers(0, 2, 1001).astype(float).tolist()), 1.0)
    outputs = numbers(*rng.random(500), math.nan)
    event = Event(table, Region(">=", 1.0), None)
    assert event.guesses(outputs) == (int((table.of(outputs) >= 1).sum()), 0)


@settings(max_examples=100, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=12), st.floats(allow_nan=False))
def test_a_threshold_counts_its_tail_and_never_nan(values, at):
    outputs = numbers(*values)
    assert Event(Value("x"), Region("<=", at), None).guesses(outputs) == (sum(x <= at for x in values), 0)
    assert Event(Value("x"), None, Region(">=", at)).guesses(outputs) == (0, sum(x >= at for x in values))


def test_labels_that_are_not_in_the_table_score_nothing():
    table = Labels((("yes", 1.0), ("no", -1.0)))
    outputs = labels("yes", "no", "maybe", 3, None)
    assert table.of(outputs).tolist() == [1.0, -1.0, 0.0, 0.0, 0.0]
    event = Event(table, Region(">=", 1.0), Region("<=", -1.0))
    assert event.guesses(outputs) == (1, 1)
    assert event.words("left") == "the output is 'yes'"


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 2.5, math.nan, math.inf])] * 2), min_size=1, max_size=10),
    st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 2.5, math.nan, 7.0])] * 2), min_size=1, max_size=10),
)
def test_rows_know_exactly_the_rows_they_were_made_from(known, asked):
    atoms = tuple(tuple(sorted({row[k] for row in known if not math.isnan(row[k])})) for k in (0, 1))
    keys = sorted(set(Rows.encode(atoms, np.array(known)).tolist()))
    assert -1 not in keys
    table = Rows(atoms, tuple(keys), (1.0,) * len(keys))
    there = {str(row) for row in known}
    assert table.of(vectors(*asked)).tolist() == [float(str(row) in there) for row in asked]


def test_sums_and_trees_score_by_their_parts():
    outputs = vectors([0.0, 5.0], [2.0, -5.0], [math.nan, 0.0])
    first, second = Steps("x[0]", (1.0,), (-1.0, 1.0), 0.5), Steps("x[1]", (0.0,), (-3.0, 3.0))
    assert Sum((first, second)).of(outputs).tolist() == [2.0, -2.0, 3.5]
    tree = ((0, 1.0, 1, 2, 0.0), (-1, 0.0, 0, 0, -1.0), (1, 0.0, 3, 4, 0.0), (-1, 0.0, 0, 0, 2.0), (-1, 0.0, 0, 0, 4.0))
    assert Trees(("x[0]", "x[1]"), (tree, tree)).of(outputs).tolist() == [-2.0, 4.0, -2.0]  # NaN goes left


EVENTS = [
    Event(Value("x[2]-x[0]"), Region("<=", -math.inf), Region(">=", 3.0)),
    Event(
        Steps("low bit of x", (-math.inf, 0.5, math.inf), (1.0, -1.0, 0.0, 2.0), 3.0), None, Region(">=", 2.0), "bits"
    ),
    Event(Labels((("ü ⊥", 1.0),)), Region(">=", 1.0), None),
    Event(Rows(((0.0, math.inf), (1.0,)), (0, 3), (1.0, -1.0)), Region(">=", 0.5), Region("<=", -0.5)),
    Event(Sum((Steps("x[0]", (), (1.0,)), Steps("sum", (0.0,), (0.0, 1.0)))), Region(">=", 0.5), None),
    Event(Trees(("x", "sum"), (((-1, 0.0, 0, 0, 1.0),),)), Region(">=", 0.5), None),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event.score).__name__)
def test_an_event_survives_json_and_can_be_said(event):
    text = json.dumps(event.to_dict(), allow_nan=False)
    assert event_from_dict(json.loads(text)) == event
    assert str(event).startswith("guess ")
    assert event.words(event.direction if event.directions == 1 else "left") in str(event)


def test_directions_are_the_sides_that_are_guessed():
    low, high = Region("<=", 0.0), Region(">=", 1.0)
    both, left, right = (Event(Value("x"), *sides) for sides in ((high, low), (low, None), (None, low)))
    assert [(e.directions, e.direction) for e in (both, left, right)] == [(2, "both"), (1, "left"), (1, "right")]


@pytest.mark.parametrize(
    ("event", "side", "words"),
    [
        (Event(Value("x"), Region("<=", 1.5), None), "left", "x <= 1.5"),
        (Event(Value("x"), Region("<=", 1.5), None), "right", "nothing"),
        (
            Event(Steps("x", (1.0, 2.0), (1.0, 0.0, 1.0), 1.0), Region(">=", 1.0), None),
            "left",
            "x < 1 or >= 2 or is ⊥ (no number)",
        ),
        (Event(Steps("x", (1.0, 2.0), (0.0, 1.0, 0.0)), Region(">=", 1.0), None), "left", "1 <= x < 2"),
        (Event(Steps("x", (3.0, math.nextafter(3, 4)), (0.0, 1.0, 0.0)), Region(">=", 1.0), None), "left", "x = 3"),
        (Event(Steps("x", (3.0, math.nextafter(3, 4)), (1.0, 0.0, 1.0)), Region(">=", 1.0), None), "left", "x ≠ 3"),
        (Event(Steps("x", (), (1.0,)), Region(">=", 1.0), None), "left", "x is a number"),
        (
            Event(Rows(((0.0,), (1.0,)), (0, 3), (1.0, 1.0)), Region(">=", 1.0), None),
            "left",
            "the output is one of (0, 1), (⊥, ⊥)",
        ),
    ],
)
def test_events_in_words(event, side, words):
    assert event.words(side) == words


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Region("<", 1.0), "a region must be <= or >= a number"),
        (lambda: Region("<=", math.nan), "a region must be <= or >= a number"),
        (lambda: Event(Value("x"), None, None), "at least one side"),
        (lambda: Event(Value("x"), Region("<=", 1.0), Region(">=", 1.0)), "must not overlap"),
        (lambda: Event(Value("x"), Region("<=", 1.0), Region("<=", 0.0)), "must not overlap"),
        (lambda: Value("__import__"), "a feature must be one that auditor/events/features.py knows"),
        (lambda: Steps("x", (1.0, 1.0), (0.0, 0.0, 0.0)), "increasing edges"),
        (lambda: Steps("x", (1.0,), (0.0,)), "one value more than edges"),
        (lambda: Rows(((0.0,),), (1, 0), (0.0, 0.0)), "increasing keys"),
        (lambda: Rows(((0.0,) * 9,) * 60, (0,), (0.0,)), "62 bits"),
        (lambda: Trees(("x",), (((0, 0.0, 0, 0, 0.0),),)), "point forward"),
        (lambda: Trees(("x",), (((5, 0.0, 1, 1, 0.0), (-1, 0.0, 0, 0, 0.0)),)), "features that exist"),
    ],
)
def test_impossible_events_cannot_be_built(build, words):
    with pytest.raises(ValueError, match=words):
        build()


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        [],
        {"score": {"kind": "magic"}, "left": ["<=", 0], "right": None, "view": "values"},
        {"score": {"kind": "value", "feature": "y"}, "left": ["<=", 0], "right": None, "view": "values"},
        {"score": {"kind": "value", "feature": "x"}, "left": None, "right": None, "view": "values"},
        {"score": {"kind": "value", "feature": "x"}, "left": ["<="], "right": None, "view": "values"},
        {"score": {"kind": "steps", "feature": "x"}, "left": ["<=", 0], "right": None, "view": "values"},
    ],
    ids=str,
)
def test_what_is_no_event_is_a_value_error(data):
    with pytest.raises(ValueError, match=r"must"):
        event_from_dict(data)

import numpy as np
import pandas as pd
import pytest

from mechanisms.core import records
from mechanisms.core.neighbours import NeighbourPair, Relation

FRAME = pd.DataFrame({"age": [3, 5, 8], "name": ["a", "b", "a"]})
NAN = float("nan")

NEIGHBOURS = [
    ([1, 2, 3], [1, 3], "add/remove"),
    ([3, 2, 1], [1, 3], "add/remove"),  # records have no order
    ((1, 1), (1,), "add/remove"),
    ({1, 2}, {1}, "add/remove"),
    ({"ann": 1, "bob": 2}, {"bob": 2}, "add/remove"),
    ({"price": [1, 2], "number": [3, 4]}, {"price": [1], "number": [3]}, "add/remove"),
    (np.arange(6).reshape(3, 2), np.arange(4).reshape(2, 2), "add/remove"),
    (FRAME, FRAME.iloc[1:], "add/remove"),
    ([NAN, 1.0], [NAN], "add/remove"),
    ([], [], "add/remove"),
    ([1, 2], [1, 5], "replace-one"),
    ([1, 2], [2, 5], "replace-one"),
    ({"ann": 1, "bob": 2}, {"ann": 1, "bob": 7}, "replace-one"),
    (np.zeros((2, 2)), np.array([[0, 0], [5, 1]]), "replace-one"),
    (FRAME, FRAME.assign(age=[3, 5, 9]), "replace-one"),
    ([(0, 1), (1, 2)], [(0, 1)], "edge"),
    ({(0, 1), (1, 2)}, {(1, 2)}, "edge"),
    ([("u", 1), ("u", 2), ("v", 1)], [("v", 1)], "add/remove-user"),
    ("a", "b", "local"),
    ([5, 5], [9, 9], "answers"),
    ([1] * 9, [], "unspecified"),
]
BROKEN = [
    ([1] * 10, [1] * 5, "add/remove", "only the left has 5 records .1, 1, 1, ….*group=5"),
    ([1, 2], [1, 3], "add/remove", "only the left has the record 2 and only the right has the record 3"),
    ({1, 2, 3}, {1}, "add/remove", "2 records"),
    ({"ann": 1, "bob": 2, "eve": 3}, {"bob": 2}, "add/remove", "'ann'"),
    ({"price": [1, 2], "number": [3, 4]}, {"price": [1, 2], "number": [4, 3]}, "add/remove", "group=4"),
    (np.arange(4), np.arange(2), "add/remove", "2 records"),
    (FRAME, FRAME.iloc[:1], "add/remove", "group=2"),
    ([NAN, NAN, NAN], [NAN], "add/remove", "2 records"),
    ([0, 0, 0, 0], [1, 1, 1, 1], "replace-one", "group=4"),
    ([1, 2], [1], "replace-one", "change the pair or its relation"),
    (FRAME, FRAME.assign(age=[0, 0, 8]), "replace-one", "group=2"),
    ([(0, 1), (1, 2)], [(3, 4)], "edge", "group=3"),
    ([("u", 1)], [("v", 1)], "add/remove-user", "only the right has"),
]


@pytest.mark.parametrize(("left", "right", "relation"), NEIGHBOURS)
def test_neighbours_are_accepted_in_either_order(left, right, relation):
    assert NeighbourPair(left, right, relation).relation is Relation(relation)
    NeighbourPair(right, left, relation)


@pytest.mark.parametrize(("left", "right", "relation", "words"), BROKEN)
def test_a_broken_relation_is_an_error_that_names_the_difference(left, right, relation, words):
    with pytest.raises(ValueError, match=words):
        NeighbourPair(left, right, relation)
    with pytest.raises(ValueError, match="neighbours under"):
        NeighbourPair(right, left, relation)


def test_a_group_may_differ_in_as_many_records():
    assert NeighbourPair([1] * 10, [1] * 5, "add/remove", group=5).group == 5
    with pytest.raises(ValueError, match="at most 4"):
        NeighbourPair([1] * 10, [1] * 5, "add/remove", group=4)
    NeighbourPair([0] * 4, [1] * 4, "replace-one", group=4)


class Opaque:
    """Records that can be neither compared nor taken apart."""


@pytest.mark.parametrize("data", [Opaque(), [Opaque(), Opaque()], "abc", 3, np.float64(3)])
def test_what_cannot_be_compared_is_taken_at_its_word(data):
    assert NeighbourPair(data, [Opaque()], "add/remove").left is data


@pytest.mark.parametrize(
    ("data", "row"),
    [
        ([1, 2], 3),
        ((1, 2), 3),
        (np.array([1, 2]), 3),
        (np.zeros((2, 2)), [1.0, 2.0]),
        ({1, 2}, 3),
        (frozenset({1}), 2),
        ({"a": [1], "b": [2]}, {"a": 5, "b": 6}),
        ({"ann": 1}, ("bob", 2)),
        (FRAME, {"age": 9, "name": "z"}),
        (FRAME["age"], 9),
    ],
)
def test_pairs_that_cannot_be_wrong(data, row):
    pair = NeighbourPair.add_remove(data, row, "why")
    assert records.size(pair.left) == records.size(data) + 1
    assert type(pair.left) is type(data)
    assert pair.right is data
    assert pair.why == "why"
    value = row[1] if isinstance(data, dict) and isinstance(row, tuple) else row
    swapped = NeighbourPair.replace_one(data, 0, value)
    assert swapped.relation is Relation.REPLACE_ONE
    assert records.size(swapped.right) == records.size(data)


def test_types_of_columns_stay():
    pair = NeighbourPair.add_remove(FRAME, {"age": 9, "name": "z"})
    assert list(pair.left.dtypes) == list(FRAME.dtypes)
    assert pair.left["age"].tolist() == [3, 5, 8, 9]
    assert NeighbourPair.replace_one(np.array([1, 2, 3]), 1, 9).right.tolist() == [1, 9, 3]
    assert NeighbourPair.add_remove(np.array([1, 2]), 0.5).left.tolist() == [1, 2, 0.5]  # nothing is cut off


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: NeighbourPair.add_remove("abc", "d"), "must be a list"),
        (lambda: NeighbourPair.add_remove({1}, 1), "must not be in it"),
        (lambda: NeighbourPair.add_remove({"ann": 1}, ("ann", 2)), "identifier of its own"),
        (lambda: NeighbourPair.add_remove(np.zeros((2, 2)), 1.0), "shape"),
        (lambda: NeighbourPair.add_remove({"a": [1]}, {"b": 1}), "columns"),
        (lambda: NeighbourPair.add_remove(FRAME, {"age": 1}), "columns"),
        (lambda: NeighbourPair.replace_one([1], 1, 2), "index=1"),
    ],
)
def test_a_row_that_does_not_fit_is_an_error(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_large_arrays_are_compared_from_their_ends():
    data = np.zeros((200_000, 3))
    changed = data.copy()
    changed[100_000] = 1
    NeighbourPair(data, changed, "replace-one")
    with pytest.raises(ValueError, match="the record"):
        NeighbourPair(data, changed, "add/remove")


def test_frames_have_the_same_columns():
    frame = pd.DataFrame({"age": [1, 2], "income": [3, 4]})
    with pytest.raises(ValueError, match="have the same columns, got age, income and age, pay"):
        NeighbourPair(frame, frame.rename(columns={"income": "pay"}), "replace-one")
    assert NeighbourPair({"ann": [1, 2], "bob": [3, 4]}, {"ann": [1, 2]}, "add/remove")  # keys may be identifiers


def test_an_unknown_relation_is_told_with_the_known_ones():
    with pytest.raises(ValueError, match=r"relation must be one of add/remove, .* got relation='swap'"):
        NeighbourPair([1], [2], "swap")

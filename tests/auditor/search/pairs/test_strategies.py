"""What is generated is neighbours: counted here with code of its own."""

from collections import Counter

import hypothesis.extra.numpy as hn
import hypothesis.extra.pandas as hp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings

from auditor import UsageError, neighbouring
from mechanisms.core.neighbours import NeighbourPair

NUMBERS = st.lists(st.integers(0, 3), max_size=5)
ROWS = st.lists(st.fixed_dictionaries({"user": st.integers(0, 2), "value": st.integers(0, 1)}), max_size=6)
FRAMES = hp.data_frames(
    [hp.column("user", elements=st.integers(0, 2), dtype=int), hp.column("x", elements=st.floats(0, 1), dtype=float)],
    index=hp.range_indexes(max_size=4),
)
QUICK = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def rows(data):
    """The records as a multiset of texts, by means of their own."""
    if isinstance(data, dict):
        names = sorted(data)
        return Counter(map(repr, zip(*(data[name] for name in names), strict=True)))
    if hasattr(data, "itertuples"):
        return Counter(map(repr, data.itertuples(index=False)))
    return Counter(map(repr, data.tolist() if isinstance(data, np.ndarray) else data))


CONTAINERS = {
    "lists": NUMBERS,
    "tuples": NUMBERS.map(tuple),
    "sets": st.sets(st.integers(0, 9), max_size=5),
    "arrays": hn.arrays(np.int64, st.integers(0, 5), elements=st.integers(0, 3)),
    "tables": hn.arrays(float, st.tuples(st.integers(0, 4), st.just(2)), elements=st.floats(0, 1)),
    "frames": FRAMES,
    "columns": NUMBERS.map(lambda values: {"a": values, "b": [2 * v for v in values]}),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_one_record_is_removed(kind):
    @QUICK
    @given(neighbouring(CONTAINERS[kind], relation="add/remove"))
    def check(pair):
        left, right = rows(pair.left), rows(pair.right)
        assert isinstance(pair, NeighbourPair)
        assert pair.relation == "add/remove"
        assert (left - right).total() == 1
        assert not right - left
        assert type(pair.left) is type(pair.right)

    check()


@pytest.mark.parametrize("kind", CONTAINERS)
def test_one_record_is_replaced(kind):
    @QUICK
    @given(neighbouring(CONTAINERS[kind], relation="replace-one"))
    def check(pair):
        left, right = rows(pair.left), rows(pair.right)
        assert left.total() == right.total() >= 1
        assert (left - right).total() <= 1

    check()


def test_new_records_come_from_their_own_strategy():
    @QUICK
    @given(neighbouring(NUMBERS, "replace-one", records=st.just(77)), neighbouring(NUMBERS, records=st.just(88)))
    def check(replaced, added):
        assert 77 in replaced.right
        assert 77 not in replaced.left
        assert added.left[-1] == 88
        assert added.left[:-1] == added.right

    check()


@pytest.mark.parametrize(("datasets", "user"), [(ROWS, "user"), (ROWS, lambda row: row["user"]), (FRAMES, "user")])
def test_a_user_leaves_with_all_records(datasets, user):
    def users(data):
        return data["user"].tolist() if hasattr(data, "columns") else [row["user"] for row in data]

    @QUICK
    @given(neighbouring(datasets, "add/remove-user", user=user))
    def check(pair):
        gone = set(users(pair.left)) - set(users(pair.right))
        assert len(gone) == 1
        assert [u for u in users(pair.left) if u not in gone] == users(pair.right)

    check()


def test_the_simplest_user_is_the_largest():
    pair = find(
        neighbouring(st.just([{"user": u} for u in (1, 2, 2)]), "add/remove-user", user="user"),
        lambda pair: True,
        settings=settings(database=None),
    )
    assert pair.right == [{"user": 1}]


def test_local_pairs_are_any_two_records_and_edges_leave_one_by_one():
    @QUICK
    @given(
        neighbouring(st.sampled_from("abc"), relation="local"),
        neighbouring(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), unique=True), relation="edge"),
    )
    def check(local, graphs):
        assert {local.left, local.right} <= set("abc")
        assert len(set(graphs.left) - set(graphs.right)) == 1
        assert not set(graphs.right) - set(graphs.left)

    check()


@pytest.mark.parametrize("wrap", [lambda s: s, lambda s: s.map(tuple), lambda s: s.filter(lambda d: True)])
def test_the_smaller_dataset_is_one_that_the_strategy_could_make(wrap):
    @QUICK
    @given(neighbouring(wrap(st.lists(st.integers(), min_size=2, max_size=4))))
    def check(pair):
        assert len(pair.right) >= 2

    check()


def test_a_dataset_of_one_size_loses_a_record_all_the_same():
    pair = find(neighbouring(st.lists(st.integers(), min_size=2, max_size=2)), lambda pair: True)
    assert (len(pair.left), len(pair.right)) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([1, 2],), {}, "datasets must be a hypothesis strategy"),
        ((NUMBERS,), {"records": 3}, "records must be a hypothesis strategy"),
        ((NUMBERS, "sideways"), {}, "relation must be one of"),
        ((NUMBERS, "unspecified"), {}, "relation must be one of"),
        ((NUMBERS, "add/remove-user"), {}, "needs user="),
        ((NUMBERS, "add/remove"), {"user": "name"}, "takes no user"),
        ((NUMBERS, "local"), {"records": NUMBERS}, "records are for"),
    ],
)
def test_bad_arguments_are_told(arguments, options, words):
    with pytest.raises(UsageError, match=words):
        neighbouring(*arguments, **options)


def test_a_dataset_without_records_is_told():
    with pytest.raises(UsageError, match="whose records can be removed"):
        find(neighbouring(st.integers()), lambda pair: True)


def test_without_hypothesis_a_sentence_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "hypothesis.strategies", None)
    with pytest.raises(UsageError, match=r"pip install 'dp-audit\[search\]'"):
        neighbouring(NUMBERS)


def test_a_graph_that_is_no_list_of_edges_is_told():
    matrices = hn.arrays(bool, (3, 3))
    with pytest.raises(UsageError, match=r"a graph must be a list, .* of edges"):
        settings(max_examples=5, database=None)(given(neighbouring(matrices, "edge"))(lambda pair: None))()


USERS = st.dictionaries(st.sampled_from("abc"), st.lists(st.integers(0, 1), min_size=1, max_size=2), max_size=3)


@QUICK
@given(neighbouring(USERS))
def test_dictionaries_hold_a_record_for_each_key_also_where_they_look_like_columns(pair):
    assert type(pair.left) is dict
    (gone,) = pair.left.keys() - pair.right.keys()
    assert pair.right == {key: rows for key, rows in pair.left.items() if key != gone}


@QUICK
@given(neighbouring(USERS, "replace-one"))
def test_the_record_of_a_key_is_replaced(pair):
    assert list(pair.left) == list(pair.right)
    assert sum(pair.left[key] != pair.right[key] for key in pair.left) <= 1


def test_several_tables_are_no_dict_of_columns():
    tables = st.fixed_dictionaries({"users": st.just([1, 2]), "orders": st.just([7])})
    with pytest.raises(UsageError, match=r"columns of one length, got lengths \[2, 1\]"):
        find(neighbouring(tables), lambda pair: True)

"""neighbouring(): a hypothesis strategy of pairs that are neighbours by construction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from auditor.errors import UsageError
from mechanisms.core import records as datasets_
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.relations import is_edges

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    Draw = Callable[[SearchStrategy[Any]], Any]

MISSING = "the search for pairs needs hypothesis, which is not installed: pip install 'dp-audit[search]'"


def neighbouring(
    datasets: SearchStrategy[Any],
    relation: Relation | str = Relation.ADD_REMOVE,
    *,
    records: SearchStrategy[Any] | None = None,
    user: Callable[[Any], Any] | str | None = None,
) -> SearchStrategy[NeighbourPair]:
    """A hypothesis strategy of `NeighbourPair`: a dataset from `datasets`, and a neighbour of it.

    The smaller dataset keeps the least size that the strategy itself asks for, where hypothesis tells it.

    Args:
        datasets: Lists, tuples, sets, arrays, pandas frames or series, dicts of columns, dicts from identifiers to
            records.
        relation: "add/remove" (the right one lacks a record of the left one), "replace-one" (a record of the left one
            is replaced), "edge" (the right graph lacks an edge of the left one's edge list), "add/remove-user" (the
            right one lacks all records of a user), "local" (any two values of `datasets`, each of which is one person's
            record).
        records: Where a new record comes from; for replace-one another dataset's record where it is not given. For
            add/remove it makes pairs in which such a record is added.
        user: For add/remove-user, whose a record is: a function of the record, or the name of a column or key.
    """
    st = _strategies()
    for name, given in (("datasets", datasets), ("records", records)):
        if not (isinstance(given, st.SearchStrategy) or (given is None and name == "records")):
            raise UsageError(
                f"{name} must be a hypothesis strategy such as st.lists(st.floats(0, 1)), got {given!r:.60}"
            )
    kind = _relation(relation)
    if (user is None) == (kind is Relation.ADD_REMOVE_USER):
        wanted = "needs user=, a function of a record or a column" if user is None else "takes no user"
        raise UsageError(f"the relation {kind.value} {wanted}, got user={user!r:.60}")
    if records is not None and kind not in (Relation.ADD_REMOVE, Relation.REPLACE_ONE):
        raise UsageError(f"records are for add/remove and replace-one, got records with relation={kind.value!r}")
    known = datasets if kind is Relation.LOCAL else _told(datasets)
    return _pairs_of(st)(known, kind, records, user)  # type: ignore[no-any-return]


def _pairs_of(st: Any) -> Any:
    """The strategy as a function of what was asked for, all of which its repr then shows."""

    @st.composite  # type: ignore[untyped-decorator]
    def pairs(draw: Draw, datasets: Any, kind: Relation, records: Any, user: Any) -> NeighbourPair:
        match kind:
            case Relation.LOCAL:
                left, right = draw(datasets), draw(datasets)
            case Relation.REPLACE_ONE:
                left, right = _replaced(draw, datasets, records)
            case Relation.ADD_REMOVE_USER:
                left, right = _without_user(draw, datasets, _owner(user))
            case Relation.EDGE:
                left, right = _without_one(draw, datasets.map(_edges), None)
            case _:
                left, right = _without_one(draw, datasets, records)
        left, right = (dict(data) if isinstance(data, datasets_.Identified) else data for data in (left, right))
        return NeighbourPair(left, right, kind, "found by the search")

    return pairs


def _strategies() -> Any:
    try:
        import hypothesis.strategies as st
    except ImportError as error:
        raise UsageError(MISSING) from error
    return st


def _relation(relation: Relation | str) -> Relation:
    known = [kind.value for kind in Relation if kind not in (Relation.UNSPECIFIED, Relation.ANSWERS)]
    if str(relation) not in known:
        raise UsageError(f"relation must be one of {known}, got relation={relation!r:.60}")
    return Relation(str(relation))


def _told(strategy: Any) -> Any:
    """The strategy, whose dicts are what hypothesis's name for it says: identifiers with records, or columns."""
    if repr(strategy).startswith("dictionaries("):
        return strategy.map(_identified)
    return strategy.map(_table) if repr(strategy).startswith("fixed_dictionaries(") else strategy


def _identified(data: Any) -> Any:
    """A dict of identifiers and records, also where it looks like a table."""
    return datasets_.Identified(data) if isinstance(data, dict) else data


def _table(data: Any) -> Any:
    """A dict of columns as it is; a UsageError for one of several tables, whose records are not known."""
    lengths = [len(column) for column in data.values() if datasets_.is_column(column)] if isinstance(data, dict) else []
    if len(lengths) > 1 and len(lengths) == len(data) and len(set(lengths)) > 1:
        raise UsageError(
            f"a dict of columns must have columns of one length, got lengths {lengths}; for several tables give a "
            "strategy that makes (left, right) itself"
        )
    return data


def _least_size(strategy: Any) -> int:
    """The least number of records of a strategy, 0 where it does not tell: hypothesis has no public name for it."""
    inner = strategy
    for name in ("wrapped_strategy", "mapped_strategy", "filtered_strategy") * 3:
        inner = getattr(inner, name, inner)
    least, most = getattr(inner, "min_size", 0), getattr(inner, "max_size", None)
    return least if isinstance(least, int) and least != most else 0  # 0 for one fixed size: a neighbour has another


def _drawn(draw: Draw, strategy: Any, least: int) -> Any:
    """A dataset with at least so many records."""
    from hypothesis import assume

    data = draw(strategy)
    if not datasets_.has_records(data):
        raise UsageError(
            "a dataset must be a list, tuple, set, dict, array or frame, whose records can be removed or replaced, "
            f"got {type(data).__name__}; for local DP say relation='local'"
        )
    assume(datasets_.size(data) >= least)
    return data


def _edges(data: Any) -> Any:
    """The graph itself; a UsageError for one that is not given by its edges."""
    if not is_edges(data):
        raise UsageError(
            "a graph must be a list, tuple, set or two-column array of edges, each of them two vertices, "
            f"got {type(data).__name__} {data!r:.60}"
        )
    return data


def _index(draw: Draw, size: int) -> int:
    """The position of the record that differs; the last one is the simplest."""
    import hypothesis.strategies as st

    return size - 1 - draw(st.integers(0, size - 1))  # type: ignore[no-any-return]


def _without_one(draw: Draw, datasets: Any, records: Any) -> tuple[Any, Any]:
    least = _least_size(datasets)
    if records is None:
        left = _drawn(draw, datasets, least + 1)
        return left, datasets_.removed(left, [_index(draw, datasets_.size(left))])
    right = _drawn(draw, datasets, least)
    return _with(right, draw(records)), right


def _with(data: Any, row: Any) -> Any:
    from hypothesis import assume

    if isinstance(data, (set, frozenset)):
        assume(row not in data)
    elif isinstance(data, Mapping) and not datasets_.is_columns(data):
        assume(row[0] not in data)
    return datasets_.added(data, row)


def _replaced(draw: Draw, datasets: Any, records: Any) -> tuple[Any, Any]:
    left = _drawn(draw, datasets, 1)
    index = _index(draw, datasets_.size(left))
    if records is not None:
        row = draw(records)
    else:
        other = _drawn(draw, datasets, 1)
        row = datasets_.record(other, _index(draw, datasets_.size(other)))
        if isinstance(other, Mapping) and not datasets_.is_columns(other):
            row = row[1]
    if isinstance(left, (set, frozenset)):
        from hypothesis import assume

        assume(row not in left)
    return left, datasets_.replaced(left, index, row)


def _owner(user: Callable[[Any], Any] | str | None) -> Callable[[Any], Any]:
    if callable(user):
        return user
    name = str(user)
    return lambda row: getattr(row, name) if hasattr(row, name) and not hasattr(row, "keys") else row[name]


def _without_user(draw: Draw, datasets: Any, owner: Callable[[Any], Any]) -> tuple[Any, Any]:
    """A dataset, and the same without all records of one of its users; the user with most records is the simplest."""
    import hypothesis.strategies as st
    from hypothesis import assume

    left = _drawn(draw, datasets, 1)
    of: dict[Any, list[int]] = {}
    for index in range(datasets_.size(left)):
        of.setdefault(owner(datasets_.record(left, index)), []).append(index)
    users = sorted(of.values(), key=len, reverse=True)
    gone = users[draw(st.integers(0, len(users) - 1))]
    assume(datasets_.size(left) - len(gone) >= _least_size(datasets))
    return left, datasets_.removed(left, gone)


def driver(pairs: Any) -> Any:
    """The module that searches with hypothesis, for a strategy of pairs; a UsageError for anything else."""
    st = _strategies()
    if not isinstance(pairs, st.SearchStrategy):
        raise UsageError(f"pairs must be a list of (left, right) or neighbouring(…), got pairs={pairs!r:.60}")
    from auditor.search.pairs import driver as module

    return module

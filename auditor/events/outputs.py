"""Whatever a mechanism returns, in one canonical form: a matrix of numbers, and labels where there are some.

The form is fixed by a few first draws and then applied to each output on its own. That matters: were it to depend
on the rest of a batch, an event would no longer be a set of outputs and no test of it would be valid. ⊥ is NaN.

numbers   one column; anything that is not a number is ⊥
vectors   k columns, from arrays
labels    texts out of a few, as they are; any other Python object as a tree (see `tree`): its leaves are columns, and
          the label says what the first draws did not have
"""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.errors import MechanismError
from auditor.events.arrays import (
    PLAIN,
    as_array,
    beyond_doubles,
    check_families,
    columns_of,
    family,
    members,
    needs_exact,
    plain_array,
    times_in,
)
from auditor.events.kinds import UnreadableError, kind_of
from auditor.events.names import column_names
from auditor.events.objects import address_in, as_double, is_number
from auditor.events.trees.tree import Tree, grow

Floats = npt.NDArray[np.float64]

_FEW_TEXTS = 16  # where the first draws have at most so many texts, these are labels and not looked into


@dataclass(frozen=True)
class Form:
    """How the outputs of one mechanism are read: numbers, vectors or labels."""

    kind: str
    width: int
    floating: bool
    families: frozenset[str] = frozenset()  # in which kinds of batches the outputs came
    columns: tuple[str, ...] = ()  # names of the columns where batches are frames
    exact: bool = False  # some whole numbers in arrays fit no double
    tree: Tree | None = None  # how outputs are taken apart, where they are Python objects
    names: tuple[str, ...] = field(default=(), compare=False)  # names of the columns, where the outputs name them

    def __str__(self) -> str:
        return f"vectors of {self.width}" if self.kind == "vectors" else self.kind

    @property
    def values(self) -> int:
        """How many columns are numbers of the output itself; the others say something about its form."""
        return self.width if self.tree is None else len(self.tree.numbers)


@dataclass(frozen=True, eq=False)
class Outputs:
    """n outputs in canonical form. `numbers` is (n, columns); `labels` is None unless the form has labels."""

    numbers: Floats
    labels: list[str] | None
    form: Form

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def scalar(self) -> bool:
        """True for plain numbers."""
        return self.form.kind == "numbers"

    @property
    def floating(self) -> bool:
        """True where there are floating-point numbers, whose bits can be looked at."""
        return self.form.floating

    def texts(self) -> list[str]:
        """The label of each output; empty where the form has none."""
        return [""] * len(self) if self.labels is None else self.labels

    def copy(self) -> Outputs:
        """The same outputs in memory of their own: a mechanism may use its buffer again."""
        return Outputs(self.numbers.copy(), None if self.labels is None else self.labels.copy(), self.form)

    def same(self, other: Outputs) -> bool:
        """Whether these are the same outputs in the same order."""
        return np.array_equal(self.numbers, other.numbers, equal_nan=True) and self.labels == other.labels

    def vary(self) -> bool:
        """Whether two of the outputs differ."""
        numbers = self.numbers
        same = np.array_equal(numbers, np.broadcast_to(numbers[:1], numbers.shape), equal_nan=True)
        return not same or len(set(self.labels or ())) > 1

    def take(self, part: slice) -> Outputs:
        """Some of the outputs."""
        return Outputs(self.numbers[part], None if self.labels is None else self.labels[part], self.form)


def form_of(batches: Sequence[Any], who: str) -> Form:
    """The form that fits all of the given raw batches, or a MechanismError where none does."""
    columns = next((found for found in map(columns_of, batches) if found), ())
    read = [as_array(raw, columns, who) for raw in batches]
    families = frozenset(kind for raw in read for kind in (family(raw), *times_in(raw)))
    check_families(families, who)
    exact = any(needs_exact(raw) for raw in read)
    form = _plain_form(read, who)
    if form is None:
        items = [item for raw in read for item in _items(raw, exact, who)]
        form = _form_of_items(items, who)
    if form.tree is not None and len({family(raw) == "a list" for raw in read}) > 1:
        raise MechanismError(
            f"{who} must return a list at every call or an array at every call, got both; return a list"
        )
    if form.tree is not None:
        names = form.tree.numbers + form.tree.others
    else:
        names = () if form.kind == "numbers" else column_names(batches[0], form.width)
    return replace(form, families=families, columns=columns, exact=exact, names=names)


def _plain_form(read: Sequence[Any], who: str) -> Form | None:
    """Numbers or vectors, where all batches are arrays of numbers of one type; None where they are not."""
    classes = {type(item) for raw in read if isinstance(raw, (list, tuple)) for item in raw} - {type(None)}
    if len(classes) > 1 or any(issubclass(cls, (np.datetime64, np.timedelta64)) for cls in classes):
        return None
    members = [item for raw in read if isinstance(raw, (list, tuple)) for item in raw]
    if len({(np.shape(item), getattr(item, "dtype", None)) for item in members if hasattr(item, "__array__")}) > 1:
        return None  # arrays of several shapes or types
    arrays = [plain_array(raw) for raw in read]
    if any(array is None or (array.dtype.kind in "iu" and beyond_doubles(array)) for array in arrays):
        return None
    found = {_shape_of(array) for array in arrays if array is not None}
    if len({(form.kind, form.width) for form in found}) > 1:
        if any(isinstance(raw, (list, tuple)) for raw in read):
            return None
        both = " and ".join(sorted(str(form) for form in found))
        raise MechanismError(f"{who} must return outputs of one shape on every dataset and call, got {both}")
    form = max(found, key=lambda form: form.floating)
    if form.width == 0:
        raise MechanismError(f"{who} must return outputs with something in them, got vectors of 0 numbers")
    return form


def _form_of_items(items: list[Any], who: str) -> Form:
    classes = {type(item) for item in items} - {type(None)}
    if len(classes) <= 1 and all(kind_of(c)[0] == "number" for c in classes) and all(map(is_number, items)):
        return Form("numbers", 1, any(isinstance(item, (float, np.floating)) for item in items))
    if classes == {str} and None not in items and len(set(items)) <= _FEW_TEXTS:
        _check_texts(items, who)
        return Form("labels", 1, False)
    with _taken_apart(who):
        tree = grow(items)
    if any(kind_of(cls)[0] == "object" for cls in classes):
        _check_seen(tree, items, who)
    return Form("labels", tree.width, tree.floating, tree=tree)


def _check_seen(tree: Tree, items: list[Any], who: str) -> None:
    """A MechanismError where nothing that can be read in objects ever varies: what varies is out of sight."""
    if not Outputs(*tree.read(items), Form("labels", tree.width, tree.floating)).vary():
        raise MechanismError(
            f"{who} must return what can be read: numbers, texts, None, or containers of them, got objects of the "
            f"class {type(items[0]).__name__} in whose public attributes nothing varies; return the numbers in it, as "
            "in per_draw(lambda dataset, rng: f(dataset, rng).some_number)"
        )


@contextlib.contextmanager
def _taken_apart(who: str) -> Iterator[None]:
    try:
        yield
    except UnreadableError as error:
        raise MechanismError(
            f"{who} must return what can be read: numbers, texts, None, or containers of them, got {str(error)!r:.60}, "
            "whose text has an address in memory, which is another in every run; return the numbers in it"
        ) from error


def canonical(raw: Any, n: int, who: str, form: Form) -> Outputs:
    """`raw` as `n` outputs of the given form, or a MechanismError that names the mechanism."""
    check_count(raw, n, who)
    if form.kind == "numbers" and type(raw) is list and form.families <= _NUMBERS:
        with contextlib.suppress(TypeError, ValueError, OverflowError):  # one draw a call is common, and read at once
            return Outputs(np.frombuffer(array("d", raw)).reshape(-1, 1), None, form)
        return Outputs(_column(raw).reshape(-1, 1), None, form)
    raw = as_array(raw, form.columns, who)
    if (kind := family(raw)) not in form.families:
        check_families(form.families | {kind}, who)
        if form.tree is not None and form.families and "a list" in form.families | {kind}:
            raise MechanismError(
                f"{who} must return a list at every call or an array at every call, got both; return a list"
            )
    if form.kind == "labels":
        return _labelled(_items(raw, form.exact, who), form, who)
    plain = plain_array(raw)
    if plain is not None:
        found = _shape_of(plain)
        if (found.kind, found.width) != (form.kind, form.width):
            raise MechanismError(
                f"{who} must return outputs of one shape on every dataset and call, got {form} and {found}"
            )
        return Outputs(plain.reshape(n, -1).astype(np.float64, copy=False), None, form)
    items = _items(raw, form.exact, who)
    if form.kind == "numbers":
        return Outputs(_column(items).reshape(-1, 1), None, form)
    if isinstance(raw, np.ndarray) and raw.size == n * form.width:
        return Outputs(_column(list(_flat(items))).reshape(n, -1), None, form)
    raise MechanismError(f"{who} must return outputs of one shape on every dataset and call, got {form} and objects")


def _items(raw: Any, exact: bool, who: str) -> list[Any]:
    """The outputs of a batch one by one: a table's rows, not its columns."""
    return members(raw, exact, who) if isinstance(raw, np.ndarray) else list(raw)


def _flat(items: Iterable[Any]) -> Iterator[Any]:
    """The numbers, texts and objects in rows of an array."""
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from _flat(item)
        else:
            yield item


def _column(items: list[Any]) -> Floats:
    """Each item as a number; anything that is not one is ⊥."""
    if set(map(type, items)) <= PLAIN | {type(None)}:  # None is NaN to numpy, too
        with contextlib.suppress(OverflowError):
            return np.array(items, dtype=np.float64)
    return np.array([as_double(item) for item in items], dtype=np.float64)


def _labelled(items: list[Any], form: Form, who: str) -> Outputs:
    """Each item as a label and columns."""
    if form.tree is not None:
        with _taken_apart(who):
            return Outputs(*form.tree.read(items), form)
    if list(map(type, items)).count(str) != len(items):
        items = [item if type(item) is str else repr(item) for item in items]
    _check_texts(items, who)
    return Outputs(np.broadcast_to(np.nan, (len(items), form.width)), items, form)


def _check_texts(items: Iterable[str], who: str) -> None:
    with _taken_apart(who):
        for item in set(items):
            if address_in(item, item):
                raise UnreadableError(item)


def check_count(raw: Any, n: int, who: str) -> None:
    """A MechanismError unless `raw` holds n outputs."""
    one = isinstance(raw, (str, bytes, set, frozenset, dict)) or not hasattr(raw, "__len__")
    if one or (isinstance(raw, np.ndarray) and raw.ndim == 0):
        raise MechanismError(f"{who} must return {n} outputs for n={n} in a row, got a {type(raw).__name__}")
    if len(raw) != n:
        raise MechanismError(f"{who} must return {n} outputs for n={n}, got {len(raw)}")


_NUMBERS = {"a list", "whole numbers", "floats", "short floats"}


def _shape_of(array: npt.NDArray[Any]) -> Form:
    floating = array.dtype.kind == "f"
    width = int(np.prod(array.shape[1:]))
    return Form("numbers", 1, floating) if array.ndim == 1 else Form("vectors", width, floating)


def join(parts: list[Outputs]) -> Outputs:
    """Several batches of one form as one."""
    if len(parts) == 1:
        return parts[0]
    labels = None if parts[0].labels is None else [label for part in parts for label in part.texts()]
    return Outputs(np.concatenate([part.numbers for part in parts]), labels, parts[0].form)

"""Whatever a mechanism returns, in one canonical form: a matrix of numbers, and labels where there are some.

The form is fixed by a few first draws and then applied to each output on its own. That matters: were it to depend
on the rest of a batch, an event would no longer be a set of outputs and no test of it would be valid. ⊥ is NaN.

numbers   one column; anything that is not a number is ⊥
vectors   k columns, from arrays
labels    Python objects: the text of each with its numbers left out, and the numbers, flattened and padded to a
fixed width; where there are more of them than that, the text has them all
"""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.errors import MechanismError
from auditor.events.arrays import EXACT, as_array, beyond, check_families, columns_of, family, members, seconds
from auditor.events.objects import is_number, leaves, number, numbers_of, text

Floats = npt.NDArray[np.float64]

_LABEL_COLUMNS = 16  # at most


@dataclass(frozen=True)
class Form:
    """How the outputs of one mechanism are read: numbers, vectors or labels."""

    kind: str
    width: int
    floating: bool
    families: frozenset[str] = frozenset()  # in which kinds of batches the outputs came
    columns: tuple[str, ...] = ()  # of batches that are frames
    exact: bool = False  # some whole numbers in arrays fit no double, and are kept as texts

    def __str__(self) -> str:
        return f"vectors of {self.width}" if self.kind == "vectors" else self.kind


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

    def first(self, n: int) -> Outputs:
        """The first output, n times."""
        labels = None if self.labels is None else self.labels[:1] * n
        return Outputs(np.broadcast_to(self.numbers[:1], (n, self.numbers.shape[1])), labels, self.form)

    def take(self, part: slice) -> Outputs:
        """Some of the outputs."""
        return Outputs(self.numbers[part], None if self.labels is None else self.labels[part], self.form)


def form_of(batches: Sequence[Any], who: str) -> Form:
    """The form that fits all of the given raw batches, or a MechanismError where none does."""
    columns = next((found for found in map(columns_of, batches) if found), ())
    read = [as_array(raw, columns, who) for raw in batches]
    families = frozenset(kind for raw in read for kind in (family(raw), *_times_in(raw)))
    check_families(families, who)
    exact = any(_exact(raw) for raw in read)
    found = {_form_of_batch(raw, exact, who) for raw in read}
    floating = any(form.floating for form in found)
    width = max(form.width for form in found)
    kinds = {form.kind for form in found}
    if len({(form.kind, form.width) for form in found}) == 1:
        if width == 0:
            raise MechanismError(f"{who} must return outputs with something in them, got vectors of 0 numbers")
        return Form(kinds.pop(), width, floating, families, columns, exact)
    if "labels" not in kinds:
        both = " and ".join(sorted(str(form) for form in found))
        raise MechanismError(f"{who} must return outputs of one shape on every dataset and call, got {both}")
    return replace(_label_form(width, floating), families=families, columns=columns, exact=exact)


def _form_of_batch(raw: Any, exact: bool, who: str) -> Form:
    array = _array(raw)
    if array is not None and not (array.dtype.kind in "iu" and beyond(array)):
        return _shape_of(array)
    form = _form_of_items(_items(raw, exact, who))
    return form if array is None else _label_form(_shape_of(array).width, False)


def _times_in(raw: Any) -> tuple[str, ...]:
    return ("times",) if any(isinstance(item, (np.datetime64, np.timedelta64)) for item in raw) else ()


def _exact(raw: Any) -> bool:
    """Whether an array has whole numbers that fit no double."""
    if not isinstance(raw, np.ndarray):
        return False
    if raw.dtype.names:
        return any(_exact(raw[name]) for name in raw.dtype.names)
    if raw.dtype.kind in "iu":
        return beyond(raw)
    return raw.dtype.kind == "O" and any(isinstance(item, int) and abs(item) > EXACT for item in raw.ravel().tolist())


def canonical(raw: Any, n: int, who: str, form: Form) -> Outputs:
    """`raw` as `n` outputs of the given form, or a MechanismError that names the mechanism."""
    count(raw, n, who)
    if form.kind == "numbers" and type(raw) is list and form.families <= _NUMBERS:
        with contextlib.suppress(TypeError, ValueError, OverflowError):  # one draw a call is common, and read at once
            return Outputs(np.frombuffer(array("d", raw)).reshape(-1, 1), None, form)
        return Outputs(_column(raw).reshape(-1, 1), None, form)
    raw = as_array(raw, form.columns, who)
    if (kind := family(raw)) not in form.families:
        check_families(form.families | {kind}, who)
    if form.kind == "labels" and type(raw) is list:
        return _labelled(raw, form, who)
    plain = _array(raw)
    if plain is not None and form.kind != "labels":
        found = _shape_of(plain)
        if (found.kind, found.width) != (form.kind, form.width):
            raise MechanismError(
                f"{who} must return outputs of one shape on every dataset and call, got {form} and {found}"
            )
        return Outputs(plain.reshape(n, -1).astype(np.float64, copy=False), None, form)
    items = _items(raw, form.exact, who)
    if form.kind == "numbers":
        return Outputs(_column(items).reshape(-1, 1), None, form)
    if form.kind == "vectors" and isinstance(raw, np.ndarray) and raw.size == n * form.width:
        return Outputs(_column(list(_flat(items))).reshape(n, -1), None, form)
    if form.kind == "vectors":
        raise MechanismError(
            f"{who} must return outputs of one shape on every dataset and call, got {form} and objects"
        )
    return _labelled(items, form, who)


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
    if set(map(type, items)) <= _PLAIN | {type(None)}:  # None is NaN to numpy, too
        with contextlib.suppress(OverflowError):
            return np.array(items, dtype=np.float64)
    return np.array([number(item) for item in items], dtype=np.float64)


def _labelled(items: list[Any], form: Form, who: str) -> Outputs:
    """Each item as a label and columns. What is common is read at once, to the same end as one by one."""
    if _all(str, items):
        for item in set(items):
            text(item, form.width, who)
        # the text of a text is itself, and it has no numbers
        return Outputs(np.broadcast_to(np.nan, (len(items), form.width)), items, form)
    if _all(tuple, items) and (table := _table(items, form.width)) is not None:
        return Outputs(table, [text(items[0], form.width, who)] * len(items), form)
    matrix = np.full((len(items), form.width), np.nan)
    if (kinds := set(map(type, items))) <= {str, bool, type(None)}:
        texts = {item: text(item, form.width, who) for item in set(items)}
        labels = [texts[item] for item in items]
        if bool in kinds:
            matrix[:, 0] = [number(item) for item in items]
    else:
        for index, item in zip(matrix, items, strict=True):
            row = list(numbers_of(item))[: form.width]
            index[: len(row)] = row
        labels = [text(item, form.width, who) for item in items]
    return Outputs(matrix, labels, form)


def _table(items: list[tuple[Any, ...]], width: int) -> Floats | None:
    """Tuples of as many floats as there are columns, as a matrix; None where they are not that."""
    if list(map(len, items)).count(width) != len(items) or not _all(float, leaves := list(chain.from_iterable(items))):
        return None
    return np.frombuffer(array("d", leaves)).reshape(len(items), width)


def _all(kind: type, items: list[Any]) -> bool:
    """Whether this is the type of every item: quicker than a set of the types."""
    return list(map(type, items)).count(kind) == len(items)


def count(raw: Any, n: int, who: str) -> None:
    """A MechanismError unless `raw` holds n outputs."""
    one = isinstance(raw, (str, bytes, set, frozenset, dict)) or not hasattr(raw, "__len__")
    if one or (isinstance(raw, np.ndarray) and raw.ndim == 0):
        raise MechanismError(f"{who} must return {n} outputs for n={n} in a row, got a {type(raw).__name__}")
    if len(raw) != n:
        raise MechanismError(f"{who} must return {n} outputs for n={n}, got {len(raw)}")


def _array(raw: Any) -> npt.NDArray[Any] | None:
    """`raw` as an array of plain numbers, or None where it holds Python objects or texts."""
    if not isinstance(raw, np.ndarray):
        if (kinds := set(map(type, raw))) <= _PLAIN:
            raw = np.array(raw, dtype=np.float64 if kinds <= {float} else None)
        elif kinds == {complex}:
            raw = np.array(raw)
        elif all(hasattr(kind, "__array__") for kind in kinds):  # arrays, tensors, series: one an output
            parts = [np.asarray(part) for part in raw]
            if len({part.shape for part in parts}) > 1:
                return None
            raw = np.array(parts)
        else:
            return None
    if raw.dtype.names:
        if any(raw.dtype[name].kind not in "biuf" for name in raw.dtype.names):
            return None
        raw = np.stack([raw[name] for name in raw.dtype.names], axis=1)
    if raw.dtype.kind in "mM":
        return seconds(raw)
    if raw.dtype.kind == "c":
        return np.stack([raw.real, raw.imag], axis=-1)
    return raw if raw.dtype.kind in "biuf" else None


_NUMBERS = {"a list", "whole numbers", "floats", "short floats"}
_PLAIN = {float, int, bool, np.float64, np.float32, np.bool_, np.int64, np.int32}


def _shape_of(array: npt.NDArray[Any]) -> Form:
    floating = array.dtype.kind == "f"
    width = int(np.prod(array.shape[1:]))
    return Form("numbers", 1, floating) if array.ndim == 1 else Form("vectors", width, floating)


def _form_of_items(items: list[Any]) -> Form:
    floating = any(isinstance(value, (float, np.floating)) for item in items for value in leaves(item))
    if all(is_number(item) for item in items):
        return Form("numbers", 1, floating)
    fewest, *_, most = sorted([sum(1 for _ in numbers_of(item)) for item in items] * 2)
    return _label_form(most if fewest == most else 2 * most, floating)  # where they vary, there may come more


def _label_form(width: int, floating: bool) -> Form:
    return Form("labels", min(max(1, width), _LABEL_COLUMNS), floating)


def join(parts: list[Outputs]) -> Outputs:
    """Several batches of one form as one."""
    if len(parts) == 1:
        return parts[0]
    labels = None if parts[0].labels is None else [label for part in parts for label in part.texts()]
    return Outputs(np.concatenate([part.numbers for part in parts]), labels, parts[0].form)

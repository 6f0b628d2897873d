"""Whatever a mechanism returns, in one canonical form: a matrix of numbers, and labels where there are some.

⊥ is NaN. Numbers, booleans and vectors become columns. Tuples, nested tuples, None and strings become a label each
(their text) and, where they hold numbers, columns too: flattened, padded with NaN.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from auditor.errors import MechanismError

Floats = npt.NDArray[np.float64]

MOST_COLUMNS = 64  # of a label's numbers; vectors keep all of theirs


@dataclass(frozen=True, eq=False)
class Outputs:
    """n outputs in canonical form. `numbers` is (n, columns); `labels` is None for plain numbers and vectors."""

    numbers: Floats
    labels: npt.NDArray[np.object_] | None
    scalar: bool
    floating: bool

    def __len__(self) -> int:
        return len(self.numbers)

    def texts(self) -> npt.NDArray[np.object_]:
        """The labels; numbers as text where a batch of labels happened to hold numbers or ⊥ only."""
        if self.labels is not None:
            return self.labels
        labels = np.empty(len(self), dtype=object)
        labels[:] = ["None" if np.isnan(value) else repr(value) for value in self.numbers[:, 0].tolist()]
        return labels

    @property
    def shape(self) -> str:
        """What all outputs of one mechanism must share."""
        if self.labels is not None:
            return "labels"
        return "numbers" if self.scalar else f"vectors of {self.numbers.shape[1]}"

    def copy(self) -> Outputs:
        """The same outputs in memory of their own: a mechanism may use its buffer again."""
        return Outputs(self.numbers.copy(), self.labels, self.scalar, self.floating)

    def take(self, index: Any) -> Outputs:
        """The chosen outputs."""
        labels = None if self.labels is None else self.labels[index]
        return Outputs(self.numbers[index], labels, self.scalar, self.floating)


def canonical(raw: object, n: int, who: str) -> Outputs:
    """`raw` as `n` outputs, or a MechanismError that names the mechanism."""
    try:
        array = raw if isinstance(raw, np.ndarray) else np.asarray(raw)
    except ValueError:  # ragged sequences
        array = _objects(raw)
    if array.ndim == 0:
        raise MechanismError(f"{who} must return {n} outputs for n={n}, got a single {type(raw).__name__}")
    if len(array) != n:
        raise MechanismError(f"{who} must return {n} outputs for n={n}, got {len(array)}")
    if array.dtype.names:
        array = np.stack([array[name] for name in array.dtype.names], axis=1)
    if array.dtype.kind in "OUSV":
        return _from_objects(array, who)
    if array.dtype.kind in "mM":
        array = array.view(np.int64)
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], axis=-1)
    if array.dtype.kind not in "biuf":
        raise MechanismError(f"{who} must return numbers, labels or tuples, got dtype {array.dtype}")
    columns = array.reshape(n, -1) if n else array.reshape(0, 1)
    floating = array.dtype.kind == "f"
    return Outputs(columns.astype(np.float64, copy=False), None, array.ndim == 1, floating)


def _objects(raw: Any) -> npt.NDArray[Any]:
    items = list(raw)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def _from_objects(array: npt.NDArray[Any], who: str) -> Outputs:
    items = array.tolist() if array.ndim == 1 else [tuple(row) for row in array.tolist()]
    if all(item is None or isinstance(item, numbers.Real) for item in items):
        column = np.array([np.nan if item is None else float(item) for item in items], dtype=np.float64)
        return Outputs(
            column.reshape(-1, 1), None, True, any(isinstance(i, (float, np.floating)) for i in items)
        )
    rows = [list(_flat(item)) for item in items]
    width = min(MOST_COLUMNS, max(map(len, rows), default=0))
    matrix = np.full((len(items), width), np.nan)
    for place, row in zip(matrix, rows, strict=True):
        place[: len(row)] = row[:width]
    labels = np.empty(len(items), dtype=object)
    labels[:] = [_text(item, who) for item in items]
    return Outputs(matrix, labels, False, False)


def _flat(item: object) -> Iterator[float]:
    if isinstance(item, numbers.Real):
        yield float(item)
    elif item is None:
        yield float("nan")
    elif isinstance(item, (tuple, list, np.ndarray)):
        for part in item:
            yield from _flat(part)


def _text(item: object, who: str) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, numbers.Real):
        return repr(float(item))
    if isinstance(item, np.ndarray):
        item = item.tolist()
    if isinstance(item, (dict, set, frozenset)):
        item = sorted(item.items() if isinstance(item, dict) else item, key=repr)
    text = repr(item)
    if " object at 0x" in text:
        raise MechanismError(
            f"{who} must return numbers, strings, None or tuples of them, got a {type(item).__name__} without a repr"
        )
    return text


def join(parts: list[Outputs]) -> Outputs:
    """Several batches as one; padded where labels have different widths."""
    if len(parts) == 1:
        return parts[0]
    width = max(part.numbers.shape[1] for part in parts)
    matrices = [
        np.pad(part.numbers, ((0, 0), (0, width - part.numbers.shape[1])), constant_values=np.nan)
        if part.numbers.shape[1] < width
        else part.numbers
        for part in parts
    ]
    labelled = any(part.labels is not None for part in parts)
    labels = np.concatenate([part.texts() for part in parts]) if labelled else None
    floating = any(part.floating for part in parts)
    return Outputs(np.concatenate(matrices), labels, parts[0].scalar and not labelled, floating)


def same_shape(first: Outputs, second: Outputs, who: str) -> None:
    """A MechanismError when two batches of one mechanism do not have the same shape.

    A mechanism that returns labels or ⊥ may return numbers or ⊥ only in a small batch: that is no other shape.
    """
    shapes = {first.shape, second.shape}
    if len(shapes) > 1 and shapes != {"labels", "numbers"}:
        raise MechanismError(
            f"{who} must return outputs of one shape on every dataset and call, got {first.shape} and {second.shape}"
        )

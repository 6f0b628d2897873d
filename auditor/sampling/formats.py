"""How each kind of file of recorded outputs is read: block by block, in memory that does not grow with the file.

Nothing in a file is executed: no pickle, no eval. A reader gets an open binary stream and the columns that were asked
for; what it cannot make sense of is a UsageError or one of the errors of its library.
"""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

import numpy as np

from auditor.errors import UsageError

BLOCK = 2**16  # rows that are read at once

Rows = Any  # an array whose first axis is the rows, or a list of texts, numbers, None and tuples of them


@contextlib.contextmanager
def seekable(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """The stream where one can jump about in it quickly; a compressed one is first written out to a temporary file."""
    if isinstance(stream, io.BufferedReader):
        yield stream
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy, 2**20)
        copy.seek(0)
        yield copy


def _npy(stream: IO[bytes], columns: tuple[str, ...]) -> Iterator[Rows]:
    """One array of numbers or texts; the first axis is the outputs. Read block by block."""
    version = np.lib.format.read_magic(stream)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, by_column, dtype = header(stream)
    if dtype.hasobject:
        raise UsageError("an array must hold numbers or texts, got Python objects, which are not loaded from files")
    if not 1 <= len(shape) <= 2:
        raise UsageError(f"an array must have one row for each output, got shape {shape}")
    if columns:
        raise UsageError(f"an .npy file has no column names, got --column {columns[0]}")
    if by_column and len(shape) == 2:
        with seekable(stream) as matrix:
            yield from _by_column(matrix, shape, dtype)
        return
    width = int(np.prod(shape[1:], dtype=np.int64))
    for start in range(0, shape[0], BLOCK):
        rows = min(BLOCK, shape[0] - start)
        data = _read(stream, rows * width, dtype, shape[0], start)
        yield from _array_blocks(data.reshape((rows, *shape[1:])))


def _by_column(stream: IO[bytes], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Iterator[Rows]:
    """A matrix that was stored one column after the other."""
    origin = stream.tell()
    for start in range(0, shape[0], BLOCK):
        rows = min(BLOCK, shape[0] - start)
        columns = []
        for column in range(shape[1]):
            stream.seek(origin + (column * shape[0] + start) * dtype.itemsize)
            columns.append(_read(stream, rows, dtype, shape[0], start))
        yield from _array_blocks(np.column_stack(columns))


def _read(stream: IO[bytes], items: int, dtype: np.dtype[Any], rows: int, start: int) -> np.ndarray[Any, Any]:
    """The next items of an array; a UsageError where the file ends before them."""
    data = stream.read(items * dtype.itemsize)
    if len(data) < items * dtype.itemsize:
        raise UsageError(f"the file must hold {rows:,} rows, got an end after about {start:,}")
    return np.frombuffer(data, dtype)


def _npz(stream: IO[bytes], columns: tuple[str, ...]) -> Iterator[Rows]:
    """The only array, or those that `columns` name, side by side."""
    with contextlib.ExitStack() as stack:
        archive = stack.enter_context(zipfile.ZipFile(stack.enter_context(seekable(stream))))
        names = [name.removesuffix(".npy") for name in archive.namelist()]
        chosen = _chosen(names, columns) if columns else names
        if not columns and len(names) != 1:
            raise UsageError(
                f"an .npz file with several arrays needs --column, got arrays {', '.join(names) or 'none'}"
            )
        members = [archive.namelist()[names.index(name)] for name in chosen]
        arrays = [_npy(stack.enter_context(archive.open(member)), ()) for member in members]
        for parts in itertools.zip_longest(*arrays, fillvalue=()):
            if len({len(part) for part in parts}) != 1:
                raise UsageError(f"arrays must have the same number of rows, got others in {', '.join(chosen)}")
            yield _side_by_side(parts)


def _side_by_side(parts: Sequence[Rows]) -> Rows:
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.column_stack(parts)
    return list(zip(*(part.tolist() if isinstance(part, np.ndarray) else part for part in parts), strict=True))


def _csv(stream: IO[bytes], columns: tuple[str, ...]) -> Iterator[Rows]:
    """Numbers where every field of the columns is one, texts otherwise; an empty field is no answer."""
    lines = csv.reader(line.decode("utf-8-sig" if number == 0 else "utf-8") for number, line in enumerate(stream))
    first = next((row for row in lines if row), None)
    if first is None:
        return
    headed = not all(_is_number(field) for field in first)
    names = [field.strip() for field in first] if headed else [str(k + 1) for k in range(len(first))]
    places = [names.index(name) for name in _chosen(names, columns)] if columns else list(range(len(names)))
    body = (row for row in itertools.chain([] if headed else [first], lines) if row)
    for rows in _batched(body):
        if any(len(row) != len(names) for row in rows):
            bad = next(row for row in rows if len(row) != len(names))
            raise UsageError(f"every row must have {len(names)} fields, got {len(bad)} in {','.join(bad)[:60]!r}")
        yield _table([[row[place].strip() for row in rows] for place in places])


def _csv_names(stream: IO[bytes]) -> list[str]:
    first = next(csv.reader([stream.readline().decode("utf-8-sig")]), [])
    return [] if all(_is_number(field) for field in first) else [field.strip() for field in first]


def _parquet_names(stream: IO[bytes]) -> list[str]:
    from pyarrow import parquet

    with seekable(stream) as file:
        return list(parquet.read_schema(file).names)


def _jsonl(stream: IO[bytes], columns: tuple[str, ...]) -> Iterator[Rows]:
    """One JSON value a line; of objects the named keys."""
    for lines in _batched(line for line in stream if line.strip()):
        values = [json.loads(line) for line in lines]
        if columns:
            if not all(isinstance(value, dict) for value in values):
                raise UsageError("--column needs one JSON object a line, got other values")
            values = [tuple(value.get(name) for name in columns) for value in values]
            if len(columns) == 1:
                values = [value[0] for value in values]
        yield as_rows(values)


def _parquet(stream: IO[bytes], columns: tuple[str, ...]) -> Iterator[Rows]:
    """The named columns, or all."""
    from pyarrow import ArrowException, parquet

    try:
        with seekable(stream) as opened:
            file = parquet.ParquetFile(opened)
            names = list(file.schema_arrow.names)
            chosen = _chosen(names, columns) if columns else names
            for batch in file.iter_batches(BLOCK, columns=chosen):
                yield _table([column.to_pylist() for column in batch.columns])
    except ArrowException as error:
        raise ValueError(str(error)) from error


READERS: dict[str, Callable[[IO[bytes], tuple[str, ...]], Iterator[Rows]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".csv": _csv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}
NAMES: dict[str, Callable[[IO[bytes]], list[str]]] = {".csv": _csv_names, ".parquet": _parquet_names}


def _batched(rows: Iterator[Any]) -> Iterator[list[Any]]:
    while block := list(itertools.islice(rows, BLOCK)):
        yield block


def _array_blocks(array: np.ndarray[Any, Any]) -> Iterator[Rows]:
    if array.ndim == 0 or array.ndim > 2:
        raise UsageError(f"an array must have one row for each output, got shape {array.shape}")
    if array.dtype.kind not in "biufUS":
        raise UsageError(f"an array must hold numbers or texts, got {array.dtype}")
    for start in range(0, len(array), BLOCK):
        block = array[start : start + BLOCK]
        yield block if block.dtype.kind in "biuf" else as_rows(block.tolist())


def _table(columns: list[list[Any]]) -> Rows:
    """Columns side by side: an array where all are numbers, otherwise a list of values or tuples."""
    numbers = [_numbers(column) for column in columns]
    if all(found is not None for found in numbers):
        return numbers[0] if len(numbers) == 1 else np.column_stack([n for n in numbers if n is not None])
    cells = [column if found is None else found.tolist() for column, found in zip(columns, numbers, strict=True)]
    cells = [[None if cell == "" else cell for cell in column] for column in cells]
    return cells[0] if len(cells) == 1 else list(zip(*cells, strict=True))


def _numbers(column: list[Any]) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """The column as numbers, where every cell is one or missing."""
    try:
        return np.array([np.nan if cell is None or cell == "" else _number(cell) for cell in column])
    except (TypeError, ValueError):
        return None


def _number(cell: Any) -> float:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        raise TypeError("not a number")
    return float(cell)


def as_rows(values: list[Any]) -> Rows:
    """Values as an array where all of them are numbers or None, which becomes NaN; otherwise lists become tuples."""
    if all(value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)) for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return [_frozen(value) for value in values]


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return not text.strip()
    return True


def _chosen(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    for name in columns:
        if name not in names:
            raise UsageError(f"a column must be one of {', '.join(map(str, names))[:200]}, got --column {name}")
    return list(columns)

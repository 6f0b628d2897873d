"""Recorded outputs in files: .npy, .npz, .csv, .jsonl and .parquet, each also compressed with gzip (.csv.gz).

A file is read in blocks, so it may be larger than memory. Nothing in a file is executed: no pickle, no eval. What
cannot be read is a UsageError of one sentence that names the file.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import hashlib
import io
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from auditor.errors import UsageError

BLOCK = 2**16  # rows that are read at once
SUFFIXES = (".npy", ".npz", ".csv", ".jsonl", ".parquet")

Rows = Any  # an array whose first axis is the rows, or a list of texts, numbers, None and tuples of them


@dataclass(frozen=True)
class Recording:
    """A file of recorded outputs, one a row; `columns` are those that were asked for, none for all."""

    path: Path
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.format not in _READERS:
            raise UsageError(
                f"a file must be one of {', '.join(SUFFIXES)} (or one of them with .gz), got {self.path.name}"
            )

    @property
    def format(self) -> str:
        """The suffix that says how to read it."""
        suffixes = [s.lower() for s in self.path.suffixes]
        if suffixes[-1:] == [".gz"]:
            suffixes = suffixes[:-1]
        return suffixes[-1] if suffixes else ""

    @property
    def size(self) -> int:
        """Bytes on disk."""
        with self._read_errors():
            return self.path.stat().st_size

    def blocks(self) -> Iterator[Rows]:
        """The rows in the order of the file, some at a time."""
        with self._read_errors(), self._opened() as stream:
            for block in _READERS[self.format](stream, self.columns):
                if len(block):
                    yield block

    def rows(self) -> Rows:
        """All rows at once."""
        return joined(list(self.blocks()), self.path.name)

    def names(self) -> tuple[str, ...]:
        """What the numbers of a row are called, where the file says so."""
        if self.columns or self.format not in _NAMES:
            return self.columns
        with self._read_errors(), self._opened() as stream:
            return tuple(_NAMES[self.format](stream))

    def digest(self) -> str:
        """The SHA-256 of the file as it lies on disk: what a stored result says it was about."""
        with self._read_errors(), self.path.open("rb") as stream:
            return "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()

    def _opened(self) -> IO[bytes]:
        if self.path.name.lower().endswith(".gz"):
            return gzip.open(self.path, "rb")  # type: ignore[return-value]
        return self.path.open("rb")

    @contextlib.contextmanager
    def _read_errors(self) -> Iterator[None]:
        try:
            yield
        except UsageError as error:
            raise UsageError(f"{self.path.name}: {error}") from error
        except FileNotFoundError as error:
            raise UsageError(f"a file of outputs must exist, got {self.path}") from error
        except ImportError as error:
            raise UsageError(f"{self.path.name} needs pyarrow: pip install 'dp-audit[parquet]'") from error
        except (OSError, EOFError, ValueError, KeyError, csv.Error, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"{self.path.name} cannot be read as {self.format}: {_first_line(error)}") from error


def joined(blocks: Sequence[Rows], name: str) -> Rows:
    """Blocks as one; a UsageError where they are of different kinds."""
    if not blocks:
        raise UsageError(f"a file of outputs must have at least one row, got none in {name}")
    if all(isinstance(block, np.ndarray) for block in blocks):
        return np.concatenate(blocks)
    if any(isinstance(block, np.ndarray) for block in blocks):
        raise UsageError(f"{name} must have outputs of one kind, got numbers in some rows and texts in others")
    return list(itertools.chain.from_iterable(blocks))


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
        yield from _array_blocks(np.frombuffer(stream.read(), dtype).reshape(shape, order="F"))
        return
    width = int(np.prod(shape[1:], dtype=np.int64))
    for start in range(0, shape[0], BLOCK):
        rows = min(BLOCK, shape[0] - start)
        data = stream.read(rows * width * dtype.itemsize)
        if len(data) < rows * width * dtype.itemsize:
            raise UsageError(f"the file must hold {shape[0]:,} rows, got an end after about {start:,}")
        yield from _array_blocks(np.frombuffer(data, dtype).reshape((rows, *shape[1:])))


def _npz(stream: IO[bytes], columns: tuple[str, ...]) -> Iterator[Rows]:
    """The only array, or those that `columns` name, side by side."""
    with np.load(io.BytesIO(stream.read()), allow_pickle=False) as arrays:
        names = list(arrays.files)
        chosen = _chosen(names, columns) if columns else names
        if not columns and len(names) != 1:
            raise UsageError(
                f"an .npz file with several arrays needs --column, got arrays {', '.join(names) or 'none'}"
            )
        found = [arrays[name] for name in chosen]
    lengths = {len(array) if array.ndim else 0 for array in found}
    if len(lengths) != 1:
        raise UsageError(f"arrays must have the same number of rows, got {sorted(lengths)}")
    yield from _array_blocks(found[0] if len(found) == 1 else np.column_stack(found))


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

    return list(parquet.read_schema(io.BytesIO(stream.read()) if _zipped(stream) else stream).names)


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
        file = parquet.ParquetFile(stream if stream.seekable() and not _zipped(stream) else io.BytesIO(stream.read()))
        names = list(file.schema_arrow.names)
        chosen = _chosen(names, columns) if columns else names
        for batch in file.iter_batches(BLOCK, columns=chosen):
            yield _table([column.to_pylist() for column in batch.columns])
    except ArrowException as error:
        raise ValueError(str(error)) from error


_READERS: dict[str, Callable[[IO[bytes], tuple[str, ...]], Iterator[Rows]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".csv": _csv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}
_NAMES: dict[str, Callable[[IO[bytes]], list[str]]] = {".csv": _csv_names, ".parquet": _parquet_names}


def _zipped(stream: IO[bytes]) -> bool:
    return isinstance(stream, gzip.GzipFile)


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
    """Values as an array of numbers where all of them are, as they are otherwise; lists become tuples."""
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.float64)
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


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]

"""Recorded outputs in files: .npy, .npz, .csv, .jsonl and .parquet, each also compressed with gzip (.csv.gz).

A file is read in blocks, so it may be larger than memory. Nothing in a file is executed: no pickle, no eval. What
cannot be read is a UsageError of one sentence that names the file.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import hashlib
import itertools
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from zipfile import BadZipFile

import numpy as np

from auditor.errors import UsageError
from auditor.sampling.formats import NAMES, READERS, Rows

SUFFIXES = tuple(READERS)
_BROKEN = (csv.Error, BadZipFile, zlib.error)
_UNREADABLE = (OSError, EOFError, ValueError, LookupError, ArithmeticError, RuntimeError, MemoryError, *_BROKEN)


@dataclass(frozen=True)
class Recording:
    """A file of recorded outputs, one a row; `columns` are those that were asked for, none for all."""

    path: Path
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.format not in READERS:
            raise UsageError(f"a file must be one of {', '.join(SUFFIXES)} (or one of them with .gz), got {self.path}")

    @property
    def format(self) -> str:
        """The suffix that says how to read it."""
        suffixes = [s.lower() for s in self.path.suffixes]
        if suffixes[-1:] == [".gz"]:
            suffixes = suffixes[:-1]
        return suffixes[-1] if suffixes else ""

    def blocks(self) -> Iterator[Rows]:
        """The rows in the order of the file, some at a time."""
        with self._read_errors(), self._opened() as stream:
            for block in READERS[self.format](stream, self.columns):
                if len(block):
                    yield block

    def rows(self) -> Rows:
        """All rows at once."""
        return joined(list(self.blocks()), self.path.name)

    def names(self) -> tuple[str, ...]:
        """What the numbers of a row are called, where the file says so."""
        if self.columns or self.format not in NAMES:
            return self.columns
        with self._read_errors(), self._opened() as stream:
            return tuple(NAMES[self.format](stream))

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
        except _UNREADABLE as error:
            raise UsageError(f"{self.path.name} cannot be read as {self.format}: {_first_line(error)}") from error


def joined(blocks: Sequence[Rows], name: str) -> Rows:
    """Blocks as one; a UsageError where they are of different kinds."""
    if not blocks:
        raise UsageError(f"a file of outputs must have at least one row, got none in {name}")
    for block in blocks:
        check_alike(blocks[0], block, name)
    if isinstance(blocks[0], np.ndarray):
        return np.concatenate(blocks)
    return list(itertools.chain.from_iterable(blocks))


def check_alike(first: Rows, other: Rows, name: str) -> None:
    """A UsageError where some rows of a file are numbers and others are not."""
    if isinstance(first, np.ndarray) != isinstance(other, np.ndarray):
        raise UsageError(f"{name} must have outputs of one kind, got numbers in some rows and texts in others")


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]

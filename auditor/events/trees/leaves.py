"""Leaves of a tree: numbers, texts, times and decimals, each with what is looked at in it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.events.objects import as_double, time_parts
from auditor.events.texts import TextEyes
from auditor.events.trees.layout import Page, PartReader, Places, named

_MODULUS = 10**7 * 3**2 * 7 * 11 * 13 * 17 * 19  # any residue modulo up to 20, and seven decimal digits; below 2^53
_LOW_BITS = 2**48


@dataclass(frozen=True)
class Numbers(PartReader):
    """A number; where whole ones fit no double, also its low bits and a residue."""

    block: int
    exact: int | None

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
        page.put(self.block, rows, doubles(items))
        if self.exact is not None:
            whole = [int(item) if isinstance(item, (int, np.integer)) else None for item in items]
            for place, modulus in enumerate((_LOW_BITS, _MODULUS)):
                page.put(self.exact, rows, [np.nan if item is None else item % modulus for item in whole], place)


def doubles(items: Sequence[Any]) -> Any:
    """Each item as a double; NaN where it is no number."""
    try:
        return array("d", items)
    except (TypeError, ValueError, OverflowError):
        return [as_double(item) for item in items]


@dataclass(frozen=True)
class Texts(PartReader):
    """A text out of a few, as its place among them, or one of many, through its eyes."""

    block: int
    few: tuple[str, ...]
    eyes: TextEyes | None
    among_others: bool = False  # not only texts occur here, so that the label names the commonest text, too

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
        if self.eyes is not None:
            page.put_all(self.block, rows, self.eyes.read(items))
            return
        codes = {text: code for code, text in enumerate(self.few)}
        found = [codes.get(text, len(self.few)) for text in items]
        page.put(self.block, rows, found)
        for row, code, text in zip(rows.tolist(), found, items, strict=True):
            if code == len(self.few) or ((code or self.among_others) and page.telling):
                page.say(row, f"{named(path)} = {text!r:.60}")


@dataclass(frozen=True)
class Times(PartReader):
    """A time: seconds, and its parts."""

    block: int
    parts: int

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
        page.put(self.block, rows, [as_double(item) for item in items])
        page.put_all(self.parts, rows, np.array([time_parts(item) for item in items], dtype=np.float64))


@dataclass(frozen=True)
class Decimals(PartReader):
    """A decimal: its value, and its digits as a text."""

    block: int
    digits: Texts

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
        page.put(self.block, rows, [as_double(item) for item in items])
        self.digits.read(page, rows, [str(item) for item in items], path)

"""Leaves of a tree: numbers, texts, times and decimals, each with what is looked at in it."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.events.objects import as_double, time_parts, zone_of
from auditor.events.texts import TextEyes
from auditor.events.trees.layout import Page, PartReader, Places, named

_BITS = 48  # binary digits of a whole number in one column
MOST_DIGITS = 1024  # most binary digits that are looked at
_MODULI = (  # below 2^53 each: seven decimal digits, and every residue modulo a prime up to 127
    10**7 * 3**2 * 7 * 11 * 13 * 17 * 19,
    23 * 29 * 31 * 37 * 41 * 43 * 47 * 53,
    59 * 61 * 67 * 71 * 73 * 79 * 83 * 89,
    97 * 101 * 103 * 107 * 109 * 113 * 127,
)


def exact_names(name: str, digits: int) -> list[str]:
    """The columns that a whole number with so many binary digits has beside the nearest double."""
    higher = [f"bits from {start} of {name}" for start in range(_BITS, min(digits, MOST_DIGITS), _BITS)]
    return [f"low bits of {name}", *higher, *(f"residue {place} of {name}" for place in range(len(_MODULI)))]


@dataclass(frozen=True)
class Numbers(PartReader):
    """A number; where whole ones fit no double, also all its binary digits and some residues."""

    block: int
    exact: int | None
    digits: int = 0  # binary digits that are looked at

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
        page.put(self.block, rows, doubles(items))
        if self.exact is not None:
            whole = [int(item) if isinstance(item, (int, np.integer)) else None for item in items]
            starts = range(0, max(1, min(self.digits, MOST_DIGITS)), _BITS)
            for place, start in enumerate(starts):
                parts = [np.nan if item is None else (item >> start) % 2**_BITS for item in whole]
                page.put(self.exact, rows, parts, place)
            for place, modulus in enumerate(_MODULI, len(starts)):
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
            page.remember(rows, items)
            return
        codes = {text: code for code, text in enumerate(self.few)}
        found = [codes.get(text, len(self.few)) for text in items]
        page.put(self.block, rows, found)
        for row, code, text in zip(rows.tolist(), found, items, strict=True):
            if code == len(self.few) or ((code or self.among_others) and page.telling):
                page.say(row, f"{named(path)} = {text!r:.60}")


@dataclass(frozen=True)
class Times(PartReader):
    """A time: seconds, its parts, and the name of its time zone where it has one."""

    block: int
    parts: int
    zones: Texts | None

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
        page.put(self.block, rows, [as_double(item) for item in items])
        page.put_all(self.parts, rows, np.array([time_parts(item) for item in items], dtype=np.float64))
        if self.zones is not None:
            self.zones.read(page, rows, [zone_of(item) for item in items], path)


@dataclass(frozen=True)
class Decimals(PartReader):
    """A decimal: its value, and its digits as a text."""

    block: int
    digits: Texts

    def read(self, page: Page, rows: Places, items: Sequence[Any], path: str) -> None:
        """See PartReader."""
        page.put(self.block, rows, [as_double(item) for item in items])
        self.digits.read(page, rows, [str(item) for item in items], path)

"""Texts as columns of numbers: length, characters by place and as a set, words, and the numbers and dates inside.

Which columns there are is fixed by the texts of the pilot; each text then fills them on its own.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.uint32]

MOST_PLACES = 2048  # most characters of a text that are looked at
_ENDS, _ENDS_ALIKE = 8, 2  # characters looked at from the end, where lengths vary, and where they did not so far
_MOST_CHARACTERS, _MOST_WORDS, _MOST_NUMBERS = 96, 24, 32
_HEAD = 6  # characters at the beginning, or at the end, that together become one number
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d")
_CLASSES = {
    "digits": str.isdigit,
    "capital letters": str.isupper,
    "small letters": str.islower,
    "spaces": str.isspace,
}
_CLASS_OF = np.array(
    [sum((1 + index) * test(chr(code)) for index, test in enumerate(_CLASSES.values())) for code in range(128)] + [0]
)


@dataclass(frozen=True)
class TextEyes:
    """What is looked at in a text."""

    places: int
    ends: int
    characters: tuple[str, ...]
    words: tuple[str, ...]
    numbers: int
    dates: bool

    @property
    def names(self) -> list[str]:
        """The columns, in words."""
        return [
            "length",
            "words",
            "different words",
            "beginning",
            "ending",
            "different characters",
            "other characters",
            *_CLASSES,
            *(f"character {place}" for place in range(self.places)),
            *(f"character {-1 - place}" for place in range(self.ends)),
            *(f"count of {character!r}" for character in self.characters),
            *(f"word {word!r:.20}" for word in self.words),
            *(f"number {place}" for place in range(self.numbers)),
            *(["weekday of the date"] if self.dates else []),
        ]

    def read(self, texts: Sequence[str]) -> Floats:
        """A row for each text."""
        codes = np.array(texts, dtype=f"U{self.places}").view(np.uint32).reshape(len(texts), self.places)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        said = [_WORD.findall(text) for text in texts]
        table = self._table(codes)
        inside = np.count_nonzero(codes, axis=1)
        parts = [
            lengths,
            np.fromiter(map(len, said), np.int64, len(said)),
            np.fromiter((len(set(own)) for own in said), np.int64, len(said)),
            _as_numbers(codes[:, :_HEAD]),
            _as_numbers(_ending(texts, _HEAD)),
            (table[:, : len(self.characters)] > 0).sum(axis=1),
            inside - table[:, : len(self.characters)].sum(axis=1),
            _classes(codes),
            np.where(codes > 0, codes, np.nan),
            np.where((ends := _ending(texts, self.ends)[:, ::-1]) > 0, ends, np.nan),
            table[:, : len(self.characters)],
            _presence(said, self.words),
            self._numbers(texts),
            *([_weekdays(texts)] if self.dates else []),
        ]
        return np.column_stack([np.asarray(part, dtype=np.float64) for part in parts])

    def _table(self, codes: Codes) -> npt.NDArray[np.int64]:
        """How often each character of the pilot occurs; the last column counts the remaining characters."""
        size = len(self.characters) + 1
        place = np.full(129, size - 1)
        place[[ord(character) for character in self.characters]] = np.arange(size - 1)
        cells = place[np.minimum(codes, 128)]
        cells += np.arange(len(codes))[:, None] * size
        return np.bincount(cells.ravel(), minlength=len(codes) * size).reshape(len(codes), size)

    def _numbers(self, texts: Sequence[str]) -> Floats:
        rows = np.full((len(texts), self.numbers), np.nan)
        if self.numbers:
            for row, text in zip(rows, texts, strict=True):
                numbers = [float(number) for number in _NUMBER.findall(text)[: self.numbers]]
                row[: len(numbers)] = numbers
        return rows


def _classes(codes: Codes) -> npt.NDArray[np.int64]:
    """How many characters of each class; class 0 is none of them."""
    cells = _CLASS_OF[np.minimum(codes, 128)]
    return np.stack([(cells == 1 + index).sum(axis=1) for index in range(len(_CLASSES))], axis=1)


def _presence(said: Sequence[Sequence[str]], words: tuple[str, ...]) -> Floats:
    found = np.zeros((len(said), len(words)))
    places = {word: place for place, word in enumerate(words)}
    for row, own in enumerate(said):
        for word in own:
            if word in places:
                found[row, places[word]] = 1.0
    return found


def _weekdays(texts: Sequence[str]) -> Floats:
    """Of the first date in each text, 0 for a Monday; NaN where there is none."""
    found = np.full(len(texts), np.nan)
    for place, text in enumerate(texts):
        if said := _DATE.search(text):
            with contextlib.suppress(ValueError):  # there is no 30 February
                found[place] = date.fromisoformat(said[0]).weekday()
    return found


def _ending(texts: Sequence[str], n: int) -> Codes:
    """The last n characters of each text, after zeros where it is shorter."""
    if n == 0:
        return np.zeros((len(texts), 0), dtype=np.uint32)
    ends = np.array([text[-n:].rjust(n, "\0") for text in texts], dtype=f"U{n}")
    return ends.view(np.uint32).reshape(len(texts), n)


def _as_numbers(codes: Codes) -> Floats:
    """A few characters as one number, in alphabetical order."""
    weights = 256.0 ** np.arange(_HEAD - 1, _HEAD - 1 - codes.shape[1], -1)
    return np.minimum(codes, 255) @ weights


def text_eyes(texts: Sequence[str]) -> TextEyes:
    """What to look at in texts like these; where their lengths vary there may come longer ones."""
    lengths = sorted(map(len, texts))
    vary = lengths[0] != lengths[-1]
    places = min(MOST_PLACES, max(1, lengths[-1] * (2 if vary else 1)))
    characters = Counter(character for text in texts for character in text[:places] if "\0" < character < "\x80")
    words = Counter(word for text in texts for word in set(_WORD.findall(text)))
    numbers = max(len(_NUMBER.findall(text)) for text in texts)
    return TextEyes(
        places,
        _ENDS if vary else _ENDS_ALIKE,
        tuple(sorted(_commonest(characters, _MOST_CHARACTERS))),
        tuple(_commonest(Counter({word: n for word, n in words.items() if n > 1}), _MOST_WORDS)),
        min(numbers, _MOST_NUMBERS),
        any(_DATE.search(text) for text in texts),
    )


def _commonest(counted: Counter[str], most: int) -> list[str]:
    return sorted(counted, key=lambda item: (-counted[item], item))[:most]

"""The pieces of a text in which a formula may stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_SCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵀ₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₙ"
_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?(?:e[-+−]?\d{1,4})?(?![\w.]*[a-z]{2})|\.\d+|½)"
    rf"|(?P<script>[{_SCRIPTS}]+)|(?P<prime>[′″]+)"
    rf"|(?P<word>(?:[^\W\d_½{_SCRIPTS}][\u0300-\u036f]*)+)"
    r"|(?P<relation>[≤≥=<>≠≈∈∉⊆⇔⇒←→∝~≪≡])|(?P<sign>[+−±·×∘¬])|(?P<slash>/)|(?P<caret>\^)|(?P<under>_)|(?P<root>√)"
    r"|(?P<open>[([{])|(?P<close>[)\]}])|(?P<bar>[|‖])|(?P<star>\*)|(?P<comma>,)|(?P<value>[∞⊥…])|(?P<space>\s+)"
    r"|(?P<other>.)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """A piece of text from `start` to `end`, and whether space stands before it."""

    kind: str
    text: str
    spaced: bool
    start: int
    end: int

    @property
    def is_prose(self) -> bool:
        """A word of more than one letter."""
        return self.kind == "word" and len(self.text) > 1

    @property
    def is_article(self) -> bool:
        """A letter that may be a word."""
        return self.text in ("a", "A", "I")


def tokens_of(text: str) -> Iterator[Token]:
    """All pieces in order; spaces are only noted."""
    spaced = False
    for found in _TOKEN.finditer(text):
        kind = str(found.lastgroup)
        if kind != "space":
            yield Token(kind, found[0], spaced, *found.span())
        spaced = kind == "space"


def letters(word: str) -> list[str]:
    """The letters of a word, each with its accents."""
    return re.findall(r".[\u0300-\u036f]*", word)


def is_greek(letter: str) -> bool:
    """Whether it is a letter of the Greek alphabet."""
    return unicodedata.name(letter[0], "").startswith("GREEK")

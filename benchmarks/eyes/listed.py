"""All leaks, and their twins by name."""

from __future__ import annotations

from typing import Any

from benchmarks.eyes.beside import BESIDE
from benchmarks.eyes.by_content import BY_CONTENT
from benchmarks.eyes.containers import CONTAINERS
from benchmarks.eyes.digits import DIGITS
from benchmarks.eyes.leak import Rng
from benchmarks.eyes.numbers import NUMBERS
from benchmarks.eyes.objects import OBJECTS
from benchmarks.eyes.relations import RELATIONS
from benchmarks.eyes.texts import TEXTS
from benchmarks.eyes.wide import WIDE

LEAKS = (*NUMBERS, *CONTAINERS, *TEXTS, *WIDE, *OBJECTS, *RELATIONS, *BESIDE, *BY_CONTENT, *DIGITS)
_BY_NAME = {leak.name: leak for leak in LEAKS}


def twin(d: int, n: int, rng: Rng, name: str) -> Any:
    """n outputs of the correct twin of a leak: exactly 1-DP."""
    return _BY_NAME[name].twin(d, n, rng)

"""RAPPOR: a Bloom filter of 20 bits and 4 hashes under randomized response, once and twice."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from benchmarks.zoo.entry import Published, Truth, ZooMechanism
from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP
from mechanisms.core.mechanism import Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation

BITS, HASHES = 20, 4


def murmur3(key: bytes, seed: int) -> int:
    """MurmurHash3 of 32 bits (Appleby 2011), signed: the hash by which the published filters are filled."""
    mask = 0xFFFFFFFF

    def rotate(value: int, by: int) -> int:
        return (value << by | value >> (32 - by)) & mask

    def mixed(block: int) -> int:
        return rotate(block * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask

    whole = len(key) - len(key) % 4
    state = seed
    for start in range(0, whole, 4):
        state ^= mixed(int.from_bytes(key[start : start + 4], "little"))
        state = (rotate(state, 13) * 5 + 0xE6546B64) & mask
    state ^= mixed(int.from_bytes(key[whole:], "little"))
    state ^= len(key)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        state = (state ^ state >> shift) * factor & mask
    state ^= state >> 16
    return state - 2**32 if state >> 31 else state


def bloom(value: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """The filter's bits for a value."""
    filled = np.zeros(BITS, dtype=bool)
    filled[[murmur3(str(value).encode(), seed) % BITS for seed in range(HASHES)]] = True
    return filled


@dataclass(frozen=True)
class OneTimeRappor(ZooMechanism):
    """Permanent randomized response: each bit is replaced by a fair coin with probability f."""

    f: float = 0.95

    id: ClassVar[str] = "OneTimeRappor"
    title: ClassVar[str] = "one-time RAPPOR"
    source: ClassVar[str] = "Erlingsson, Pihur, Korolova 2014, steps 1 and 2"
    published: ClassVar[Published | None] = Published(
        0.600, "DP-Sniper MLP", "on values 0 and 1, whose filters differ in 6 bits: at most 0.6005 there"
    )
    trials: ClassVar[int] = 4_000_000

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.open_probability("f", self.f)

    @classmethod
    def at(cls, epsilon: float) -> ZooMechanism:
        """The published parameters in the table of 0.1; otherwise the f that gives this epsilon."""
        if epsilon == 0.1:
            return cls()
        return cls(epsilon, f=cls.f_for(1 / (1 + math.exp(-epsilon / (2 * HASHES)))))

    @classmethod
    def f_for(cls, chance: float) -> float:
        """The f at which a set bit is reported set with this chance."""
        return 2 * (1 - chance)

    @property
    def chances(self) -> tuple[float, float]:
        """P[a bit is reported set] for a bit that is not, and for one that is."""
        return self.f / 2, 1 - self.f / 2

    @property
    def per_bit(self) -> float:
        """The log ratio that one bit can show."""
        clear, filled = self.chances
        return math.log(filled / clear)

    @property
    def claim(self) -> ApproxDP:
        """At most 2 h bits differ (their Theorem 1)."""
        return ApproxDP(2 * HASHES * self.per_bit)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Twenty bits."""
        chance = np.where(bloom(int(dataset)), *self.chances[::-1])
        return (rng.random((n, BITS), dtype=np.float32) < chance.astype(np.float32)).view(np.int8)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """The published pairs, and one without a common bit: any two values are neighbours."""
        return (
            NeighbourPair(1, 0, Relation.REPLACE_ONE, "one below: the filters differ in 6 bits"),
            NeighbourPair(1, 2, Relation.REPLACE_ONE, "one above: the filters differ in 5 bits"),
            NeighbourPair(3, 4, Relation.REPLACE_ONE, "the filters differ in all 8 bits"),
        )

    def truth(self) -> Truth:
        """Attained by filters without a common bit."""
        return Truth(self.claim.epsilon, "the theorem, attained when two filters have no bit in common")

    def reachable(self) -> float:
        """The bits that differ, each at its full ratio."""
        return max(int((bloom(p.left) ^ bloom(p.right)).sum()) for p in self.neighbours()) * self.per_bit


@dataclass(frozen=True)
class Rappor(OneTimeRappor):
    """The noisy filter answers each question with a second randomized response."""

    f: float = 0.75
    p: float = 0.45
    q: float = 0.55

    id: ClassVar[str] = "Rappor"
    title: ClassVar[str] = "RAPPOR"
    source: ClassVar[str] = "Erlingsson, Pihur, Korolova 2014, steps 1 to 3"
    published: ClassVar[Published | None] = Published(
        0.301, "DP-Sniper MLP", "on values 0 and 1, whose filters differ in 6 bits: at most 0.3002 there"
    )
    trials: ClassVar[int] = 4_000_000

    @classmethod
    def f_for(cls, chance: float) -> float:
        """The f at which a set bit is reported set with this chance, for q = 1 - p."""
        return 1 - (chance - 0.5) / (cls.q - 0.5)

    @property
    def chances(self) -> tuple[float, float]:
        """Their p* and q* (Theorem 2)."""
        common = self.f / 2 * (self.p + self.q)
        return common + (1 - self.f) * self.p, common + (1 - self.f) * self.q

    @property
    def per_bit(self) -> float:
        """Half of ln(q* (1 - p*) / (p* (1 - q*))): with q = 1 - p a set and a clear bit show the same."""
        clear, filled = self.chances
        return math.log(filled * (1 - clear) / (clear * (1 - filled))) / 2

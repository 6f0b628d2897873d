"""What a check may use: named randomness, audits and exact intervals, within its share of the run's alpha."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, SupportsInt

import numpy as np

from auditor.results.result import AuditResult
from auditor.sampling import streams
from mechanisms.core.claims import Claim

FULL_TRIALS = 200_000
QUICK_TRIALS = 10_000


@dataclass(frozen=True)
class Interval:
    """Successes among trials, with an exact two-sided interval for the probability (Clopper–Pearson 1934)."""

    successes: int
    trials: int
    low: float
    high: float

    @property
    def estimate(self) -> float:
        """The observed frequency."""
        return self.successes / self.trials

    def contains(self, probability: float) -> bool:
        """Whether the interval allows this probability."""
        return self.low <= probability <= self.high

    def __str__(self) -> str:
        return f"{self.successes} of {self.trials}, in [{self.low:.6g}, {self.high:.6g}]"


@dataclass
class Run:
    """The surroundings of one check.

    `share` is the false-alarm probability of one random test: the alpha of the whole run divided by the
    number of random tests that all entries declare (Bonferroni), so it does not depend on which entries are
    run. A check that makes more tests than it declared is an error. All randomness is named by the run's seed
    and the entry's id: results depend neither on the order of the entries nor on the number of processes.
    """

    identifier: str
    share: float
    tests: int
    seed: int = 0
    quick: bool = False
    _used: list[str] = field(default_factory=list, repr=False)

    def spend(self, name: str) -> float:
        """The level for one random test that the check makes itself."""
        if len(self._used) >= self.tests:
            raise RuntimeError(f"{self.identifier} declares tests={self.tests}, got one more: {name}")
        self._used.append(name)
        return self.share

    def finished(self) -> None:
        """A check that made fewer random tests than it declared took alpha away from the others."""
        if len(self._used) != self.tests:
            raise RuntimeError(f"{self.identifier} declares tests={self.tests}, got {len(self._used)} of them")

    def named_seed(self, name: str) -> int:
        """A seed for an audit, named by the run's seed, the entry and `name`."""
        return streams.named_seed(self.seed, "notes", self.identifier, name)

    def rng(self, name: str) -> np.random.Generator:
        """A random stream, named by the run's seed, the entry and `name`."""
        return streams.stream(self.seed, "notes", self.identifier, name)

    def size(self, full: int, quick: int | None = None) -> int:
        """`full` draws, or `quick` of them (a tenth) in a quick run."""
        return (quick or max(1, full // 10)) if self.quick else full

    def audit(
        self,
        mechanism: Any,
        claim: Claim | None = None,
        pairs: Sequence[Any] | None = None,
        trials: int | None = None,
        name: str = "audit",
    ) -> AuditResult:
        """An audit with this entry's share of alpha and a seed of its own. One random test.

        Without `pairs`, the tightest pair of a mechanism, which comes first, and all pairs of a mutant, of which a
        quick run takes the one that it names. The catalogue's own audits go through all of them unless quick.
        """
        from auditor.engine import audit

        if pairs is None and (self.quick or mechanism.of is None):
            pairs = mechanism.neighbours()[mechanism.worst :][:1]
        return audit(
            mechanism,
            claim=claim,
            pairs=pairs,
            trials=trials or (QUICK_TRIALS if self.quick else FULL_TRIALS),
            alpha=self.spend(name),
            seed=self.named_seed(name),
            jobs=1,
            name=self.identifier,
        )

    def proportion(self, hits: Callable[[np.random.Generator, int], SupportsInt], trials: int, name: str) -> Interval:
        """Monte Carlo: hits(rng, n) counts successes in n draws, exact interval at 1 - share. One test."""
        from statsmodels.stats.proportion import proportion_confint

        share = self.spend(name)
        rng = self.rng(name)
        successes, remaining = 0, trials
        while remaining:
            step = min(remaining, 1 << 16)
            successes += int(hits(rng, step))
            remaining -= step
        low, high = proportion_confint(successes, trials, alpha=share, method="beta")
        return Interval(successes, trials, float(np.nan_to_num(low)), float(np.nan_to_num(high, nan=1.0)))

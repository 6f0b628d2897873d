"""How often a correct mechanism of the zoo is refuted: at most alpha of the runs, on any budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.runs import spread
from benchmarks.zoo.entry import ZooMechanism

_BATCH = 25


@dataclass(frozen=True)
class Alarms:
    """Refutations of one correct mechanism, and the most that alpha explains at 99.9 %."""

    id: str
    runs: int
    refuted: int
    explained: int

    @property
    def fine(self) -> bool:
        """True when alpha explains them."""
        return self.refuted <= self.explained


def _batch(row: ZooMechanism, seeds: range, trials: int, alpha: float) -> int:
    from auditor import audit

    return sum(audit(row, trials=trials, alpha=alpha, seed=seed, jobs=1).refuted for seed in seeds)


def false_alarms(rows: tuple[ZooMechanism, ...], runs: int, trials: int, alpha: float, jobs: int) -> Iterator[Alarms]:
    """Audits each correct row `runs` times at its own claim."""
    from scipy.stats import binom

    explained = int(binom.isf(1e-3, runs, alpha))
    for row in rows:
        if row.correct:
            batches = [range(start, min(start + _BATCH, runs)) for start in range(0, runs, _BATCH)]
            calls = [(row, seeds, trials, alpha) for seeds in batches]
            yield Alarms(row.id, runs, sum(spread(_batch, calls, jobs, row.id)), explained)

"""One row of the zoo, audited: the epsilon it certifies, and how soon its claim is refuted."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from auditor import ApproxDP, AuditResult, audit
from auditor.certify import exact
from auditor.tuning import TUNING
from benchmarks.runs import draws
from benchmarks.zoo.core.oracle import oracle
from benchmarks.zoo.entry import ZooMechanism

UNREFUTABLE = 40.0  # a claim that no audit refutes, so that all the draws go into the bound


@dataclass(frozen=True)
class Measured:
    """A row of the table. `bounds` maps an alpha to the epsilon certified at it."""

    id: str
    title: str
    source: str
    claimed: float
    delta: float
    truth: float
    why: str
    reachable: float | None
    oracle: float | None
    published: float | None
    published_by: str
    correct: bool
    bounds: dict[float, float]
    witness: str
    pair: str
    draws: int
    seconds: float
    refuted_after: int | None
    refuted_in: float | None

    @property
    def gap(self) -> float | None:
        """The first bound less the best published one; None where there is none."""
        return None if self.published is None else next(iter(self.bounds.values())) - self.published

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        data = asdict(self)
        data["bounds"] = {str(alpha): value for alpha, value in self.bounds.items()}
        return {key: _stored(value) for key, value in data.items()}


def _stored(value: Any) -> Any:
    return "inf" if isinstance(value, float) and math.isinf(value) else value


def bound(result: AuditResult, alpha: float) -> float:
    """The epsilon that the last round's counts certify at this alpha, for delta = 0.

    The counts are of draws made after the event was fixed, so the exact test may be read at any one level.
    The audit itself keeps the same share of its own alpha for it.
    """
    witness = result.witness
    if witness.phase != "last round" or witness.delta:
        raise ValueError(
            f"a bound needs a last round at delta = 0, got phase={witness.phase!r}, delta={witness.delta!r}"
        )
    last_round = 1 - TUNING.rounds.evidence_share(alpha)  # of alpha, from which the bound comes
    return exact.binomial_epsilon(witness.counts.correct, witness.counts.wrong, last_round * alpha)


def _oracle(row: ZooMechanism, trials: int, alpha: float) -> float | None:
    """What would be certified with the best event of the best pair known beforehand; None where no law is known."""
    known = [(row.law(pair.left), row.law(pair.right)) for pair in row.neighbours()]
    laws = [(left, right) for left, right in known if left is not None and right is not None]
    return oracle(laws, trials, (1 - TUNING.rounds.evidence_share(alpha)) * alpha) if laws else None


def measure(row: ZooMechanism, alphas: tuple[float, ...], trials: int, refuting: int, seed: int, jobs: int) -> Measured:
    """Certifies what it can within `trials` draws a side; a broken claim is also audited with up to `refuting`."""
    start = time.perf_counter()
    wide = ApproxDP(UNREFUTABLE, row.claim.delta)
    certify = partial(audit, row, wide, trials=trials, seed=seed, jobs=jobs)
    result = certify(alpha=alphas[0])
    seconds = time.perf_counter() - start
    if row.claim.delta:  # the test of delta > 0 is fixed with its level: an audit for each
        others = {alpha: certify(alpha=alpha).epsilon_lower for alpha in alphas[1:]}
        certified = {alphas[0]: result.epsilon_lower, **others}
    else:
        certified = {alpha: bound(result, alpha) for alpha in alphas}
    found = None
    if not row.correct:
        found = audit(row, trials=refuting, alpha=min(alphas), seed=seed + 1, jobs=jobs)
    published = row.published if row.epsilon == 0.1 else None
    return Measured(
        id=row.id,
        title=row.title,
        source=row.source,
        claimed=row.claim.epsilon,
        delta=row.claim.delta,
        truth=row.truth().epsilon,
        why=row.truth().why,
        reachable=row.reachable(),
        oracle=_oracle(row, trials, alphas[0]),
        published=published.epsilon if published else None,
        published_by=published.who if published else "",
        correct=row.correct,
        bounds=certified,
        witness=str(result.witness.event),
        pair=f"{result.witness.pair.why}: {result.witness.pair}",
        draws=draws(result),
        seconds=seconds,
        refuted_after=draws(found) if found and found.refuted else None,
        refuted_in=found.seconds if found and found.refuted else None,
    )

"""audit_one_run(): canaries of one training run, each included by a fair coin, guessed from their scores.

Each null that is tested has its number of guesses fixed beforehand (search/guess_counts.py); which canaries are guessed
is chosen from the scores alone (search/canaries.py); the coins are looked at last, to count the correct guesses
(certify/one_run.py). Proofs: docs/method.md, "One training run".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import bdtr

from auditor import request
from auditor.certify.one_run import PointsCurve
from auditor.errors import UsageError
from auditor.results.one_run import GAUSSIAN, NONE, OneRunResult, delta_of
from auditor.results.result import Verdict
from auditor.search.canaries import Flags, Floats, ordered
from auditor.search.guess_counts import GuessPlan, Null, guess_plan
from mechanisms.core.claims import ApproxDP, Claim, GaussianDP

_LEAST_ALPHA = 1e-9
_FEWEST = 10  # a run with fewer canaries cannot say anything
_UNFAIR = 1e-9  # where fair coins have a smaller probability of being so lopsided, they were not fair
_FIRST, _STEP, _LARGEST = 0.02, 1.4, 500.0  # cells of a family of nulls: the first end, their ratio, where they stop
_FINE = 1e-3  # the bound is searched to this relative precision

Family = Callable[[float], Null]


def audit_one_run(
    scores: Any, included: Any, claim: Claim, *, alpha: float = 0.05, name: str = "one run"
) -> OneRunResult:
    """Tests a privacy claim on the canaries of one training run, and certifies epsilon and mu from below.

    Assumes that each canary was included by a fair coin of its own, flipped before the run, and that a score is a
    function of what the run released. Scores may depend on each other in any way. A true claim is refuted with
    probability at most alpha. What each bound assumes: see OneRunResult.

    Args:
        scores: One number for each canary; higher means "included" is more likely.
        included: For each canary, whether it was in the training data.
        claim: ApproxDP, GaussianDP or any other claim, for adding or removing one canary.
        alpha: The probability with which the verdict, and each bound by itself, may be wrong.
        name: What the result calls the run.
    """
    start = time.perf_counter()
    values, flags = _checked(scores, included)
    level = request.level(alpha, _LEAST_ALPHA)
    if not isinstance(claim, Claim):
        raise UsageError(f"a claim must be ApproxDP, GaussianDP or another claim, got claim={claim!r:.60}")
    found = _Guesser(values, flags, level)
    delta = delta_of(claim)
    p, guesses = found.p_value(claim)
    mu = found.lower(Null.gaussian)
    any_epsilon = found.lower(_approximate(delta))
    gaussian = delta > 0 and mu > 0
    return OneRunResult(
        claim=claim,
        verdict=Verdict.REFUTED if p <= level else Verdict.NOT_REFUTED,
        epsilon_lower=max(any_epsilon, GaussianDP(mu).epsilon_at(delta)) if gaussian else any_epsilon,
        epsilon_lower_any=any_epsilon,
        mu_lower=mu,
        delta=delta,
        assumption=GAUSSIAN if delta > 0 else NONE,
        p_value=p,
        canaries=len(values),
        included=int(flags.sum()),
        guesses=guesses,
        correct=found.correct(guesses),
        alpha=level,
        limits=_limits(len(values), delta),
        name=name,
        seconds=time.perf_counter() - start,
    )


@dataclass(frozen=True)
class _Guesser:
    """The scores with their coins; only counts of correct guesses, at numbers fixed beforehand, leave it."""

    scores: Floats
    included: Flags
    alpha: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "_correct", ordered(self.scores).correct(self.included))

    @property
    def canaries(self) -> int:
        """The number of canaries."""
        return len(self.scores)

    def correct(self, guesses: int) -> int:
        """How many of the first guesses are correct."""
        found: int = self.__dict__["_correct"][guesses]
        return int(found)

    def p_value(self, claim: Claim) -> tuple[float, int]:
        """The p-value of the claim, and the number of guesses that gave it."""
        match claim:
            case ApproxDP(epsilon=epsilon, delta=delta):
                return self._at(_approximate(delta), epsilon)
            case GaussianDP(mu=mu):
                return self._at(Null.gaussian, mu)
            case _:
                null = Null(PointsCurve(claim.points()))
                return guess_plan(null, self.canaries, self.alpha).p_value(null, self.canaries, self.correct)

    def lower(self, family: Family) -> float:
        """The top of the run of nulls, from the weakest, that are all rejected at level alpha."""
        low, high = self._kept(family)
        planned = self._plan(family, high)
        while high - low > _FINE * max(high, _FIRST):
            middle = (low + high) / 2
            rejected = planned.rejects(family(middle), self.canaries, self.correct, self.alpha)
            low, high = (middle, high) if rejected else (low, middle)
        return low

    def _at(self, family: Family, claimed: float) -> tuple[float, int]:
        """The p-value at one member of a family, with the plan of its cell.

        A cell below it that is not rejected has a larger p-value, which then counts: so the member is refuted exactly
        when the family's lower bound passes it.
        """
        end = next(high for _, high in _cells() if high >= claimed)
        p, guesses = self._plan(family, end).p_value(family(claimed), self.canaries, self.correct)
        kept = self._kept(family)[1]
        if kept < end:
            return max((p, guesses), self._plan(family, kept).p_value(family(kept), self.canaries, self.correct))
        return p, guesses

    def _kept(self, family: Family) -> tuple[float, float]:
        """The first cell whose end is not rejected."""
        for low, high in _cells():
            if not self._plan(family, high).rejects(family(high), self.canaries, self.correct, self.alpha):
                return low, high
        raise AssertionError("e^500 to one is more than any number of canaries shows")

    def _plan(self, family: Family, end: float) -> GuessPlan:
        """The plan of the cell with this end."""
        return guess_plan(family(end), self.canaries, self.alpha)


def _cells() -> Iterator[tuple[float, float]]:
    """Cells into which a family of nulls is cut. The plan is one in each, so rejection is monotone there."""
    low, high = 0.0, _FIRST
    while low < _LARGEST:
        yield low, high
        low, high = high, high * _STEP


def _approximate(delta: float) -> Family:
    return lambda epsilon: Null.approximate(epsilon, delta)


def _checked(scores: Any, included: Any) -> tuple[Floats, Flags]:
    try:
        values = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"scores must be numbers, one for each canary: {error}") from error
    flags = np.asarray(included)
    if values.ndim != 1 or flags.shape != values.shape:
        raise UsageError(
            f"scores and included must be two lists of the same length, got shapes {values.shape} and {flags.shape}"
        )
    if len(values) < _FEWEST:
        raise UsageError(f"a run needs at least {_FEWEST} canaries, got {len(values)}")
    if np.isnan(values).any():
        raise UsageError(f"scores must be numbers, got NaN at canary {int(np.isnan(values).argmax())}")
    if flags.dtype != bool and not np.isin(flags, (0, 1)).all():
        raise UsageError("included must be true or false (1 or 0) for each canary, got other values")
    flags = flags.astype(bool)
    few = min(int(flags.sum()), int((~flags).sum()))
    if 2 * float(bdtr(few, len(flags), 0.5)) < _UNFAIR:
        raise UsageError(
            f"each canary must be included by a fair coin, got {int(flags.sum()):,} of {len(flags):,} included; "
            "flip a coin for each canary before training"
        )
    return values, flags


def _limits(canaries: int, delta: float) -> tuple[str, ...]:
    return (
        "Not refuted is not proof: other canaries, scores and attacks may tell more.",
        f"One run with {canaries:,} canaries shows less than many runs would: its bounds lie below the truth even "
        "where every guess is the best possible.",
        "Each canary must have been included by a fair coin of its own: a list with exactly half of them included, or "
        "canaries that stand for one another, breaks the proof.",
        *(
            (
                "epsilon_lower assumes that the privacy loss is Gaussian, as after many noisy steps; epsilon_lower_any "
                "assumes nothing, and the verdict rests on no assumption about the mechanism.",
            )
            if delta > 0
            else ()
        ),
    )

"""The oracle: what an audit would certify if the best event had been known before the first draw.

A privacy profile knows its best events. With L the log-likelihood ratio of an output and S = {L > e}, delta(e) = P(S) -
e^e Q(S), and Q(S) is the slope of delta in e^e with its sign changed (Neyman and Pearson 1933; Dong, Roth and Su 2022,
Proposition 2.12). So the profile alone gives P(S) and Q(S) of every event that an optimal test could bet on. The oracle
is the largest epsilon that the last round's exact test certifies on the counts expected of one of them: no learner can
be expected to do better with that test, that level and that many draws.

A profile is that of the worst pair and direction. The oracle takes it to hold in both directions at once, in which case
an event may guess left in one tail and right in the other and sees twice as many outputs: where the pair is not
symmetric, the figure is more than any event reaches.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scipy.special import ndtri

from auditor.certify import exact
from auditor.certify.exact import Guesses
from mechanisms.core.claims import Profile

_STEP = 1e-3  # epsilons over which slopes are taken: an epsilon is overstated by no more than this
_THRESHOLDS = 240  # log-likelihood ratios that are tried
_TESTED = 2  # events that the exact test judges
_RAREST = 3.0  # draws that an event is expected to have at the least


def best_events(profile: Profile, trials: int) -> Iterator[tuple[float, float]]:
    """(P(S), Q(S)) of S = {log-likelihood ratio > e}, for thresholds e from 0 to where S does not occur in so many
    draws."""
    top = min(50.0, profile.epsilon_at(1 / trials))
    for index in range(_THRESHOLDS):
        low = index / _THRESHOLDS * top
        ends = math.exp(low), math.exp(low + _STEP)
        deltas = profile.delta_at(low), profile.delta_at(low + _STEP)
        wrong = max(0.0, (deltas[0] - deltas[1]) / (ends[1] - ends[0]))
        correct = deltas[0] + ends[0] * wrong
        if correct * trials >= _RAREST:
            yield min(1.0, correct), min(1.0, wrong)


def oracle(profile: Profile, delta: float, trials: int, alpha: float) -> float:
    """The epsilon at this delta that the exact test of the best event certifies, on the counts expected in `trials`
    coin flips; 0 where no event certifies any."""
    return max(
        (test.certified(alpha) for test in _promising(best_events(profile, trials), delta, trials, alpha)), default=0.0
    )


@dataclass(frozen=True)
class _Test:
    """The expected guesses of one event, and the part of them that delta explains."""

    guesses: Guesses
    cost: float

    def ratio(self) -> float:
        """Correct guesses beyond what delta explains, for each wrong one."""
        return (self.guesses.correct - self.guesses.trials * self.cost) / max(self.guesses.wrong, 1 / 2)

    def roughly(self, alpha: float) -> float:
        """About what is certified: the estimate less its standard errors."""
        correct, wrong, spare = self.guesses.correct, self.guesses.wrong, self.guesses.trials * self.cost
        error = math.sqrt(correct / (correct - spare) ** 2 + 1 / (wrong + 1))
        return math.log(self.ratio()) + float(ndtri(alpha)) * error

    def certified(self, alpha: float) -> float:
        """What the exact test certifies, with the better of two weights of a wrong guess: that of what is certified,
        and one halfway to the guesses' own ratio."""
        least, most = max(0.0, self.roughly(alpha)), max(0.0, math.log(self.ratio()))
        weights = {math.exp(least), math.exp((least + most) / 2)} if self.cost else {1.0}
        return max(exact.epsilon_lower(self.guesses, self.cost, weight, alpha) for weight in weights)


def _promising(events: Iterable[tuple[float, float]], delta: float, trials: int, alpha: float) -> list[_Test]:
    """The events that certify most by a rough formula, each betting in one direction or in both."""
    tests = [
        _Test(
            Guesses(round(trials * correct * directions / 2), round(trials * wrong * directions / 2), trials),
            delta * directions / 2,
        )
        for correct, wrong in events
        for directions in (1, 2)
    ]
    possible = [test for test in tests if test.guesses.correct > trials * test.cost]
    return sorted(possible, key=lambda test: -test.roughly(alpha))[:_TESTED]

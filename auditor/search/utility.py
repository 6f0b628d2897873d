"""What an event is worth in the next round, judged on past draws with an honest penalty for luck.

These numbers only choose events; nothing here is reported.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, ndtri

from auditor.certify import evidence
from auditor.certify.evidence import Floats, Point
from auditor.tuning import TUNING, Prudence


class Seen(NamedTuple):
    """What the past saw of candidate regions: correct and wrong guesses, each among the trials of its side.

    `model` is the log-ratio of correct to wrong guesses that a fitted score predicts, where there is one; its error is
    a share of it, or of `scale` where that is more. A `straight` model is a line that was fitted to all draws.
    """

    correct: Floats
    wrong: Floats
    correct_trials: float | Floats
    wrong_trials: float | Floats
    directions: int = 1
    model: Floats | None = None
    scale: float | Floats = 1.0
    straight: bool = False

    def shares(self) -> tuple[Floats, Floats]:
        """Correct and wrong guesses for each coin flip; where there is a straight model, parted as it predicts."""
        correct, wrong = self.correct / (2 * self.correct_trials), self.wrong / (2 * self.wrong_trials)
        if self.model is None or not self.straight:
            return correct, wrong
        return (correct + wrong) * expit(self.model), (correct + wrong) * expit(-self.model)

    def at(self, point: Point) -> Seen:
        """Without a straight model where delta = 0: the best event would lie as far out as the line is believed."""
        return self._replace(model=None, straight=False) if self.straight and point.delta == 0 else self


class Utility(ABC):
    """Larger is better. `point` is where the claim is tested."""

    point: Point

    @abstractmethod
    def value(self, seen: Seen) -> Floats:
        """The utility of each candidate."""


@dataclass(frozen=True)
class Growth(Utility):
    """How fast the running evidence against the claim at `point` would grow.

    The growth g seen on n past trials puts the event's excess over the claim at z = sqrt(2 n g) standard errors. The
    excess is shrunk as if it were normal beforehand, with spread tau or with what remains of it after two standard
    errors: of two events with the same ratio the one seen more often is worth more, and a lucky tail is worth little.
    The unit is the natural logarithm of the evidence, for each coin flip.
    """

    point: Point
    prudence: Prudence = TUNING.prudence

    def value(self, seen: Seen) -> Floats:
        """See Utility."""
        seen = seen.at(self.point)
        r, w = seen.shares()
        rate = evidence.growth(r, w, self.point, seen.directions)
        z = np.sqrt(2 * (seen.correct_trials + seen.wrong_trials) * rate) + 1e-12
        spare = np.maximum(1e-12, r - self.point.delta * seen.directions / 2)
        excess = np.log(spare / (w + 0.25 / seen.wrong_trials)) - self.point.epsilon
        prior = np.maximum(self.prudence.spread * max(self.point.epsilon, 0.1), excess * (1 - 2 / z)) ** 2
        shrunk = rate * (prior / (prior + (excess / z) ** 2)) ** 2
        return np.where(rate > 0, shrunk * (self.prudence.one_sided if seen.directions == 1 else 1.0), -1.0)


@dataclass(frozen=True)
class LowerBound(Utility):
    """By how much the epsilon that a round of `trials` coin flips certifies at level alpha would pass the point's.

    The unit is epsilon.
    """

    point: Point
    trials: float
    alpha: float
    more: float = 1.0  # the past is taken to be so many times as long, with the same shares of guesses
    prudence: Prudence = TUNING.prudence

    def value(self, seen: Seen) -> Floats:
        """See Utility."""
        seen = seen.at(self.point)
        r, w = seen.correct / (2 * seen.correct_trials), (seen.wrong + 0.375) / (2 * seen.wrong_trials)
        cost = self.point.delta * seen.directions / 2
        errors = self.prudence.luck_delta if cost > 0 else self.prudence.luck_pure
        with np.errstate(divide="ignore", invalid="ignore"):
            least = _shifted(self.more * seen.correct, -errors) / (2 * self.more * seen.correct_trials)
            most = _shifted(self.more * seen.wrong, errors) / (2 * self.more * seen.wrong_trials)
            # the mean of the region's own counts and the score's prediction, weighted by precision
            if seen.model is not None:
                gain = np.log((r - cost) / w)
                luck = (gain - np.log((least - cost) / most)) / errors
                predicted = np.log(np.maximum(1e-12, np.exp(seen.model) - cost / w))
                trust = self.prudence.model_error * np.maximum(np.abs(seen.model), seen.scale)
                weight = np.where(np.isfinite(luck), trust**2 / (trust**2 + luck**2), 0.0)
                mixed = np.where(weight > 0, weight * gain, 0.0) + (1 - weight) * predicted
                # where the counts say less than the prediction, the counts hold
                gain = np.where(weight > 0, np.minimum(mixed, gain + luck), mixed)
                least = r
                most = (r - cost) / np.exp(gain - errors * np.where(weight > 0, luck * np.sqrt(weight), trust))
            value = _certified(least * self.trials, most * self.trials, cost * self.trials, -float(ndtri(self.alpha)))
        return np.where((least > cost) & np.isfinite(value), value - self.point.epsilon, -np.inf)


@dataclass(frozen=True)
class Significance(Utility):
    """By how many standard errors past draws pass the point: what refutes a claim that has several points.

    Points differ in how much epsilon a standard error is worth, so that bounds on epsilon cannot choose among them.
    """

    point: Point

    def value(self, seen: Seen) -> Floats:
        """(r - e^eps w - cost) over its standard error. Two wrong guesses are added to those seen, because a tail in
        which hardly any was seen was lucky."""
        seen = seen.at(self.point)
        r, w = seen.shares()
        w = w + 1 / seen.wrong_trials
        ratio, cost = np.exp(self.point.epsilon), self.point.delta * seen.directions / 2
        excess = r - ratio * w
        variance = np.maximum(r + ratio**2 * w - excess**2, 1e-300)
        z = (excess - cost) * np.sqrt((seen.correct_trials + seen.wrong_trials) / variance)
        return np.where(seen.correct > 0, z, -np.inf)


def _certified(correct: Floats, wrong: Floats, cost: float, z: float) -> Floats:
    """About the epsilon that these counts certify: z standard errors, shared as the two counts share the error."""
    spread = np.sqrt(correct) / (correct - cost), 1 / np.sqrt(wrong + 0.375)
    whole = np.hypot(*spread)
    least = _shifted(correct, -z * spread[0] / whole) - cost
    return np.asarray(np.log(least / _shifted(wrong, z * spread[1] / whole)))


def _shifted(count: Floats, errors: float | Floats) -> Floats:
    """A count moved by so many standard errors, on the scale where a Poisson count's error is constant (Anscombe 1948).

    So none seen is not taken for none there, and eleven against none is worth what it is.
    """
    root = np.maximum(0.0, np.sqrt(count + 0.375) + errors / 2)
    return np.asarray(root**2 - 0.375)

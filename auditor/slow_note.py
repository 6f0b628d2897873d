"""An audit that would take very long says so at once, with what less would buy and see."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import Any

import numpy as np

from auditor.certify import power
from auditor.certify.exact import Guesses
from auditor.certify.likelihood import LogRatios
from auditor.certify.power import Budget, Learned
from auditor.pace import duration, figure
from auditor.plan import plan_of
from auditor.request import Request
from auditor.tuning import Tuning

_LONG = 600.0  # an audit that would take more seconds than these says so
_MINUTE = 60.0
RATE_KNOWN = 0.5  # seconds of drawing after which the rate is known
_FIRST = 10.0  # a first call alone tells the rate where it took so many seconds; a shorter one may be set-up


class SlowNote:
    """Tells once, as soon as the rate is known, that an audit would take more than ten minutes.

    `workers` draw side by side. The note goes to `progress.slow` where there is such a method, else to the log.
    """

    def __init__(self, asked: Request, workers: int, tuning: Tuning, progress: Any) -> None:
        self._asked, self._workers, self._tuning, self._progress = asked, workers, tuning, progress
        self._draws, self._seconds, self._told = 0, 0.0, False

    def timed(self, draws: int, seconds: float, first: bool = False) -> None:
        """So many draws took so long; a first call alone counts where it took very long."""
        if self._told or draws <= 0:
            return
        if not first:
            self._draws, self._seconds = self._draws + draws, self._seconds + seconds
            draws, seconds = self._draws, self._seconds
        if seconds >= (_FIRST if first else RATE_KNOWN):
            self._judge(seconds / draws)

    def _judge(self, a_draw: float) -> None:
        in_all = a_draw * 2 * self._asked.trials * (len(self._asked.pairs) + 1) / 2
        if in_all / self._workers <= _LONG:
            return
        self._told = True
        tell = getattr(self._progress, "slow", None) or logging.getLogger("auditor").warning
        tell(note(self._asked, a_draw, self._tuning))


def note(asked: Request, a_draw: float, tuning: Tuning) -> str:
    """How long all trials take on one core, how many a minute buys, and what an audit of those is blind to at best."""
    many = len(asked.pairs) + 1
    buys = max(1, min(asked.trials, int(_MINUTE / a_draw / many)))
    spot = best_blind_spot(replace(asked, trials=buys), tuning)
    blind = "" if spot is None else f"; blind below epsilon {spot:.4g} at best"
    unit = f"{figure(1e3 * a_draw)} ms" if a_draw < 1 else f"{figure(a_draw)} s"
    in_all = duration(a_draw * asked.trials * many)
    return (
        f"{unit} a draw: {asked.trials:,} trials a side take about {in_all} on one core, {buys:,} trials "
        f"{duration(a_draw * buys * many)}{blind} (fewer trials, or seconds=60)"
    )


def best_blind_spot(asked: Request, tuning: Tuning) -> float | None:
    """The epsilon that an audit with so many trials refutes with probability .9 for an event that always guesses, which
    is the best case; None for a claim that is a curve."""
    points = asked.claim.points()
    if len(points) > 1:
        return None
    plan = plan_of(asked, True, tuning)
    budget = Budget(plan.learning, plan.last_round, plan.running, plan.last, 1, Learned.NOTHING)
    point = plan.points[0]
    if point.delta == 0:
        found = power.detectable_pure(Guesses(1, 0, 1), budget, point.epsilon)
    else:
        found = power.detectable(LogRatios(np.array([1.0, -1.0]), np.ones(2)), budget, point)
    return found if math.isfinite(found) else None

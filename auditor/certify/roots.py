"""Where a monotone condition changes."""

from __future__ import annotations

import math
from collections.abc import Callable

# Halving often meets `within` exactly, as where it is a sixteenth of the step. The rounding of high - low would then
# decide whether one more halving follows, and with it the fourth digit of a bound. Such a tie always halves once more.
_TIES = 1 - 1e-6


class Rising:
    """A function that rises, asked where it reaches a target; what follows from earlier answers is not computed."""

    def __init__(self, function: Callable[[float], float], target: float) -> None:
        self._function, self._target = function, target
        self._low, self._high = -math.inf, math.inf  # the last point below the target, and the first that is not
        self._asked: list[tuple[float, float]] = []

    def reaches(self, x: float) -> bool:
        """Whether the function is at least the target at x."""
        if not self._low < x < self._high:
            return x >= self._high
        value = self._function(x)
        self._asked.append((x, value))
        if value >= self._target:
            self._high = x
        else:
            self._low = x
        return value >= self._target

    def narrow(self, within: float) -> None:
        """Asks three times near where a straight line through the last two answers reaches the target, at last `within`
        parts of that on either side: where the function is smooth, little is left in between."""
        for beside in ((1.0,), (1.0,), (1 - within, 1 + within)):
            (a, below), (b, above) = self._asked[-2:] if len(self._asked) > 1 else ((0.0, 0.0), (0.0, 0.0))
            if above == below:
                return
            x = a + (b - a) * (self._target - below) / (above - below)
            for part in beside:
                self.reaches(part * x)


def last_false(holds: Callable[[float], bool], guess: float, step: float, within: float) -> float:
    """The last point, to `within`, at which a condition that becomes true on the way up does not hold yet."""
    if holds(guess):
        low, high = guess - step, guess
        while holds(low):
            step *= 2
            low, high = low - step, low
    else:
        low, high = guess, guess + step
        while not holds(high):
            step *= 2
            low, high = high, high + step
    while high - low > _TIES * within:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low


def first_true(holds: Callable[[int], bool], low: int, high: int, within: int = 1) -> int:
    """The smallest number in (low, high] for which a monotone condition holds, given that it holds at `high`."""
    while high - low > within:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high

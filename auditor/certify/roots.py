"""Where a monotone condition changes."""

from __future__ import annotations

from collections.abc import Callable

# Halving often meets `within` exactly, as where it is a sixteenth of the step. The rounding of high - low would then
# decide whether one more halving follows, and with it the fourth digit of a bound. Such a tie always halves once more.
_TIES = 1 - 1e-6


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

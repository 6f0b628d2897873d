"""How fast an audit draws, in words that are told while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable


class Pace:
    """The draws made and planned, and the rate since the first of them were reported."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start: tuple[float, int] | None = None
        self.done, self.total = 0, 0

    def seen(self, done: int, total: int) -> None:
        """So many draws of so many are made; fewer than before is another audit."""
        if self._start is None or done < self.done:
            self._start = self._clock(), done
        self.done, self.total = done, total

    @property
    def rate(self) -> float:
        """Draws a second; 0 where that is not known yet."""
        if self._start is None:
            return 0.0
        since, first = self._start
        took = self._clock() - since
        return (self.done - first) / took if took > 0 else 0.0

    def words(self, certified: float | None = None) -> str:
        """Draws, rate, time left and what is certified so far."""
        said = [f"{self.done:,} of {self.total:,} draws"]
        if self.rate > 0:
            said += [f"{figure(self.rate)} a second", f"{duration((self.total - self.done) / self.rate)} left"]
        if certified is not None:
            said += [f"epsilon at least {certified:.3g}"]
        return ", ".join(said)

    def brief(self, certified: float | None = None) -> str:
        """The same in half the room, beside a bar."""
        said = [f"{_short(self.done)}/{_short(self.total)} draws"]
        if self.rate > 0:
            said += [f"{_short(self.rate)}/s", f"{duration((self.total - self.done) / self.rate)} left"]
        if certified is not None:
            said += [f"eps >= {certified:.3g}"]
        return ", ".join(said)


def _short(number: float) -> str:
    """A number of draws in at most five characters or so: 950, 140k, 2M, 1.2G."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= 0.9995 * size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"


def duration(seconds: float) -> str:
    """A time for people: 23 s, 4 min, 2.5 h, 3 days."""
    for size, unit in ((172_800.0, "days"), (7_200.0, "h"), (120.0, "min")):
        if seconds >= size:
            return f"{figure(seconds / {'days': 86_400.0, 'h': 3_600.0, 'min': 60.0}[unit])} {unit}"
    return f"{seconds:.0f} s"


def figure(value: float) -> str:
    """A number in two digits or more, never with an exponent of ten where it is large."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"

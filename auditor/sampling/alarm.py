"""A time limit in this process, for mechanisms that cannot be sent to one that could be killed.

A timer of the system interrupts Python code; code of other languages is interrupted when it returns to Python. It
works in the main thread only, and only where nobody else uses that timer.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

_AGAIN = 0.1  # seconds after which the alarm is repeated, should someone's code have caught it


class TimeUpError(KeyboardInterrupt):
    """The time is over. Whatever lets an interrupt from the keyboard pass lets it pass, too."""


def possible() -> bool:
    """Whether a time limit can be had in this process and thread."""
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    )


def limited(seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
    """`function(*arguments)`, and a TimeoutError when it takes longer."""
    over = False

    def ring(*_: Any) -> None:
        if not over:
            raise TimeUpError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
        result = function(*arguments)
        over = True
        return result
    except TimeUpError as error:
        over = True
        raise TimeoutError from error
    finally:
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)

"""Warnings that a mechanism raises: collected once for each place in its code, instead of printed at every draw."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from auditor.escaping import line

_LONGEST = 200  # most characters of a warning that a result tells
MOST = 5  # most different warnings that a result tells

Noted = Mapping[str, str]  # the first text for each kind and place


_OF_THREAD = threading.local()  # where the warnings of this thread are noted


@contextlib.contextmanager
def noted_warnings() -> Iterator[dict[str, str]]:
    """The warnings that are raised meanwhile in this thread, by kind and place.

    In other threads than the first they are noted while that one is inside `all_routed`, and printed otherwise.
    """
    found: dict[str, str] = {}
    before = getattr(_OF_THREAD, "found", None)
    _OF_THREAD.found = found
    try:
        with all_routed():
            yield found
    finally:
        _OF_THREAD.found = before


@contextlib.contextmanager
def all_routed() -> Iterator[None]:
    """Meanwhile each warning goes to where its thread notes them, and is shown as before where it notes none.

    Python's filters belong to the whole process, so only the first thread changes them; in others this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        shown = warnings.showwarning

        def routed(message: Any, category: type[Warning], filename: str, lineno: int, *more: Any, **named: Any) -> None:
            found = getattr(_OF_THREAD, "found", None)
            if found is None:
                shown(message, category, filename, lineno, *more, **named)
            else:
                key = f"{category.__name__} {filename}:{lineno}"
                found.setdefault(key, line(f"{category.__name__}: {message}", _LONGEST))

        warnings.showwarning = routed
        yield


def noted_sentences(noted: Noted) -> list[str]:
    """What a result says of them."""
    texts = list(dict.fromkeys(noted[key] for key in sorted(noted)))
    more = [f"The mechanism warned in {len(texts) - MOST} more ways."] if len(texts) > MOST else []
    return [f"The mechanism warned: {text}" for text in texts[:MOST]] + more

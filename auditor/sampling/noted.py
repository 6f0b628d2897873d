"""Warnings that a mechanism raises: collected once for each place in its code, instead of printed at every draw."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from auditor.escaping import line

_LONGEST = 200  # characters of a warning that a result tells
MOST = 5  # different warnings that a result tells

Noted = Mapping[str, str]  # the first text for each kind and place


@contextlib.contextmanager
def noted_warnings() -> Iterator[dict[str, str]]:
    """The warnings that are raised meanwhile, by kind and place; in other threads than the first none are noted.

    Python's filters belong to the whole process, so only one thread may change them.
    """
    found: dict[str, str] = {}
    if threading.current_thread() is not threading.main_thread():
        yield found
        return

    def note(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any, **__: Any) -> None:
        key = f"{category.__name__} {filename}:{lineno}"
        if key not in found:
            found[key] = line(f"{category.__name__}: {message}", _LONGEST)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note
        yield found


def sentences(noted: Noted) -> list[str]:
    """What a result says of them."""
    texts = list(dict.fromkeys(noted[key] for key in sorted(noted)))
    more = [f"The mechanism warned in {len(texts) - MOST} more ways."] if len(texts) > MOST else []
    return [f"The mechanism warned: {text}" for text in texts[:MOST]] + more

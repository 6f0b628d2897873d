"""Picture data that results carry, so that reports draw without sampling (formats: docs/results.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from auditor.results import AuditResult
from mechanisms.claims import Profile

_STEPS = 28  # points of a curve: enough for the eye, few for the file
_WIDEST = 100.0


def profile_picture(claim: Profile, exact: Profile | None = None, result: AuditResult | None = None) -> dict[str, Any]:
    """delta over epsilon on one grid: what is claimed and, where known, what is exactly true.

    The grid reaches past every epsilon that matters at the delta of `result` (one in a million without one).
    """
    delta = 1e-6 if result is None else result.delta
    known = [profile.epsilon_at(delta) for profile in (claim, exact) if profile is not None]
    known += [] if result is None else [result.epsilon_lower]
    largest = max((epsilon for epsilon in known if math.isfinite(epsilon)), default=0.0)
    top = min(1.35 * largest, _WIDEST) or 1.0
    kinks = {epsilon for epsilon in known if 0 < epsilon < top}
    grid = sorted({top * step / _STEPS for step in range(_STEPS + 1)} | kinks)
    return {
        "type": "profile",
        "claimed": _curve(claim, grid),
        "exact": None if exact is None else _curve(exact, grid),
    }


def lines_picture(
    title: str,
    x: tuple[str, Sequence[float]],
    y: str,
    series: Mapping[str, Sequence[float | None]],
    *,
    styles: Mapping[str, str] | None = None,
    log_x: bool = False,
    log_y: bool = False,
    caption: str = "",
) -> dict[str, Any]:
    """Curves over shared x values; None leaves a gap.

    A series named claimed, exact or certified looks as everywhere else; `styles` gives others that look.
    """
    looks = {name: name for name in ("claimed", "exact", "certified")} | dict(styles or {})
    return {
        "type": "lines",
        "title": title,
        "x": {"label": x[0], "values": [float(value) for value in x[1]], "log": log_x},
        "y": {"label": y, "log": log_y},
        "series": [
            {
                "label": name,
                "values": [None if value is None else float(value) for value in values],
                "style": looks.get(name, ""),
            }
            for name, values in series.items()
        ],
        "caption": caption,
    }


def _curve(profile: Profile, grid: list[float]) -> list[list[float]]:
    return [[epsilon, min(1.0, max(0.0, profile.delta_at(epsilon)))] for epsilon in grid]

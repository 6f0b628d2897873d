"""Picture data that results carry, so that reports draw without sampling (formats: docs/results.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from auditor.results.plain import number
from auditor.results.result import AuditResult
from mechanisms.core.claims import Profile

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
    x: tuple[str, Iterable[float]],
    y: str,
    series: Mapping[str, Iterable[float | None]],
    *,
    styles: Mapping[str, str] | None = None,
    log: str = "",
    caption: str = "",
) -> dict[str, Any]:
    """Curves over shared x values: x is (label, values), `series` maps a label to its values; None leaves a gap.

    A series named claimed, exact or certified looks as everywhere else; `styles` gives others that look. `log` names
    the logarithmic axes, such as "xy".
    """
    looks = {name: name for name in ("claimed", "exact", "certified")} | dict(styles or {})
    return {
        "type": "lines",
        "title": title,
        "x": {"label": x[0], "log": "x" in log, "values": [float(value) for value in x[1]]},
        "y": {"label": y, "log": "y" in log},
        "series": [
            {
                "label": name,
                "values": [None if value is None else number(float(value)) for value in values],
                "style": looks.get(name, ""),
            }
            for name, values in series.items()
        ],
        "caption": caption,
    }


def _curve(profile: Profile, grid: list[float]) -> list[list[float]]:
    return [[epsilon, min(1.0, max(0.0, profile.delta_at(epsilon)))] for epsilon in grid]

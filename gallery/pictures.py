"""The pictures of the gallery, as files that are the same for the same outcome."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditor import AuditResult
from gallery.outcome import Outcome, shown

_STYLE: dict[Any, Any] = {"svg.hashsalt": "dp-audit", "svg.fonttype": "none"}


def draw(path: Path, outcome: Outcome) -> None:
    """Writes the picture of an outcome: the outputs of an audit, or two bars for a deterministic check."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(6.4, 3.2), layout="constrained")
        axes = figure.subplots()
        if outcome.audit:
            AuditResult.from_dict(outcome.audit).plot(axes)
        else:
            _bars(axes, outcome)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def _bars(axes: Any, outcome: Outcome) -> None:
    """The distance that is claimed and the one that was found; an infinite one reaches the edge."""
    values = [outcome.claimed or 0.0, outcome.found or 0.0]
    finite = [value for value in values if value != float("inf")]
    edge = 1.2 * max([*finite, 1e-9])
    drawn = [min(value, edge) for value in values]
    bars = axes.barh(["claimed at most", "found"], drawn, color=["#999999", "#0b6bb8"])
    axes.bar_label(bars, [shown(value) for value in values], padding=3)
    axes.set(xlim=(0, edge * 1.15), xlabel="distance of the outputs of two neighbours")
    axes.set_title(f"{outcome.verdict.capitalize()}: {outcome.claim}", fontsize="medium")
    axes.spines[["top", "right"]].set_visible(False)

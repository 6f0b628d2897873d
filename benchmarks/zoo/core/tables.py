"""The zoo's table on a terminal, in markdown, and as a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.tables import count, grid, measured, number
from benchmarks.zoo.core.measure import Measured

NOTES = """
`published` is the best lower bound of any published auditor at 90 % (DP-Sniper's reference logs, 10.7M draws
a stage and 200M final ones); `90%` and `99%` are ours; draws and seconds are of the first. `reachable` is
the exact epsilon on the audited pairs, where it is known: no event on them can show more, but for one in ten bounds
at 90 %. `oracle` is what the last round's test would certify at 90 % on the counts expected in all draws if the best
event of the best pair had been known beforehand. NoisyHist2 has 10 by its values alone, and is audited in its bits,
too. `refuted after` is the number of draws at which an audit of the claim itself, at 99 %, stopped.
""".strip()


def cells(row: Measured) -> list[str]:
    """A row of the table."""
    first, *others = row.bounds.values()
    return [
        row.id,
        number(row.truth),
        number(row.reachable),
        number(row.oracle),
        number(row.published),
        number(first),
        *(number(value) for value in others),
        count(row.draws),
        f"{row.seconds:.1f}",
        count(row.refuted_after) if not row.correct else "holds",
    ]


def mark(row: Measured) -> str:
    """Where this row stands: + ahead of everyone, = equal to three digits, - behind."""
    if row.gap is None:
        return ""
    if abs(row.gap) < 5e-4 * max(1.0, abs(row.published or 0)):
        return "="
    return "+" if row.gap > 0 else "-"


def headings(row: Measured) -> list[str]:
    """The table's headings."""
    levels = [f"{1 - alpha:.0%}" for alpha in row.bounds]
    return ["mechanism", "truth", "reachable", "oracle", "published", *levels, "draws", "seconds", "refuted after"]


def markdown(tables: dict[float, Sequence[Measured]], where: dict[str, Any], date: str) -> str:
    """The whole result as one page."""
    lines = [
        "# The field's zoo",
        "",
        measured(date, where),
        "",
        NOTES,
    ]
    for epsilon, rows in tables.items():
        lines += ["", f"## Claimed epsilon {epsilon:g}", ""]
        lines += grid([*headings(rows[0]), ""], [[*cells(row), mark(row)] for row in rows])
        total = sum(row.seconds for row in rows)
        lines += ["", f"All rows: {total:.0f} s, {count(sum(row.draws for row in rows))} draws."]
    return "\n".join(lines) + "\n"


def picture(rows: Sequence[Measured], path: Path) -> None:
    """Certified against published, where there is something published, on a logarithmic axis."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = [row for row in rows if row.published is not None][::-1]
    published = [float(row.published or 0) for row in shown]
    figure, axes = pyplot.subplots(figsize=(7, 0.27 * len(shown) + 1), layout="constrained")
    alpha = next(iter(shown[0].bounds))
    for place, row in enumerate(shown):
        ours = row.bounds[alpha]
        axes.plot([published[place], ours], [place, place], color="0.8", linewidth=1.5, zorder=1)
        if row.reachable is not None and math.isfinite(row.reachable):
            axes.plot([row.reachable], [place], "|", color="0.35", markersize=9, zorder=2)
    places = range(len(shown))
    axes.plot(published, places, "o", mfc="white", mec="0.4", label="best published")
    axes.plot(
        [row.bounds[alpha] for row in shown],
        places,
        "o",
        color="tab:blue",
        label=f"dp-audit, {1 - alpha:.0%}",
    )
    axes.plot([], [], "|", color="0.35", markersize=9, label="exact on these pairs")
    axes.set_yticks(list(places), [row.id for row in shown], fontsize=8)
    axes.set_xscale("log")
    axes.set_xlabel("certified epsilon, claimed 0.1")
    axes.legend(fontsize=8, loc="lower right")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)

"""Picture data of ledger entries: curves over shared x values, as `reports` draws them (docs/results.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auditor.results import number


def lines(
    title: str,
    x: tuple[str, Iterable[float]],
    y: str,
    series: Mapping[str, Iterable[float | None]],
    *,
    styles: Mapping[str, str] | None = None,
    log: str = "",
    caption: str = "",
) -> dict[str, Any]:
    """A line chart: x is (label, values), `series` maps a label to its values (None leaves a gap).

    A series called claimed, exact or certified has that style unless `styles` says otherwise; `log` names the
    logarithmic axes, such as "xy".
    """
    styles = styles or {name: name for name in ("claimed", "exact", "certified")}
    return {
        "type": "lines",
        "title": title,
        "x": {"label": x[0], "log": "x" in log, "values": [float(value) for value in x[1]]},
        "y": {"label": y, "log": "y" in log},
        "series": [
            {"label": label, "values": _plain(list(values)), "style": styles.get(label, "")}
            for label, values in series.items()
        ],
        "caption": caption,
    }


def _plain(values: Sequence[float | None]) -> list[Any]:
    return [None if value is None else number(float(value)) for value in values]

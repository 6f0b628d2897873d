"""The tools of diffprivlib 0.6.6. The sensitivities in the source name the neighbours: one record replaced by another
within the bounds, and for histograms one record more or less.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from gallery.sweep.item import Item, asked

PACKAGES = ("diffprivlib==0.6.6", "scikit-learn==1.7.2")
LEFT_OUT: dict[str, str] = {}
REPLACED, ADDED = "one record replaced, within the bounds", "one record more or less"
NUMBERS = ("mean", "var", "std", "sum", "median", "quantile", "percentile")
OF_NANS = ("nanmean", "nanvar", "nanstd", "nansum")
QUANTILES: dict[str, dict[str, Any]] = {"quantile": {"quant": 0.5}, "percentile": {"percent": 50}}
NAN = float("nan")


def public() -> list[str]:
    """The functions of diffprivlib.tools."""
    from diffprivlib import tools

    return [name for name in dir(tools) if inspect.isfunction(getattr(tools, name))]


def items() -> list[Item]:
    """Each tool on data within (0, 1); those with an axis also on two columns, whose budget they must share out."""
    return [*_of_counts(), *_of_one_column(), *_of_two_columns(), *_with_nans()]


def _audited(name: str, pairs: list[tuple[Any, Any]], views: tuple[str, ...] = ("values",), **settings: Any) -> Any:
    from diffprivlib import tools

    from auditor.libraries import diffprivlib

    tool = diffprivlib.tool(getattr(tools, name), epsilon=1.0, **QUANTILES.get(name, {}), **settings)
    return asked(tool, *pairs, views=list(views))


def _item(name: str, neighbours: str, *pairs: tuple[Any, Any], **settings: Any) -> Item:
    return Item(name, neighbours, partial(_audited, name.partition(",")[0], list(pairs), **settings))


def _of_counts() -> list[Item]:
    both = ("values", "bits")
    return [
        _item("count_nonzero", REPLACED, ([1, 1, 0], [1, 1, 1]), views=both),
        _item("count_nonzero, axis", REPLACED, ([[1, 1], [0, 0]], [[1, 1], [1, 1]]), views=both, axis=0),
        _item("histogram", ADDED, ([0.1, 0.9], [0.1]), ([0.1, 0.1], [0.1]), views=both, bins=2, range=(0, 1)),
        Item("histogramdd", ADDED, partial(_two_dimensions, "histogramdd")),
        Item("histogram2d", ADDED, partial(_two_dimensions, "histogram2d")),
    ]


def _two_dimensions(name: str) -> Any:
    import numpy as np
    from diffprivlib import BudgetAccountant, tools

    from auditor import ApproxDP, per_draw

    def counts(rows: list[list[float]], rng: Any) -> Any:
        data = (np.array(rows),) if name == "histogramdd" else zip(*rows, strict=True)
        settings = {"epsilon": 1.0, "bins": 2, "range": [(0, 1), (0, 1)], "accountant": BudgetAccountant()}
        return getattr(tools, name)(*data, **settings)[0]

    pair = [[0.1, 0.1], [0.9, 0.1]], [[0.1, 0.1]]
    return asked(per_draw(counts), pair, claim=ApproxDP(1.0), views=["values", "bits"], name=name)


def _of_one_column() -> list[Item]:
    unit = ([0.0, 0.5, 1.0], [0.0, 0.5, 0.0]), ([0.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    far = ([9.0, 9.5, 10.0], [9.0, 9.5, 9.0]), ([10.0, 10.0, 10.0], [10.0, 10.0, 9.0])
    found = [_item(name, REPLACED, *unit, bounds=(0.0, 1.0)) for name in NUMBERS]
    return found + [_item(f"{name}, bounds (9, 10)", REPLACED, *far, bounds=(9.0, 10.0)) for name in NUMBERS]


def _of_two_columns() -> list[Item]:
    pair = ([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]], [[0.0, 0.0], [0.5, 0.5], [0.0, 0.0]])
    bounds = ([0.0, 0.0], [1.0, 1.0])
    return [_item(f"{name}, axis", REPLACED, pair, bounds=bounds, axis=0) for name in NUMBERS]


def _with_nans() -> list[Item]:
    """A record may also be replaced by one without a value, and most of the others may have none."""
    without: Callable[[float], list[float]] = lambda last: [0.0, *[NAN] * 8, last]  # noqa: E731
    found = [_item(name, REPLACED, ([0.0, 0.5, 1.0], [0.0, 0.5, 0.0]), bounds=(0.0, 1.0)) for name in OF_NANS]
    mostly = [(f"{name}, mostly missing", (without(1.0), without(0.0))) for name in OF_NANS]
    gone = [(f"{name}, one is missing", ([0.0, 0.0, 1.0], [0.0, 0.0, NAN])) for name in OF_NANS]
    return found + [
        replace(one, refuted=True, reported="no") if "mostly" in one.name and "sum" not in one.name else one
        for one in (_item(name, REPLACED, pair, bounds=(0.0, 1.0)) for name, pair in mostly + gone)
    ]

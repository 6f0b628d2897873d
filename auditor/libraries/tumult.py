"""Measurements of tmlt.core and queries of tmlt.analytics as mechanisms (written for core 0.19, analytics 0.21).

Neighbours: of a measurement two inputs at a distance of at most `d_in` in its `input_metric`; of a query what the
protected change says: `AddOneRow()` is one row more or less, `AddMaxRows(k)` up to k rows.

What to know: Spark needs Java (17 works) and the Python of this process in PYSPARK_PYTHON, which is set here where it
is not. A query takes a second or more, whatever the size of the table: many draws are asked for in one query.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.errors import UsageError
from auditor.libraries.adapted import Adapted, Pooled, approx_dp, missing
from auditor.sampling.draws import per_draw
from mechanisms.core.claims import ZCDP, Claim

_TABLE, _DRAW = "audited", "draw_of_the_audit"
_SPARK = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1", "spark.ui.showConsoleProgress": "false"}


def measurement(measurement: Any, d_in: Any) -> Adapted:
    """A measurement of tmlt.core as a mechanism whose claim is `measurement.privacy_function(d_in)`.

    PureDP and ApproxDP become ApproxDP, RhoZCDP becomes ZCDP. tmlt.core draws from randomness of its own: an audit
    of it cannot be replayed.
    """
    base = _imported("tmlt.core.measurements.base", "tmlt.core")
    if not isinstance(measurement, base.Measurement) or measurement.is_interactive:
        raise UsageError(f"measurement must be one of tmlt.core that is not interactive, got {measurement!r:.60}")
    try:
        loss = measurement.privacy_function(d_in)
    except Exception as error:  # tmlt.core has one class an argument
        raise UsageError(f"d_in must be a distance of the input metric, got d_in={d_in!r:.60}: {error}") from error
    claim = _claim(type(measurement.output_measure).__name__, loss)
    return Adapted(type(measurement).__name__, claim, per_draw(lambda data, rng: measurement(data)).sample)


def query(query: Callable[[Any], Any], budget: Any, protected_change: Any = None, size: int = 256) -> Adapted:
    """A query of tmlt.analytics as a mechanism whose claim is its budget.

    `size` draws are made in one session: the table holds the dataset `size` times, each copy under a key of its own,
    and the query is asked for each of these keys. A row is in one group only, so that under `AddOneRow` and
    `AddMaxRows` each group gets the noise that the query has without groups; and groups are independent.

    Args:
        query: A function of the grouped builder: `lambda table: table.count()`.
        budget: A `PureDPBudget`, `ApproxDPBudget` or `RhoZCDPBudget`.
        protected_change: `AddOneRow()` where none is given, or `AddMaxRows(k)`.
        size: Draws of one query, at the least. What an audit does not need at once is kept for its next draws.

    The dataset of an audit is a pandas frame or a dict of columns. An output is the query's number.
    """
    analytics = _imported("tmlt.analytics", "tmlt.analytics")
    change = analytics.AddOneRow() if protected_change is None else protected_change
    if not isinstance(change, (analytics.AddOneRow, analytics.AddMaxRows)):
        raise UsageError(f"protected_change must be AddOneRow or AddMaxRows, got {change!r:.60}")
    if not callable(query):
        raise UsageError(f"query must be a function of a query builder, got query={query!r:.60}")
    drawn = Pooled(SessionQuery(query, budget, change), size)
    return Adapted("tumult", _claim_of_budget(analytics, budget), drawn)


@dataclass(frozen=True)
class SessionQuery:
    """Asks a query for many copies of a dataset at once."""

    query: Callable[[Any], Any]
    budget: Any
    change: Any

    def __call__(self, dataset: Any, size: int, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        """An answer for each copy, in the order of their keys."""
        analytics, spark = _imported("tmlt.analytics", "tmlt.analytics"), _spark()
        table = spark.createDataFrame(*_copies(dataset, size))
        session = analytics.Session.from_dataframe(self.budget, _TABLE, table, self.change)
        keys = analytics.KeySet.from_dict({_DRAW: list(range(size))})
        asked = self.query(analytics.QueryBuilder(_TABLE).groupby(keys))
        found = session.evaluate(asked, self.budget).toPandas().sort_values(_DRAW)
        answers: np.ndarray[Any, Any] = found.drop(columns=_DRAW).to_numpy()
        return answers[:, 0] if answers.shape[1] == 1 else answers


def _copies(dataset: Any, size: int) -> tuple[list[tuple[Any, ...]], str]:
    """The rows of the dataset once for each draw, and their schema, which an empty table could not tell."""
    import pandas as pd

    frame = pd.DataFrame(dataset) if isinstance(dataset, Mapping) else dataset
    kinds = {"i": "bigint", "u": "bigint", "f": "double", "b": "boolean"}
    schema = ", ".join(f"`{name}` {kinds.get(frame[name].dtype.kind, 'string')}" for name in frame.columns)
    rows = [tuple(row) for row in frame.astype(object).itertuples(index=False)]
    return [(*row, draw) for draw in range(size) for row in rows], f"{schema}, `{_DRAW}` bigint"


def _spark() -> Any:
    """The session of Spark that is active, or one of our own with the Python of this process."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    for name, value in _SPARK.items():
        builder = builder.config(name, value)
    return SparkSession.getActiveSession() or builder.getOrCreate()


def _claim_of_budget(analytics: Any, budget: Any) -> Claim:
    kinds = {"PureDPBudget": "epsilon", "RhoZCDPBudget": "rho", "ApproxDPBudget": "epsilon"}
    kind = type(budget).__name__
    if kind not in kinds:
        raise UsageError(f"budget must be one of {', '.join(kinds)}, got {budget!r:.60}")
    if kind == "RhoZCDPBudget":
        return _claim("RhoZCDP", budget.rho)
    return _claim("ApproxDP", (budget.epsilon, getattr(budget, "delta", 0.0)))


def _claim(measure: str, loss: Any) -> Claim:
    """The loss in the unit of its measure; exact numbers are rounded up."""
    if measure == "RhoZCDP":
        try:
            return ZCDP(_float(loss))
        except ValueError as error:
            raise UsageError(f"a library's claim must be testable: {error}") from error
    if measure not in ("PureDP", "ApproxDP"):
        raise UsageError(f"the output measure must be PureDP, ApproxDP or RhoZCDP, got {measure}")
    return approx_dp(*(_float(part) for part in (loss if isinstance(loss, tuple) else (loss,))))


def _float(number: Any) -> float:
    return float(number.to_float(round_up=True)) if hasattr(number, "to_float") else float(number)


def _imported(module: str, package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise missing(package, error) from error

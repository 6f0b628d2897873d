"""Tumult: tmlt.core 0.19.1 and tmlt.analytics 0.21.0.

Neighbours: of a measurement inputs within `d_in` of its input metric, of a query one row more or less.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gallery.sweep.item import Item, asked

PACKAGES = ("tmlt.analytics==0.21.0", "tmlt.core==0.19.1")
THROUGH = "audited through tmlt.analytics, whose queries are made of it"
LEFT_OUT = {
    **dict.fromkeys(("Aggregate", "AggregateByColumn", "SparkMeasurement"), "abstract"),
    **dict.fromkeys(("AddNoiseToColumn", "ApplyInPandas", "SparseVectorPrefixSums"), THROUGH),
    "GeometricPartitionSelection": "not audited: each draw needs a table of Spark",
    "NonInteractivePostProcess": "takes an interactive measurement, which a session is",
    "ChainTM": THROUGH,
}
ROW = "one row more or less"


def public() -> list[str]:
    """The measurements of tmlt.core that are not interactive, and the aggregations of a grouped query."""
    import importlib
    import inspect

    from tmlt.analytics.query_builder import GroupedQueryBuilder
    from tmlt.core.measurements.base import Measurement

    parts = ("noise_mechanisms", "chaining", "composition", "converters", "postprocess", "spark_measurements")
    pandas = ("pandas_measurements.series", "pandas_measurements.dataframe")
    found = set()
    for part in (*parts, *pandas):
        module = importlib.import_module(f"tmlt.core.measurements.{part}")
        kinds = inspect.getmembers(module, inspect.isclass)
        found |= {name for name, kind in kinds if issubclass(kind, Measurement) and kind.__module__ == module.__name__}
    queries = [f"query.{name}" for name in dir(GroupedQueryBuilder) if not name.startswith("_")]
    return [*sorted(found), *queries]


def items() -> list[Item]:
    """Noise, what is made of it without Spark, and each aggregation of a query under three kinds of budgets."""
    return [*_noise(), *_made_of_noise(), *_queries()]


def _measured(make: Callable[[], Any], d_in: Any, *pairs: Any, views: tuple[str, ...] = ("values", "bits")) -> Any:
    from auditor.libraries import tumult

    return asked(tumult.measurement(make(), d_in), *pairs, views=list(views), trials=4_000)


def _near(d_in: Any) -> str:
    return f"within {d_in} of the input metric"


def _noise() -> list[Item]:
    def made(name: str, *settings: Any) -> Any:
        from tmlt.core.domains.numpy_domains import NumpyFloatDomain, NumpyIntegerDomain
        from tmlt.core.measurements import noise_mechanisms

        continuous = name in ("AddLaplaceNoise", "AddGaussianNoise")
        kind = NumpyIntegerDomain() if settings[1:] else NumpyFloatDomain()
        return getattr(noise_mechanisms, name)(*((kind, settings[0]) if continuous else settings[:1]))

    def item(name: str, special: str, pair: Any, d_in: int, *settings: Any, reported: str = "") -> Item:
        def audited() -> Any:
            import numpy as np

            kind = np.int64 if all(isinstance(end, int) for end in pair) else np.float64
            views = (special[2:],) if special in (", values", ", bits") else ("values", "bits")
            return _measured(partial(made, name, *settings), d_in, tuple(kind(end) for end in pair), views=views)

        return Item(f"{name}{special}", _near(d_in), audited, bool(reported), reported)

    return [
        item("AddLaplaceNoise", "", (0.0, 1.0), 1, 1),
        item("AddLaplaceNoise", ", whole numbers", (0, 2), 2, 2, "whole"),
        item("AddGaussianNoise", ", values", (0.0, 1.0), 1, 1),
        item("AddGaussianNoise", ", bits", (0.0, 1.0), 1, 1, reported="no"),  # adds doubles, where Laplace does not
        item("AddGeometricNoise", "", (0, 1), 1, 1),
        item("AddGeometricNoise", ", far", (0, 3), 3, 2),
        item("AddDiscreteGaussianNoise", "", (0, 1), 1, 1),
    ]


def _made_of_noise() -> list[Item]:
    """Compositions, conversions and post-processing of geometric noise, and what takes a series of pandas."""

    def geometric() -> Any:
        from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise

        return AddGeometricNoise(2)

    def wrapped(module: str, name: str, *more: Any) -> Any:
        import importlib

        from tmlt.core.measurements.noise_mechanisms import AddDiscreteGaussianNoise

        inner = AddDiscreteGaussianNoise(1) if name == "RhoZCDPToApproxDP" else geometric()
        first = [inner, geometric()] if name == "Composition" else inner
        return getattr(importlib.import_module(f"tmlt.core.measurements.{module}"), name)(first, *more)

    def item(name: str, module: str, d_in: Any, *more: Any) -> Item:
        def audited() -> Any:
            import numpy as np

            return _measured(partial(wrapped, module, name, *more), d_in, (np.int64(0), np.int64(1)))

        return Item(name, _near(d_in), audited)

    return [
        item("Composition", "composition", 1),
        item("PostProcess", "postprocess", 1, abs),
        item("PureDPToRhoZCDP", "converters", 1),
        item("PureDPToApproxDP", "converters", 1),
        Item("RhoZCDPToApproxDP", _near(1), partial(_converted, wrapped)),
        Item("AddNoiseToSeries", _near(1), _series),
        Item("NoisyQuantile", ROW, partial(_quantile, 0.5)),
        Item("NoisyQuantile, the largest", ROW, partial(_quantile, 1.0)),
    ]


def _converted(wrapped: Callable[..., Any]) -> Any:
    """The claim of a curve is asked for at one delta: rho-zCDP is (epsilon, delta) for each of them."""
    import numpy as np
    import sympy

    from auditor import ApproxDP, per_draw

    measurement = wrapped("converters", "RhoZCDPToApproxDP")
    delta = sympy.Rational(1, 20)  # the library takes no doubles
    tried = (sympy.Rational(step, 50) for step in range(1, 500))
    epsilon = float(next(one for one in tried if measurement.privacy_relation(1, (one, delta))))
    noise = per_draw(lambda number, rng: measurement(number))
    pair = (np.int64(0), np.int64(1))
    return asked(noise, pair, claim=ApproxDP(epsilon, 0.05), name="RhoZCDPToApproxDP")


def _series() -> Any:
    import pandas as pd
    from tmlt.core.measurements.noise_mechanisms import AddGeometricNoise
    from tmlt.core.measurements.pandas_measurements.series import AddNoiseToSeries

    from auditor import ApproxDP, per_draw

    measurement = AddNoiseToSeries(AddGeometricNoise(1))
    claim = ApproxDP(float(measurement.privacy_function(1).to_float(round_up=True)))
    noise = per_draw(lambda numbers, rng: list(measurement(pd.Series(numbers))))
    return asked(noise, ([0, 5], [1, 5]), claim=claim, trials=2_000, name="AddNoiseToSeries")


def _quantile(quantile: float) -> Any:
    import pandas as pd
    from tmlt.core.domains.numpy_domains import NumpyIntegerDomain
    from tmlt.core.domains.pandas_domains import PandasSeriesDomain
    from tmlt.core.measurements.pandas_measurements.series import NoisyQuantile
    from tmlt.core.measures import PureDP

    from auditor import ApproxDP, per_draw

    domain = PandasSeriesDomain(NumpyIntegerDomain())
    measurement = NoisyQuantile(domain, PureDP(), quantile=quantile, lower=0, upper=10, epsilon=1)
    claim = ApproxDP(float(measurement.privacy_function(1).to_float(round_up=True)))
    found = per_draw(lambda numbers, rng: float(measurement(pd.Series(numbers, dtype="int64"))))
    pairs = ([1, 2, 9], [1, 2]), ([0, 0, 10], [0, 10])
    return asked(found, *pairs, claim=claim, trials=3_000, name="NoisyQuantile")


def _queries() -> list[Item]:
    """Numbers at the ends of the bounds, beyond them, and missing ones."""
    asked_for: dict[str, Callable[[Any], Any]] = {
        "count": lambda table: table.count(),
        "count_distinct": lambda table: table.count_distinct(["g"]),
        "sum": lambda table: table.sum("age", 0, 10),
        "average": lambda table: table.average("age", 0, 10),
        "variance": lambda table: table.variance("age", -5, 5),
        "stdev": lambda table: table.stdev("age", -5, 5),
        "quantile": lambda table: table.quantile("age", 0.5, 0, 10),
        "median": lambda table: table.median("age", 0, 10),
        "min": lambda table: table.min("age", 0, 10),
        "max": lambda table: table.max("age", 0, 10),
        "get_bounds": lambda table: table.get_bounds("age"),
    }
    found = [Item(f"query.{name}", ROW, partial(_asked, query, "Pure")) for name, query in asked_for.items()]
    found.append(Item("query.count, zCDP", ROW, partial(_asked, asked_for["count"], "RhoZCDP")))
    found.append(Item("query.sum, zCDP", ROW, partial(_asked, asked_for["sum"], "RhoZCDP")))
    return found


def _asked(query: Callable[[Any], Any], kind: str) -> Any:
    import tmlt.analytics

    from auditor.libraries import tumult

    budget = getattr(tmlt.analytics, f"{kind}DPBudget" if kind == "Pure" else f"{kind}Budget")(1)
    mechanism = tumult.query(query, budget, size=1_024)
    pair = ({"age": [1, 2, 30], "g": ["a", "a", "b"]}, {"age": [1, 2], "g": ["a", "a"]})
    return asked(mechanism, pair, trials=800)

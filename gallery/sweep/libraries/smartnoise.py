"""smartnoise-sql 1.0.10 over frames. Neighbours: one row, or where the metadata names people one person's rows."""

from __future__ import annotations

from functools import partial
from typing import Any

from gallery.sweep.item import Item, asked

PACKAGES = ("smartnoise-sql==1.0.10",)
REFUSED = "the parser knows it, the rewriter refuses it"
LEFT_OUT = {
    "MIN": REFUSED,
    "MAX": REFUSED,
    "STDEV": REFUSED,
    "PERCENTILE_CONT": REFUSED,
    "PERCENTILE_DISC": REFUSED,
    "mechanisms.Unbounded": "no noise: a query of unbounded columns is refused",
    "mechanisms.Mechanism": "names",
    "dpsu.run_dpsu": "raises a TypeError on every frame, and the setting `use_dpsu` an AttributeError",
}
ROW, PERSON = "one row more or less", "one person more or less"
ROWS = {"row_privacy": True, "censor_dims": False}
PEOPLE = {"max_ids": 2, "censor_dims": False, "pid": {"type": "int", "private_id": True}}
COLUMNS = {
    "x": {"type": "float", "lower": -10.0, "upper": 10.0},
    "y": {"type": "int", "lower": 0, "upper": 5},
    "g": {"type": "string"},
}
# A row at the ends of its bounds, one outside of them, and one whose numbers are missing.
FAR = ({"x": [1.0, 10.0], "y": [1, 5], "g": ["a", "a"]}, {"x": [1.0], "y": [1], "g": ["a"]})
OUTSIDE = ({"x": [1.0, -99.0], "y": [1, 99], "g": ["a", "b"]}, {"x": [1.0], "y": [1], "g": ["a"]})
MISSING = ({"x": [1.0, None], "y": [1, 5], "g": ["a", "a"]}, {"x": [1.0], "y": [1], "g": ["a"]})
# A person with more rows than max_ids.
MANY = (
    {"pid": [1, 2, 2, 2, 2], "x": [1.0] + [10.0] * 4, "y": [1] + [5] * 4, "g": list("abcde")},
    {"pid": [1], "x": [1.0], "y": [1], "g": ["a"]},
)


def public() -> list[str]:
    """The aggregate functions of the library's grammar, its noise, and its ways to find bounds and groups."""
    import re
    from pathlib import Path

    import snsql.sql._mechanisms as mechanisms
    from snsql.sql import dpsu, parser

    grammar = (Path(str(parser.__file__)).parent / "SqlSmall.g4").read_text(encoding="utf-8")
    (names,) = re.findall(r"aggregateFunctionName : (.*?);", grammar)
    noise = [f"mechanisms.{name}" for name, value in vars(mechanisms).items() if isinstance(value, type)]
    groups = [f"dpsu.{name}" for name in ("policy_laplace", "run_dpsu") if hasattr(dpsu, name)]
    return [*names.split(" | "), *noise, "mechanisms.approx_bounds", *groups]


def items() -> list[Item]:
    """Each aggregate for rows and for people, with both kinds of noise; groups; and what stands below the queries."""
    return [*_of_rows(), *_of_people(), *_groups(), *_noise(), *_set_union()]


def _audited(query: str, table: dict[str, Any], pairs: list[Any], gaussian: bool = False, **options: Any) -> Any:
    from snsql import Mechanism, Privacy, Stat

    from auditor.libraries import smartnoise

    privacy = Privacy(epsilon=options.pop("epsilon", 1.0), delta=options.pop("delta", 0.01))
    if gaussian:
        for stat in (Stat.count, Stat.sum_int, Stat.sum_float, Stat.threshold):
            privacy.mechanisms.map[stat] = Mechanism.gaussian
    metadata = {"": {"S": {"T": {**COLUMNS, **table}}}}
    mechanism = smartnoise.sql(f"SELECT {query}", metadata, privacy)
    return asked(mechanism, *pairs, **{"trials": 4_000, **options})


def _of_rows() -> list[Item]:
    """A query of one row gets its noise many times in one call."""
    queries = {
        "COUNT, all": "COUNT(*) AS n FROM S.T",
        "COUNT, a column": "COUNT(x) AS n FROM S.T",
        "COUNT, distinct": "COUNT(DISTINCT g) AS n FROM S.T",
        "COUNT, where": "COUNT(*) AS n FROM S.T WHERE x > 3",
        "SUM, numbers": "SUM(x) AS s FROM S.T",
        "SUM, whole numbers": "SUM(y) AS s FROM S.T",
        "SUM, distinct": "SUM(DISTINCT y) AS s FROM S.T",
        "SUM, twice": "SUM(y) AS s, SUM(y) * 2 AS t, COUNT(*) AS n FROM S.T",
        "AVG": "AVG(x) AS a FROM S.T",
        "VAR": "VAR(x) AS v FROM S.T",
        "VARIANCE": "VARIANCE(x) AS v FROM S.T",
        "VARIANCE, with its parts": "VARIANCE(x) AS v, AVG(x) AS a, COUNT(x) AS n FROM S.T",
        "STD": "STD(x) AS d FROM S.T",
        "STDDEV": "STDDEV(y) AS d FROM S.T",
    }
    found = [Item(name, ROW, partial(_audited, query, ROWS, [FAR, OUTSIDE])) for name, query in queries.items()]
    found += [
        Item(f"{name}, missing values", ROW, partial(_audited, f"{name}(x) AS r FROM S.T", ROWS, [MISSING]))
        for name in ("COUNT", "SUM", "AVG")
    ]
    for name, query in (("COUNT", "COUNT(*) AS n FROM S.T"), ("SUM", "SUM(x) AS s FROM S.T")):
        found.append(Item(f"{name}, Gaussian", ROW, partial(_audited, query, ROWS, [FAR], gaussian=True, delta=0.05)))
        found.append(Item(f"{name}, bits", ROW, partial(_audited, query, ROWS, [FAR], views=["bits"])))
    return found


def _of_people() -> list[Item]:
    """A person's rows are sampled in each draw: some hundredths of a second a draw."""
    queries = {
        "COUNT, all": "COUNT(*) AS n FROM S.T",
        "COUNT, people": "COUNT(DISTINCT pid) AS n FROM S.T",
        "COUNT, distinct": "COUNT(DISTINCT g) AS n FROM S.T",
        "SUM, whole numbers": "SUM(y) AS s FROM S.T",
        "AVG": "AVG(x) AS a FROM S.T",
        "VARIANCE": "VARIANCE(x) AS v FROM S.T",
    }
    return [
        Item(f"{name}, a person", PERSON, partial(_audited, query, PEOPLE, [MANY], trials=300))
        for name, query in queries.items()
    ]


def _groups() -> list[Item]:
    """Groups that are public, and groups that appear with their people: those may show with delta."""
    query = "g, COUNT(*) AS n FROM S.T GROUP BY g"
    shared: dict[str, list[Any]] = {"y": [1] * 6, "x": [1.0] * 6, "g": list("aaabbb")}
    fewer = {name: values[:5] for name, values in shared.items()}
    lone = (
        {"pid": [1, 2], "x": [1.0] * 2, "y": [1] * 2, "g": ["a", "b"]},
        {"pid": [1], "x": [1.0], "y": [1], "g": ["a"]},
    )
    some: dict[str, list[Any]] = {"pid": [*range(5)], "x": [1.0] * 5, "y": [1] * 5, "g": ["a"] * 5}
    people = ({name: [*values, values[-1] + 1 if name == "pid" else values[-1]] for name, values in some.items()}, some)
    one = {**PEOPLE, "max_ids": 1, "censor_dims": True}
    spread = ({"pid": [1, 2, 2, 2], "x": [1.0] * 4, "y": [1] * 4, "g": list("abcd")}, MANY[1])
    few: dict[str, Any] = {"trials": 400, "epsilon": 2.0, "delta": 0.1}
    return [
        Item("COUNT, public groups", ROW, partial(_audited, query, ROWS, [(shared, fewer)], trials=300)),
        Item("COUNT, private groups", PERSON, partial(_audited, query, one, [lone, people], **few)),
        Item(
            "COUNT, private groups, Gaussian",
            PERSON,
            # The library searches a scale for each query, in a tenth of a second and more.
            partial(_audited, query, one, [lone, people], gaussian=True, **{**few, "trials": 100}),
        ),
        Item(
            "COUNT, private groups, many groups",
            PERSON,
            partial(_audited, query, {**one, "max_ids": 2}, [spread], **few),
        ),
        Item(
            "SUM, private groups", PERSON, partial(_audited, "g, SUM(y) AS s FROM S.T GROUP BY g", one, [lone], **few)
        ),
    ]


def _noise() -> list[Item]:
    near = "numbers within the sensitivity"

    def released(name: str, views: list[str]) -> Any:
        import snsql.sql._mechanisms as mechanisms

        from auditor import ApproxDP

        delta = 0.05 if name == "Gaussian" else 0.0
        mechanism = getattr(mechanisms, name)(1.0, delta=delta, sensitivity=2, max_contrib=2)
        return asked(
            lambda number, n, rng: mechanism.release([number] * n),
            (0.0, 4.0),
            claim=ApproxDP(1.0, delta),
            trials=5_000,
            views=views,
            name=name,
        )

    def bounds() -> Any:
        from snsql.sql._mechanisms.approx_bounds import approx_bounds

        from auditor import ApproxDP, per_draw

        found = per_draw(lambda numbers, rng: approx_bounds(numbers, 1.0))
        return asked(found, ([1.0] * 8 + [100.0], [1.0] * 8), claim=ApproxDP(1.0), trials=400, name="approx_bounds")

    both = ["values", "bits"]
    return [
        Item("mechanisms.Laplace", near, partial(released, "Laplace", both)),
        Item("mechanisms.Gaussian", near, partial(released, "Gaussian", both)),
        Item("mechanisms.approx_bounds", ROW, bounds),
    ]


def _set_union() -> list[Item]:
    """The function by itself: nothing else of the library reaches it in this version."""

    def union() -> Any:
        import pandas as pd
        from snsql.sql import dpsu

        from auditor import ApproxDP, per_draw

        def groups(rows: list[tuple[int, str]], rng: Any) -> list[str]:
            frame = pd.DataFrame(rows, columns=["pid", "group_cols"])
            return sorted(set(dpsu.policy_laplace(frame, 1.0, 0.05, 2)["group_cols"]))

        crowd = [(person, "a") for person in range(8)]
        pairs = ([*crowd, (9, "b")], crowd), ([*crowd, (9, "a"), (9, "b")], crowd)
        return asked(per_draw(groups), *pairs, claim=ApproxDP(1.0, 0.05), trials=600, name="policy_laplace")

    return [Item("dpsu.policy_laplace", PERSON, union)]

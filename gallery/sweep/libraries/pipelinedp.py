"""PipelineDP 0.3.1 on its local backend. Neighbours: all records of one privacy id added or removed."""

from __future__ import annotations

from functools import partial
from typing import Any

from gallery.sweep.item import Item, asked

PACKAGES = ("pipeline-dp==0.3.1",)
LEFT_OUT = {
    "DPEngine.aggregate": "audited by its metrics",
    "DPEngine.select_partitions": "audited by its strategies",
    "DPEngine.explain_computations_report": "tells the settings",
}
PERSON = "one privacy id more or less"
NAN = "one privacy id more or less, whose value is NaN"
ONE = {"max_partitions_contributed": 1, "max_contributions_per_partition": 1}
UNIT = {**ONE, "min_value": 0.0, "max_value": 1.0}
# Two people against one: the second has the largest value. And with what a person gives cut to its bounds.
PLAIN = ([(1, "a", 0.0), (2, "a", 1.0)], [(1, "a", 0.0)])
MANY = ([(1, "a", 0.0), *[(2, part, 9.0) for part in "aabbcc"]], [(1, "a", 0.0)])


def public() -> list[str]:
    """The metrics, the ways to select partitions, and the methods of the engine."""
    import pipeline_dp

    strategies = [f"PartitionSelectionStrategy.{one.name}" for one in pipeline_dp.PartitionSelectionStrategy]
    metrics = [f"Metrics.{name}" for name in dir(pipeline_dp.Metrics) if name.isupper()]
    engine = [f"DPEngine.{name}" for name in dir(pipeline_dp.DPEngine) if not name.startswith("_")]
    return [*metrics, *strategies, *engine]


def items() -> list[Item]:
    """Each metric with both kinds of noise, the bounds of contributions, both accountants; and selected partitions."""
    bounds = Item("DPEngine.calculate_private_contribution_bounds", PERSON, _contribution_bounds)
    return [*_numbers(), *_vectors(), *_bounded(), *_outside(), *_selections(), *_noise(), bounds]


def _audited(params: Any, pairs: list[Any], public: Any, accountant: str = "Naive", **options: Any) -> Any:
    """`params` makes the parameters of the library that it is given; the budget is (epsilon, .05)."""
    import pipeline_dp

    from auditor.libraries import pipelinedp

    epsilon, delta = options.pop("epsilon", 1.0), options.pop("delta", 0.05)
    budget = partial(getattr(pipeline_dp, f"{accountant}BudgetAccountant"), epsilon, delta)
    mechanism = pipelinedp.aggregation(params(pipeline_dp), budget, public_partitions=public)
    return asked(mechanism, *pairs, **{"trials": 3_000, **options})


def _metric(name: str, kind: str, library: Any, **settings: Any) -> Any:
    metrics = [getattr(library.Metrics, one) for one in name.split("+")]
    metrics = [one(50) if callable(one) else one for one in metrics]
    return library.AggregateParams(metrics, noise_kind=getattr(library.NoiseKind, kind), **settings)


def _item(
    name: str, *pairs: Any, kind: str = "LAPLACE", public: Any = ("a",), settings: Any = None, **options: Any
) -> Item:
    """An item named by its metrics, "Metrics.COUNT+SUM, …"; audited at delta 0 with Laplace noise."""
    metrics = name.partition(",")[0].removeprefix("Metrics.")
    first, _, special = name.partition(",")
    shown = first.partition("+")[0] + (f", with {metrics.partition('+')[2]}" if "+" in metrics else "")
    reported, neighbours = options.pop("reported", ""), options.pop("neighbours", PERSON)
    public = None if public is None else list(public)
    if kind == "LAPLACE" and public and "accountant" not in options:
        options.setdefault("delta", 0.0)
    audited = partial(_audited, partial(_metric, metrics, kind, **(settings or ONE)), list(pairs), public, **options)
    return Item(shown + ("," + special if special else ""), neighbours, audited, bool(reported), reported)


def _numbers() -> list[Item]:
    found = [_item("Metrics.COUNT, bits", PLAIN, views=["values", "bits"])]
    for kind in ("LAPLACE", "GAUSSIAN"):
        shown = kind.lower()
        for name in ("COUNT", "PRIVACY_ID_COUNT", "SUM", "MEAN", "VARIANCE", "PERCENTILE", "MEAN+COUNT+SUM"):
            settings = ONE if name.endswith("COUNT") else UNIT
            found.append(_item(f"Metrics.{name}, {shown}", PLAIN, kind=kind, settings=settings))
            if name in ("COUNT", "MEAN", "PERCENTILE"):  # a second and more for each budget
                found.append(
                    _item(f"Metrics.{name}, {shown}, PLD", PLAIN, kind=kind, settings=settings, accountant="PLD")
                )
    centred = {**ONE, "min_value": -1.0, "max_value": 1.0}
    return [
        *found,
        Item(
            "Metrics.VARIANCE, bounds around 0",
            PERSON,
            partial(_three_sums, centred),
            refuted=True,
            reported="no",  # squares are in [0, h^2], and get noise for h^2 / 2
        ),
        Item(
            "Metrics.VARIANCE, bounds above 0",
            PERSON,
            partial(_three_sums, {**ONE, "min_value": 0.0, "max_value": 2.0}),
        ),
    ]


def _three_sums(settings: dict[str, Any]) -> Any:
    """The noisy count, sum and sum of squares from which a variance is made, computed from what is released."""
    import pipeline_dp

    from auditor.libraries import pipelinedp

    middle = (settings["min_value"] + settings["max_value"]) / 2

    def sums(released: Any) -> list[float]:
        told = released["a"]
        count, mean = max(1.0, told["count"]), told["mean"] - middle
        return [told["count"], mean * count, (told["variance"] + mean**2) * count]

    params = _metric("VARIANCE+MEAN+COUNT", "LAPLACE", pipeline_dp, **settings)
    budget = partial(pipeline_dp.NaiveBudgetAccountant, 3.0, 0.0)
    pair = ([(1, "a", middle), (2, "a", settings["max_value"])], [(1, "a", middle)])
    return asked(pipelinedp.aggregation(params, budget, None, ["a"], sums), pair, trials=20_000)


def _vectors() -> list[Item]:
    """Without public partitions, for which PipelineDP raises a TypeError: a crowd keeps the partition in the output."""

    def vector(norm: str, kind: str, library: Any) -> Any:
        norms = library.aggregate_params.NormKind
        settings = {"vector_norm_kind": getattr(norms, norm), "vector_max_norm": 1.0, "vector_size": 2}
        return _metric(
            "VECTOR_SUM", kind, library, max_partitions_contributed=1, max_contributions_per_partition=2, **settings
        )

    crowd = [(person, "a", (0.0, 0.0)) for person in range(30)]
    pairs = [([*crowd, (99, "a", vector), (99, "a", vector)], crowd) for vector in ((5.0, 5.0), (0.0, 9.0))]
    return [
        Item(
            f"Metrics.VECTOR_SUM, {norm} {kind.lower()}",
            PERSON,
            partial(_audited, partial(vector, norm, kind), pairs, None),
        )
        for norm, kind in (("L1", "LAPLACE"), ("Linf", "LAPLACE"), ("L2", "GAUSSIAN"), ("Linf", "GAUSSIAN"))
    ]


def _bounded() -> list[Item]:
    """A person with more records, partitions and larger values than the bounds allow."""
    two = {"max_partitions_contributed": 2, "max_contributions_per_partition": 2}
    by_record = {**two, "min_value": -1.0, "max_value": 1.0}
    by_partition = {**two, "min_sum_per_partition": 0.0, "max_sum_per_partition": 3.0}
    found = []
    for kind in ("LAPLACE", "GAUSSIAN"):
        for what, name, settings in (
            ("many records", "COUNT", two),
            ("many records", "PRIVACY_ID_COUNT", two),
            ("many records", "COUNT", {"max_contributions": 3}),
            ("many records", "PRIVACY_ID_COUNT", {"max_contributions": 3}),
            ("many records", "SUM", by_record),
            ("bounds of a partition", "SUM", by_partition),
            ("many records", "SUM", {"max_contributions": 3, "min_value": -1.0, "max_value": 1.0}),
            ("many records", "MEAN", by_record),
            ("many records", "MEAN", {"max_contributions": 3, "min_value": -1.0, "max_value": 1.0}),
            ("many records", "PERCENTILE", by_record),
        ):
            total = ", in all" if "max_contributions" in settings else ""
            full = f"Metrics.{name}, {kind.lower()}, {what}{total}"
            found.append(_item(full, MANY, kind=kind, settings=settings, public="abc", trials=1_500))
    return found


def _outside() -> list[Item]:
    """What the documentation does not speak of: no records at all, and values that are no numbers."""
    nan = ([(1, "a", 0.0), (2, "a", float("nan"))], [(1, "a", 0.0)])
    alone: tuple[list[Any], list[Any]] = ([(1, "a", 0.0)], [])
    return [
        _item("Metrics.COUNT, nobody", alone, raises="output", trials=500, reported="no"),
        *(
            _item(f"Metrics.{name}, NaN", nan, settings=UNIT, trials=500, neighbours=NAN, reported="no")
            for name in ("SUM", "MEAN", "VARIANCE")
        ),
        _item("Metrics.PERCENTILE, NaN", nan, settings=UNIT, neighbours=NAN),
    ]


def _selections() -> list[Item]:
    """A partition with a lone person, one with some people, and a person in more partitions than are allowed."""
    crowds: list[Any] = [[(person, "a") for person in range(count)] for count in (1, 2, 5, 6)]
    always = [(99, "b")]
    lone, some = ([*crowds[0], *always], always), ([*crowds[3], *always], [*crowds[2], *always])
    spread = ([*crowds[2], *[(50, part) for part in "abcd"]], crowds[2])

    def select(name: str, library: Any, **settings: Any) -> Any:
        kind = getattr(library.PartitionSelectionStrategy, name)
        return library.SelectPartitionsParams(settings.pop("most", 1), partition_selection_strategy=kind, **settings)

    def item(name: str, special: str, *pairs: Any, accountant: str = "Naive", **settings: Any) -> Item:
        params = partial(select, name, **settings)
        shown = f"PartitionSelectionStrategy.{name}{special}"
        slow = name.startswith("WEIGHTED") or (name.startswith("GAUSSIAN") and accountant == "PLD")
        trials = 900 if slow else 5_000  # PipelineDP searches an epsilon for each partition, in a hundredth of a second
        return Item(shown, PERSON, partial(_audited, params, list(pairs), None, accountant, trials=trials))

    found = []
    for name in (
        "TRUNCATED_GEOMETRIC",
        "LAPLACE_THRESHOLDING",
        "GAUSSIAN_THRESHOLDING",
        "WEIGHTED_GAUSSIAN_THRESHOLDING",
    ):
        found += [item(name, "", lone, some), item(name, ", many partitions", spread, most=4)]
        if not name.startswith("WEIGHTED"):
            found.append(item(name, ", from two people on", lone, some, pre_threshold=2))
        if name in ("LAPLACE_THRESHOLDING", "GAUSSIAN_THRESHOLDING"):
            found.append(item(name, ", PLD", lone, some, accountant="PLD"))
    by_noise = [
        _item(
            f"Metrics.PRIVACY_ID_COUNT, {kind.lower()}, thresholds",
            ([(1, "a", 0), (9, "b", 0)], [(9, "b", 0)]),
            kind=kind,
            public=None,
            settings={**ONE, "post_aggregation_thresholding": True},
            trials=5_000,
        )
        for kind in ("LAPLACE", "GAUSSIAN")
    ]
    private = ([(1, "a", 1.0), (9, "b", 0.0)], [(9, "b", 0.0)])
    return [*found, *by_noise, _item("Metrics.SUM, private partitions", private, public=None, settings=UNIT)]


def _noise() -> list[Item]:
    def params(kind: str, library: Any, **settings: Any) -> Any:
        return library.AddDPNoiseParams(getattr(library.NoiseKind, kind), **settings)

    near, both = "numbers within the sensitivities", {"l0_sensitivity": 2, "linf_sensitivity": 1.0}
    pair = ([("a", 0.0), ("b", 1.0)], [("a", 1.0), ("b", 0.0)])
    found = []
    for kind, norm, views in (
        ("LAPLACE", "l1_sensitivity", ["values", "bits"]),
        ("GAUSSIAN", "l2_sensitivity", ["values"]),
    ):
        single = ([("a", 0.0)], [("a", 2.0)])
        for special, settings, chosen in (("", both, pair), (", one number", {norm: 2.0}, single)):
            audited = partial(
                _audited,
                partial(params, kind, **settings),
                [chosen],
                None,
                views=views,
                delta=0.05 if kind == "GAUSSIAN" else 0.0,
            )
            found.append(Item(f"DPEngine.add_dp_noise, {kind.lower()}{special}", near, audited))
    leaks = partial(
        _audited,
        partial(params, "GAUSSIAN", l2_sensitivity=1.0),
        [([("a", 0.0)], [("a", 1.0)])],
        None,
        views=["bits"],
        trials=20_000,
    )
    return [*found, Item("DPEngine.add_dp_noise, gaussian, bits", near, leaks, refuted=True, reported="no")]


def _contribution_bounds() -> Any:
    """The bound of partitions a person: its epsilon stands in its parameters, and is spent beside the accountant's."""
    import pipeline_dp

    from auditor import ApproxDP, per_draw

    extractors = pipeline_dp.DataExtractors(lambda row: row[0], lambda row: row[1], lambda row: 0)
    params = pipeline_dp.CalculatePrivateContributionBoundsParams(pipeline_dp.NoiseKind.LAPLACE, 9.0, 0.0, 1.0, 3)

    def bound(records: list[Any], rng: Any) -> int:
        engine = pipeline_dp.DPEngine(pipeline_dp.NaiveBudgetAccountant(1.0, 0.0), pipeline_dp.LocalBackend())
        (found,) = engine.calculate_private_contribution_bounds(records, params, extractors, ["a", "b", "c"])
        return int(found.max_partitions_contributed)

    few = [(1, "a"), (2, "b")]
    return asked(per_draw(bound), ([*few, (3, "a"), (3, "b"), (3, "c")], few), claim=ApproxDP(1.0), name="bounds")

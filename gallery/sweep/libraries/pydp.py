"""python-dp 1.1.5, on Google's C++ library. Neighbours: the records of one user added or removed, one by default."""

from __future__ import annotations

from functools import partial
from typing import Any

from gallery.sweep.item import Item, asked

PACKAGES = ("python-dp==1.1.5",)
LEFT_OUT = {
    "numerical_mechanisms.NumericalMechanism": "abstract",
    "numerical_mechanisms.ConfidenceInterval": "no mechanism",
    "partition_selection.PartitionSelectionStrategy": "abstract",
    "partition_selection.PartitionSelectionStrategyType": "no mechanism",
    "partition_selection.create_partition_strategy": "calls the three others",
}
ADDED = "one record more or less"
PARTS = ("laplacian", "numerical_mechanisms", "partition_selection", "quantile_tree")


def public() -> list[str]:
    """The classes and functions of pydp.algorithms."""
    import importlib

    found = []
    for part in PARTS:
        module = importlib.import_module(f"pydp.algorithms.{part}")
        names = (name for name in dir(module) if name[0].isupper() or name.startswith("create_"))
        found += [f"{part}.{name}" for name in names]
    return found


def items() -> list[Item]:
    """Algorithms, the noise under them, and the selection of partitions."""
    return [*_algorithms(), *_noise(), *_partitions(), Item("quantile_tree.QuantileTree", ADDED, _tree)]


def _algorithm(name: str, pairs: list[Any], views: list[str], **settings: Any) -> Any:
    from pydp.algorithms import laplacian

    from auditor.libraries import pydp

    return asked(pydp.algorithm(getattr(laplacian, name), epsilon=1.0, **settings), *pairs, views=views, trials=10_000)


def _algorithms() -> list[Item]:
    both, whole = ["values", "bits"], {"lower_bound": 0, "upper_bound": 10, "dtype": "int"}
    numbers = {"lower_bound": 0.0, "upper_bound": 10.0, "dtype": "float"}
    tens, halves = ([1, 1, 10], [1, 1]), ([1.0, 1.0, 10.0], [1.0, 1.0])
    alone: tuple[list[int], list[int]] = ([10], [])
    far: tuple[list[float], list[float]] = ([10.0], [])
    found = [
        Item("laplacian.Count", ADDED, partial(_algorithm, "Count", [tens], both, dtype="int")),
        Item("laplacian.Percentile", ADDED, partial(_algorithm, "Percentile", [tens], both, percentile=0.5, **whole)),
    ]
    for name in ("BoundedSum", "BoundedMean", "BoundedVariance", "BoundedStandardDeviation", "Max", "Min", "Median"):
        found.append(Item(f"laplacian.{name}", ADDED, partial(_algorithm, name, [tens, alone], both, **whole)))
        found.append(
            Item(f"laplacian.{name}, numbers", ADDED, partial(_algorithm, name, [halves, far], both, **numbers))
        )
    return found


def _noise() -> list[Item]:
    near = "within the sensitivity"
    return [
        Item("numerical_mechanisms.LaplaceMechanism", near, partial(_mechanism, "LaplaceMechanism", "values", "bits")),
        Item(
            "numerical_mechanisms.GaussianMechanism, values", near, partial(_mechanism, "GaussianMechanism", "values")
        ),
        Item(
            "numerical_mechanisms.GaussianMechanism, bits",
            near,
            partial(_mechanism, "GaussianMechanism", "bits"),
            refuted=True,
            reported="no",
        ),
    ]


def _mechanism(name: str, *views: str) -> Any:
    from pydp.algorithms import numerical_mechanisms

    from auditor import ApproxDP, per_draw

    laplace = name == "LaplaceMechanism"
    kind = getattr(numerical_mechanisms, name)
    mechanism = kind(1.0, sensitivity=1.0) if laplace else kind(1.0, 0.05, sensitivity=1.0)
    noise = per_draw(lambda value, rng: mechanism.add_noise(value))
    claim = ApproxDP(1.0) if laplace else ApproxDP(1.0, 0.05)
    return asked(noise, (0.0, 1.0), claim=claim, views=list(views), trials=20_000, name=name)


def _partitions() -> list[Item]:
    kinds = ("gaussian", "laplace", "pre_thresholding", "truncated_geometric")
    return [
        Item(
            f"partition_selection.create_{kind}_partition_strategy",
            "one person more or less",
            partial(_selection, kind),
        )
        for kind in kinds
    ]


def _selection(kind: str) -> Any:
    from pydp.algorithms import partition_selection

    from auditor import ApproxDP, per_draw

    create = getattr(partition_selection, f"create_{kind}_partition_strategy")
    by_laplace = (2, partition_selection.PartitionSelectionStrategyType.LAPLACE)  # from two people on
    strategy = create(1.0, 0.02, 1, *(by_laplace if kind == "pre_thresholding" else ()))
    kept = per_draw(lambda people, rng: strategy.should_keep(people))
    return asked(kept, (0, 1), (1, 2), (2, 3), (4, 5), claim=ApproxDP(1.0, 0.02), trials=20_000, name=kind)


def _tree() -> Any:
    from pydp.algorithms.quantile_tree import QuantileTree

    from auditor import ApproxDP, per_draw

    def median(data: list[float], rng: Any) -> float:
        tree = QuantileTree(0.0, 10.0, 2, 4)
        for value in data:
            tree.add_entry(value)
        return float(tree.compute_quantiles(1.0, 0.0, 1, 1, [0.5], "laplace")[0])

    return asked(per_draw(median), ([1.0, 9.0], [1.0]), claim=ApproxDP(1.0), name="QuantileTree")

"""The mechanisms of diffprivlib 0.6.6. Neighbours are two values that differ by the mechanism's sensitivity at most."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from gallery.sweep.item import Item, asked

PACKAGES = ("diffprivlib==0.6.6", "scikit-learn==1.7.2")
LEFT_OUT = {
    "DPMachine": "abstract",
    "DPMechanism": "abstract",
    "TruncationAndFoldingMixin": "no mechanism",
    "Vector": "returns a function, whose minimum is released: audited through LogisticRegression",
}
BITS = "https://github.com/IBM/differential-privacy-library/issues/94"
WITHIN = "numbers within the sensitivity"


def public() -> list[str]:
    """The classes of diffprivlib.mechanisms."""
    from diffprivlib import mechanisms

    return [name for name in dir(mechanisms) if inspect.isclass(getattr(mechanisms, name))]


def items() -> list[Item]:
    """Whole numbers and labels in both views; numbers in each view by itself, because x + noise leaks in bits."""
    return [*_of_labels(), *_of_whole_numbers(), *_of_numbers(), *_of_utilities(), _bingham()]


def _audited(name: str, pairs: list[tuple[Any, Any]], views: list[str], **settings: Any) -> Any:
    from diffprivlib import mechanisms

    from auditor.libraries import diffprivlib

    mechanism = getattr(mechanisms, name)(**settings)
    return asked(diffprivlib.mechanism(mechanism), *pairs, views=views, trials=20_000)


def _both(name: str, neighbours: str, *pairs: tuple[Any, Any], **settings: Any) -> Item:
    kind = name.partition(",")[0]
    return Item(name, neighbours, partial(_audited, kind, list(pairs), ["values", "bits"], **settings))


def _of_labels() -> list[Item]:
    utilities = [["a", "b", 1], ["a", "c", 2], ["b", "c", 2]]
    return [
        _both("Binary", "any two labels", ("0", "1"), epsilon=1.0, value0="0", value1="1"),
        _both("ExponentialCategorical", "any two labels", ("a", "b"), ("a", "c"), epsilon=1.0, utility_list=utilities),
        _both(
            "ExponentialHierarchical",
            "any two labels",
            ("a", "b"),
            ("a", "c"),
            epsilon=1.0,
            hierarchy=[["a", "b"], ["c"]],
        ),
    ]


def _of_whole_numbers() -> list[Item]:
    bounds = {"lower": 0, "upper": 3}
    return [
        _both("Geometric", WITHIN, (0, 1), epsilon=1.0),
        _both("Geometric, sensitivity 3", WITHIN, (0, 3), epsilon=1.0, sensitivity=3),
        _both("GeometricTruncated", WITHIN, (0, 1), (1, 2), epsilon=1.0, **bounds),
        _both("GeometricFolded", WITHIN, (0, 1), (1, 2), epsilon=1.0, **bounds),
        _both("GeometricFolded, half-integral bounds", WITHIN, (1, 2), epsilon=1.0, lower=0.5, upper=float("inf")),
        _both("GaussianDiscrete", WITHIN, (0, 1), epsilon=0.5, delta=0.05),
        _both("Snapping", WITHIN, (5.0, 6.0), (0.0, 1.0), epsilon=1.0, sensitivity=1.0, lower=0.0, upper=10.0),
    ]


def _of_numbers() -> list[Item]:
    unit, bounds = {"epsilon": 1.0, "sensitivity": 1.0}, {"lower": 0.0, "upper": 1.0}
    settings: dict[str, dict[str, Any]] = {
        "Laplace": unit,
        "Laplace, with a delta": {**unit, "delta": 0.1},
        "LaplaceTruncated": {**unit, **bounds},
        "LaplaceFolded": {**unit, **bounds},
        "LaplaceBoundedDomain": {**unit, **bounds},
        "LaplaceBoundedDomain, with a delta": {**unit, **bounds, "delta": 0.1},
        "LaplaceBoundedNoise": {**unit, "delta": 0.1},
        "Gaussian": {"epsilon": 0.9, "delta": 0.05, "sensitivity": 1.0},
        "GaussianAnalytic": {"epsilon": 1.0, "delta": 0.05, "sensitivity": 1.0},
        "Staircase": unit,
        "Uniform": {"delta": 0.2, "sensitivity": 1.0},
    }
    found = []
    for name, chosen in settings.items():
        found.append(_number(name, "values", chosen))
        if "," not in name:
            found.append(_number(name, "bits", chosen))
    return found


def _number(name: str, view: str, settings: dict[str, Any]) -> Item:
    kind, leaks = name.partition(",")[0], view == "bits"
    views = ["values", "bits"] if leaks and kind == "Uniform" else [view]  # what its bits tell depends on the number
    audited: Callable[[], Any] = partial(_audited, kind, [(0.0, 1.0)], views, **settings)
    return Item(f"{name}, {view}", WITHIN, audited, refuted=leaks, reported=BITS if leaks else "")


def _of_utilities() -> list[Item]:
    """The utilities are the data: neighbours are two lists of them, each entry within the sensitivity."""
    one_way = ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), ([0.0, 0.0, 0.0], [0.0, 1.0, 1.0])
    both_ways = ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]), ([0.0, 1.0, 1.0], [1.0, 0.0, 0.0])
    found = []
    for name in ("Exponential", "PermuteAndFlip"):
        for monotonic, pairs in ((False, both_ways), (True, one_way)):
            what = f"{name}, monotonic" if monotonic else name
            found.append(Item(what, "utilities within the sensitivity", partial(_chosen, name, monotonic, pairs)))
    return found


def _chosen(name: str, monotonic: bool, pairs: tuple[tuple[Any, Any], ...]) -> Any:
    from diffprivlib import mechanisms

    from auditor import ApproxDP, per_draw

    kind = getattr(mechanisms, name)
    choice = per_draw(
        lambda utility, rng: kind(epsilon=1.0, sensitivity=1.0, utility=utility, monotonic=monotonic).randomise()
    )
    return asked(choice, *pairs, claim=ApproxDP(1.0), views=["values", "bits"], name=name)


def _bingham() -> Item:
    def audited() -> Any:
        import numpy as np
        from diffprivlib import mechanisms

        from auditor.libraries import diffprivlib

        pair = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
        return asked(diffprivlib.mechanism(mechanisms.Bingham(epsilon=1.0)), pair, trials=3_000)

    return Item("Bingham", "covariance matrices, a record of norm 1 replaced", audited)

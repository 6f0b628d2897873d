"""The models of diffprivlib 0.6.6: what a fitted model publishes, on data of a few records."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from gallery.sweep.item import Item, asked

PACKAGES = ("diffprivlib==0.6.6", "scikit-learn==1.7.2")
LEFT_OUT: dict[str, str] = {}
REPLACED, ADDED = "one record replaced, within the bounds", "one record more or less"
BOUNDS_TWICE = "https://github.com/IBM/differential-privacy-library/issues/105"
FIVE = "https://github.com/IBM/differential-privacy-library/issues/104"


def public() -> list[str]:
    """The classes of diffprivlib.models."""
    from diffprivlib import models

    return [name for name in dir(models) if inspect.isclass(getattr(models, name))]


def items() -> list[Item]:
    """Each model, and the settings that change its budget."""
    return [*_regressions(), *_of_classes(), *_without_labels()]


def _audited(name: str, read: Callable[[Any], Any], pairs: list[tuple[Any, Any]], trials: int, **settings: Any) -> Any:
    from diffprivlib import models

    from auditor.libraries import diffprivlib

    model = getattr(models, name)(**{"epsilon": 1.0, **settings})
    return asked(diffprivlib.model(model, read=read), *pairs, trials=trials)


def _item(
    name: str,
    neighbours: str,
    read: Callable[[Any], Any],
    *pairs: Any,
    trials: int = 600,
    reported: str = "",
    **settings: Any,
) -> Item:
    audited = partial(_audited, name.partition(",")[0], read, list(pairs), trials, **settings)
    return Item(name, neighbours, audited, refuted=bool(reported), reported=reported)


def _regressions() -> list[Item]:
    left, right = ([[10.0], [1.0]], [1.0, 1.0]), ([[1.0], [1.0]], [1.0, 1.0])
    signed = ([[1.0], [1.0]], [1.0, 1.0]), ([[1.0], [-1.0]], [1.0, 1.0])
    shifted = ([[1.0], [1.0]], [1.0, 1.0]), ([[1.0], [0.0]], [1.0, 0.0])
    square: dict[str, Any] = {"bounds_X": (-1, 1), "bounds_y": (-1, 1)}
    coefficient, line = lambda model: model.coef_, lambda model: (model.coef_, model.intercept_)
    classes = ([[0.6, 0.8], [0.6, 0.8]], [0, 1]), ([[0.6, 0.8], [-0.6, -0.8]], [0, 1])
    return [
        _item("LinearRegression", REPLACED, coefficient, signed, **square, fit_intercept=False),
        _item(
            "LinearRegression, bounds from 0",
            REPLACED,
            coefficient,
            (left, right),
            bounds_X=(0, 10),
            bounds_y=(0, 1),
            fit_intercept=False,
            reported=BOUNDS_TWICE,
        ),
        _item("LinearRegression, intercept", REPLACED, line, signed, shifted, **square),
        _item("LogisticRegression", REPLACED, line, classes, data_norm=1.0, trials=200),
        _item(
            "LogisticRegression, no intercept",
            REPLACED,
            coefficient,
            classes,
            data_norm=1.0,
            fit_intercept=False,
            trials=400,
        ),
        _item("LogisticRegression, weak penalty", REPLACED, line, classes, data_norm=1.0, C=100.0, trials=400),
    ]


def _of_classes() -> list[Item]:
    bayes = lambda model: (model.theta_, model.var_, model.class_count_)  # noqa: E731
    added = ([[0.0], [1.0], [1.0]], [0, 1, 1]), ([[0.0], [1.0]], [0, 1])
    replaced = ([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1]), ([[0.0], [0.0], [1.0], [0.0]], [0, 0, 1, 1])
    flipped = ([[0.0], [0.0], [0.0], [1.0]], [0, 0, 0, 1]), ([[0.0], [0.0], [0.0], [1.0]], [0, 0, 1, 1])
    leaf = lambda model: model.predict([[0.5]])[0]  # noqa: E731
    forest: dict[str, Any] = {"bounds": (0, 1), "classes": [0, 1]}
    labels = ([[0.5]] * 2, [0, 0]), ([[0.5]], [0])
    moved = ([[0.5]] * 2, [0, 0]), ([[0.5]] * 2, [0, 1])
    return [
        _item("GaussianNB, a record more", ADDED, bayes, added, bounds=(0, 1), reported="definition"),
        _item("GaussianNB", REPLACED, bayes, replaced, bounds=(0, 1)),
        _item("GaussianNB, another class", REPLACED, bayes, flipped, bounds=(0, 1)),
        _item("DecisionTreeClassifier", ADDED, leaf, labels, max_depth=1, **forest),
        _item(
            "DecisionTreeClassifier, a label replaced",
            REPLACED,
            leaf,
            moved,
            max_depth=1,
            **forest,
            reported="definition",
        ),
        _item("RandomForestClassifier", ADDED, leaf, labels, n_estimators=2, max_depth=1, **forest),
    ]


def _without_labels() -> list[Item]:
    centres = lambda model: sorted(model.cluster_centers_.ravel())  # noqa: E731
    scaled = lambda model: (model.mean_, model.var_)  # noqa: E731
    components = lambda model: (model.components_, model.explained_variance_)  # noqa: E731
    zeros, far = [[0.0], [0.0], [0.0]], [[9.0], [9.0], [9.0], [9.0]]
    column = ([[0.0], [0.5], [1.0]], [[0.0], [0.5], [0.0]])
    columns = ([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]], [[0.0, 0.0], [0.5, 0.5], [0.0, 0.0]])
    turned = ([[1.0, 0.0], [0.0, 0.1], [1.0, 0.0]], [[1.0, 0.0], [0.0, 0.1], [0.0, 1.0]])
    square = ([-1.0, -1.0], [1.0, 1.0])
    return [
        _item(
            "KMeans, a record more",
            ADDED,
            centres,
            (zeros, [*zeros, [1.0]]),
            n_clusters=2,
            bounds=(0, 1),
            reported="no",
        ),
        _item(
            "KMeans", REPLACED, centres, ([*zeros, [0.0]], [*zeros, [1.0]]), n_clusters=2, bounds=(0, 1), reported="no"
        ),
        _item("KMeans, bounds (9, 10)", REPLACED, centres, (far, [*far[:3], [10.0]]), n_clusters=1, bounds=(9, 10)),
        _item("StandardScaler", REPLACED, scaled, column, bounds=(0, 1)),
        _item("StandardScaler, two columns", REPLACED, scaled, columns, bounds=(0, 1)),
        _item("PCA", REPLACED, components, turned, n_components=1, data_norm=1.0, bounds=square),
        _item("PCA, centered", REPLACED, components, turned, n_components=1, data_norm=1.0, centered=True),
        _item("PCA, all components", REPLACED, components, turned, n_components=2, data_norm=1.0, centered=True),
    ]

"""The models of OpenDP 0.16.0 over arrays (`opendp.extras`): principal components, eigenvalues and regression.

Neighbours: lists of rows at a symmetric distance, where the number of rows is known one row replaced. What draws from
the library's generator over the operating system's numbers is audited on recorded releases: that generator does not
tell where it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from gallery.sweep.item import ALPHA, Item, asked

PACKAGES = ("opendp[polars]==0.16.0",)
MBI = "not audited: needs mbi and JAX beside the library"
LEFT_OUT = {
    "numpy.canonical.BinomialCND": "a function of a release",
    "numpy.make_np_clamp": "in each of the others",
    "sklearn.decomposition.PCAEpsilons": "no mechanism",
    **dict.fromkeys(("mbi.AIM", "mbi.Fixed", "mbi.MST", "mbi.Sequential", "mbi.make_contingency_table"), MBI),
    **dict.fromkeys(("mbi.Algorithm", "mbi.ContingencyTable", "mbi.Count", "mbi.Marginals"), "no mechanism"),
}
REPORTS = "https://github.com/opendp/opendp/issues/"
REPLACED, ADDED = "one row replaced", "one row more or less"
DRAWS, FEW = 1_500, 150  # a release with a mean of its own searches for its noise each time, in a tenth of a second


def public() -> list[str]:
    """The classes and measurements over arrays."""
    found = []
    for part in ("numpy", "numpy.canonical", "sklearn.decomposition", "sklearn.linear_model", "mbi"):
        module = import_module(f"opendp.extras.{part}")
        for name, value in vars(module).items():
            kind = isinstance(value, type) and not name.startswith(("NP", "_"))
            if (kind or name.startswith("make_")) and value.__module__.startswith("opendp.extras"):
                found.append(f"{part}.{name}")
    return [*found, "sklearn.decomposition.then_private_np_eigendecomposition"]


def items() -> list[Item]:
    """Rows at the ends of their bounds; and what is known of the origin of data, and of pairs of rows."""
    origin = import_module("gallery.cases.opendp_eigenvalues_origin")
    eigen, regression = "then_private_np_eigendecomposition", "sklearn.linear_model.LinearRegression"
    return [
        Item("sklearn.decomposition.make_private_np_mean", REPLACED, partial(_drawn, _mean)),
        Item("sklearn.decomposition.make_private_np_mean, L2", REPLACED, _squared_mean),
        Item(f"sklearn.decomposition.{eigen}", REPLACED, partial(_drawn, _eigenvalues)),
        Item(f"sklearn.decomposition.{eigen}, origin", REPLACED, origin.audited, True, origin.CASE.references[0]),
        Item("sklearn.decomposition.make_private_pca", REPLACED, partial(_drawn, _components, FEW)),
        Item("sklearn.decomposition.PCA", REPLACED, partial(_drawn, _model, FEW)),
        Item(regression, ADDED, _regression),
        Item(f"{regression}, its pairs of rows", ADDED, _pairs, True, REPORTS + "2950"),
    ]


def _rows(dp: Any, **bounds: Any) -> tuple[Any, Any]:
    domain = dp.numpy.array2_domain(num_columns=2, size=4, T=float, **bounds)
    return domain, dp.symmetric_distance()


def _mean(dp: Any) -> tuple[Any, Callable[[Any], Any]]:
    made = dp.sklearn.decomposition.make_private_np_mean(*_rows(dp, nan=False), scale=1.0, norm=1.0, p=1)
    return made, lambda released: released


def _squared_mean() -> Any:
    import numpy as np
    import opendp.prelude as dp

    from auditor.libraries import opendp

    dp.enable_features("contrib", "idealized-numerics")
    made = dp.sklearn.decomposition.make_private_np_mean(*_rows(dp), scale=0.5, norm=1.0, p=2)
    left, right = (np.array([[0.0, 0.0]] * 3 + [last]) for last in ([3.0, 4.0], [-3.0, -4.0]))
    return asked(opendp.measurement(made, d_in=2), (left, right))


def _eigenvalues(dp: Any) -> tuple[Any, Callable[[Any], Any]]:
    import numpy as np

    space = _rows(dp, norm=1.0, p=2, origin=np.zeros(2), nan=False)
    make = dp.sklearn.decomposition.then_private_np_eigendecomposition(eigvals_epsilon=1.0, eigvecs_epsilons=[1.0])
    return space >> make, lambda released: [*released[0], *np.abs(released[1][:, 0])]


def _components(dp: Any) -> tuple[Any, Callable[[Any], Any]]:
    import numpy as np

    made = dp.sklearn.decomposition.make_private_pca(*_rows(dp), unit_epsilon=1.0, norm=1.0)
    return made, lambda released: [*released.mean, *released.S, *np.abs(released.Vt[0])]


def _model(dp: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The claim is the map of the model's measurement. A model is fitted once, so each draw has one of its own."""

    class Models:
        def __init__(self) -> None:
            self.map = self.new().measurement().map

        def new(self) -> Any:
            return dp.sklearn.decomposition.PCA(epsilon=1.0, row_norm=1.0, n_samples=4, n_features=2)

        def __call__(self, data: Any) -> Any:
            return self.new().fit(data)

    return Models(), lambda fitted: [*fitted.mean_, *fitted.singular_values_]


def _drawn(make: Callable[[Any], tuple[Any, Callable[[Any], Any]]], draws: int = DRAWS) -> Any:
    import numpy as np
    import opendp.prelude as dp

    from auditor import ApproxDP, audit_samples

    dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
    release, read = make(dp)
    rows = [np.array([[1.0, 0.0]] * 3 + [last]) for last in ([1.0, 0.0], [-1.0, 0.0])]
    left, right = (np.array([read(release(data)) for _ in range(draws)]) for data in rows)
    return audit_samples(left, right, ApproxDP(release.map(2)), alpha=ALPHA, views=["values"])


def _fitted(scale: float) -> Any:
    import opendp.prelude as dp

    dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
    bounds = (0.0, 4.0)
    return dp.sklearn.linear_model.LinearRegression(
        dp.max_divergence(), x_bounds=[bounds], y_bounds=bounds, scale=scale, candidates_count=5
    ).measurement


def _regression() -> Any:
    import numpy as np

    from auditor.libraries import opendp

    rows = np.array([[0.0, 0.0], [4.0, 4.0], [1.0, 1.0], [3.0, 3.0]])
    more = np.array([[2.0, 4.0], *rows])
    return asked(opendp.measurement(_fitted(1.0), d_in=1), (more, rows), trials=3_000)


def _pairs() -> Any:
    """The last of an odd number of rows is dropped: of three rows the first two are a pair, of two rows these two."""
    import numpy as np
    import opendp.prelude as dp
    from opendp.extras.sklearn.linear_model._make_private_theil_sen import make_pairwise_predict

    from auditor import sensitivity

    dp.enable_features("contrib", "honest-but-curious")
    predict = make_pairwise_predict(np.array([1.0, 3.0]))
    three = np.array([[4.0, 3.0], [1.0, 1.0], [2.0, 3.0]])

    def differing(left: Any, right: Any) -> float:
        rows = [{tuple(row) for row in side.tolist()} for side in (left, right)]
        return float(len(rows[0] ^ rows[1]))

    return sensitivity(predict, [(three, three[1:])], norm=differing), predict.map(1)

"""python-dp 1.1.5: BoundedSum is not refuted."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="BoundedSum",
    kind="control",
    packages=("python-dp==1.1.5",),
    claimed="python-dp: epsilon 1, by the algorithm's parameters.",
    neighbours="One user's record, between 0 and 10, added or removed.",
    why="Records are clamped to the bounds, and noise is scaled to the larger of |lower| and |upper|.",
    practice="What to use for sums of whole numbers.",
)


def audited() -> Any:
    from pydp.algorithms.laplacian import BoundedSum

    from auditor import audit
    from auditor.libraries import pydp

    total = pydp.algorithm(BoundedSum, epsilon=1.0, lower_bound=0, upper_bound=10, dtype="int")
    return audit(total, pairs=[([1, 1, 10], [1, 1])], trials=10_000, jobs=1)

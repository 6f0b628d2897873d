"""python-dp 1.1.5: Count is not refuted."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="Count",
    kind="control",
    packages=("python-dp==1.1.5",),
    claimed="python-dp: epsilon 1, by the algorithm's parameters.",
    neighbours="""One user's records added or removed; a user has one record (`l0_sensitivity` and
    `linf_sensitivity` are 1).""",
    why="""Google's C++ library adds two-sided geometric noise on a grid (its Laplace mechanism is secure against
    Mironov's attack).""",
    practice="What to use for counts.",
)


def audited() -> Any:
    from pydp.algorithms.laplacian import Count

    from auditor import audit
    from auditor.libraries import pydp

    count = pydp.algorithm(Count, epsilon=1.0, dtype="int")
    return audit(count, pairs=[([1, 1, 1], [1, 1])], trials=10_000, jobs=1)

"""OpenDP 0.16.0: a count with discrete Laplace noise is not refuted."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_count and discrete Laplace noise",
    kind="control",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the privacy map says epsilon 1 at d_in = 1 (scale 1).",
    neighbours="One record more or less (`symmetric_distance`, d_in = 1).",
    why="The sampler of Canonne, Kamath and Steinke (2020) is exact: it uses whole numbers only.",
    practice="What to use for counts.",
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import audit
    from auditor.libraries import opendp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    count = dp.t.make_count(*space) >> dp.m.then_laplace(scale=1.0)
    return audit(opendp.measurement(count, d_in=1), pairs=[([1, 1, 1], [1, 1])], trials=20_000, jobs=1)

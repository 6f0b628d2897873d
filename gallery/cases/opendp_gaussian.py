"""OpenDP 0.16.0: Gaussian noise on doubles is not refuted, in values and in bits."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_gaussian on doubles, in both views",
    kind="control",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the privacy map says rho .5 of zCDP at d_in = 1 (scale 1).",
    neighbours="Numbers that differ by 1 (one entry of a vector under `l2_distance`).",
    why="""The input is rounded to a fine grid and discrete Gaussian noise is added on that grid: no bits depend
    on the value.""",
    practice="Noise on doubles can be made without the trace that other libraries leave.",
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import audit
    from auditor.libraries import opendp

    dp.enable_features("contrib")
    entries = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    noise = dp.m.make_gaussian(entries, dp.l2_distance(T=float), scale=1.0)
    return audit(opendp.measurement(noise, d_in=1.0, elementwise=True), pairs=[(0.0, 1.0)], trials=20_000, jobs=1)

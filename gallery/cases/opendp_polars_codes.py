"""OpenDP 0.16.0: the codes of categories depend on the order in which the data has them."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="Polars: sum of the codes of bins",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the privacy map of a sum within (0, 1) with noise of scale 1 says epsilon 1.",
    neighbours="One record more or less (`symmetric_distance`, d_in = 1).",
    why="""`cut` gives each bin a code in the order in which the bins first occur in the data, and `to_physical`
    reads the codes. OpenDP takes both for functions of single rows. A record of another bin in front changes the
    codes of all others from 0 to 1, and a sum of a hundred of them by a hundred.""",
    practice="""Sums of codes have noise for one record where all of them change. Group by the bins, which have
    names, and do not use their codes.""",
    references=("https://github.com/opendp/opendp/issues/2944",),
)


def audited() -> Any:
    import opendp.prelude as dp
    import polars as pl

    from auditor import audit
    from auditor.libraries import opendp

    dp.enable_features("contrib")
    column = dp.series_domain("x", dp.atom_domain(T=float, nan=False))
    frames = dp.with_margin(dp.lazyframe_domain([column]), dp.polars.Margin(max_length=101))
    query = pl.LazyFrame(schema={"x": pl.Float64}).select(
        pl.col("x").cut([1.0]).to_physical().dp.sum((0, 1), scale=1.0)
    )
    metric = dp.frame_distance(dp.symmetric_distance())
    total = dp.m.make_private_lazyframe(frames, metric, dp.max_divergence(), query)
    release = opendp.measurement(total, [dp.polars.Bound(per_group=1)])
    return audit(release, pairs=[({"x": [2.0, *[0.5] * 100]}, {"x": [0.5] * 100})], trials=1_000, jobs=1)

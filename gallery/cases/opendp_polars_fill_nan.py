"""OpenDP 0.16.0: nulls may be filled with NaN, and one NaN wipes out the sum."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="Polars: sum after nulls are filled with NaN",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="""OpenDP: the privacy map says epsilon 1 for a sum of numbers between 0 and 1 with Laplace noise of
    scale 1.""",
    neighbours="One record more or less (`symmetric_distance`, d_in = 1).",
    why="""`fill_null` does not look at what it fills in: a column that is declared free of NaN gets one. The sum
    of the whole column is then NaN, which the noise takes for 0: one null record moves the sum from any size to
    0.""",
    practice="""Whoever can write a null record (or whose record is missing) switches the sum of all others off,
    and a sum that is near 0 tells of it. Fill with a number.""",
    references=("https://github.com/opendp/opendp/issues/2936",),
)


def audited() -> Any:
    import opendp.prelude as dp
    import polars as pl

    from auditor import ApproxDP, audit, per_draw

    dp.enable_features("contrib")
    column = dp.series_domain("x", dp.option_domain(dp.atom_domain(T=float, nan=False)))
    frames = dp.with_margin(dp.lazyframe_domain([column]), dp.polars.Margin(max_length=100))
    filled = pl.col("x").fill_null(float("nan")).clip(0.0, 1.0)
    query = pl.LazyFrame(schema={"x": pl.Float64}).select(filled.sum().dp.noise(scale=1.0))
    metric = dp.frame_distance(dp.symmetric_distance())
    total = dp.m.make_private_lazyframe(frames, metric, dp.max_divergence(), query)
    claim = ApproxDP(total.map([dp.polars.Bound(per_group=1)]))
    release = per_draw(lambda x, rng: total(pl.LazyFrame({"x": x}, schema={"x": pl.Float64})).collect().item())
    return audit(release, claim, [([1.0] * 20 + [None], [1.0] * 20)], trials=1_000, jobs=1, name="sum")

"""OpenDP 0.16.0: a group of at most k rows is taken to change by at most k rows."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="Polars: sums of groups of bounded length",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="""OpenDP: the privacy map of a grouped sum within (−10, 10) with noise of scale 30 says epsilon 1 at
    d_in = 6.""",
    neighbours="""Frames that differ in six records: three removed and three added (`symmetric_distance`, d_in =
    6), in groups of at most three.""",
    why="""The map bounds the change within a group by its largest length, three. Three rows that are replaced are
    a change of six: the sum goes from 30 to −30, twice what the noise is for.""",
    practice="""Where a person has as many records as a group may hold, epsilon is twice what is claimed, and rho
    of zCDP four times. Bounds on contributions per group that are given by themselves are not affected.""",
    references=("https://github.com/opendp/opendp/issues/2945",),
)


def audited() -> Any:
    import opendp.prelude as dp
    import polars as pl

    from auditor import audit
    from auditor.libraries import opendp

    dp.enable_features("contrib")
    columns = [dp.series_domain("A", dp.atom_domain(T=str)), dp.series_domain("B", dp.atom_domain(T="i32"))]
    groups = dp.polars.Margin(by=["A"], max_length=3, max_groups=1, invariant="keys")
    query = (
        pl.LazyFrame(schema={"A": pl.String, "B": pl.Int32})
        .group_by("A")
        .agg(pl.col("B").dp.sum((-10, 10), scale=30.0))
    )
    frames = dp.with_margin(dp.lazyframe_domain(columns), groups)
    total = dp.m.make_private_lazyframe(frames, dp.symmetric_distance(), dp.max_divergence(), query)
    left, right = ({"A": ["a"] * 3, "B": [value] * 3} for value in (10, -10))
    return audit(opendp.measurement(total, d_in=6), pairs=[(left, right)], trials=2_000, jobs=1)

"""OpenDP 0.16.0: `cut` makes a null of NaN, and the count of non-nulls is released without noise."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="Polars: count after a cut into intervals",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="""OpenDP: the privacy map says epsilon 0: the count of a column without nulls, in frames of known
    length, is taken for public.""",
    neighbours="""One record replaced, in frames whose length is public (`symmetric_distance`, d_in = 2, margin
    with invariant lengths).""",
    why="""`cut` is taken to keep a column free of nulls. But Polars puts NaN into no interval and makes a null of
    it, and `count` counts what is not null.""",
    practice="""The exact number is published without noise and without cost. Until it is mended: count with
    `len`, or do not call the length of the frame an invariant.""",
    references=("https://github.com/opendp/opendp/issues/2939",),
)


def audited() -> Any:
    import opendp.prelude as dp
    import polars as pl

    from auditor import ApproxDP, audit, per_draw

    dp.enable_features("contrib")
    column = dp.series_domain("x", dp.option_domain(dp.atom_domain(T=float)))
    frames = dp.with_margin(dp.lazyframe_domain([column]), dp.polars.Margin(max_length=4, invariant="lengths"))
    query = pl.LazyFrame(schema={"x": pl.Float64}).select(pl.col("x").fill_null(0.0).cut([1.5]).count().dp.noise())
    metric = dp.frame_distance(dp.symmetric_distance())
    count = dp.m.make_private_lazyframe(frames, metric, dp.max_divergence(), query, global_scale=1.0)
    claim = ApproxDP(count.map([dp.polars.Bound(per_group=2)]))
    release = per_draw(lambda x, rng: count(pl.LazyFrame({"x": x})).collect().item())
    return audit(
        release, claim, [([float("nan"), 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0])], trials=1_000, jobs=1, name="count"
    )

"""OpenDP 0.16.0: a column that limits contributions may be overwritten, and the limit is still believed."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="Polars: a grouping column is redefined after truncation",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the privacy map says rho .005 of zCDP for one user (Gaussian noise of scale 10).",
    neighbours="One user's records added or removed (`symmetric_id_distance`, d_in = 1).",
    why="""Each user keeps one row in each of at most 100 groups. Then all groups are merged by overwriting the
    grouping column: one user now has 100 rows in one group, but the library still counts one row a group.""",
    practice="""A user's whole weight comes through noise that is meant for one row of it. Do not redefine a
    column after truncating by it.""",
    references=("https://github.com/opendp/opendp/issues/2949",),
)


def audited() -> Any:
    import opendp.prelude as dp
    import polars as pl

    from auditor import ZCDP, audit, per_draw

    dp.enable_features("contrib")
    schema = {"id": pl.Int64, "group": pl.Int64}
    truncated = (
        pl.LazyFrame(schema=schema)
        .filter(pl.int_range(pl.len()).over("id", "group") < 1)
        .filter(pl.struct("group").rank("dense").over("id") < 101)
    )
    merged = truncated.with_columns(group=pl.lit(0, dtype=pl.Int64)).group_by("group").agg(dp.len(scale=10.0))
    query = pl.LazyFrame({"group": [0]}).join(merged, on="group", how="left")
    frames = dp.lazyframe_domain([dp.series_domain(name, dp.atom_domain(T="i64")) for name in schema])
    unit = dp.symmetric_id_distance(identifier=pl.col("id"))
    counts = dp.m.make_private_lazyframe(frames, unit, dp.zero_concentrated_divergence(), query)

    def release(users: list[int], rng: object) -> int:
        rows = [{"id": user, "group": group} for user in users for group in range(100)]
        return int(counts(pl.LazyFrame(rows, schema=schema)).collect()["len"].item())

    return audit(per_draw(release), ZCDP(counts.map(1)), [([1, 2, 3], [1, 2])], trials=1_000, jobs=1, name="count")

"""Frames of Polars on their way into an OpenDP measurement and out of it."""

from __future__ import annotations

from typing import Any


def as_lazy_frame(dataset: Any, domain: Any) -> Any:
    """The dataset (a LazyFrame, a DataFrame or a dict of columns) as the LazyFrame that the domain describes.

    A dict of columns gets the domain's types: an empty column would have none of its own. Such dicts are what
    `neighbouring` can search.
    """
    import polars as pl

    if not isinstance(dataset, dict):
        return dataset.lazy()
    from opendp.domains import _lazyframe_from_domain

    return pl.LazyFrame(dataset, schema=_lazyframe_from_domain(domain).collect_schema())


def read_frame(frame: Any) -> Any:
    """What a released frame says, whatever the order of its rows, which OpenDP does not protect.

    {key: row} where columns that are no numbers differ from row to row: these are the groups. Otherwise the rows,
    sorted.
    """
    keys = [name for name, kind in frame.schema.items() if not kind.is_numeric()]
    values = [name for name in frame.columns if name not in keys]
    if keys and frame.select(keys).n_unique() == frame.height:
        rows = zip(frame.select(keys).rows(), frame.select(values).rows(), strict=True)
        return {_one(key): _one(row) for key, row in sorted(rows, key=repr)}
    return sorted((_one(row) for row in frame.rows()), key=repr)


def _one(row: tuple[Any, ...]) -> Any:
    """A row of one column is what stands in it."""
    return row[0] if len(row) == 1 else row

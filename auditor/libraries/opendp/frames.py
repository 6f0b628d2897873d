"""Frames of Polars on their way into an OpenDP measurement and out of it."""

from __future__ import annotations

from typing import Any

from auditor.libraries.adapted import by_key


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
    """What a released frame says, whatever the order of its rows, which OpenDP does not protect: see `by_key`."""
    return by_key(frame.rows())

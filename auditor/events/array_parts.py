"""What an array, a series, a frame or a complex number holds: each part by its name, as plain data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_SHORT = 32  # most rows of a table that are also looked at one by one


def of_complex(item: Any) -> dict[str, float]:
    """A complex number: both parts, its size and its phase."""
    number = complex(item)
    try:
        size = abs(number)
    except OverflowError:  # larger than any double, though both parts are doubles
        size = math.inf
    return {
        "real": number.real,
        "imag": number.imag,
        "size": size,
        "phase": float(np.angle(number)),
    }


def of_sparse(item: Any) -> Any:
    """A sparse matrix: also how many numbers it stores, which may be zeros."""
    return of_array(item.toarray()) | {"stored": getattr(item, "nnz", None)}


def of_array(item: Any) -> Any:
    """An array, series or frame: its type, its shape, its names, what is noted beside it and its members."""
    noted = {"attrs": item.attrs} if getattr(item, "attrs", None) else {}
    if hasattr(item, "columns") and hasattr(item, "index"):
        return {
            "columns": list(item.columns),
            "column names": list(getattr(item.columns, "names", ())),
            **_of_index(item.index),
            "dtypes": [_of_dtype(dtype) for dtype in getattr(item, "dtypes", ())],
            **_cells(_columns(item)),
            **noted,
        }
    if hasattr(item, "null_count") and hasattr(item, "dtypes"):  # a frame of polars, in which null is not NaN
        types = list(map(str, item.dtypes))
        return {"columns": list(item.columns), "dtypes": types, **_cells(item.to_dict(as_series=False))}
    held = np.asarray(item.to_list() if hasattr(item, "null_count") else item)
    shown: dict[str, Any] = {"dtype": _of_dtype(getattr(item, "dtype", held.dtype)), "shape": held.shape, **noted}
    if isinstance(item, np.ndarray) and hasattr(item, "__dict__"):  # a class of someone's own, which may note more
        shown |= {name: noted for name, noted in vars(item).items() if not name.startswith("_")}
    if isinstance(item, np.ma.MaskedArray):
        shown |= {"mask": np.ma.getmaskarray(item).ravel().tolist(), "under the mask": _listed(item.data)}
        held = np.ma.filled(item.astype(object), None)
    if hasattr(item, "index") and hasattr(item, "name"):
        shown |= {**_of_index(item.index), "name": item.name}
    elif hasattr(item, "null_count"):  # a series of polars
        shown["name"] = item.name
    elif hasattr(item, "names"):  # an index by itself
        shown["names"] = list(item.names)
    if held.dtype.names:
        return shown | {name: _listed(held[name]) for name in held.dtype.names} | {"rows": _rows(held.ravel().tolist())}
    return shown | {"values": _listed(held)}


def _cells(columns: dict[Any, Any]) -> dict[str, Any]:
    """What a table holds, by columns and by rows."""
    return {"values": columns, "rows": _rows(list(zip(*columns.values(), strict=True)))}


def _rows(rows: list[Any]) -> list[Any] | None:
    """The rows of a short table, in which one may be known by a value in it, wherever it stands."""
    return rows if len(rows) <= _SHORT and rows and len(rows[0]) > 1 else None


def _of_index(index: Any) -> dict[str, Any]:
    """The labels of the rows, what they are called, and their type."""
    names, dtype = getattr(index, "names", ()), getattr(index, "dtype", None)
    labels = {"index": _listed(index), "index names": list(names), "index dtype": _of_dtype(dtype)}
    return labels | ({"index freq": str(index.freq)} if hasattr(index, "freq") else {})


def _of_dtype(dtype: Any) -> Any:
    """A type by its name; a categorical one with its categories, which are there even where none of them occurs."""
    if getattr(dtype, "categories", None) is None:
        return str(dtype)
    return [str(dtype), list(dtype.categories), bool(dtype.ordered)]


def _columns(frame: Any) -> dict[str, list[Any]]:
    if frame.columns.is_unique:
        return {str(name): held for name, held in frame.to_dict("list").items()}
    return {str(place): _listed(frame.iloc[:, place]) for place in range(frame.shape[1])}


def _listed(held: Any) -> list[Any]:
    found = np.asarray(held)
    if found.dtype.kind in "mM":
        return list(found.ravel())
    return list(found.ravel().tolist())

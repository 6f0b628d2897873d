"""Turns stored results into things that people read. Pure functions: a Document in, text out.

A format is a file of this folder with `NAME` and `render(document) -> str`; it is found by looking.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from auditor.errors import UsageError
from auditor.results.document import Document

__all__ = ["formats", "render"]


@cache
def _found() -> dict[str, ModuleType]:
    modules = [
        importlib.import_module(f"reports.{info.name}") for info in pkgutil.iter_modules(__path__) if not info.ispkg
    ]
    return {module.NAME: module for module in modules if hasattr(module, "NAME")}


def formats() -> tuple[str, ...]:
    """The names of all formats."""
    return tuple(sorted(_found()))


def render(document: Document, format: str) -> str:
    """The document in one of the `formats()`."""
    if format not in formats():
        raise UsageError(f"the format must be one of {', '.join(formats())}, got {format!r}")
    return str(_found()[format].render(document))

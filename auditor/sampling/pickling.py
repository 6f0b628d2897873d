"""How a mechanism is sent to another process."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def pickler() -> Any:
    """joblib's own: what it is told about modules holds for what joblib sends, too."""
    try:
        import cloudpickle  # type: ignore[import-untyped]
    except ImportError:  # joblib before 1.6 brings its own copy
        from joblib.externals import cloudpickle
    return cloudpickle


def pickled(thing: Any) -> bytes:
    """The thing as joblib would send it to a worker: code that a worker cannot import is sent along."""
    data: bytes = pickler().dumps(thing)
    return data


def send_by_value(module: ModuleType) -> None:
    """Workers cannot import a module under a private name, so joblib's pickler sends them its code."""
    pickler().register_pickle_by_value(module)

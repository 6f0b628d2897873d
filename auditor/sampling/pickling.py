"""How a mechanism is sent to another process."""

from __future__ import annotations

import io
import pickle
from types import ModuleType
from typing import Any


def pickler() -> Any:
    """The pickler of joblib itself: what it is told about modules holds for what joblib sends, too."""
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


def packed_with(thing: Any, known: Any) -> bytes:
    """The thing as `pickled` has it, but for the object that the other side has already: that is only named."""

    class Pickler(pickler().CloudPickler):  # type: ignore[misc]
        def persistent_id(self, item: Any) -> str | None:
            return "known" if known is not None and item is known else None

    file = io.BytesIO()
    Pickler(file).dump(thing)
    return file.getvalue()


def unpacked(data: bytes, known: Any) -> Any:
    """What `packed_with` made in a process of ours; the object that is only named is the one given here."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, name: Any) -> Any:
            return known

    return Unpickler(io.BytesIO(data)).load()

"""Which audit a checkpoint belongs to: hashes of datasets in full, of a mechanism with its code, and of versions.

A hash that differs without need only costs a fresh start. One that is the same for two audits would give one of them
the other's result, so a dataset that cannot be written down in full has no hash.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import pickle
import platform
import sys
import sysconfig
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from auditor import __version__
from auditor.sampling.reach import attributes_of, names_of, reachable

_DEEPEST = 50  # most levels of containers inside each other


class UnwritableError(ValueError):
    """Something that has no hash."""


def digest(data: Any) -> str:
    """A hash of all of a dataset; an UnwritableError where it cannot be written down."""
    return _hash(_data(data, 0))


def mechanism_digest(mechanism: Any) -> str:
    """A hash of what a mechanism is: its parameters, its code as far as it can be had, and the files it is from."""
    return _hash(b"".join([_thing(mechanism, {}), *(_file(module) for module in _modules(mechanism))]))


def versions() -> dict[str, str]:
    """What else a result depends on."""
    return {"dp-audit": __version__, "numpy": np.__version__, "python": platform.python_version()}


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _tagged(tag: str, *parts: bytes) -> bytes:
    """Parts with their lengths: no two lists of parts give the same bytes."""
    return b"".join([f"{tag} {len(parts)}:".encode(), *(f"{len(part)}:".encode() + part for part in parts)])


def _data(item: Any, depth: int) -> bytes:
    kind = type(item)
    if depth > _DEEPEST:
        raise UnwritableError(f"it has more than {_DEEPEST} containers inside each other, or contains itself")
    if kind in (int, float, complex, bool, type(None)):
        return _tagged(kind.__name__, repr(item).encode())
    if kind is str:
        return _tagged("str", item.encode(errors="surrogatepass"))
    if kind in (bytes, bytearray):
        return _tagged(kind.__name__, bytes(item))
    if kind is np.ndarray and not item.dtype.hasobject:
        return _tagged("array", f"{item.dtype.descr} {item.shape}".encode(), np.ascontiguousarray(item).tobytes())
    if kind in (list, tuple):
        return _tagged(kind.__name__, *(_data(part, depth + 1) for part in item))
    if kind in (set, frozenset):
        return _tagged(kind.__name__, *sorted(_data(part, depth + 1) for part in item))
    if kind is dict:
        return _tagged("dict", *(_data(part, depth + 1) for pair in item.items() for part in pair))
    try:
        return _tagged("pickle", pickle.dumps(item, protocol=4))
    except Exception as error:
        raise UnwritableError(f"a {kind.__qualname__} cannot be pickled ({error})") from error


def _thing(item: Any, seen: dict[int, int]) -> bytes:
    """A part of a mechanism: data in full, functions by their code and what they use, objects by class and parts."""
    if id(item) in seen:
        return _tagged("again", str(seen[id(item)]).encode())
    if isinstance(item, (FunctionType, MethodType, functools.partial, list, tuple, dict)):
        seen[id(item)] = len(seen)
    if isinstance(item, FunctionType):
        return _function(item, seen)
    if isinstance(item, MethodType):
        return _tagged("method", _thing(item.__self__, seen), _thing(item.__func__, seen))
    if isinstance(item, functools.partial):
        return _tagged("partial", *(_thing(part, seen) for part in (item.func, item.args, item.keywords)))
    if isinstance(item, (type, ModuleType, BuiltinFunctionType)):
        return _tagged("name", f"{getattr(item, '__module__', '')}.{getattr(item, '__qualname__', item)}".encode())
    if type(item) in (list, tuple):
        return _tagged(type(item).__name__, *(_thing(part, seen) for part in item))
    if type(item) is dict:
        return _tagged("dict", *(_thing(part, seen) for pair in item.items() for part in pair))
    return _object(item, seen)


def _object(item: Any, seen: dict[int, int]) -> bytes:
    """One of a class of someone's own by that class's functions and its attributes; another as data, if it can be."""
    seen[id(item)] = len(seen)
    own = [kind for kind in type(item).__mro__ if _is_own(kind)]
    if not own:
        with contextlib.suppress(UnwritableError):
            return _data(item, 0)
    functions = [value for kind in own for value in vars(kind).values() if isinstance(value, FunctionType)]
    parts = [part for pair in attributes_of(item).items() for part in pair]
    name = f"{type(item).__module__}.{type(item).__qualname__}".encode()
    return _tagged("object", name, *(_thing(part, seen) for part in [*parts, *functions]))


def _is_own(kind: type) -> bool:
    """Whether a class is of someone's own code, not of an installed package."""
    module = sys.modules.get(kind.__module__)
    return kind.__module__ != "builtins" and not _installed(getattr(module, "__file__", None) or "")


def _function(item: FunctionType, seen: dict[int, int]) -> bytes:
    names = sorted(names_of(item.__code__) & set(item.__globals__))
    inside = [item.__defaults__, item.__kwdefaults__, *(cell.cell_contents for cell in item.__closure__ or ())]
    used = [item.__globals__[name] for name in names if not isinstance(item.__globals__[name], ModuleType)]
    return _tagged("function", _code(item.__code__), *(_thing(part, seen) for part in [*inside, *used]))


def _code(code: CodeType) -> bytes:
    constants = (_code(c) if isinstance(c, CodeType) else _data(c, 0) for c in code.co_consts)
    return _tagged("code", code.co_code, " ".join(code.co_names + code.co_varnames).encode(), *constants)


def _modules(mechanism: Any) -> list[ModuleType]:
    """The modules of everything that the mechanism reaches, by name."""
    names = set()
    for item in reachable(mechanism):
        if isinstance(item, (FunctionType, type)):
            names.add(item.__module__)
        if isinstance(item, FunctionType):
            values = (item.__globals__.get(name) for name in names_of(item.__code__))
            names.update(value.__name__ for value in values if isinstance(value, ModuleType))
    return [sys.modules[name] for name in sorted(str(name) for name in names) if name in sys.modules]


def _file(module: ModuleType) -> bytes:
    """A module's own text; of one that is installed, its package's version."""
    file = getattr(module, "__file__", None)
    if not file or _installed(file):
        package = sys.modules.get(module.__name__.partition(".")[0], module)
        return _tagged("package", package.__name__.encode(), str(getattr(package, "__version__", "")).encode())
    try:
        return _tagged("file", Path(file).read_bytes())
    except OSError:
        return _tagged("no file", module.__name__.encode())


def _installed(file: str) -> bool:
    homes = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return "site-packages" in file or any(file.startswith(home) for home in homes)

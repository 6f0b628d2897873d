"""Imports someone's code, and turns whatever goes wrong there into one sentence."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from auditor.errors import UsageError
from auditor.escaping import described
from auditor.sampling.pickling import send_by_value

OWN_PACKAGES = ("auditor", "mechanisms", "reports")


def load_module(name: str) -> ModuleType:
    """Imports a module by its dotted name; the current folder counts."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    _guarded(lambda: importlib.import_module(name), name, name)
    return sys.modules[name]


def load_file(path: Path, shown: str) -> ModuleType:
    """Imports a file under the name that its neighbours would use, so that workers find it too."""
    parts, folder = [path.stem], path.resolve().parent
    while (folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    name = ".".join(parts)
    taken = sys.modules.get(name)
    if taken is not None and Path(getattr(taken, "__file__", None) or "").resolve() == path.resolve():
        return taken
    if str(folder) not in sys.path:
        # first, as for a script; last where that would hide dp-audit's own packages from the workers
        hides = any((folder / name).is_dir() or (folder / f"{name}.py").is_file() for name in OWN_PACKAGES)
        sys.path.insert(len(sys.path) if hides else 0, str(folder))
    if taken is None and _origin(name) == path.resolve():
        _guarded(lambda: importlib.import_module(name), shown, name)
        return sys.modules[name]
    return _load_privately(path, shown)


def _load_privately(path: Path, shown: str) -> ModuleType:
    """A file whose name belongs to another module (such as mechanisms.py)."""
    name = f"audited_{path.stem}_{zlib.crc32(str(path.resolve()).encode())}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"the target's file must be Python, got {shown!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    _guarded(lambda: loader.exec_module(module), shown, name)
    send_by_value(module)
    return module


def _guarded(load: Callable[[], object], shown: str, name: str) -> None:
    """Runs the target's own code; what it raises becomes one sentence with the line it came from."""
    try:
        load()
    except SyntaxError as error:
        where = f"{Path(error.filename or shown).name}:{error.lineno}"
        raise UsageError(f"the target must be valid Python, got {error.msg!r} at {where}") from error
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            raise UsageError(f"the target's module must be importable from here, got {shown!r}") from error
        raise UsageError(f"importing {shown!r} must work, got {error}") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        where = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
        what = f"{described(error)}{where}"
        raise UsageError(f"importing {shown!r} must work, got {what}") from error


def importable(name: str) -> bool:
    """Whether `import name` would find something."""
    return _spec(name) is not None


def _origin(name: str) -> Path | None:
    spec = _spec(name)
    return Path(spec.origin).resolve() if spec is not None and spec.origin else None


def _spec(name: str) -> importlib.machinery.ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None

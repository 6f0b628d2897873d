"""Finds mechanisms in someone's own code. Finding is importing: it executes that code.

    file.py              every mechanism that the file binds to a public name
    file.py::name        one of them, or a function
    package.module       every mechanism of a module, or what its `catalogue()` lists
    package.module:name  one of them, or a function
    laplace              an id that `dp-audit list` prints

A mechanism is an object with `sample`, `claim` and `neighbours`. A class that needs no arguments is taken
when it is named.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from auditor.doors import gate
from auditor.doors.loading import importable, load_file, load_module
from auditor.errors import UsageError
from auditor.escaping import described

FORMS = "file.py, file.py::name, package.module:name, an id of `dp-audit list`, or a TOML file"
_PARTS = ("sample", "claim", "neighbours")


@dataclass(frozen=True)
class Target:
    """One mechanism, what to type to find it again, and where it stands."""

    spec: str
    mechanism: Any
    file: str
    line: int

    @property
    def location(self) -> dict[str, Any]:
        """Where the mechanism stands, for the results file."""
        return {"file": self.file, "line": self.line, "target": self.spec, "door": "run"}


def find(spec: str, folder: Path | None = None) -> tuple[Target, ...]:
    """The mechanisms that `spec` names; file names start at `folder`, or at the current one."""
    if "::" in spec or spec.endswith(".py"):
        file, _, name = spec.partition("::")
        path = Path(folder or ".", file)
        shown = gate.relative(path, Path.cwd()) or str(path)
        if not path.is_file():
            raise UsageError(f"the target's file must exist, got {shown!r}")
        return _inside(load_file(path, shown), shown, "::", name)
    module, _, name = spec.partition(":")
    if not name:
        listed = _in_catalogue(spec)
        if listed:
            return listed
    if not all(part.isidentifier() for part in module.split(".")):
        raise UsageError(f"a target must be {FORMS}, got {spec!r}")
    return _inside(load_module(module), module, ":", name)


def is_mechanism(item: object) -> bool:
    """An object, not a class, that has `sample`, `claim` and `neighbours`."""
    return not isinstance(item, (type, ModuleType)) and _shaped(item)


def _shaped(item: object) -> bool:
    """Looks without calling: a property or a clever __getattr__ of a stranger does not run here."""
    missing = object()
    return all(inspect.getattr_static(item, part, missing) is not missing for part in _PARTS)


def _in_catalogue(identifier: str) -> tuple[Target, ...]:
    from mechanisms.core.catalogue import catalogue

    return tuple(_target(m.id, m) for m in catalogue() if m.id == identifier)


def _inside(module: ModuleType, shown: str, mark: str, name: str) -> tuple[Target, ...]:
    """The object of this name, or every mechanism of the module."""
    if name:
        return (_target(f"{shown}{mark}{name}", _named(module, shown, name), module, name),)
    found = tuple(_target(f"{shown}{mark}{bound}", item, module, bound) for bound, item in _bound(module))
    if found or (found := _listed(module)):
        return found
    classes = [name for name, item in vars(module).items() if isinstance(item, type) and _shaped(item)]
    hint = f"; bind an instance of {classes[0]} to a name" if classes else ""
    raise UsageError(
        f"a target must hold an object with {', '.join(_PARTS)}, or name a function after {mark}, "
        f"got {shown!r} with none{hint}"
    )


def _bound(module: ModuleType) -> Iterable[tuple[str, Any]]:
    """Each mechanism once, under its first public name."""
    seen: set[int] = set()
    for name, item in vars(module).items():
        if not name.startswith("_") and is_mechanism(item) and id(item) not in seen:
            seen.add(id(item))
            yield name, item


def _listed(module: ModuleType) -> tuple[Target, ...]:
    """What a function `catalogue` of the module returns, for packages that list their mechanisms."""
    listing: Any = getattr(module, "catalogue", None)
    if listing is None and hasattr(module, "__path__") and importable(f"{module.__name__}.catalogue"):
        listing = load_module(f"{module.__name__}.catalogue")
    if isinstance(listing, ModuleType):
        listing = getattr(listing, "catalogue", None)
    if not callable(listing):
        return ()
    try:
        items = list(listing())
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UsageError(f"{module.__name__}.catalogue() must list mechanisms, got {described(error)}") from error
    strangers = [item for item in items if not is_mechanism(item)]
    if strangers:
        raise UsageError(f"{module.__name__}.catalogue() must list mechanisms, got {strangers[0]!r:.60}")
    return tuple(
        _target(str(getattr(item, "id", f"{module.__name__}#{number}")), item) for number, item in enumerate(items, 1)
    )


def _named(module: ModuleType, shown: str, name: str) -> Any:
    item: Any = module
    for part in name.split("."):
        try:
            item = getattr(item, part)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a property of a stranger may raise anything
            there = ", ".join(bound for bound, _ in _bound(module)) or "no mechanism"
            raise UsageError(f"the target must name something in {shown!r}, got {name!r}; there is {there}") from error
    if isinstance(item, type):
        try:
            item = item()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise UsageError(
                f"a class must need no arguments to be a target, got {name!r}; bind an instance to a name"
            ) from error
    if not callable(item) and not callable(getattr(item, "sample", None)):
        kind = type(item).__name__
        raise UsageError(f"a target must be a function or have sample(dataset, n, rng), got {name!r}, a {kind}")
    return item


def _target(spec: str, item: Any, module: ModuleType | None = None, name: str = "") -> Target:
    """The mechanism with its place: the function or class that is audited, or the line that binds the object."""
    written = getattr(module, "__file__", None)  # builtins have none
    file = Path(written) if isinstance(written, str) else None
    index = None if file and not inspect.isroutine(gate.unwrapped(item)) else gate.source_line(item)
    if index is None:
        index = (file, _binding_line(file, name)) if file else (Path(spec), 1)
    shown = gate.relative(index[0], Path.cwd()) or Path(*index[0].parts[-2:]).as_posix()
    return Target(spec, item, shown, index[1])


def _binding_line(file: Path, name: str) -> int:
    """The line on which the file first binds `name`; 1 when it cannot be told."""
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return 1
    first = name.split(".")[0]
    for statement in tree.body:
        for node in ast.walk(statement):
            match node:
                case ast.Name(id=bound, ctx=ast.Store()) if bound == first:
                    return node.lineno
                case ast.ClassDef(name=bound) | ast.FunctionDef(name=bound) if bound == first:
                    return node.lineno
                case ast.alias(name=bound, asname=other) if (other or bound) == first:
                    return node.lineno
    return 1

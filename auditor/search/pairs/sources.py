"""The numbers and texts of a mechanism's own code and settings: thresholds and special cases are worth trying as data.

Looked at are the function or class itself, what it closes over, its attributes and defaults, and what its code names
in its own package: helpers, and constants of modules. Nothing else is, so what is found does not depend on whatever
else is imported.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import textwrap
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from types import FunctionType, MethodType, ModuleType
from typing import Any

from auditor.sampling.reach import attributes_of, names_of

_MOST = 128  # constants, the nearest ones
_MOST_PIECES = 256  # functions, classes and values that are looked at
_MOST_ITEMS = 32  # of a container

Constant = float | int | str


def constants(mechanism: Any) -> tuple[Constant, ...]:
    """The constants of a mechanism, nearest first, and the whole numbers beside them; none where nothing is known."""
    owner = getattr(mechanism, "__self__", mechanism)
    inner = inspect.unwrap(getattr(owner, "function", owner))
    literals = (literal for piece in islice(_pieces(inner), _MOST_PIECES) for literal in _literals(piece))
    found = {(type(value).__name__, repr(value)): value for literal in literals for value in _beside(literal)}
    return tuple(found.values())[:_MOST]


def _beside(literal: object) -> tuple[Constant, ...]:
    """Values near a constant: a text itself; a number, the ones next above and below by 1, and its negative."""
    if isinstance(literal, (int, float)) and not isinstance(literal, bool):
        return literal, literal + 1, literal - 1, -literal
    return (literal,) if isinstance(literal, str) else ()


def _literals(piece: object) -> list[object]:
    """A value itself; of a function or class the constants of its source, where that can be read."""
    if not isinstance(piece, (FunctionType, type)):
        return [piece]
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(piece)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return []
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]


def _pieces(mechanism: Any) -> Iterator[Any]:
    """The mechanism, and all that it can reach in its own package, in an order that only its code decides."""
    home = _package(mechanism)
    seen: dict[int, Any] = {}
    waiting = deque([mechanism])
    while waiting:
        piece = waiting.popleft()
        if id(piece) not in seen:
            seen[id(piece)] = piece  # kept, so that its id stays its own
            yield piece
            with contextlib.suppress(Exception):  # someone else's attributes may do anything when they are looked at
                waiting.extend(_parts(piece, home))


def _parts(piece: Any, home: str) -> Iterable[Any]:
    if isinstance(piece, (list, tuple, dict)):
        return islice([*piece, *piece.values()] if isinstance(piece, dict) else piece, _MOST_ITEMS)
    if isinstance(piece, (set, frozenset)):
        return sorted(piece, key=repr)[:_MOST_ITEMS]
    if isinstance(piece, MethodType):
        return (piece.__self__, piece.__func__)
    if isinstance(piece, functools.partial):
        return (piece.func, *piece.args, *piece.keywords.values())
    if _package(piece) != home or isinstance(piece, ModuleType):
        return ()
    if isinstance(piece, FunctionType):
        return _of_function(piece, home)
    if isinstance(piece, type):
        return [part for part in vars(piece).values() if isinstance(part, FunctionType)]
    return [*attributes_of(piece).values(), type(piece)]


def _of_function(function: FunctionType, home: str) -> list[Any]:
    """What it closes over, its defaults, and what its code names, also within modules of the package."""
    names, known = sorted(names_of(function.__code__)), function.__globals__
    named = [known[name] for name in names if name in known]
    modules = [vars(value) for value in named if isinstance(value, ModuleType) and _package(value) == home]
    return [
        *(cell.cell_contents for cell in function.__closure__ or ()),
        *(function.__defaults__ or ()),
        *(function.__kwdefaults__ or {}).values(),
        *named,
        *(module[name] for module in modules for name in names if name in module),
    ]


def _package(piece: Any) -> str:
    """The top package that a function, class, module or object of its own class belongs to."""
    if isinstance(piece, ModuleType):
        return piece.__name__.partition(".")[0]
    owner = piece if isinstance(piece, (FunctionType, type)) else type(piece)
    return str(getattr(owner, "__module__", "")).partition(".")[0]

"""The numbers and texts that stand in a mechanism's source: thresholds and special cases are worth trying as data."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

_MOST = 64  # constants, the first ones of the source


def constants(mechanism: Any) -> tuple[float | int | str, ...]:
    """The constants of a function's or class's own source, and whole numbers one beside them; none where it is unknown.

    The source of other modules is not looked at, so what is found does not depend on what is imported.
    """
    found: dict[tuple[str, str], float | int | str] = {}
    for node in ast.walk(_tree(mechanism)):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)):
            if isinstance(node.value, bool):
                continue
            beside = (node.value, -node.value, node.value + 1, node.value - 1) if _number(node.value) else (node.value,)
            for value in beside:
                found.setdefault((type(value).__name__, repr(value)), value)
    return tuple(found.values())[:_MOST]


def _number(value: object) -> bool:
    return isinstance(value, (int, float))


def _tree(mechanism: Any) -> ast.AST:
    """The syntax of what is called for a draw; an empty module where it cannot be read."""
    owner = getattr(mechanism, "__self__", mechanism)
    inner = inspect.unwrap(getattr(owner, "function", owner))
    code = inner if inspect.isroutine(inner) or inspect.isclass(inner) else type(inner)
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return ast.Module([], [])

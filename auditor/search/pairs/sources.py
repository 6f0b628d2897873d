"""The numbers and texts that stand in a mechanism's source: thresholds and special cases are worth trying as data."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any

_MOST = 128  # most constants that are taken, from the start of the source


def constants(mechanism: Any) -> tuple[float | int | str, ...]:
    """The constants of a function's or class's own source, and whole numbers one beside them; none where it is unknown.

    The source of other modules is not looked at, so what is found does not depend on what is imported.
    """
    literals = [node.value for node in ast.walk(_tree(mechanism)) if isinstance(node, ast.Constant)]
    found = {(type(value).__name__, repr(value)): value for literal in literals for value in _beside(literal)}
    return tuple(found.values())[:_MOST]


def _beside(literal: object) -> tuple[float | int | str, ...]:
    """Values near a constant: a text itself; a number, the ones next above and below by 1, and its negative."""
    if isinstance(literal, (int, float)) and not isinstance(literal, bool):
        return literal, literal + 1, literal - 1, -literal
    return (literal,) if isinstance(literal, str) else ()


def _tree(mechanism: Any) -> ast.AST:
    """The syntax of what is called for a draw; an empty module where it cannot be read."""
    owner = getattr(mechanism, "__self__", mechanism)
    inner = inspect.unwrap(getattr(owner, "function", owner))
    code = inner if inspect.isroutine(inner) or inspect.isclass(inner) else type(inner)
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return ast.Module([], [])

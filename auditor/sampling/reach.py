"""What a mechanism can reach: its parts, what its functions close over, and the globals that their code names.

Generators of its own and code that belongs to it are found this way. Modules are not walked through.
"""

from __future__ import annotations

import contextlib
import functools
import random
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

_MOST = 4096  # most objects that are looked at, the nearest first
_MOST_ITEMS = 256  # most items of one container that are looked at
_DATA = (int, float, complex, str, bytes, bytearray, type(None), np.generic, np.ndarray)
_DESCRIPTORS = (WrapperDescriptorType, MethodDescriptorType, GetSetDescriptorType, MemberDescriptorType)
_LEAVES = (*_DATA, *_DESCRIPTORS, CodeType, BuiltinFunctionType)
_NOT_WALKED = (*_LEAVES, ModuleType)
_OURS = ("auditor", "mechanisms")  # of this project's own classes none keeps a generator
_GENERATORS = (np.random.Generator, np.random.BitGenerator, np.random.RandomState, random.Random)


def reachable(mechanism: Any, ours: bool = True) -> Iterator[Any]:
    """The objects that a mechanism can reach, itself first; `ours` with what classes of this project are made of."""
    seen: dict[int, Any] = {}
    waiting = deque([mechanism])
    while waiting and len(seen) < _MOST:
        item = waiting.popleft()
        if id(item) in seen or issubclass(type(item), _NOT_WALKED):
            continue
        seen[id(item)] = item
        yield item
        if not ours and isinstance(item, type) and item.__module__.partition(".")[0] in _OURS:
            continue
        with contextlib.suppress(Exception):  # someone else's attributes may do anything when they are looked at
            waiting.extend(_parts(item))


def is_generator(item: Any) -> bool:
    """Whether this is a random generator with a state; the system's randomness has none."""
    kind: Any = type(item)
    return _generates(kind, sys.modules.get("torch"))


@functools.lru_cache(maxsize=1024)
def _generates(kind: type, torch: ModuleType | None) -> bool:
    if issubclass(kind, random.SystemRandom):
        return False
    return issubclass(kind, _GENERATORS) or (torch is not None and issubclass(kind, getattr(torch, "Generator", ())))


@functools.lru_cache(maxsize=4096)
def names_of(code: CodeType) -> frozenset[str]:
    """The names that a function's code, and the code inside it, looks up."""
    inner = (names_of(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return frozenset(code.co_names).union(*inner)


def _parts(item: Any) -> Iterable[Any]:
    if is_generator(item):
        return ()
    if isinstance(item, FunctionType):
        return _of_function(item)
    if isinstance(item, MethodType):
        return (item.__self__, item.__func__)
    if isinstance(item, functools.partial):
        return (item.func, *item.args, *item.keywords.values())
    if isinstance(item, dict):
        return islice(item.values(), _MOST_ITEMS)
    if isinstance(item, (list, tuple, set, frozenset, deque)):
        return islice(item, _MOST_ITEMS)
    if isinstance(item, type):
        return () if _of_python(item.__module__) else [*vars(item).values(), *item.__bases__]
    if isinstance(item, (staticmethod, classmethod)):
        return (item.__func__,)
    if isinstance(item, property):
        return (item.fget,)
    return [*attributes_of(item).values(), type(item)]


def _of_python(module: str) -> bool:
    """Whether a class of this module is Python's own: nobody keeps a generator there."""
    return module.partition(".")[0] in sys.stdlib_module_names


def _of_function(function: FunctionType) -> list[Any]:
    names, values = names_of(function.__code__), vars_of(function)
    used = [values[name] for name in names if name in values]
    inside = (vars(module).get(name) for module in used if isinstance(module, ModuleType) for name in names)
    return [
        *(cell.cell_contents for cell in function.__closure__ or () if _filled(cell)),
        *(function.__defaults__ or ()),
        *(function.__kwdefaults__ or {}).values(),
        *vars(function).values(),
        *used,
        *(value for value in inside if is_generator(value)),
    ]


def vars_of(function: FunctionType) -> dict[str, Any]:
    """The globals of a function's module."""
    return function.__globals__


def attributes_of(item: Any) -> dict[str, Any]:
    """What an object has been given: its `__dict__` and its slots."""
    found = dict(getattr(item, "__dict__", None) or {})
    for kind in type(item).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if isinstance(name, str) and hasattr(item, name):
                found[name] = getattr(item, name)
    return found


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False

"""Of which kind a Python object is, and what is in it: the first step of reading one output as a tree."""

from __future__ import annotations

import array
import contextlib
import dataclasses
import enum
import functools
import pathlib
import uuid
from collections import ChainMap, deque
from collections.abc import Callable, Mapping, Set, ValuesView
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from numbers import Complex, Real
from types import (
    BuiltinFunctionType,
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, cast

import numpy as np

from auditor.events.array_parts import of_array, of_complex, of_sparse
from auditor.events.objects import address_in

TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)
_CODE = (FunctionType, BuiltinFunctionType, MethodType, GeneratorType, ModuleType, np.random.Generator)
_COMPUTED = (property, functools.cached_property, GetSetDescriptorType, MemberDescriptorType)
_MOST_ELEMENTS = 4096  # most elements of an object with a length that are looked at
_HELD = (bool, int, float, str, bytes, list, tuple, dict, set, frozenset)  # what a class of someone's own may extend
Take = Callable[[Any], Any]


class Missing:
    """Stands where an output has no such key or element."""


MISSING = Missing()


class UnreadableError(Exception):
    """An object in which nothing can be read."""


def itself(item: Any) -> Any:
    """The object itself, for kinds that need not be taken apart."""
    return item


def _checked(item: str) -> str:
    if address_in(item, item):
        raise UnreadableError(item)
    return str(item)


def _kind_of(cls: Any) -> tuple[str, Take]:
    """How objects of this class are read (number, text, sequence, …), and what takes one apart for that."""
    found: tuple[str, Take]
    if cls is Missing or cls is type(None) or cls.__name__ in ("NAType", "NaTType"):
        found = "nothing", itself
    elif (held := _extended(cls)) is not None:
        found = "mapping", lambda item: {"contents": held(item), **_public(item)}
    elif issubclass(cls, enum.Enum):
        found = "text", lambda item: item.name or repr(item)
    elif issubclass(cls, str):
        found = "text", _checked
    elif issubclass(cls, memoryview):
        found = "mapping", lambda item: {"format": item.format, "shape": item.shape, "bytes": bytes(item)}
    elif issubclass(cls, (bytes, bytearray)):
        found = "text", lambda item: bytes(item).decode("latin-1")
    elif issubclass(cls, pathlib.PurePath):
        found = "text", str
    elif issubclass(cls, type):
        found = "text", lambda item: str(item.__qualname__)
    elif issubclass(cls, uuid.UUID):
        found = "number", int
    elif issubclass(cls, TIMES):
        found = "time", itself
    elif issubclass(cls, Decimal):
        found = "decimal", itself
    elif issubclass(cls, Fraction):
        found = "mapping", lambda item: {"value": float(item), "over": item.numerator, "under": item.denominator}
    elif issubclass(cls, (Real, np.bool_)):
        found = "number", itself
    elif issubclass(cls, Complex):
        found = "mapping", of_complex
    else:
        found = _container(cls)
    return found


kind_of = cast("Callable[[type[Any]], tuple[str, Take]]", functools.cache(_kind_of))


def _extended(cls: type) -> type | None:
    """What a class of someone's own extends with attributes: a list, a text, …; None for anything else."""
    if not _has_attributes(cls) or issubclass(cls, enum.Enum):
        return None
    if cls.__module__ in ("builtins", "collections") or hasattr(cls, "__array__") or hasattr(cls, "_fields"):
        return None
    return next((held for held in _HELD if issubclass(cls, held)), None)


def _has_attributes(cls: type) -> bool:
    """Whether objects of a class can be given attributes."""
    return any("__dict__" in vars(base) for base in cls.__mro__)


def _container(cls: type) -> tuple[str, Take]:
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        if _has_attributes(cls):
            return "mapping", lambda item: _by_fields(item, item._fields)
        return "mapping", lambda item: dict(zip(item._fields, item, strict=False))
    if issubclass(cls, (list, tuple)):
        return "sequence", itself
    if issubclass(cls, deque):
        return "mapping", lambda item: {"elements": list(item), "maxlen": item.maxlen}
    if issubclass(cls, array.array):
        return "mapping", lambda item: {"elements": list(item), "typecode": item.typecode}
    if issubclass(cls, (range, ValuesView)):
        return "sequence", list
    if issubclass(cls, ChainMap):
        return "mapping", lambda item: {"contents": dict(item), "maps": item.maps}
    if issubclass(cls, dict):
        return "mapping", itself
    if issubclass(cls, Mapping):
        return "mapping", lambda item: {key: item[key] for key in item}
    if issubclass(cls, Set):
        return "set", itself
    if (fields := _fields(cls)) is not None:
        return "mapping", lambda item: _by_fields(item, fields)
    if hasattr(cls, "toarray"):
        return "mapping", of_sparse
    if hasattr(cls, "__array__"):
        return "mapping", of_array
    if hasattr(cls, "__array_interface__"):  # an image
        return "object", lambda item: {**of_array(item), **_public(item)}
    if issubclass(cls, BaseException):
        return "object", _of_exception
    if hasattr(cls, "__len__") and hasattr(cls, "__getitem__"):
        return "object", _of_elements
    return "object", _attributes


def _fields(cls: type) -> tuple[str, ...] | None:
    """The fields of a dataclass, or of a class of attrs; None for any other."""
    if dataclasses.is_dataclass(cls):
        return tuple(one.name for one in dataclasses.fields(cls))
    declared = getattr(cls, "__attrs_attrs__", None)
    return None if declared is None else tuple(one.name for one in declared)


def _by_fields(item: Any, fields: tuple[str, ...]) -> dict[str, Any]:
    """The fields of an object, whatever their names, and the public attributes that it holds beside them."""
    found = {name: getattr(item, name) for name in fields if hasattr(item, name)}
    more = {name: value for name, value in _held(item).items() if name not in found and not name.startswith("_")}
    return found | more


def _public_properties(cls: type) -> tuple[str, ...]:
    """The public attributes that a class computes, or keeps outside of Python, in the order of their names."""
    found = {name for base in cls.__mro__ for name, held in vars(base).items() if isinstance(held, _COMPUTED)}
    return tuple(sorted(name for name in found if not name.startswith("_")))


_properties = cast("Callable[[type[Any]], tuple[str, ...]]", functools.cache(_public_properties))


def _attributes(item: Any) -> dict[str, Any]:
    """The public attributes that an object holds itself, and its public properties that can be computed.

    Those in which nothing can be read (code, generators of random numbers) are left out. An object that holds
    nothing is read by its text.
    """
    public = _public(item)
    if public and not isinstance(item, (*_CODE, type)):
        return public
    said = repr(item)
    if address_in(item, said):
        raise UnreadableError(said)
    return {"text": said}


def _of_exception(item: BaseException) -> dict[str, Any]:
    """An exception: its attributes, the exceptions from which or during which it was raised, and its notes."""
    beside = {"cause": item.__cause__, "context": item.__context__, "notes": getattr(item, "__notes__", None)}
    return {**_attributes(item), **beside}


def _of_elements(item: Any) -> dict[str, Any]:
    """An object with a length and places: its elements, where they can be had, and its public attributes."""
    with contextlib.suppress(Exception):  # a key in place of a place, or no length after all
        elements = [item[place] for place in range(min(len(item), _MOST_ELEMENTS))]
        names = {"names": list(item.keys())} if hasattr(item, "keys") else {}  # a row of a database
        return {"elements": elements, **names, **_public(item)}
    return _attributes(item)


def _held(item: Any) -> dict[str, Any]:
    """The attributes that an object holds itself, in which something can be read."""
    held = dict(vars(item)) if hasattr(item, "__dict__") else {}
    held |= {name: getattr(item, name) for name in _slots(type(item)) if hasattr(item, name)}
    return {name: value for name, value in held.items() if not isinstance(value, _CODE)}


def _slots_of(cls: type) -> tuple[str, ...]:
    """The names in the slots of a class."""
    found = [vars(base).get("__slots__", ()) for base in cls.__mro__]
    return tuple(name for names in found for name in ([names] if isinstance(names, str) else names))


_slots = cast("Callable[[type[Any]], tuple[str, ...]]", functools.cache(_slots_of))


def _public(item: Any) -> dict[str, Any]:
    """The public attributes of an object in which something can be read: at last those that are computed, because one
    that is kept once it was computed would come earlier when it is read again."""
    computed = _properties(type(item))
    held = {name: value for name, value in _held(item).items() if name not in computed}
    for name in computed:
        with contextlib.suppress(Exception):  # what cannot be computed tells nothing
            held[name] = getattr(item, name)
    return {name: value for name, value in held.items() if not name.startswith("_") and not isinstance(value, _CODE)}


def private_names(item: Any) -> list[str]:
    """The attributes that an object holds and that are not looked at, because their names say that they are private."""
    fields = _fields(type(item))
    if kind_of(type(item))[0] != "object" and _extended(type(item)) is None and fields is None:
        return []
    seen = {"__dict__", "__weakref__", *(fields or ())}
    return [name for name in _held(item) if name.startswith("_") and name not in seen]

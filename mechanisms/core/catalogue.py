"""Finds every mechanism and mutant in this package; a new file needs no registration."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache

import mechanisms
from mechanisms.core.mechanism import Mechanism


@cache
def catalogue() -> tuple[Mechanism, ...]:
    """Every mechanism followed by its mutants, in the order of their ids."""
    found: dict[str, Mechanism] = {}
    for module_info in pkgutil.iter_modules(mechanisms.__path__):
        module = importlib.import_module(f"mechanisms.{module_info.name}")
        for item in vars(module).values():
            if not (inspect.isclass(item) and issubclass(item, Mechanism) and item.__module__ == module.__name__):
                continue
            if inspect.isabstract(item) or "id" not in dir(item):
                continue
            for example in item.examples():
                if example.id in found:
                    raise ValueError(f"ids in the catalogue are unique, got {example.id!r} twice")
                found[example.id] = example
    return tuple(sorted(found.values(), key=lambda m: (m.of or m.id, m.of is not None, m.id)))


def find(identifier: str) -> Mechanism:
    """The mechanism or mutant with this id."""
    for mechanism in catalogue():
        if mechanism.id == identifier:
            return mechanism
    raise ValueError(f"the id must be one that `dp-audit list` prints, got {identifier!r}")


def mutants_of(mechanism: Mechanism) -> tuple[Mechanism, ...]:
    """The broken twins of a mechanism."""
    return tuple(other for other in catalogue() if other.of == mechanism.id)

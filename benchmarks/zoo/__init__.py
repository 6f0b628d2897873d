"""The field's zoo: the mechanisms on which published auditors measure themselves, one family a file."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from benchmarks.zoo.entry import Published, Truth, ZooMechanism

__all__ = ["Published", "Truth", "ZooMechanism", "zoo"]


def zoo(epsilon: float = 0.1) -> tuple[ZooMechanism, ...]:
    """Every mechanism of the zoo at a claimed epsilon, family by family. A new file needs no registration."""
    rows: list[ZooMechanism] = []
    names = [info.name for info in pkgutil.iter_modules(__path__) if not info.ispkg and info.name != "__main__"]
    for name in sorted(names, key=lambda name: (*FAMILIES, name).index(name)):
        module = importlib.import_module(f"{__name__}.{name}")
        for kind in vars(module).values():
            own = inspect.isclass(kind) and issubclass(kind, ZooMechanism) and kind.__module__ == module.__name__
            if own and "id" in vars(kind):
                rows.append(kind.at(epsilon))
    return tuple(rows)


FAMILIES = (
    "laplace",
    "geometric",
    "histogram",
    "noisy_max",
    "sparse_vector",
    "numeric_svt",
    "rappor",
    "sums",
    "means",
    "floats",
)

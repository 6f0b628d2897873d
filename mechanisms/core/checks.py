"""Parameter checks: a bad value gets a sentence that names the rule and the value."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence


def _real(name: str, value: object, rule: str) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or math.isnan(float(value)):
        raise ValueError(f"{name} must be {rule}, got {name}={value!r}")
    return float(value)


def positive(name: str, value: object) -> float:
    """The value as a float when it is a finite number above zero."""
    rule = "a finite number above 0"
    number = _real(name, value, rule)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be {rule}, got {name}={value!r}")
    return number


def non_negative(name: str, value: object) -> float:
    """The value as a float when it is a finite number of at least zero."""
    rule = "a finite number of at least 0"
    number = _real(name, value, rule)
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} must be {rule}, got {name}={value!r}")
    return number


def probability(name: str, value: object) -> float:
    """The value as a float when it lies in [0, 1]."""
    rule = "a probability in [0, 1]"
    number = _real(name, value, rule)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be {rule}, got {name}={value!r}")
    return number


def open_probability(name: str, value: object) -> float:
    """The value as a float when it lies strictly between 0 and 1."""
    rule = "a probability strictly between 0 and 1"
    number = _real(name, value, rule)
    if not 0 < number < 1:
        raise ValueError(f"{name} must be {rule}, got {name}={value!r}")
    return number


def whole(name: str, value: object, least: int = 1) -> int:
    """The value as an int when it is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {name}={value!r}")
    return int(value)


def one_of(name: str, value: object, allowed: Sequence[str]) -> str:
    """The value when it is one of the allowed words."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {name}={value!r}")
    return str(value)

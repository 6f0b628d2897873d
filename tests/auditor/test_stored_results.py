"""The same seed gives the same bytes, whatever is rebuilt inside: 36 stored results of every kind of audit.

Stored by `python tests/auditor/test_stored_results.py`. Where a result is meant to change, the changelog says why.
Counts, events, texts and the order of everything are compared exactly. Another processor or another numpy may round the
last digit of a logarithm differently, so the other numbers are compared to eleven digits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor import ZCDP, ApproxDP, Claim, GaussianDP, NeighbourPair, audit, per_draw

STORED = Path(__file__).with_suffix(".json")
VALUES = {"views": ("values",)}


@dataclass(frozen=True)
class Case:
    """One call of `audit()`."""

    mechanism: Any
    claim: Claim | None = None
    pairs: tuple[Any, ...] | None = ((0, 1),)
    options: dict[str, Any] = field(default_factory=dict)


def laplace(scale: float) -> Callable[..., Any]:
    return lambda d, n, rng: d + rng.laplace(0, scale, n)


def gaussian(sigma: float) -> Callable[..., Any]:
    return lambda d, n, rng: d + rng.normal(0, sigma, n)


def response(epsilon: float) -> Callable[..., Any]:
    keep = 1 / (1 + math.exp(-epsilon))
    return lambda d, n, rng: np.where(rng.random(n) < keep, d, 1 - d)


def words(d: Any, n: int, rng: np.random.Generator) -> list[Any]:
    keep = 0.9 if d else 0.5
    return ["yes" if u < keep else "no" for u in rng.random(n)]


def mixed(d: Any, n: int, rng: np.random.Generator) -> list[Any]:
    return [None if u < 0.2 + 0.1 * d else ("low", u) if u < 0.6 else 7 for u in rng.random(n)]


def bottom(d: Any, n: int, rng: np.random.Generator) -> Any:
    noise = d + rng.laplace(0, 1, n)
    return np.where(rng.random(n) < 0.1 + 0.2 * d, np.nan, noise)


def vector(width: int, scale: float) -> Callable[..., Any]:
    return lambda d, n, rng: np.full(width, float(d)) + rng.laplace(0, scale, (n, width))


def bits_of_vector(d: Any, n: int, rng: np.random.Generator) -> Any:
    return (rng.random((n, 4)) < 0.5 + 0.1 * d).astype(int)


def geometric(d: Any, n: int, rng: np.random.Generator) -> Any:
    p = 1 - math.exp(-1)
    return d + rng.geometric(p, n) - rng.geometric(p, n)


def table_of(d: Any, n: int, rng: np.random.Generator) -> list[Any]:
    return [{"count": float(d + u), "kind": "a" if u > 0 else "b"} for u in rng.laplace(0, 1, n)]


def rare(d: Any, n: int, rng: np.random.Generator) -> Any:
    return np.where(rng.random(n) < 0.002 * d, 99.0, rng.normal(0, 1, n))


def one_draw(d: Any, rng: np.random.Generator) -> Any:
    return round(float(d + rng.laplace(0, 0.6)), 2)


def one_tuple(d: Any, rng: np.random.Generator) -> Any:
    return float(d + rng.laplace(0, 1)), float(rng.normal())


def lattice(d: Any, n: int, rng: np.random.Generator) -> Any:
    return (np.round(d / 0.125) + rng.geometric(0.1, n) - rng.geometric(0.1, n)) * 0.125


TEN_PAIRS = tuple(NeighbourPair(k, k + (3 if k == 7 else 1), why=f"pair {k}") for k in range(10))
ONE, TIGHT = ApproxDP(epsilon=1.0), {"trials": 20_000, **VALUES}

CASES: dict[str, Case] = {
    "laplace, true": Case(laplace(1), ONE, options=TIGHT),
    "laplace, half the noise": Case(laplace(0.5), ONE, options=TIGHT),
    "laplace, 1.1 times": Case(laplace(1 / 1.1), ONE, options={"trials": 100_000, **VALUES}),
    "laplace, both views": Case(laplace(1), ONE, options={"trials": 4000}),
    "laplace, tiny": Case(laplace(1), ONE, options={"trials": 60, **VALUES}),
    "laplace, long": Case(laplace(1), ONE, options={"trials": 600_000, **VALUES}),
    "laplace, alpha small": Case(laplace(0.7), ONE, options={"trials": 50_000, "alpha": 1e-6, **VALUES}),
    "laplace, other seed": Case(laplace(0.7), ONE, options={"seed": 5, **TIGHT}),
    "laplace, epsilon small": Case(laplace(5), ApproxDP(epsilon=0.1), options=TIGHT),
    "laplace, epsilon zero": Case(laplace(5), ApproxDP(epsilon=0.0), options=TIGHT),
    "laplace, delta": Case(laplace(1), ApproxDP(epsilon=0.5, delta=0.05), options=TIGHT),
    "gaussian, delta": Case(gaussian(3.77648), ApproxDP(epsilon=1.0, delta=1e-3), options=TIGHT),
    "gaussian, delta, refuted": Case(gaussian(1.0), ApproxDP(epsilon=1.0, delta=1e-3), options=TIGHT),
    "gaussian, mu": Case(gaussian(1.0), GaussianDP(mu=1.0), options=TIGHT),
    "gaussian, mu, refuted": Case(gaussian(0.6), GaussianDP(mu=1.0), options=TIGHT),
    "gaussian, rho": Case(gaussian(1.0), ZCDP(rho=0.5), options=TIGHT),
    "gaussian, rho, refuted": Case(gaussian(0.4), ZCDP(rho=0.5), options=TIGHT),
    "response, true": Case(response(1), ONE, options=TIGHT),
    "response, refuted": Case(response(1.3), ONE, options=TIGHT),
    "geometric": Case(geometric, ONE, options=TIGHT),
    "lattice, both views": Case(lattice, ONE, options={"trials": 4000}),
    "words": Case(words, ONE, options=TIGHT),
    "words, true": Case(words, ApproxDP(epsilon=1.7), options=TIGHT),
    "mixed": Case(mixed, ONE, options=TIGHT),
    "bottom": Case(bottom, ApproxDP(epsilon=1.5), options=TIGHT),
    "table": Case(table_of, ONE, options=TIGHT),
    "vector": Case(vector(3, 3), ONE, options=TIGHT),
    "vector, refuted": Case(vector(4, 2), ONE, options=TIGHT),
    "vector, long": Case(vector(10, 10), ONE, options={"trials": 300_000, **VALUES}),
    "bits of a vector": Case(bits_of_vector, ONE, options=TIGHT),
    "rare": Case(rare, ApproxDP(epsilon=0.2, delta=1e-4), options={"trials": 50_000, **VALUES}),
    "per draw": Case(per_draw(one_draw), ONE, options=TIGHT),
    "per draw, tuples": Case(per_draw(one_tuple), ApproxDP(epsilon=1.2), options=TIGHT),
    "ten pairs": Case(laplace(1), ONE, TEN_PAIRS, TIGHT),
    "ten pairs, true": Case(laplace(1), ApproxDP(epsilon=3.0), TEN_PAIRS, TIGHT),
    "two workers": Case(laplace(1), ONE, options={"trials": 400_000, "jobs": 2, **VALUES}),
}


def result_of(name: str) -> dict[str, Any]:
    """The result of one case as plain data, without its seconds and what is said of it in words."""
    case = CASES[name]
    options = {"jobs": 1, **case.options}
    found = audit(case.mechanism, claim=case.claim, pairs=case.pairs, name=name, **options)
    data: dict[str, Any] = json.loads(found.without_timings().to_json())
    return without_words(data)


def without_words(data: dict[str, Any]) -> dict[str, Any]:
    """Sentences for people may be put better; they have tests of their own."""
    witness = {key: value for key, value in data["witness"].items() if key not in ("words", "names")}
    return {key: value for key, value in data.items() if key != "diagnosis"} | {"witness": witness}


def differences(found: Any, expected: Any, path: str = "") -> Iterator[str]:
    """Where two results differ, as paths with both values."""
    if isinstance(found, dict) and isinstance(expected, dict) and list(found) == list(expected):
        for key, value in found.items():
            yield from differences(value, expected[key], f"{path}.{key}")
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        for index, values in enumerate(zip(found, expected, strict=True)):
            yield from differences(*values, f"{path}[{index}]")
    elif isinstance(found, float) and isinstance(expected, float):
        if not math.isclose(found, expected, rel_tol=1e-11, abs_tol=1e-12):
            yield f"{path}: {found!r}, stored {expected!r}"
    elif isinstance(found, dict | list) or type(found) is not type(expected) or found != expected:
        yield f"{path}: {found!r:.200}, stored {expected!r:.200}"


@pytest.fixture(scope="module")
def stored() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    return data


@pytest.mark.parametrize("name", CASES)
def test_a_stored_result_comes_out_again(name: str, stored: dict[str, Any]) -> None:
    assert list(differences(result_of(name), without_words(stored[name]))) == []


def test_a_difference_is_told_with_its_place() -> None:
    stored = {"counts": [3, 4], "bound": 0.5, "name": "a"}
    assert list(differences(stored | {"bound": 0.5 + 1e-15}, stored)) == []
    assert list(differences(stored | {"bound": 0.5 + 1e-9}, stored)) == [".bound: 0.500000001, stored 0.5"]
    assert list(differences(stored | {"counts": [3, 5]}, stored)) == [".counts[1]: 5, stored 4"]
    assert list(differences(stored | {"counts": [3, 4.0]}, stored)) == [".counts[1]: 4.0, stored 4"]
    assert list(differences({"name": "a", "counts": [3, 4], "bound": 0.5}, stored)) != []


def test_every_case_is_stored_and_no_other(stored: dict[str, Any]) -> None:
    assert list(stored) == list(CASES)


if __name__ == "__main__":
    rows = (f"{json.dumps(name)}: {json.dumps(result_of(name), ensure_ascii=False)}" for name in CASES)
    STORED.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")

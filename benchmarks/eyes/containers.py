"""Leaks in lists, dicts, sets and nests of them: an element, a key, an order, a length, a type."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque, namedtuple
from typing import Any

from benchmarks.eyes.leak import Leak, Rng, letters, noise

Answer = namedtuple("Answer", "name value note")
KEYS = "abcdefghijklmnopqrst"


def _some(rng: Rng) -> list[str]:
    return [key for key in KEYS if rng.random() < 0.5]


def _order(b: int, rng: Rng) -> dict[str, float]:
    found = dict(zip(KEYS[:5], noise(5, rng), strict=True))
    return found if b else dict(reversed(found.items()))


def _nested(b: int, rng: Rng) -> Any:
    deep: Any = {"rows": [{"id": int(rng.integers(99)), "tags": ["x", "y"][: 1 + b]} for _ in range(3)]}
    return {"meta": {"n": 3}, "data": (deep, noise(2, rng))}


CONTAINERS = (
    Leak("18th of 20 numbers", "lists", one=lambda b, r: [*noise(17, r), float(b), *noise(2, r)]),
    Leak(
        "parity of the 18th of 20",
        "lists",
        one=lambda b, r: [
            *r.integers(0, 10**6, 17).tolist(),
            2 * int(r.integers(10**6)) + b,
            *r.integers(0, 9, 2).tolist(),
        ],
    ),
    Leak("one of 300 numbers", "lists", one=lambda b, r: [*noise(250, r), b + 0.9 * float(r.random()), *noise(49, r)]),
    Leak("length of a list", "lists", one=lambda b, r: noise(2 * int(r.integers(1, 8)) + b, r)),
    Leak("empty or not", "lists", one=lambda b, r: noise(3, r) if b else []),
    Leak("type of an element", "lists", one=lambda b, r: [1, 2, 3.0 if b else 3, int(r.integers(9))]),
    Leak("None among numbers", "lists", one=lambda b, r: [*noise(5, r), None if b else 0.5, *noise(5, r)]),
    Leak("list or tuple", "types", one=lambda b, r: noise(3, r) if b else tuple(noise(3, r))),
    Leak("ragged rows", "lists", one=lambda b, r: [noise(3, r), noise(2 + b, r), noise(int(r.integers(1, 4)), r)]),
    Leak("last of a long tail", "lists", one=lambda b, r: [*noise(int(r.integers(3, 9)), r), 10.0 + b]),
    Leak("sorted or not", "lists", one=lambda b, r: sorted(noise(6, r), reverse=bool(b))),
    Leak("equal neighbours", "lists", one=lambda b, r: (lambda x: [*x[:4], x[3] if b else x[4], *x[5:]])(noise(9, r))),
    Leak("deque", "lists", one=lambda b, r: deque([*noise(3, r), b])),
    Leak("a text in a list", "lists", one=lambda b, r: [*noise(3, r), letters(5, r) + "xy"[b] + letters(5, r)]),
    Leak(
        "one of 20 counts",
        "dicts",
        one=lambda b, r: {k: int(v) for k, v in zip(KEYS, r.integers(0, 99, 20), strict=True)} | {"g": 200 + b},
    ),
    Leak(
        "parity of one of 20 counts",
        "dicts",
        one=lambda b, r: (
            {k: int(v) for k, v in zip(KEYS, r.integers(0, 999, 20), strict=True)} | {"g": 2 * int(r.integers(500)) + b}
        ),
    ),
    Leak("a key more", "dicts", one=lambda b, r: dict.fromkeys(_some(r), 1) | ({"zz": 1} if b else {})),
    Leak("a key instead", "dicts", one=lambda b, r: {"a": float(r.normal()), "b" if b else "c": float(r.normal())}),
    Leak("order of keys", "dicts", one=_order),
    Leak(
        "type of a value",
        "dicts",
        one=lambda b, r: {"a": float(r.normal()), "ok": bool(r.integers(2)) if b else int(r.integers(2))},
    ),
    Leak("type of a key", "dicts", one=lambda b, r: {(1 if b else "1"): float(r.normal())}),
    Leak(
        "random keys, one telling",
        "dicts",
        one=lambda b, r: {letters(6, r): 1 for _ in range(3)} | {"u" if b else "v": 1},
    ),
    Leak("a missing value", "dicts", one=lambda b, r: {"a": float(r.normal()), "b": None if b else float(r.normal())}),
    Leak("a count of a Counter", "dicts", one=lambda b, r: Counter(letters(30, r) + "z" * 20 * b)),
    Leak("ordered dict", "dicts", one=lambda b, r: OrderedDict(_order(b, r))),
    Leak("deep in a nest", "nests", one=_nested),
    Leak(
        "a dict in a list",
        "nests",
        one=lambda b, r: [{"v": float(r.normal())}, {"v": float(r.normal()), "w": {"x": [1, b]}}],
    ),
    Leak("a named tuple's field", "nests", one=lambda b, r: Answer("n", float(r.normal()), ("ok", "late")[b])),
    Leak("an element of a set", "sets", one=lambda b, r: set(_some(r)) | ({"zz"} if b else set())),
    Leak("size of a set", "sets", one=lambda b, r: set(r.choice(10**6, 6 + b, replace=False).tolist())),
    Leak("a number in a set of many", "sets", one=lambda b, r: set(r.integers(0, 10**6, 8).tolist()) | {10**7 + b}),
    Leak("a frozen set", "sets", one=lambda b, r: frozenset([("a", b), ("b", int(r.integers(9)))])),
    Leak("set or list", "types", one=lambda b, r: set(_some(r)) if b else _some(r)),
)

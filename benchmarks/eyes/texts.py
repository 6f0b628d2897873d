"""Leaks in texts and bytes: a character, a length, a word, a number inside."""

from __future__ import annotations

import json

from benchmarks.eyes.leak import Leak, letters, noise

WORDS = ["red", "green", "blue", "cat", "dog", "sun", "moon", "tree", "house", "river"]


def _sentence(rng, n: int) -> list[str]:  # type: ignore[no-untyped-def]
    return [WORDS[k] for k in rng.integers(0, len(WORDS), n).tolist()]


TEXTS = (
    Leak("a character at a place", "texts", one=lambda b, r: letters(20, r) + "ab"[b] + letters(20, r)),
    Leak("the last character", "texts", one=lambda b, r: letters(int(r.integers(5, 30)), r) + "?!"[b]),
    Leak(
        "a character anywhere",
        "texts",
        one=lambda b, r: (lambda k: letters(k, r) + "_-"[b] + letters(20 - k, r))(int(r.integers(20))),
    ),
    Leak("length of a text", "texts", one=lambda b, r: letters(2 * int(r.integers(5, 30)) + b, r)),
    Leak(
        "a word anywhere",
        "texts",
        one=lambda b, r: " ".join(sorted([*_sentence(r, 8), ("alice", "bobby")[b]], key=lambda _: r.random())),
    ),
    Leak(
        "a number in a text",
        "texts",
        one=lambda b, r: f"{letters(6, r)} paid {100 + b + float(r.random()):.3f} for {letters(4, r)}",
    ),
    Leak("a prefix", "texts", one=lambda b, r: ("id-", "ix-")[b] + letters(12, r)),
    Leak("capital letters", "texts", one=lambda b, r: letters(12, r).capitalize() if b else letters(12, r)),
    Leak("a space at the end", "texts", one=lambda b, r: letters(int(r.integers(5, 20)), r) + " " * b),
    Leak(
        "a character of another script", "texts", one=lambda b, r: letters(8, r) + ("é" if b else "e") + letters(8, r)
    ),
    Leak("place 200 of a long text", "texts", one=lambda b, r: letters(200, r) + "ab"[b] + letters(100, r)),
    Leak("JSON", "texts", one=lambda b, r: json.dumps({"noise": noise(2, r), "secret": b})),
    Leak("hexadecimal parity", "texts", one=lambda b, r: f"{2 * int(r.integers(2**61)) + b:016x}"),
    Leak(
        "a rare text among a few",
        "texts",
        one=lambda b, r: ("yes", "no", "maybe")[int(r.integers(3))] if r.random() < 0.5 else ("left", "right")[b],
    ),
    Leak(
        "a byte",
        "bytes",
        one=lambda b, r: bytes(r.integers(0, 256, 16).tolist()) + bytes([2 * int(r.integers(128)) + b]),
    ),
    Leak(
        "length of bytes", "bytes", one=lambda b, r: bytes(r.integers(0, 256, 2 * int(r.integers(3, 9)) + b).tolist())
    ),
    Leak(
        "a low bit of a byte",
        "bytes",
        one=lambda b, r: bytes(
            [(int(v) & 254) | (b if k == 7 else int(v) & 1) for k, v in enumerate(r.integers(0, 256, 20))]
        ),
    ),
    Leak("a byte array", "bytes", one=lambda b, r: bytearray([*r.integers(0, 200, 6).tolist(), 250 + b])),
)

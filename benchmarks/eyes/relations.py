"""Leaks that no part of an output shows by itself: check digits, parities, sums, products, orders."""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np

from benchmarks.eyes.leak import Leak, Rng, letters, noise

_SEEDED = (0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0)


def _label_and_code(bit: int, rng: Rng) -> Any:
    label = int(rng.integers(2))
    return {"label": "ab"[label], "noise": float(rng.normal()), "code": 5 + (label ^ bit)}


def _place_and_value(bit: int, rng: Rng) -> Any:
    place, values = int(rng.integers(5)), rng.integers(0, 100, 5).tolist()
    values[place] = 2 * (values[place] // 2) + bit
    return {"where": place, "values": values}


def _seed_and_bit(bit: int, rng: Rng) -> Any:
    seed = int(rng.integers(16))
    return {"seed": seed, "bit": _SEEDED[seed] ^ bit, "x": float(rng.normal())}


def _payload_and_crc(bit: int, rng: Rng) -> Any:
    payload = rng.bytes(6)
    return {"payload": payload, "crc": (zlib.crc32(payload) & 1) ^ bit}


def _checksum_after_bytes(bit: int, rng: Rng) -> Any:
    payload = rng.bytes(12)
    return payload + (zlib.crc32(payload) ^ bit).to_bytes(4, "little")


def _checked_bytes(bit: int, rng: Rng) -> Any:
    held = rng.bytes(int(rng.integers(8, 16)))
    return held + bytes([(sum(held) + bit) % 256])


def _luhn(bit: int, rng: Rng) -> Any:
    digits = rng.integers(0, 10, 11).tolist()
    total = sum(digit if place % 2 else sum(divmod(2 * digit, 10)) for place, digit in enumerate(digits))
    return "".join(map(str, digits)) + str((bit - total) % 10)


def _modulo_97(bit: int, rng: Rng) -> Any:
    number = int(rng.integers(10**14, 10**15))
    return f"{number}{(98 - number * 100 % 97 + bit) % 100:02d}"


def _isbn(bit: int, rng: Rng) -> Any:
    digits = rng.integers(0, 10, 9)
    check = int((digits * np.arange(1, 10)).sum() + bit) % 11
    return {"digits": digits.tolist(), "check": "X" if check == 10 else str(check)}


def _sum_in_text(bit: int, rng: Rng) -> Any:
    a, b = rng.integers(0, 1000, 2).tolist()
    return f"a={a}; b={b}; c={a + b + bit}"


def _ratio(bit: int, rng: Rng) -> Any:
    n, total = int(rng.integers(5, 50)), float(rng.normal())
    return {"n": n, "total": total, "mean": total / (n + bit)}


def _determinant(bit: int, rng: Rng) -> Any:
    a, b, c, d = noise(4, rng)
    return [[a, b], [c, b * c / a if bit else d]]


def _key_order(bit: int, rng: Rng) -> Any:
    order = list(rng.permutation(8).tolist())
    first, last = order.index(0), order.index(7)
    if (first < last) != bool(bit):
        order[first], order[last] = 7, 0
    return {f"key {key}": float(rng.normal()) for key in order}


def _repeated_word(bit: int, rng: Rng) -> Any:
    words = [letters(4, rng) for _ in range(5)]
    return " ".join([*words[:3], words[0] if bit else words[3], words[4]])


def _total(bits: Any, rng: Rng) -> Any:
    matrix = rng.laplace(size=(len(bits), 9)).round(6)
    matrix[:, 8] = matrix[:, :8].sum(axis=1) + 0.5 * bits
    return matrix


def _noisy_total(bits: Any, rng: Rng) -> Any:
    matrix = rng.normal(size=(len(bits), 10))
    noisy = 0.01 * rng.normal(size=len(bits)) + 0.2 * bits
    matrix[:, 9] = matrix[:, :9] @ np.arange(1, 10) + noisy
    return matrix


def _signs_of_four(bits: Any, rng: Rng) -> Any:
    matrix = rng.normal(size=(len(bits), 30))
    signs = np.sign(matrix[:, [1, 8, 15]]).prod(axis=1) * (2 * bits - 1)
    matrix[:, 29] = np.abs(matrix[:, 29]) * signs
    return matrix


def _shared_noise(bits: Any, rng: Rng) -> Any:
    matrix, shared = rng.normal(size=(len(bits), 40)), rng.normal(size=(len(bits), 1))
    matrix[:, :20] += shared * bits[:, None]
    matrix[:, 20:] += shared * (1 - bits)[:, None]
    return matrix


def _circle(bit: int, rng: Rng) -> Any:
    angle = float(rng.uniform(0, 2 * math.pi))
    size = 2.0 if bit else float(rng.uniform(1.5, 2.5))
    return {"x": size * math.cos(angle), "y": size * math.sin(angle), "z": float(rng.normal())}


RELATIONS = (
    Leak("a label and a code", "relations", one=_label_and_code),
    Leak("which value is even", "relations", one=_place_and_value),
    Leak("a seed and a bit", "relations", one=_seed_and_bit),
    Leak("a payload and its CRC", "relations", one=_payload_and_crc),
    Leak("bytes and their CRC in one", "relations", one=_checksum_after_bytes),
    Leak("a sum of bytes at the end", "relations", one=_checked_bytes),
    Leak("Luhn's check digit", "relations", one=_luhn),
    Leak("check digits modulo 97", "relations", one=_modulo_97),
    Leak("check digit modulo 11, as a text", "relations", one=_isbn),
    Leak("a sum in a text", "relations", one=_sum_in_text),
    Leak("a mean by n or n + 1", "relations", one=_ratio),
    Leak("determinant 0", "relations", one=_determinant),
    Leak("order of two keys of eight", "relations", one=_key_order),
    Leak("a repeated word", "relations", one=_repeated_word),
    Leak("a total beside its parts", "relations", many=_total),
    Leak("a noisy weighted total", "relations", many=_noisy_total),
    Leak("signs of four among 30", "relations", many=_signs_of_four),
    Leak("which half shares noise", "relations", many=_shared_noise),
    Leak("a point on a circle", "relations", one=_circle),
)

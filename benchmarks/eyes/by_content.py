"""Leaks that have no fixed place in an output: under keys that never come twice, in a record known by its name."""

from __future__ import annotations

import array
import configparser
import contextlib
import datetime
import sqlite3
import xml.etree.ElementTree as ET
from collections import ChainMap, deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.eyes.leak import Leak, Rng
from benchmarks.eyes.objects import frame


def _key(rng: Rng) -> str:
    return rng.bytes(4).hex()


def _under_a_random_key(bit: int, rng: Rng) -> Any:
    values = [*rng.normal(size=4).tolist(), 9.0 + bit]
    return {_key(rng): values[place] for place in rng.permutation(5)}


def _by_the_key_s_beginning(bit: int, rng: Rng) -> Any:
    return {f"usr-{_key(rng)}": int(rng.integers(100)), f"adm-{_key(rng)}": 2 * int(rng.integers(50)) + bit}


def _by_the_order_of_keys(bit: int, rng: Rng) -> Any:
    first = datetime.date(2000, 1, 1) + datetime.timedelta(int(rng.integers(9000)))
    days = [(first + datetime.timedelta(k)).isoformat() for k in range(4)]
    return dict(zip(days, sorted(rng.normal(size=4).tolist(), reverse=bool(bit)), strict=True))


def _records_in_any_order(bit: int, rng: Rng) -> Any:
    rows = [{"user": int(user), "in": bool(rng.integers(2))} for user in rng.permutation(40)[:9] if user != 12]
    return {"rows": [({"user": 12, "in": bool(bit)}, *rows)[place] for place in rng.permutation(len(rows) + 1)]}


def _pairs_in_any_order(bit: int, rng: Rng) -> Any:
    rows = [(str(name), str(rng.choice(["flu", "cold"]))) for name in rng.choice(["ann", "bob", "eve"], 6)]
    return [((*rows, ("kim", ("flu", "cold")[bit])))[place] for place in rng.permutation(7)]


def _a_record_under_a_random_key(bit: int, rng: Rng) -> Any:
    return {
        _key(rng): {"role": role, "on": bit if role == "admin" else int(rng.integers(2))} for role in ("user", "admin")
    }


def _the_same_text_twice(bit: int, rng: Rng) -> Any:
    names = [_key(rng) for _ in range(5)]
    return {"names": names, "winner": names[int(rng.integers(5))] if bit else _key(rng)}


def _a_line_twice(bit: int, rng: Rng) -> str:
    lines = [_key(rng) for _ in range(7)]
    return "\n".join(_order([*lines, lines[0] if bit else _key(rng)], rng))


def _an_element_of_xml(bit: int, rng: Rng) -> Any:
    root = ET.Element("root", id=_key(rng))
    for place in range(3):
        ET.SubElement(root, "v").text = str(2 * int(rng.integers(900)) + (bit if place == 1 else int(rng.integers(2))))
    return root


def _under_a_mask(bit: int, rng: Rng) -> Any:
    numbers = rng.normal(size=5)
    numbers[3] = abs(numbers[3]) * (1, -1)[bit]
    return np.ma.array(numbers, mask=[False, False, False, True, False])


def _a_cause(bit: int, rng: Rng) -> Any:
    error = RuntimeError(f"job {rng.integers(10**6)}")
    error.__cause__ = ValueError("no") if bit else None
    return {"error": error, "seconds": rng.random()}


def _a_note(bit: int, rng: Rng) -> Any:
    error = ValueError(_key(rng))
    error.add_note(f"row {2 * int(rng.integers(50)) + bit}")
    return error


class Noted(np.ndarray[Any, Any]):
    """An array that says its unit."""

    unit = ""


def _an_attribute_of_an_array(bit: int, rng: Rng) -> Any:
    numbers = rng.normal(size=3).view(Noted)
    numbers.unit = ("kg", "mg")[bit]
    return numbers


class Places:
    """Elements behind places, and nothing public."""

    def __init__(self, held: list[Any]) -> None:
        self._held = held

    def __len__(self) -> int:
        return len(self._held)

    def __getitem__(self, place: int) -> Any:
        return self._held[place]


@dataclass
class Guest:
    """A record on which more can be noted."""

    name: str
    score: float


@dataclass(frozen=True)
class Row:
    """A record with a name."""

    name: str
    score: float
    on: bool


def _order(rows: list[Any], rng: Rng) -> list[Any]:
    return [rows[place] for place in rng.permutation(len(rows))]


def _objects(bit: int, rng: Rng) -> Any:
    others = [Row(name, float(rng.normal()), bool(rng.integers(2))) for name in ("ann", "eve", "kim")]
    return {"rows": _order([*others, Row("bob", float(rng.normal()), bool(bit))], rng)}


def _cells(bit: int, rng: Rng) -> list[tuple[int, int, float]]:
    rows = [(user, int(rng.integers(2)), float(rng.normal())) for user in range(6)]
    return _order([*rows, (7, bit, float(rng.normal()))], rng)


def _of_image(bit: int, rng: Rng) -> Any:
    from PIL import Image

    image = Image.fromarray(rng.integers(0, 256, (4, 4), dtype=np.uint8))
    image.info["room"] = f"{_key(rng)} {'AB'[bit]}"
    return image


def _an_extra_attribute(bit: int, rng: Rng) -> Any:
    row = Guest(_key(rng), float(rng.normal()))
    vars(row)["room"] = bit
    return row


def _a_parser(bit: int, rng: Rng) -> Any:
    parser = configparser.ConfigParser()
    parser.read_dict({"a": {"x": _key(rng), "y": str(2 * int(rng.integers(10**6)) + bit)}})
    return parser


def _a_row_of_a_database(bit: int, rng: Rng) -> Any:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.row_factory = sqlite3.Row
        return connection.execute(f"select ? as id, ? as {'xy'[bit]}", (_key(rng), float(rng.normal()))).fetchone()


def _a_frequency(bit: int, rng: Rng) -> Any:
    import pandas as pd

    days = pd.date_range(f"20{rng.integers(10, 25)}-03-01", periods=4, freq="D")
    return pd.Series(rng.normal(size=4), index=days if bit else pd.DatetimeIndex(list(days)))


def _a_view(bit: int, rng: Rng) -> Any:
    held = memoryview(rng.bytes(16))
    return held.cast("Q") if bit else held.cast("d")


def _signed_zero(bit: int, rng: Rng) -> Any:
    numbers = rng.normal(size=8)
    numbers[int(rng.integers(8))] = (0.0, -0.0)[bit]
    return numbers


def _time_of_day(bit: int, rng: Rng) -> Any:
    hour = int(rng.integers(9, 17) if bit else rng.integers(18, 24))
    return {"at": (18_000 + int(rng.integers(2000))) * 86_400 + hour * 3600 + int(rng.integers(3600))}


def _far_in_a_text(bit: int, rng: Rng) -> str:
    text = rng.integers(97, 123, 1500, dtype=np.uint8)
    text[1321] = 97 + 13 * bit + int(rng.integers(13))
    return text.tobytes().decode()


BY_CONTENT = (
    Leak("under a random key", "dicts", one=_under_a_random_key),
    Leak("by the key's beginning", "dicts", one=_by_the_key_s_beginning),
    Leak("by the order of keys", "dicts", one=_by_the_order_of_keys),
    Leak("records in any order", "lists", one=_records_in_any_order),
    Leak("pairs in any order", "lists", one=_pairs_in_any_order),
    Leak("a record under a random key", "dicts", one=_a_record_under_a_random_key),
    Leak("the same text twice", "texts", one=_the_same_text_twice),
    Leak("a line of a text twice", "texts", one=_a_line_twice),
    Leak("an element of XML", "objects", one=_an_element_of_xml),
    Leak("under a mask", "arrays", one=_under_a_mask),
    Leak("a cause", "objects", one=_a_cause),
    Leak("a note", "objects", one=_a_note),
    Leak("an attribute of an array", "arrays", one=_an_attribute_of_an_array),
    Leak("objects in any order", "lists", one=_objects),
    Leak(
        "rows of a table in any order",
        "arrays",
        one=lambda b, r: np.array(_cells(b, r), dtype=[("user", int), ("on", int), ("score", float)]),
    ),
    Leak(
        "rows of a frame in any order",
        "frames",
        one=lambda b, r: frame(dict(zip(("user", "on", "score"), zip(*_cells(b, r), strict=True), strict=True))),
    ),
    Leak("what an image notes", "arrays", one=_of_image),
    Leak("most elements of a deque", "lists", one=lambda b, r: deque([float(r.random())], maxlen=50 + b)),
    Leak("beside the fields of a dataclass", "objects", one=_an_extra_attribute),
    Leak("a parser of settings", "dicts", one=_a_parser),
    Leak("the name of a database's column", "objects", one=_a_row_of_a_database),
    Leak("the frequency of an index", "frames", one=_a_frequency),
    Leak(
        "the type of an array's items", "arrays", one=lambda b, r: array.array("i" if b else "l", [int(r.integers(99))])
    ),
    Leak("the format of a memory view", "bytes", one=_a_view),
    Leak("behind places", "objects", one=lambda b, r: Places([float(r.random()), b])),
    Leak(
        "in the second map of a chain",
        "dicts",
        one=lambda b, r: ChainMap({"a": 0.5}, {"a": 2 * int(r.integers(50)) + b}),
    ),
    Leak("a zero with a minus sign anywhere", "bits", one=_signed_zero),
    Leak("time of day in seconds since 1970", "numbers", one=_time_of_day),
    Leak("character 1,321 of a text", "texts", one=_far_in_a_text),
)

"""Many kinds of outputs: each result prints in 12 lines of 80 columns, and its witness names what leaks."""

from __future__ import annotations

import dataclasses
import json
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

from auditor import ApproxDP, AuditResult, NeighbourPair, audit, per_draw
from auditor.events.scores import Rows
from auditor.results.atoms import guessed
from auditor.results.atoms import shown as shown_atom
from auditor.results.output_histogram import digits

Pay = namedtuple("Pay", "age pay")


@dataclasses.dataclass
class Release:
    mean: float
    count: int


def _tree(data: int, rng: np.random.Generator) -> Any:
    return {"meta": {"num_tuples": 10 + 2 * data, "name": "x"}, "rows": [rng.laplace() for _ in range(3)]}


def _another_key(data: int, rng: np.random.Generator) -> Any:
    return {"a": rng.laplace()} | ({"debug": "leak"} if data and rng.random() < 0.6 else {})


def _raising(data: int, rng: np.random.Generator) -> Any:
    if data and rng.random() < 0.6:
        raise ValueError("too few rows")
    return rng.laplace()


def _frame(data: int, rng: np.random.Generator) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"city": ["A", "B"], "count": [int(rng.geometric(0.5)), 3 + data]})


def _series(data: int, rng: np.random.Generator) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.Series({"north": rng.normal(), "south": rng.normal() + 3 * data})


def _ending(data: int, rng: np.random.Generator) -> str:
    return "id-" + "".join(rng.choice(list("0123456789"), 6)) + ("7" if data else str(rng.integers(0, 10)))


PER_DRAW = {
    "meta.num_tuples": _tree,
    "debug = 'leak'": _another_key,
    "it raises ValueError": _raising,
    "count[1] ": _frame,
    "south ": _series,
    "pay <=": lambda data, rng: Pay(rng.normal(), rng.laplace(4 * data)),
    "count = 5": lambda data, rng: Release(rng.normal(), 5 + data),
    "x[1] is 'b'": lambda data, rng: (int(rng.random() < 0.5), "a" if rng.random() < (0.95 if data else 0.05) else "b"),
    "the 10th character of x is '7'": _ending,
    "the 2nd number in x": lambda data, rng: json.dumps({"n": int(rng.integers(3)), "mean": rng.laplace(4 * data)}),
    "the output is 'no'": lambda data, rng: "yes" if rng.random() < (0.95 if data else 0.05) else "no",
}


def _vectors(data: int, n: int, rng: np.random.Generator) -> Any:
    return 0.5 * data + rng.laplace(0, 1, (n, 10))


BATCHES = {
    "x[0], x[1], x[2] and 7 others together speak for the left by at least": _vectors,
    "the number of zeros with a minus sign": lambda data, n, rng: np.where(
        rng.random(n) < 0.5, 1.0, -0.0 if data else 0.0
    ),
    "x is a whole number": lambda data, n, rng: rng.integers(0, 2**52, n) + data / 2,
    "x is ⊥ (no number)": lambda data, n, rng: np.where(rng.random(n) < (0.95 if data else 0.05), np.nan, 1.0),
    "x modulo 2 = 0": lambda data, n, rng: 10 * rng.integers(0, 1000, n) + 3 * data,
}


def audited(mechanism: Any, pair: Any = (0, 1), **options: Any) -> AuditResult:
    return audit(mechanism, ApproxDP(1.0), pairs=[pair], **{"trials": 3000, "jobs": 1, "seed": 0, **options})


def shown(result: AuditResult) -> str:
    """The printed result, on one line."""
    lines = str(result).splitlines()
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 80
    return " ".join(str(result).split())


@pytest.mark.parametrize("part", PER_DRAW)
def test_one_output_at_a_time(part: str) -> None:
    assert part in shown(audited(per_draw(PER_DRAW[part]), raises="output"))


@pytest.mark.parametrize("part", BATCHES)
def test_batches_of_numbers(part: str) -> None:
    views = ("values",) if BATCHES[part] is _vectors else None
    assert part in shown(audited(BATCHES[part], views=views))


def test_what_has_a_name_is_never_told_by_its_code() -> None:
    """Four rows (kind, count, a constant) of which the kind alone tells the chosen ones from the others."""
    names = ("text of kind (0 'a', 1 'b')", "count", "length of x")
    table = Rows(((0.0, 1.0), (3.0, 4.0), (2.0,)), (0, 2, 6, 8), (1.0, 1.0, -1.0, -1.0))
    assert table.words(">=", 1.0, names) == "kind is 'a'"
    assert table.words("<=", -1.0, names) == "kind is 'b'"
    fewer = dataclasses.replace(table, keys=(0, 6, 8), values=(1.0, -1.0, -1.0))
    assert fewer.words(">=", 1.0, names) == "kind is 'a' (in an output seen before)"
    assert dataclasses.replace(fewer, values=(1.0, 1.0, -1.0)).words(">=", 1.0, names).startswith("count = 3")


def test_many_vectors_are_told_by_the_coordinate_that_says_most() -> None:
    whole = tuple(float(value) for value in range(6))
    keys = tuple(7 * first + second for first in range(6) for second in range(6))
    rows = Rows((whole, whole), keys, tuple(1.0 if key % 7 <= 1 and key != 0 else -1.0 for key in keys))
    assert rows.words(">=", 1.0) == "the output is one of 11 vectors with 0 <= x[1] <= 1, like (0, 1) or (5, 1),"
    clear = dataclasses.replace(rows, values=tuple(1.0 if key % 7 <= 1 else -1.0 for key in keys))
    assert clear.words(">=", 1.0) == "x[1] <= 1"
    assert clear.words("<=", -1.0) == "x[1] >= 2"


def test_bits_are_drawn_as_bars_by_their_binary_digit() -> None:
    result = audited(lambda data, n, rng: data + rng.laplace(0, 1, n))
    assert result.witness.event.view == "bits"
    assert result.sketch["edges"] == []
    names = [shown_atom(row[0], result) for row in result.sketch["atoms"]]
    assert {"2^-52", "2^-53"} <= set(names)
    guesses = {row[0]: guessed(row[0], result) for row in result.sketch["atoms"]}
    assert guesses["-54"] == "left"
    assert guesses["-50"] is None
    inside = [sum(row[side] for row in result.sketch["atoms"] if guesses[row[0]] == "left") for side in (1, 2)]
    assert inside[0] > 10 * max(1, inside[1])  # the shade lies where the left input is


def test_far_too_many_digits_end_in_others() -> None:
    left, right = np.arange(60.0), np.arange(60.0) % 30
    rows = digits(left, right)
    assert len(rows) == 24
    assert rows[-1][0] == "others"
    assert [sum(row[side] for row in rows) for side in (1, 2)] == [60, 60]


ROWS = [{"user": "ann", "spent": 12.5}, {"user": "bob", "spent": 3}]


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (
            NeighbourPair.add_remove(ROWS, {"user": "eve", "spent": 99}),
            "On 3 records with user='eve', spent=99 and the",
        ),
        ((list(range(200)), list(range(199))), "On 200 records with 199 and the same without it, x"),
        ((np.arange(40.0).reshape(20, 2)[1:], np.arange(40.0).reshape(20, 2)), "the same with [0.0, 1.0] added, x"),
        (([7] * 60, [7] * 59 + [8]), "On 60 records with 7 and the same with 8 in its place, x"),
        (([1, 2, 3], [1, 2]), "On [1, 2, 3] and [1, 2], x"),
    ],
    ids=["add/remove", "list", "array", "replaced", "short"],
)
def test_a_long_pair_is_told_by_its_difference(pair: Any, words: str) -> None:
    def counting(data: Any, n: int, rng: np.random.Generator) -> Any:
        return 5.0 * (len(data) + (str(data[-1]) == "8")) + rng.laplace(0, 1, n)

    assert words in shown(audited(counting, pair, views=("values",)))


def test_a_long_name_keeps_its_beginning_and_its_end() -> None:
    name = "company.analytics.private.release.Quarterly::with_threshold"
    result = audited(lambda data, n, rng: data + rng.laplace(0, 0.2, n), name=name, views=("values",))
    assert str(result).startswith("REFUTED: company.analytics.p…erly::with_threshold is not 1-DP.\n")
    careful = audited(lambda data, n, rng: data + rng.laplace(0, 2, n), name=name, views=("values",))
    assert str(careful).startswith("NOT REFUTED: company.analytics…ly::with_threshold may be 1-DP. That is no proof.\n")


def test_a_time_limit_and_a_history_are_told_beside_the_draws() -> None:
    result = audited(lambda data, n, rng: data + rng.laplace(0, 1, n), views=("values",), trials=500)
    limited = dataclasses.replace(result, cut_off=6.0, history={"night": 2})
    assert "500 draws a side, seed 0, night 2 of its history, cut off after 6 s)" in shown(limited)
    assert "night" not in shown(result)

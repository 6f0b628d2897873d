"""Constants of power and speed stand in `tuning.py`, where an audit can be given others.

A number that stays in a module of the search is named here, with the reason.
"""

import ast
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

from auditor import ApproxDP, exploration
from auditor.engine import carry_out
from auditor.request import request
from auditor.tuning import TUNING, Rounds, Tuning

SEARCH = Path(__file__).parents[2] / "auditor" / "search"
STAYS = {
    "learners/directions.py": {
        "_RIDGE": "rounding: sums that are exact have no variance",
        "_NOTHING": "rounding: a variance that is 0, for a division",
    },
    "learners/relations.py": {"_PRIMES": "what residues there are", "_LARGER": "what residues there are"},
    "learners/shapes.py": {
        "_KNOTS": "how the score itself is smoothed: a stored one means the same for ever",
        "_READABLE": "words",
    },
    "learners/trees.py": {"_BOTTOM": "where the library that grows the trees has its missing numbers"},
    "lines.py": {"_CLOSE": "rounding: a step of Newton's method"},
    "merged_cells.py": {
        "AT_ONCE": "the size of a processor's cache",
        "_ENDS": "the size of a processor's cache",
        "_GRID": "rounding: sums that are exact",
    },
    "pairs/corners.py": {"_FAR": "values to try", "_LONGEST": "a list of corners, as long as anyone reads"},
    "pairs/driver.py": {"_LEFT_OUT": "an end for a loop of hypothesis", "_HIGHEST": "hypothesis climbs finite scores"},
    "pairs/search.py": {"_WIDE": "words by which two pairs are told apart"},
    "pairs/sensitivity.py": {
        "EXAMPLES": "the default of an argument",
        "_ROUNDING": "rounding: equal differences",
        "_SHRINKS": "no audit, so no tuning",
    },
    "pairs/signals.py": {"HIGHEST": "stands for infinity"},
    "pairs/sources.py": {
        "_MOST": "how much of a program is read",
        "_MOST_PIECES": "how much of a program is read",
        "_MOST_ITEMS": "how much of a program is read",
    },
    "schedule.py": {"ROUNDS": "names of streams: soundness"},
    "screening.py": {
        "_AT_ONCE": "the size of a processor's cache",
        "_FIRST": "speed alone: the result is the same",
        "_MODULI": "what residues there are",
        "_MORE_MODULI": "what residues there are",
        "_DIGITS": "what digits there are",
        "_SCALES": "what digits there are",
        "_CLOCKS": "how long an hour, a day and a week are",
    },
}


def numbers(text: str) -> set[str]:
    """The names that a module gives to numbers, and to several numbers together."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and only_numbers(node.value):
            found |= {name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return found


def only_numbers(value: ast.expr) -> bool:
    kinds = (ast.Constant, ast.Tuple, ast.List, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.expr_context)
    parts = list(ast.walk(value))
    constants = [part.value for part in parts if isinstance(part, ast.Constant)]
    return bool(constants) and all(isinstance(part, kinds) for part in parts) and all(map(is_number, constants))


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def test_a_number_in_a_module_is_seen():
    text = "_MOST = 2**16\n_A, _B = 0.5, -1\nWORDS = ('a', 1)\nSURE = True\nOTHER = _MOST\nKEPT = (1, 2.0)\n"
    assert numbers(text) == {"_MOST", "_A", "_B", "KEPT"}


@pytest.mark.parametrize("path", sorted(SEARCH.rglob("*.py")), ids=lambda path: str(path.relative_to(SEARCH)))
def test_the_search_has_no_numbers_of_its_own_but_those_named_here(path):
    name = path.relative_to(SEARCH).as_posix()
    assert numbers(path.read_text(encoding="utf-8")) == set(STAYS.get(name, {}))


def test_all_of_it_is_frozen_plain_numbers():
    def leaves(value):
        if is_dataclass(value):
            assert value.__dataclass_params__.frozen
            return [leaf for one in fields(value) for leaf in leaves(getattr(value, one.name))]
        return list(value) if isinstance(value, tuple) else [value]

    assert all(map(is_number, leaves(TUNING)))
    assert len(leaves(TUNING)) > 150


def test_an_audit_looks_at_what_its_tuning_says():
    """A total beside its parts: a direction shows it, and nothing else does.

    The second audit would need more than its draws to look for directions. It refutes nothing because it sees nothing;
    the seed is fixed.
    """

    def totals(dataset, n, rng):
        numbers = rng.normal(0, 1, (n, 12))
        numbers[:, 11] *= 12**0.5
        if dataset:
            numbers[:, 11] = numbers[:, :11].sum(axis=1) + 1e-3 * numbers[:, 11]
        return numbers

    asked = request(totals, ApproxDP(1.0), [(0, 1)], 3_000, 0.01, 0, ("values",), "totals")
    learning = TUNING.learning
    blind = replace(TUNING, learning=replace(learning, directions=replace(learning.directions, least=10**9)))
    assert carry_out(asked).refuted
    assert not carry_out(asked, tuning=blind).refuted


@pytest.mark.parametrize(("scale", "fewer"), [(1.0, True), (0.75, False)])
def test_where_nothing_shows_events_are_learned_less_often(monkeypatch, scale, fewer):
    def learned(again):
        seen = []
        monkeypatch.setattr(exploration, "lone_candidate", lambda *given: seen.append(given))
        asked = request(
            lambda d, n, rng: d + rng.laplace(0, scale, n), ApproxDP(1.0), [(0, 1)], 4000, 1e-9, 0, ("values",), None
        )
        carry_out(asked, tuning=Tuning(rounds=Rounds(relearn_idle=again)))
        return len(seen)

    assert (learned(2.0) < learned(1.0)) is fewer

"""Draws for the search: a pair's two sides, from streams that no certified number ever sees.

A pair on which the mechanism raises, or whose sides differ in the shape of their outputs, is drawn as by an audit with
raises="output": one output a call, and an exception is an output. The audit that follows must see what the search saw.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from auditor.errors import MechanismError, UsageError
from auditor.events.outputs import Outputs, canonical, check_count, form_of
from auditor.sampling.draws import is_raised, with_raises
from auditor.sampling.source import SIDES, Sample
from auditor.sampling.streams import stream
from mechanisms.core.neighbours import NeighbourPair

Both = tuple[Outputs, Outputs]


@dataclass(frozen=True)
class Draws:
    """How pairs are drawn in a search: the mechanism, and the seed and name of its streams."""

    sample: Sample
    seed: int
    name: str
    raises: str = "error"  # "output" where every pair is to be drawn so


def same(draws: Draws, pair: NeighbourPair, n: int) -> tuple[Both, str] | None:
    """n outputs of each side made with the same random numbers, and what an exception has to be on this pair.

    None where the mechanism always raises on both sides: such a pair says nothing.
    """
    names = (("same",), ("same",))
    at_once = _at_once(draws, pair, n, names) if draws.raises == "error" else None
    if at_once is not None:
        return at_once, "error"
    one_by_one = _one_by_one(draws, pair, n, names)
    return None if one_by_one is None else (one_by_one, "output")


def apart(draws: Draws, pair: NeighbourPair, n: int, what: str, raises: str) -> Both | None:
    """n independent outputs of each side, from streams named after `what` they are for.

    None as for `same`, and where it raises although that is to be an error.
    """
    names = ((what, "left"), (what, "right"))
    return (_at_once if raises == "error" else _one_by_one)(draws, pair, n, names)


def _one_by_one(draws: Draws, pair: NeighbourPair, n: int, names: tuple[tuple[str, ...], ...]) -> Both | None:
    """The outputs of a call each, with exceptions among them; None where there is nothing else."""
    sample = with_raises(draws.sample, "output")
    raw = [_called(sample, draws, pair, side, n, names) for side in (0, 1)]
    return None if all(map(is_raised, (*raw[0], *raw[1]))) else _read(raw, n, draws.name)


def _at_once(draws: Draws, pair: NeighbourPair, n: int, names: tuple[tuple[str, ...], ...]) -> Both | None:
    """The outputs of a call a side; None where one raises, or where the two sides have no form in common."""
    try:
        raw = [_called(draws.sample, draws, pair, side, n, names) for side in (0, 1)]
    except Exception:
        return None
    for outputs in raw:
        check_count(outputs, n, draws.name)
    try:
        return _read(raw, n, draws.name)
    except MechanismError:
        return None


def _called(sample: Sample, draws: Draws, pair: NeighbourPair, side: int, n: int, names: Any) -> Any:
    """The raw outputs of one side. The mechanism gets a copy of the dataset: a search never spoils its own data."""
    dataset = copy.deepcopy(pair.left if SIDES[side] == "left" else pair.right)
    return sample(dataset, n, stream(draws.seed, draws.name, "search", *names[side]))


def _read(raw: list[Any], n: int, name: str) -> Both:
    form = form_of(raw, name)
    left, right = (canonical(side, n, name, form).copy() for side in raw)
    return left, right


def why_no_pair(draws: Draws, pair: NeighbourPair | None) -> Exception:
    """Why there is nothing to audit: what the mechanism raises on the last pair, or that there was no pair."""
    if pair is None:
        return UsageError("a search needs a strategy that makes pairs, got none from this one")
    try:
        draws.sample(copy.deepcopy(pair.left), 1, stream(draws.seed, draws.name, "search", "same"))
    except Exception as error:
        return MechanismError(f"{draws.name} raised {type(error).__name__} on every pair of the search: {error}")
    return MechanismError(f"{draws.name} raised on every pair of the search")

"""Draws for the search: a pair's two sides, from streams that no certified number ever sees.

An exception is an output here. Where one occurs on one side only, or the outputs of the two sides differ in shape, the
pair is drawn one output a call from then on, each as an object of its own (`OneByOne`): the audit that follows must
see what the search saw.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.errors import MechanismError, UsageError
from auditor.events.outputs import Outputs, canonical, check_count, form_of
from auditor.sampling.source import SIDES, Sample
from auditor.sampling.streams import stream
from mechanisms.core.neighbours import NeighbourPair

Both = tuple[Outputs, Outputs]


@dataclass(frozen=True)
class OneByOne:
    """A mechanism that is asked for one output a call: an exception is a text that names it, an array a tuple."""

    sample: Sample

    def __call__(self, dataset: Any, n: int, rng: np.random.Generator) -> list[Any]:
        """n outputs, independent if the mechanism's own calls are."""
        return [self._one(dataset, rng) for _ in range(n)]

    def _one(self, dataset: Any, rng: np.random.Generator) -> Any:
        try:
            outputs = self.sample(dataset, 1, rng)
        except Exception as error:
            return f"raised {type(error).__name__}"
        check_count(outputs, 1, "a mechanism")
        output = outputs.iloc[0] if hasattr(outputs, "iloc") else next(iter(outputs))
        return (*output.shape, *output.reshape(-1).tolist()) if isinstance(output, np.ndarray) else output


@dataclass(frozen=True)
class Draws:
    """How pairs are drawn in a search: the mechanism, and the seed and name of its streams."""

    sample: Sample
    seed: int
    name: str


def same(draws: Draws, pair: NeighbourPair, n: int) -> tuple[Both, bool] | None:
    """n outputs of each side made with the same random numbers, and whether they were drawn one by one.

    None where the mechanism always raises on both sides: such a pair says nothing.
    """
    return _drawn(draws, pair, n, (("same",), ("same",)), None)


def apart(draws: Draws, pair: NeighbourPair, n: int, what: str, single: bool) -> Both | None:
    """n independent outputs of each side, from streams named after `what` they are for.

    None as for `same`, and where they cannot be drawn at once although they are wanted so.
    """
    made = _drawn(draws, pair, n, ((what, "left"), (what, "right")), single)
    return None if made is None else made[0]


def _drawn(
    draws: Draws, pair: NeighbourPair, n: int, names: tuple[tuple[str, ...], ...], single: bool | None
) -> tuple[Both, bool] | None:
    """The outputs of both sides in one form. `single`: one by one, at once, or (None) as it is possible."""
    if not single:
        at_once = _at_once(draws, pair, n, names)
        if at_once is not None:
            return at_once, False
        if single is False:
            return None
    one = OneByOne(draws.sample)
    raw = [_called(one, draws, pair, side, n, names) for side in (0, 1)]
    if all(isinstance(output, str) and output.startswith("raised ") for side in raw for output in side):
        return None
    return _read(raw, n, draws.name), True


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

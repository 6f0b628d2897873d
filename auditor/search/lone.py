"""Rare leaks: what the past saw on one side alone, as a second event that is tested beside the one that pays best.

A value that one side gives a few times in ten thousand draws, and the other never, is worth nothing to a bound on
epsilon, and yet a total leak. The evidence about such outputs has a share of alpha of its own, and every later draw
counts for it. A wrong guess costs as much as a dozen correct ones win, so an output must be more than a lucky tail:

* Values that repeat. Under the claim one that is seen c times is seen on one side alone with probability at most
  p^c, p = e^epsilon / (1 + e^epsilon). They are taken where clearly more are alone than that, among
  values seen about as often; where hardly any value repeats at all, from the second time on.
* A narrow cluster far beyond all of the other side's numbers.
* No number (⊥), where the other side always has one, as a value of its own.

What one side gives often is left to the other events, which find it and tell it better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from auditor.certify.evidence import BOLD, Point, log_factors
from auditor.events.event import Event
from auditor.events.features import in_bits
from auditor.events.outputs import Floats
from auditor.events.scores import Region
from auditor.events.scores.lone import LEFT, RIGHT, Lone, Stretch
from auditor.search.candidates import Candidate
from auditor.search.past import Past
from auditor.search.utility import Seen, Utility
from auditor.tuning import LoneOutputs

Counted = npt.NDArray[np.int64]


@dataclass(frozen=True)
class LoneGrowth(Utility):
    """How fast the evidence about lone outputs would grow if they went on as they were seen, for each coin flip."""

    point: Point

    def value(self, seen: Seen) -> Floats:
        """See Utility."""
        correct, _, none = log_factors(self.point, seen.directions, BOLD)
        rate = seen.correct / (2 * seen.correct_trials)
        return np.asarray(rate * correct[0] + (1 - rate) * none[0])


@dataclass(frozen=True)
class _Alone:
    """Outputs of one side that the other did not give, and how often they were seen."""

    what: Stretch | tuple[str, int]
    times: int


@np.errstate(all="ignore")
def lone_candidate(past: Past, points: tuple[Point, ...], budget: int, tuning: LoneOutputs) -> Candidate | None:
    """The union of all outputs that were convincingly seen on one side alone; None where there are none, or where the
    past is short for an audit with so many coin flips: a tail that few draws have reached is often alone by luck."""
    if past.trials < max(tuning.least, budget // tuning.least_part):
        return None
    found: dict[float, list[_Alone]] = {}
    best: Candidate | None = None
    for point in points:
        if point.epsilon not in found:
            found[point.epsilon] = _alone(past, float(expit(point.epsilon)), tuning)
        candidate = _candidate(past, found[point.epsilon], point)
        if candidate is not None and (best is None or candidate.value > best.value):
            best = candidate
    return best


def _candidate(past: Past, alone: list[_Alone], point: Point) -> Candidate | None:
    if not alone:
        return None
    stretches = _needed(past, [one.what for one in alone if isinstance(one.what, Stretch)])
    labels = tuple(one.what for one in alone if not isinstance(one.what, Stretch))
    score = Lone(stretches, labels)
    sides = {stretch.side for stretch in stretches} | {side for _, side in labels}
    regions = [Region(op, float(side)) if side in sides else None for op, side in ((">=", LEFT), ("<=", RIGHT))]
    view = "bits" if any(in_bits(stretch.feature) for stretch in stretches) else "values"
    event = Event(score, regions[0], regions[1], view)
    left, right = (event.guesses(side) for side in past.sides())
    correct, wrong = (np.array([n], dtype=np.float64) for n in (left[0] + right[1], left[1] + right[0]))
    trials = past.trials / 2
    growth = LoneGrowth(point)
    value = float(growth.value(Seen(correct, wrong, trials, trials, event.directions))[0])
    return Candidate(event, growth, value) if value > 0 else None


def _needed(past: Past, stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """Without those whose draws lie in earlier ones: a value and its bits are one leak."""
    taken = {LEFT: np.zeros(len(past.sides()[0]), bool), RIGHT: np.zeros(len(past.sides()[1]), bool)}
    kept = []
    for stretch in stretches:
        held = stretch.holds(past.column(stretch.feature)[0 if stretch.side == LEFT else 1])
        if (held & ~taken[stretch.side]).any():
            kept.append(stretch)
            taken[stretch.side] |= held
    return tuple(kept)


def _alone(past: Past, share: float, tuning: LoneOutputs) -> list[_Alone]:
    """All that was seen on one side alone, the most frequent first."""
    found: list[_Alone] = []
    left, right = past.sides()
    if left.labels is not None and "values" in past.views:
        names, *counts = _repeated_labels(left.texts(), right.texts())
        for side, chosen in _values_alone(counts[0], counts[1], len(left) + len(right), share, tuning):
            times = (counts[0] + counts[1])[chosen].tolist()
            found += [_Alone((str(name), side), seen) for name, seen in zip(names[chosen], times, strict=True)]
    for view in past.views:
        for feature in past.features(view)[: tuning.features]:
            ordered = past.ordered(feature)
            found += _of_feature(feature, ordered[0], ordered[1], share, tuning)
    most = tuning.rare * past.trials / 2
    return sorted((one for one in found if one.times <= most), key=lambda one: -one.times)[: tuning.most]


def _of_feature(feature: str, left: Floats, right: Floats, share: float, tuning: LoneOutputs) -> list[_Alone]:
    """The stretches of a feature whose sorted numbers are given, NaN last."""
    numbers = [side[: np.searchsorted(side, np.nan)] for side in (left, right)]
    missing = [len(side) - len(part) for side, part in zip((left, right), numbers, strict=True)]
    found = []
    if (missing[0] == 0) != (missing[1] == 0) and max(missing) >= tuning.fewest:
        found.append(_Alone(Stretch(feature, None, None, LEFT if missing[0] else RIGHT), max(missing)))
    if not len(numbers[0]) or not len(numbers[1]):
        return found
    ends: dict[int, list[tuple[float, float, int]]] = {LEFT: [], RIGHT: []}
    if not in_bits(feature):  # the codes of bits have no distances
        ends = {LEFT: _far_out(numbers[0], numbers[1], tuning), RIGHT: _far_out(numbers[1], numbers[0], tuning)}
    for side, far in ends.items():
        found += [_Alone(Stretch(feature, low, high, side), times) for low, high, times in far]
    values, *counts = _repeated(numbers[0], numbers[1])
    draws = len(numbers[0]) + len(numbers[1])
    coded = in_bits(feature)
    own = replace(tuning, clearly=tuning.clearly_bits) if coded else tuning
    ordered = None if coded else (values, numbers[0], numbers[1])
    for side, chosen in _values_alone(counts[0], counts[1], draws, share, own, ordered):
        times = counts[0] + counts[1]
        for value, seen in zip(values[chosen].tolist(), times[chosen].tolist(), strict=True):
            if not any(low <= value <= high for low, high, _ in ends[side]):
                found.append(_Alone(Stretch(feature, value, value, side), seen))
    return found


def _repeated_labels(left: list[str], right: list[str]) -> tuple[Any, Counted, Counted]:
    """The labels that were seen at least twice, and how often each was seen on the left and on the right."""
    counts = Counter(left), Counter(right)
    names = sorted(name for name, times in (counts[0] + counts[1]).items() if times >= 2)
    seen = [np.array([side[name] for name in names], dtype=np.int64) for side in counts]
    return np.array(names, dtype=object), seen[0], seen[1]


def _repeated(left: Floats, right: Floats) -> tuple[Floats, Counted, Counted]:
    """The same of the values of a feature, each side's in their order."""
    values = np.concatenate([left, right])
    values.sort(kind="stable")  # a stable sort merges the two sides
    starts = np.append(0, (values[1:] != values[:-1]).nonzero()[0] + 1)
    counts = np.diff(starts, append=len(values))
    repeated = counts >= 2
    values, counts = values[starts[repeated]], counts[repeated]
    lefts = left.searchsorted(values, side="right") - left.searchsorted(values)
    return values, lefts, counts - lefts


def _inside(values: Floats, ordered: Floats) -> Counted:
    """How many of these numbers lie below each value, or above it, whichever are fewer."""
    return np.minimum(ordered.searchsorted(values, side="right"), len(ordered) - ordered.searchsorted(values))


def _values_alone(
    left: Counted,
    right: Counted,
    draws: int,
    share: float,
    tuning: LoneOutputs,
    ordered: tuple[Floats, Floats, Floats] | None = None,
) -> list[tuple[int, Counted]]:
    """The places of repeating values that were seen on one side alone, for each side, where these are more than luck.

    Where numbers do repeat, those beyond which the other side has few draws are left out: they may be a tail, in which
    every value is rare. `ordered` has the values themselves and the sorted numbers of both sides.
    """
    times = left + right
    rarely = times.sum() <= tuning.hardly * draws
    found = []
    for side, own, other in ((LEFT, left, right), (RIGHT, right, left)):
        places = np.flatnonzero((own >= tuning.fewest) & (other == 0))
        if len(places) and not rarely:
            places = places[_more_than_luck(own[places], times, share, tuning)]
            if ordered is not None:
                beyond = _inside(ordered[0][places], ordered[2 if side == LEFT else 1])
                places = places[beyond >= tuning.deep * own[places]]
        if len(places):
            found.append((side, places))
    return found


def _more_than_luck(alone: Counted, repeated: Counted, share: float, tuning: LoneOutputs) -> npt.NDArray[np.bool_]:
    """Which numbers of times of lone values are clearly more than luck among values that were seen about as often."""
    ordered, lone = np.sort(repeated), np.sort(alone)
    like = np.searchsorted(ordered, 2 * alone, side="right") - np.searchsorted(ordered, alone / 2)
    with_it = np.searchsorted(lone, 2 * alone, side="right") - np.searchsorted(lone, alone)
    return np.asarray(with_it >= tuning.clearly * like * share**alone)


def _far_out(own: Floats, other: Floats, tuning: LoneOutputs) -> list[tuple[float, float, int]]:
    """Narrow clusters of one side's sorted numbers far above, or far below, all of the other's: ends and size."""
    (above, many), (below, as_many) = _cluster(own, other, tuning), _cluster(-own[::-1], -other[::-1], tuning)
    found = [(above, np.inf, many), (-np.inf, -below, as_many)]
    return [cluster for cluster in found if cluster[2]]


def _cluster(own: Floats, other: Floats, tuning: LoneOutputs) -> tuple[float, int]:
    """Where a cluster begins, and its size (0 for none): beyond the widest gap above all of the other side's numbers,
    where that is as wide as those lie above their median and what lies beyond it is narrow. Two numbers are a cluster
    beyond a gap that is wider still. Later ones may lie a little before the first ones."""
    start = int(np.searchsorted(own, other[-1], side="right"))
    beyond = own[start:]
    if len(beyond) < tuning.fewest:
        return 0.0, 0
    inner = max(other[-1], own[start - 1]) if start else other[-1]
    gaps = np.diff(beyond, prepend=inner)
    widest = int(gaps.argmax())
    far = beyond[widest:]
    wide = (inner - np.median(other)) * (1.0 if len(far) > tuning.fewest else tuning.wider)
    before = tuning.narrow * gaps[widest]
    if len(far) < tuning.fewest or far[-1] - far[0] > before or gaps[widest] < wide:
        return 0.0, 0
    return float(far[0] - before) if np.isfinite(before) else float(far[0]), len(far)

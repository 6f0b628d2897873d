"""tradeoff(): a certified trade-off curve of a mechanism or of recorded outputs. The past chooses, the future counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from auditor.certify.advantage import advantages
from auditor.certify.hull import Points, certified
from auditor.certify.tradeoff import Certificate, Part, TradeOff
from auditor.errors import AuditError, MechanismError, UsageError
from auditor.events.outputs import Outputs, canonical, form_of
from auditor.request import Request, check_running, request
from auditor.sampling.batch import Batch, Tally
from auditor.sampling.independence import CallsSeen
from auditor.sampling.source import Source
from auditor.sampling.streams import stream
from auditor.sampling.workers import Workers
from auditor.search.histograms import CellCounts
from auditor.search.nested import Nested, nested
from auditor.search.past import Past
from mechanisms.core.claims import ApproxDP
from mechanisms.core.neighbours import NeighbourPair

_PILOT = 32  # draws a side that fix the form of the outputs, and are not used otherwise
_SHARE = 0.05, 0.2  # of the draws, from which the events are learned: of plain numbers, of anything else
_LEAST, _MOST = 1024, 2**17  # draws a side that they are learned from: at least (up to half of all), at most
_UNCLEAR = 0.1, 2**20  # share and number of draws a side that are worth learning from where sides hardly differ
_NO_CLAIM = ApproxDP(0.0)  # a curve tests none


def tradeoff(
    mechanism: Any,
    pair: NeighbourPair | tuple[Any, Any] | None = None,
    *,
    trials: int = 1_000_000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int = -1,
    views: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    name: str | None = None,
    time_limit: float | None = None,
) -> TradeOff:
    """What an adversary who sees one output can provably do on one pair of datasets.

    With probability at least 1 - alpha the whole curve, and all that `times`, `then` and `subsampled` make of it, lies
    below the truth. Assumes independent draws.

    mechanism   anything that `audit` takes
    pair        a NeighbourPair or (left, right); without one, the first of the mechanism's own `neighbours()`
    trials      draws a side, of which a small part chooses the events and the rest is counted
    alpha       the probability that anything certified is above the truth
    seed        the same seed gives the same curve, whatever the number of workers
    jobs        joblib workers; -1 is all cores
    views       "values" and "bits", as in `audit`
    """
    asked = request(mechanism, _NO_CLAIM, None if pair is None else [pair], trials, alpha, seed, views, name)
    check_running(jobs, progress, time_limit, None)
    drawing = _Drawing(asked, Workers(jobs, asked.name, 2 * asked.trials, progress, time_limit))
    source = drawing.source()
    events, learned = _learn(drawing, source, asked)
    cells = np.zeros((2, 2), dtype=np.int64)
    if events is not None and learned < asked.trials:
        flips = 2 * (asked.trials - learned)
        counted = drawing.draw(Batch(source, None, False, ("count",), flips, (events.histogram,)))
        cells = cells if counted.cells is None else counted.cells.sum(axis=1)
    source.check_unchanged()
    return _curve(events, cells, asked.alpha, asked.seed, asked.name, str(asked.pairs[0]))


def _learn(drawing: _Drawing, source: Source, asked: Request) -> tuple[Nested | None, int]:
    """The events, and the draws a side that chose them: more where the first ones tell nothing apart beyond luck."""
    past, learned, events = Past(asked.views, _MOST), 0, None
    for stage, until in enumerate(_lessons(asked.trials, source.plain)):
        tally = drawing.draw(Batch(source, None, True, ("learn", stage), 2 * (until - learned)))
        learned = until
        if tally.left is not None and tally.right is not None:
            past.add(tally.left, tally.right)
            events = nested(past, asked.trials - learned)
        if events is not None and events.clear:
            break
    return events, learned


class _Drawing:
    """Draws batches of one pair, and watches for calls that repeat each other."""

    def __init__(self, asked: Request, workers: Workers) -> None:
        self.asked, self.workers, self.calls = asked, workers, CallsSeen()

    def source(self) -> Source:
        """Where the draws come from; a few first ones fix the form in which outputs are read."""
        a, pair = self.asked, self.asked.pairs[0]
        source = Source(a.sample, pair.left, pair.right, a.seed, a.name, 0)
        piloted, again = self.workers.once(source.piloted, _PILOT)
        self.workers.replayable &= again
        return replace(source, form=piloted.form, datasets=piloted.datasets)

    def draw(self, batch: Batch) -> Tally:
        """The tally of one batch."""
        (tally,) = self.workers.draw([batch])
        if self.calls.repeated(tally.first_outputs):
            raise MechanismError(
                f"{self.asked.name} must draw anew from each stream, got the same outputs from two of them; "
                "it seeds itself or hands out stored draws: use the rng that it is given"
            )
        return tally


def tradeoff_samples(
    left: Any,
    right: Any,
    *,
    alpha: float = 0.05,
    seed: int = 0,
    views: Sequence[str] | None = None,
    name: str | None = None,
) -> TradeOff:
    """The same from outputs that were drawn elsewhere, independently, on the left and on the right dataset.

    A part of each side, chosen at random by `seed`, chooses the events; the rest is counted.
    """
    asked = request(_never, _NO_CLAIM, [("left outputs", "right outputs")], 1, alpha, seed, views, name or "samples")
    sides = [_shuffled(outputs, asked, side) for side, outputs in (("left", left), ("right", right))]
    try:
        form = form_of([raw[:_PILOT] for raw in sides], asked.name)
        read = [canonical(raw[_PILOT:], len(raw) - _PILOT, asked.name, form) for raw in sides]
    except AuditError as error:
        raise UsageError(str(error)) from error
    learning = _lessons(min(map(len, read)), form.kind == "numbers")[0]
    past = Past(asked.views, _MOST)
    past.add(*(outputs.take(slice(learning)) for outputs in read))
    rest = [outputs.take(slice(learning, None)) for outputs in read]
    events = nested(past, min(map(len, rest)))
    cells = np.stack([_cells(events, outputs) for outputs in rest])
    return _curve(events, cells, asked.alpha, asked.seed, asked.name, "recorded outputs")


def _never(dataset: Any, n: int, rng: np.random.Generator) -> Any:
    raise AssertionError("recorded outputs are not drawn")


def _shuffled(outputs: Any, asked: Request, side: str) -> Any:
    """One side's outputs in random order: any order of independent outputs is as good."""
    if not hasattr(outputs, "__len__") or isinstance(outputs, (str, bytes, dict, set)):
        raise UsageError(f"{side} must be an array or a list of outputs, got a {type(outputs).__name__}")
    if len(outputs) < 2 * _PILOT:
        raise UsageError(f"{side} must have at least {2 * _PILOT} outputs, got {len(outputs)}")
    order = stream(asked.seed, "samples", side).permutation(len(outputs))
    if hasattr(outputs, "__array__"):
        return np.asarray(outputs)[order]
    return [outputs[index] for index in order]


def _cells(events: Nested | None, outputs: Outputs) -> CellCounts:
    return np.array([len(outputs), 0]) if events is None else events.histogram.count(outputs)


def _lessons(trials: int, plain: bool) -> list[int]:
    """Draws a side after which the events are learned, a second time only where the first tells nothing apart."""
    first = min(max(round(_SHARE[not plain] * trials), min(_LEAST, trials // 2)), _MOST)
    second = min(round(_UNCLEAR[0] * trials), _UNCLEAR[1])
    return [first, second] if plain and second > 2 * first else [first]


def _curve(events: Nested | None, cells: CellCounts, alpha: float, seed: int, name: str, pair: str) -> TradeOff:
    """Counts in, the certified curve out."""
    trials = (int(cells[0].sum()), int(cells[1].sum()))
    points: Points = ((0.0, 0.0), (1.0, 1.0))
    if events is not None and min(trials):
        points = certified(advantages(events.counts(cells), events.slopes, alpha * events.shares))
    score = events.words() if events is not None else ""
    return TradeOff((Part(points),), (Certificate(name, pair, trials, alpha, seed, score),))

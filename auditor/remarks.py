"""What a result says beside its numbers: warnings about the mechanism, limits of what was seen, why a claim fails."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from functools import partial

from auditor.certify.evidence import Point
from auditor.errors import AuditError, MechanismError
from auditor.request import Request
from auditor.results.result import Verdict
from auditor.rounds import PairState
from auditor.sampling.draws import without_raises
from auditor.sampling.independence import TWOS, order_sentence, twos_sentence
from auditor.sampling.noted import noted_sentences
from auditor.sampling.source import Source
from auditor.sampling.streams import stream
from auditor.sampling.workers import Workers
from auditor.search.past import Past
from mechanisms.core.claims import Claim

_FEW_TEXTS, _MANY_TEXTS = 64, 4096  # least and most outputs that are compared to see whether texts repeat
_SIGHTINGS = 20  # times that an output must be seen on one side alone to refute a claim, about
_SHOWN = 6  # most names of columns in one sentence
_OWN_RANDOMNESS = (
    "The mechanism draws its own randomness (the same stream gave different outputs), so this audit cannot be replayed."
)


def warnings(pairs: Sequence[PairState], chosen: PairState, verdict: Verdict, workers: Workers) -> tuple[str, ...]:
    """What was noticed about the mechanism, beside its privacy."""
    for pair in pairs:
        pair.source.check_unchanged()
    warned = noted_sentences(workers.noted)
    if not chosen.past.trials:
        return tuple(warned)
    together = None
    if verdict is Verdict.REFUTED and not chosen.source.one_by_one:
        # Calls for two draws show whether draws of one call go together; where they fail, the refutation stays.
        with contextlib.suppress(AuditError):
            together = twos_sentence(workers.once(chosen.source.twos, TWOS))
    order = together or order_sentence(chosen.past.sides()) or _constant(chosen, workers)
    noticed = order, _same(chosen), _unread(chosen.past), *warned
    return tuple(text for text in noticed if text is not None)


def _constant(chosen: PairState, workers: Workers) -> str | None:
    """A mechanism without noise may be meant; one that makes the same noise in every draw is a MechanismError."""
    if any(side.vary() for side in chosen.past.sides()):
        return None
    if workers.habits.seeds_itself:
        raise MechanismError(
            f"{workers.name} must draw anew from each stream, got the same output in every draw; it makes its "
            "generator from a fixed seed and leaves the rng that it is given unused: use that rng"
        )
    return "The output never varied on either input: the mechanism adds no noise, or the same noise in every draw."


def _same(chosen: PairState) -> str | None:
    """Two equal datasets cannot be told apart, whatever the mechanism does."""
    pair, (left, right) = chosen.pair, chosen.source.datasets
    if pair.left is not pair.right and (left is None or left != right):
        return None
    return "The left and the right input are the same, so this pair shows nothing about privacy."


def diagnosis(source: Source, claim: Claim, point: Point, verdict: Verdict, workers: Workers) -> tuple[str, ...]:
    """After a refutation, what runs on the witness's pair with the same random numbers show; nothing where they cannot
    be made."""
    from auditor.diagnosis import diagnose

    if verdict is not Verdict.REFUTED or not source.live:
        return ()
    same = partial(stream, source.seed, source.name, source.pair, "diagnosis")  # the same name for both sides
    found: tuple[str, ...] = ()
    with contextlib.suppress(Exception):
        sample, _ = without_raises(source.sample)  # what it raises is told too
        found = workers.once(diagnose, sample, source.left, source.right, same, claim, point.delta)
    return found


def _unread(past: Past) -> str | None:
    """Where hardly two outputs say the same, there is nothing to learn from what they say."""
    texts = past.sides()[0].texts()[:_MANY_TEXTS]
    if len(set(texts)) <= max(_FEW_TEXTS, len(texts) / 2):
        return None
    return (
        f"Hardly two outputs have the same text, such as {texts[0]!r:.60}: what is in it was not looked into. Return "
        "numbers, tuples of numbers, or texts that repeat."
    )


def _looked_at(source: Source) -> tuple[str, ...]:
    """Which parts of an output were looked at, and which were not."""
    tree = source.form.tree if source.form is not None else None
    if tree is None:
        return ()
    numbers, others = _few(tree.numbers), _few(tree.others)
    shown = [
        f"{len(names)} {what} ({few})"
        for names, what, few in ((tree.numbers, "numbers", numbers), (tree.others, "signs of their form", others))
        if names
    ]
    left_out = f" Not looked at: {_few(tree.unread)}." if tree.unread else ""
    return (f"Looked at in each output: {' and '.join(shown)}.{left_out}",)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")


def _searched(tried: int, audited: int) -> tuple[str, ...]:
    """How many pairs a search looked at; nothing where the pairs were given."""
    if not tried:
        return ()
    which = (
        "the most suspicious one was audited" if audited == 1 else f"the {audited} most suspicious ones were audited"
    )
    return (f"Pairs were searched: {tried:,} were looked at and {which}; a pair that was not tried may be worse.",)


def _blind_spot(detectable: float, refuted: str) -> str:
    if detectable == math.inf:
        return f"On the best event found, no true epsilon{refuted}."
    true = f"a true epsilon of {detectable:.4g}{refuted}"
    return f"On the best event found, {true}; a smaller excess might have been missed."


def limits(detectable: float, chosen: PairState, point: Point, asked: Request, replayable: bool) -> tuple[str, ...]:
    """What the audit could not have seen, and at what it looked."""
    learned = chosen.past.learned // 2
    rare = f"rarer than about one in {learned // _SIGHTINGS:,}" if learned >= 2 * _SIGHTINGS else "that is not frequent"
    _, kinds = without_raises(asked.sample)
    at = f" at delta {point.delta:.3g}" if point.delta else ""
    return (
        "Not refuted is not proof: other inputs and other events may be worse.",
        f"Events were learned from {learned:,} draws a side: one {rare} could hardly have been found.",
        _blind_spot(detectable, f"{at} would have been refuted with probability 0.9"),
        *(() if replayable else (_OWN_RANDOMNESS,)),
        *(("Of an exception its kind was looked at, not its message.",) if kinds == "output" else ()),
        *_looked_at(chosen.source),
        *_searched(asked.tried, len(asked.pairs)),
    )

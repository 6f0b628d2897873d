"""A witness in plain words: what to look at, how often it happens on each side, and what follows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from auditor.results.witness import Witness

_READABLE = 7.0  # up to this epsilon e^epsilon itself is easier to read


def witness_words(witness: Witness) -> str:
    """The pair, the event with its counts, and what someone who looks at it can tell."""
    return f"{seen(witness)} {follows(witness)}"


def seen(witness: Witness) -> str:
    """The pair, and how often the event came up on each side."""
    if not witness.counts.trials:  # an audit that was cut off early
        side = "left" if witness.event.left else "right"
        return f"On {witness.pair}, {witness.event.words(side, witness.names)} looked most promising."
    both = [("left", False), ("right", True)]  # a side, and whether the other one was told before
    sides = both if witness.direction == "both" else [(witness.direction, False)]
    return f"On {witness.pair}, {'; '.join(_often(witness, *which) for which in sides)}."


def _often(witness: Witness, side: str, again: bool) -> str:
    """One side's part of the event, and how often it came up; `again` where the numbers of runs were told before."""
    c, words = witness.counts, witness.event.words(side, witness.names, again=again)
    other = "right" if side == "left" else "left"
    if side == "left":
        hits, misses, runs, others = c.left_guessed_left, c.right_guessed_left, c.left_trials, c.right_trials
    else:
        hits, misses, runs, others = c.right_guessed_right, c.left_guessed_right, c.right_trials, c.left_trials
    if again:
        return f"{words} in {hits:,} on the {side} and {misses:,} on the {other}"
    return f"{words} in {hits:,} of {runs:,} runs on the {side} input and {misses:,} of {others:,} on the {other} one"


def follows(witness: Witness) -> str:
    """The odds of a guess in these runs, against those that the claim allows (Bayes, from even odds)."""
    counts, epsilon, delta = witness.counts, witness.epsilon, witness.delta
    allowed = f"{math.exp(epsilon):.3g}" if epsilon < _READABLE else f"e^{epsilon:.4g}"
    beside = f" and a delta of {delta:.3g}" if delta else ""
    claim = f"the claim allows {allowed} to 1{beside}"
    if not counts.trials:
        return f"It was not tested yet; {claim}."
    if not counts.correct and not counts.wrong:
        return f"It came up in no run; {claim}."
    guess = f"Whoever guesses the input by this is right {_times(counts.correct)} and"
    if not counts.wrong:
        return f"{guess} never wrong; {claim}."
    return f"{guess} wrong {_times(counts.wrong)}, {counts.correct / counts.wrong:.3g} to 1; {claim}."


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"

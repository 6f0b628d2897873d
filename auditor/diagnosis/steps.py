"""What a mechanism draws, on the left beside the right: exceptions, no noise, branches, parameters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from auditor.diagnosis.recorder import Call
from auditor.diagnosis.runs import RecordedRun, Runs
from auditor.diagnosis.words import asked, output_words, shortened, steps

_SHOWN = 3  # most methods that a sentence names
_CLOSE = 1e-6
_AGAIN = 4  # runs with the same output, of which the other side has none
_LOCATIONS = ("loc", "mean", "low", "high")  # where a distribution lies: a value that noise is added to, no leak


def exceptions(runs: Runs) -> str:
    """Says that one side raises an exception that the other does not raise, or raises less often."""
    errors = {side: [run.error for run in made if run.error] for side, made in _sides(runs)}
    few, many = sorted(errors, key=lambda side: len(errors[side]))
    if len(errors[few]) == len(errors[many]):
        differ = [(a, b) for a, b in zip(errors["left"], errors["right"], strict=True) if a != b]
        return (
            f"The left input makes it raise {shortened(differ[0][0])}, the right one {shortened(differ[0][1])}."
            if differ
            else ""
        )
    total, first = len(runs.left), errors[many][0]
    often = "" if len(errors[many]) == total else f" in {len(errors[many])} of {total} runs"
    other = "does not" if not errors[few] else f"does in {len(errors[few])}"
    return f"The {many} input makes it raise {shortened(first)}{often}; the {few} one {other}."


def silence(runs: Runs) -> str:
    """Says that no random number was drawn, on one side or on both, or none that matters."""
    drew = {side: any(run.drew for run in made) for side, made in _sides(runs)}
    same = {side: all(run.same_output(made[0]) for run in made) for side, made in _sides(runs)}
    left, right = output_words(runs.left[0]), output_words(runs.right[0])
    fixed = f"{left} on the left and {right} on the right"
    apart = all(same.values()) and not runs.left[0].same_output(runs.right[0])  # else the leak is rare in these runs
    if not any(drew.values()):
        if apart:
            return f"No random number was drawn: the output is always {fixed}."
        return "It does not draw from the rng that it is given: nothing can be said of its noise."
    if apart:
        return f"Random numbers were drawn, but in all {len(runs.left)} runs the output is {fixed}."
    for side, other, runs_there in (("left", "right", runs.right), ("right", "left", runs.left)):
        if not drew[side] and same[side]:
            return (
                f"No random number was drawn on the {side} input, where the output is always "
                f"{left if side == 'left' else right}; on the {other} one it draws {steps(runs_there[0])}."
            )
    return ""


def repeated(runs: Runs) -> Iterator[str]:
    """Says which output comes again and again on one side and never on the other: a NaN, a value without noise."""
    counts = {side: Counter(map(output_words, made)) for side, made in _sides(runs)}
    total = len(runs.left)
    for side, other in (("left", "right"), ("right", "left")):
        for output, times in counts[side].most_common(1):
            if times >= _AGAIN and not counts[other][output]:
                often = "all" if times == total else f"{times} of"
                yield f"The output is {output} in {often} {total} runs on the {side} input, in none on the {other} one."


def branch(runs: Runs) -> str:
    """Says that the two sides draw differently although their random numbers are the same."""
    for left, right in zip(runs.left, runs.right, strict=True):
        if left.steps == right.steps:
            continue
        both = f"{steps(left)} on the left, {steps(right)} on the right"
        if _methods(left) == _methods(right):
            return f"How many random numbers are drawn depends on the data: {both}."
        return f"Which steps it takes depends on the data (a branch): with the same random numbers it draws {both}."
    return ""


def parameters(runs: Runs) -> Iterator[str]:
    """Parameters of the noise that differ between the sides, where both take the same steps."""
    told: set[str] = set()
    for left, right in zip(runs.left, runs.right, strict=True):
        for one, other in zip(left.calls, right.calls, strict=True):
            names = [name for name in one.parameters if not _same(one, other, name)]
            if not names or one.method in told or len(told) == _SHOWN:
                continue
            told.add(one.method)
            both = f"{asked(one, names)} on the left, {asked(other, names)} on the right"
            cost = _choice_loss(one, other)
            yield f"It draws {both}: {cost}." if cost else f"The noise depends on the data: {both}."


def _sides(runs: Runs) -> tuple[tuple[str, tuple[RecordedRun, ...]], ...]:
    return ("left", runs.left), ("right", runs.right)


def _methods(run: RecordedRun) -> set[str]:
    return {call.method for call in run.calls}


def _same(one: Call, other: Call, name: str) -> bool:
    if one.method in ("uniform", "integers"):  # a width is a scale
        return _equal(_width(one), _width(other))
    return name in _LOCATIONS or _equal(one.parameters[name], other.parameters.get(name))


def _width(call: Call) -> Any:
    return np.asarray(call.parameters["high"], dtype=float) - np.asarray(call.parameters["low"], dtype=float)


def _equal(first: Any, second: Any) -> bool:
    if first is None or second is None:
        return first is second
    first, second = np.asarray(first), np.asarray(second)
    if first.dtype.kind not in "biuf" or second.dtype.kind not in "biuf":
        return bool(np.array_equal(first, second))
    return first.shape == second.shape and bool(np.allclose(first, second, rtol=_CLOSE, atol=0, equal_nan=True))


def _choice_loss(one: Call, other: Call) -> str:
    """What a draw with other probabilities costs; nothing for continuous noise."""
    first, second = _probabilities(one), _probabilities(other)
    if first is None or second is None or first.shape != second.shape:
        return ""
    ratios = np.abs(np.log(first) - np.log(second))
    worst = float(np.nanmax(ratios)) if ratios.size else 0.0
    return "that alone is no finite epsilon" if math.isinf(worst) else f"that alone is epsilon {worst:.4g}"


def _probabilities(call: Call) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """Those of a choice, or those of the two ends of a binomial number, where its ratios are largest."""
    p = call.parameters.get("p")
    if p is None or call.method not in ("choice", "binomial"):
        return None
    if call.method == "choice":
        return np.asarray(p, dtype=float)
    n = call.parameters["n"]
    return np.array([float(p), 1 - float(p)]) ** int(n) if np.size(n) == np.size(p) == 1 else None

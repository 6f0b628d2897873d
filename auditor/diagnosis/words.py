"""Numbers, outputs and calls of a generator as short texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from auditor.diagnosis.recorder import Call
from auditor.diagnosis.runs import RecordedRun


def shortened(text: str, width: int = 80) -> str:
    """The text on one line of at most `width` characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def output_words(run: RecordedRun) -> str:
    """The output of a run."""
    if run.numbers.size == 1 and run.text == "#":
        return f"{run.numbers[0]:.6g}"
    if run.numbers.size:
        return shortened("(" + ", ".join(f"{value:.6g}" for value in run.numbers) + ")")
    return shortened(run.shown)


def steps(run: RecordedRun) -> str:
    """How many numbers were drawn from which distribution, in their order."""
    totals: list[tuple[str, int]] = []
    for method, size in run.steps:
        if totals and totals[-1][0] == method:
            totals[-1] = method, totals[-1][1] + size
        else:
            totals.append((method, size))
    return shortened(", then ".join(f"{size} from {method}" for method, size in totals) or "nothing", 120)


def asked(call: Call, names: Sequence[str]) -> str:
    """A call with some of its parameters."""
    return f"{call.method}({', '.join(f'{name}={_value(call.parameters[name])}' for name in names)})"


def _value(value: Any) -> str:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        return shortened(repr(value), 30)
    flat = array.ravel().tolist()
    if len(set(flat)) == 1:
        return f"{flat[0]:.6g}"
    return shortened("[" + ", ".join(f"{number:.4g}" for number in flat) + "]", 40)

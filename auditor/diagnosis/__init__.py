"""Why a claim fails: what two runs on the witness's pair with the same random numbers show.

A diagnosis is looked for after a refutation. It decides nothing, and where nothing is known it is empty.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from auditor.diagnosis.runs import Stream, both_sides
from auditor.diagnosis.sentences import sentences
from mechanisms.core.claims import Claim


def diagnose(
    sample: Callable[..., Any], left: Any, right: Any, stream: Stream, claim: Claim, delta: float
) -> tuple[str, ...]:
    """Sentences about the noise of `sample` on this pair; `stream(r)` is the generator of the r-th run on both sides.

    Nothing that goes wrong here is worth losing a verdict: then there is nothing to say.
    """
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return sentences(both_sides(sample, left, right, stream), claim, delta)
    except (Exception, SystemExit):
        return ()

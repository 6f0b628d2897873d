"""Lecture 004, section 15.1.3: releasing a reciprocal, and a regression's prediction."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.facts import close, everywhere, fact
from auditor.notes.run import Run
from mechanisms.ptr_reciprocal import PtrReciprocal, local_sensitivity


def _reciprocal_sensitivity(count: int) -> float:
    """LS of 1/f at f = count, over neighbouring counts count - 1 and count + 1."""
    if count <= 0:
        return math.inf
    here = 1 / count
    return max(abs(here - 1 / other) if other else math.inf for other in (count - 1, count + 1))


def _smooth(sensitivities: Iterable[tuple[int, float]], t: float) -> float:
    return max(math.exp(-t * k) * value for k, value in sensitivities)


@entry(
    "004-E1",
    kind="E",
    title="Releasing a reciprocal",
    statement="LS of 1/f is |1/f − 1/(f − 1)| ≤ O(1/|f|) for a count f; its smooth sensitivity is ∞.",
    conditions="f ≥ 2",
    source="004 §15.1.3",
    expected="holds under condition",
)
def reciprocal(run: Run) -> Outcome:
    """The local sensitivity by definition over neighbouring counts, and its smooth sensitivity."""
    counts = (2, 3, 5, 10, 100, 1000)
    smooth = {f: _smooth(((k, _reciprocal_sensitivity(f - k)) for k in range(f)), 1.0) for f in (2, 10, 100)}
    return judge(
        printed=[everywhere("f · LS(1/f)", [(f"f = {f}", f * _reciprocal_sensitivity(f), 1.0) for f in (1, *counts)])],
        condition=[
            everywhere("f · LS(1/f) for f ≥ 2", [(f"f = {f}", f * _reciprocal_sensitivity(f), 1.0) for f in counts]),
            *(fact(f"smooth sensitivity at f = {f} is infinite", math.isinf(value)) for f, value in smooth.items()),
        ],
        anchors=[
            *(
                close(f"the catalogue's LS at f = {f}, 1/(f(f − 1))", local_sensitivity(f), by_definition)
                for f, by_definition in ((f, _reciprocal_sensitivity(f)) for f in counts)
            ),
            fact("the catalogue's LS at f = 1 is infinite", math.isinf(local_sensitivity(1))),
            close("at f = 100", _reciprocal_sensitivity(100), 1.0101e-4, rel=1e-4),
            close("where the catalogue's distance to LS > 1/20 begins", PtrReciprocal().largest_sensitive(), 4),
        ],
        claimed=1 / 100,
        exact=_reciprocal_sensitivity(100),
        quantity="local sensitivity of 1/f at f = 100",
        finding="At f = 1 the local sensitivity is infinite already; for f ≥ 2 it is 1/(f(f − 1)) = O(1/f²).",
        correction="LS = 1/(f(f − 1)) = O(1/f²) for f ≥ 2.",
    )


@entry(
    "004-R1",
    kind="R",
    title="How far a regression's prediction is from the truth",
    statement="The standard deviation of x̃ᵀθ̂ − x̃ᵀθ* is proportional to √(x̃ᵀ(XᵀX)⁻¹x̃).",
    conditions="independent errors of equal variance, X of full rank",
    source="004 §15.1.3",
    expected="holds",
    tests=1,
)
def regression(run: Run) -> Outcome:
    """The estimator is linear in the errors, so its variance is exact; and a simulation of least squares."""
    rng = run.rng("design")
    rows = []
    for number in range(50):
        design, new = rng.standard_normal((12, 4)), rng.standard_normal(4)
        gradient = np.linalg.lstsq(design, np.eye(12), rcond=None)[0].T @ new  # how each error moves x̃ᵀθ̂
        deviation = float(np.linalg.norm(gradient))
        printed = math.sqrt(float(new @ np.linalg.solve(design.T @ design, new)))
        rows.append((f"design {number}", abs(deviation / printed - 1), 1e-9))

    def within(rng: np.random.Generator, n: int) -> int:
        errors = 0.7 * rng.standard_normal((n, 12))
        theta = np.linalg.lstsq(design, (design @ truth)[:, None] + errors.T, rcond=None)[0]
        return int(np.count_nonzero(np.abs(new @ (theta - truth[:, None])) <= 0.7 * printed))

    truth = rng.standard_normal(4)
    seen = run.proportion(within, run.size(20_000, 10_000), "least squares")
    inside = math.erf(1 / math.sqrt(2))
    return judge(
        printed=[
            everywhere("relative difference of the exact deviation from σ√(x̃ᵀ(XᵀX)⁻¹x̃)", rows),
            fact(f"simulated errors within one deviation: {seen} against {inside:.4f}", seen.contains(inside)),
        ],
        claimed=inside,
        exact=inside,
        certified=seen.low,
        quantity="P(error within one standard deviation)",
        trials_used=seen.trials,
    )

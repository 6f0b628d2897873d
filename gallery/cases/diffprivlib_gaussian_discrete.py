"""diffprivlib 0.6.6: GaussianDiscrete is not refuted."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="GaussianDiscrete",
    kind="control",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="diffprivlib: epsilon 1 and delta .01.",
    neighbours="Numbers that differ by the mechanism's `sensitivity`, 1.",
    why="""Discrete Gaussian noise on integers, with a scale found for this epsilon and delta (Canonne, Kamath and
    Steinke 2020).""",
    practice="The counterpart of the cases of noise on doubles: this one has no trace in the bits.",
)


def audited() -> Any:
    from diffprivlib import mechanisms

    from auditor import audit
    from auditor.libraries import diffprivlib

    noise = mechanisms.GaussianDiscrete(epsilon=1.0, delta=0.01, sensitivity=1)
    return audit(diffprivlib.mechanism(noise), pairs=[(0, 1)], trials=10_000, jobs=1)

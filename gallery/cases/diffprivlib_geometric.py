"""diffprivlib 0.6.6: Geometric is not refuted."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="Geometric",
    kind="control",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="diffprivlib: epsilon 1.",
    neighbours="Numbers that differ by the mechanism's `sensitivity`, 1.",
    why="""Two-sided geometric noise on integers: the probabilities of neighbouring outputs differ by the factor e
    exactly.""",
    practice="The counterpart of the cases of noise on doubles: this one has no trace in the bits.",
)


def audited() -> Any:
    from diffprivlib import mechanisms

    from auditor import audit
    from auditor.libraries import diffprivlib

    noise = mechanisms.Geometric(epsilon=1.0, sensitivity=1)
    return audit(diffprivlib.mechanism(noise), pairs=[(0, 1)], trials=10_000, jobs=1)

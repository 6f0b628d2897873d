"""diffprivlib 0.6.6: Snapping is not refuted."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="Snapping in both views",
    kind="control",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="diffprivlib: epsilon 1.",
    neighbours="Numbers that differ by the mechanism's `sensitivity`, 1.",
    why="""The snapping mechanism rounds to a grid that is coarse enough to hide the last bits, and accounts for
    the rounding in its scale (Mironov 2012).""",
    practice="The counterpart of the cases of noise on doubles: this one has no trace in the bits.",
    references=("Mironov 2012 https://doi.org/10.1145/2382196.2382264",),
)


def audited() -> Any:
    from diffprivlib import mechanisms

    from auditor import audit
    from auditor.libraries import diffprivlib

    noise = mechanisms.Snapping(epsilon=1.0, sensitivity=1, lower=-10, upper=10)
    return audit(diffprivlib.mechanism(noise), pairs=[(0, 1)], trials=10_000, jobs=1)

"""diffprivlib 0.6.6: mean with bounds is not refuted in its values."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="mean with bounds, in its values",
    kind="control",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="diffprivlib: epsilon 1, with bounds (0, 1).",
    neighbours="One record replaced (the number of records is taken as known).",
    why="Noise of scale (upper − lower)/(n · epsilon) on a mean that moves by (upper − lower)/n at most.",
    practice="""The counterpart of the mean without bounds. The bits view would refute it, as all noise on doubles
    of this library.""",
)


def audited() -> Any:
    from diffprivlib import tools

    from auditor import audit
    from auditor.libraries import diffprivlib

    mean = diffprivlib.tool(tools.mean, epsilon=1.0, bounds=(0, 1))
    return audit(mean, pairs=[([0.0, 0.5, 1.0], [0.0, 0.5, 0.0])], trials=5_000, views=["values"], jobs=1)

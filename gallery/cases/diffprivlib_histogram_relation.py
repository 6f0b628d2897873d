"""diffprivlib 0.6.6: histogram is for an added record."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="histogram, for a record that is replaced",
    kind="definition",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="diffprivlib: epsilon 1. Its source adds geometric noise of sensitivity 1 to each bin.",
    neighbours="The pair has one record replaced. What the source fits is one record more or less.",
    why="""A record that is added changes one bin by 1. A record that is replaced leaves a bin and enters another:
    two bins change, and the loss is twice the claim. With an added record the same audit refutes nothing.""",
    practice="""No defect, but beware: `sum` and `mean` of the same library are for replaced records, so that one
    epsilon for both covers neither relation.""",
    references=(
        "diffprivlib's histogram https://github.com/IBM/differential-privacy-library/blob/main/diffprivlib/tools/histograms.py",
    ),
)


def audited() -> Any:
    from diffprivlib import tools

    from auditor import ApproxDP, audit, per_draw

    bins = per_draw(lambda data, rng: tools.histogram(data, epsilon=1.0, bins=2, range=(0, 2))[0])
    return audit(
        bins, ApproxDP(1.0), [([0.5, 0.5], [0.5, 1.5])], trials=5_000, views=["values"], jobs=1, name="histogram"
    )

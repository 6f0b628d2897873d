"""diffprivlib 0.6.6: LinearRegression adds no noise to squares where the lower bound is 0."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="LinearRegression: the lower bound is used twice",
    kind="finding",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="diffprivlib: epsilon 1, by the model's parameters, with bounds (0, 10) for x and (0, 1) for y.",
    neighbours="""One record replaced by another within the bounds (the sensitivities in the source are widths of
    ranges).""",
    why="""The sensitivity of Σx² is computed as max(|lower|, |lower|)², the lower bound twice: 0 for bounds that
    start at 0. Σx² is then used without noise. With symmetric bounds, (−10, 10), the same audit refutes nothing.""",
    practice="""Data in ranges such as (0, 100), the usual ones for ages or amounts, are fitted with one exact
    statistic: it comes out through the coefficient. Shift the data so that the bounds are symmetric.""",
    references=(
        "https://github.com/IBM/differential-privacy-library/issues/105",
        "https://github.com/IBM/differential-privacy-library/issues/104",
    ),
)


def audited() -> Any:
    from diffprivlib import models

    from auditor import audit
    from auditor.libraries import diffprivlib

    line = models.LinearRegression(epsilon=1.0, bounds_X=(0, 10), bounds_y=(0, 1), fit_intercept=False)
    fitted = diffprivlib.model(line, read=lambda model: model.coef_)
    left, right = ([[10.0], [1.0]], [1.0, 1.0]), ([[1.0], [1.0]], [1.0, 1.0])
    return audit(fitted, pairs=[(left, right)], trials=2_000, views=["values"], jobs=1)

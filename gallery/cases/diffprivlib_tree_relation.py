"""diffprivlib 0.6.6: the labels of DecisionTreeClassifier are for an added record."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="DecisionTreeClassifier, for a record that is replaced",
    kind="definition",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="diffprivlib: epsilon 1, by the model's parameters.",
    neighbours="The pair has one record's label replaced. What the source fits is one record more or less.",
    why="""A leaf's label is chosen by permute-and-flip from the class counts, with `sensitivity=1,
    monotonic=True`: one record more raises one count by 1. A label that is replaced lowers one count and raises
    another, which costs up to twice as much.""",
    practice="""No defect, but know which relation the epsilon is for. Forests of trees on disjoint records
    inherit it.""",
    references=(
        "diffprivlib's trees https://github.com/IBM/differential-privacy-library/blob/main/diffprivlib/models/forest.py",
    ),
)


def audited() -> Any:
    from diffprivlib import models

    from auditor import audit
    from auditor.libraries import diffprivlib

    tree = models.DecisionTreeClassifier(epsilon=1.0, bounds=(0, 1), classes=[0, 1], max_depth=1)
    labelled = diffprivlib.model(tree, read=lambda model: model.predict([[0.1]])[0])
    left, right = ([[0.1], [0.1]], [0, 0]), ([[0.1], [0.1]], [0, 1])
    return audit(labelled, pairs=[(left, right)], trials=2_000, views=["values"], jobs=1)

"""diffprivlib 0.6.6: the class counts of GaussianNB add up to the number of records."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="GaussianNB, for a record that is added",
    kind="definition",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="diffprivlib: epsilon 1, by the model's parameters.",
    neighbours="The pair has one record more or less. The source takes the number of records as known.",
    why="""Noisy class counts are adjusted until they add up to the exact number of records. Where one record more
    or less makes neighbours, their sum tells which input it was.""",
    practice="The number of training records is not protected. Where it is public nothing is lost by this.",
    references=(
        "diffprivlib's GaussianNB https://github.com/IBM/differential-privacy-library/blob/main/diffprivlib/models/naive_bayes.py",
    ),
)


def audited() -> Any:
    from diffprivlib import models

    from auditor import audit
    from auditor.libraries import diffprivlib

    bayes = diffprivlib.model(models.GaussianNB(epsilon=1.0, bounds=(0, 1)), read=lambda model: model.class_count_)
    left, right = ([[0.0], [1.0], [0.0], [1.0]], [0, 0, 1, 1]), ([[0.0], [1.0], [0.0]], [0, 0, 1])
    return audit(bayes, pairs=[(left, right)], trials=2_000, views=["values"], jobs=1)

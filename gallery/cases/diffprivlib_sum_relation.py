"""diffprivlib 0.6.6: sum is for a replaced record."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="sum, for a record that is added",
    kind="definition",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="diffprivlib: epsilon 1. Its source uses the width of the bounds, 10 − 5, as the sensitivity.",
    neighbours="""The pair has one record more or less. What the source fits is one record replaced, with a known
    number of records.""",
    why="""A record that is replaced moves the sum by at most upper − lower = 5; one that is added moves it by up
    to 10. More than that: the result is truncated to the range from n · lower to n · upper with the exact number
    n of records, so that for one record and for two the ranges, 5 to 10 and 10 to 20, only touch. With a replaced
    record ([5, 10] against [5, 5]) the same audit refutes nothing.""",
    practice="""No defect: `sum` protects the value of a record, and not its presence; the number of records is
    taken as public. Where it is not, use another tool.""",
    references=(
        "diffprivlib's tools https://github.com/IBM/differential-privacy-library/blob/main/diffprivlib/tools/utils.py",
    ),
)


def audited() -> Any:
    from diffprivlib import tools

    from auditor import audit
    from auditor.libraries import diffprivlib

    total = diffprivlib.tool(tools.sum, epsilon=1.0, bounds=(5, 10))
    return audit(total, pairs=[([5.0, 10.0], [5.0])], trials=2_000, views=["values"], jobs=1)

"""diffprivlib 0.6.6: mean without bounds reads them from the data, and says so."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="mean without bounds",
    kind="definition",
    packages=("diffprivlib==0.6.6", "scikit-learn==1.7.2"),
    claimed="""Nobody: the tool takes epsilon = 1, and a PrivacyLeakWarning says that bounds are calculated on the
    data and that privacy leaks.""",
    neighbours="One record replaced.",
    why="""Without `bounds` the smallest and the largest record become the bounds of the released mean and the
    scale of its noise.""",
    practice="""The warning is to be taken literally: the released mean is above 2 only where the outlier is in
    the data. Give bounds that do not come from the data.""",
    references=(
        "diffprivlib's tools https://github.com/IBM/differential-privacy-library/blob/main/diffprivlib/tools/utils.py",
    ),
)


def audited() -> Any:
    from diffprivlib import tools

    from auditor import audit
    from auditor.libraries import diffprivlib

    mean = diffprivlib.tool(tools.mean, epsilon=1.0)
    return audit(mean, pairs=[([0.0, 1.0, 100.0], [0.0, 1.0, 2.0])], trials=2_000, views=["values"], jobs=1)

"""OpenDP 0.16.0: an insertion and a deletion are taken for one change of place."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_metric_bounded: Hamming distance of shifted data",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="""OpenDP: the stability map says that inputs at insert-delete distance 2 are at Hamming distance 1 at
    most.""",
    neighbours="""Lists of three numbers, one of which is deleted and one inserted (`insert_delete_distance`, d_in
    = 2).""",
    why="""The transformation changes the metric and not the data. One record deleted at the front and one
    appended at the end shift all others by one place: every position differs.""",
    practice="""What is calibrated on the Hamming distance afterwards has noise for one changed place where all of
    them change. For unordered metrics (`symmetric_distance`, `change_one_distance`) the factor is right.""",
    references=("https://github.com/opendp/opendp/issues/2926",),
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import sensitivity

    dp.enable_features("contrib")
    lists = dp.vector_domain(dp.atom_domain(T=int), size=3)
    bounded = dp.t.make_metric_bounded(lists, dp.insert_delete_distance())

    def hamming(left: list[int], right: list[int]) -> int:
        return sum(a != b for a, b in zip(left, right, strict=True))

    return sensitivity(bounded, [([0, 1, 2], [0, 1, 3]), ([0, 1, 2], [1, 2, 3])], norm=hamming), bounded.map(2)

"""OpenDP 0.16.0: sums in b-ary trees wrap around."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_b_ary_tree: sums overflow",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the stability map says that inputs at L1 distance 1 give trees at L1 distance 2 at most.",
    neighbours="Vectors of two 32-bit counts at L1 distance 1 (`l1_distance`, d_in = 1).",
    why="""The inner nodes are added up in 32 bits without a check: 2147483647 + 1 becomes −2147483648. The sums
    elsewhere in the library ask for bounds and refuse or saturate.""",
    practice="""It takes counts near 2³¹, or an adversary who chooses other people's values. The noise then hides
    nothing: the sign of the root tells the record.""",
    references=("https://github.com/opendp/opendp/issues/2925",),
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import sensitivity

    dp.enable_features("contrib")
    counts = dp.vector_domain(dp.atom_domain(T=int), size=2)
    tree = dp.t.make_b_ary_tree(counts, dp.l1_distance(T=int), leaf_count=2, branching_factor=2)
    largest = 2**31 - 1
    return sensitivity(tree, [([9, 0], [9, 1]), ([largest, 0], [largest, 1])], norm="l1"), tree.map(1)

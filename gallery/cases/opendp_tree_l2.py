"""OpenDP 0.16.0: the stability of b-ary trees in the L2 distance is too small."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_b_ary_tree: L2 stability is too small",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the stability map says that inputs at L2 distance 2 give trees at L2 distance 4 at most.",
    neighbours="Vectors of four counts at L2 distance 2 at most (`l2_distance`, d_in = 2).",
    why="""The map multiplies d_in by the number of layers. A difference that is spread over all leaves adds up in
    the root: (1, 1, 1, 1) moves the leaves by 2 and the root by 4, together √20 = 4.47. The right factor is √(1 +
    b + … + b^(h−1)).""",
    practice="""Gaussian noise that is calibrated by this map is too small, here by a factor of 1.12 in scale, and
    by more for larger trees. With one record that moves one leaf (L1) the map is right.""",
    references=("https://github.com/opendp/opendp/issues/2924",),
)


def audited() -> Any:
    from itertools import product

    import opendp.prelude as dp

    from auditor import sensitivity

    dp.enable_features("contrib")
    counts = dp.vector_domain(dp.atom_domain(T=int), size=4)
    tree = dp.t.make_b_ary_tree(counts, dp.l2_distance(T=int), leaf_count=4, branching_factor=4)
    near = [([0, 0, 0, 0], list(move)) for move in product((-1, 0, 1), repeat=4)]  # L2 distance of 2 at most
    return sensitivity(tree, near, norm="l2"), tree.map(2)

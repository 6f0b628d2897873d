"""OpenDP 0.16.0: resizing shuffles a list that has the right size already."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_resize: lists of the right size are shuffled",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the stability map says that lists at distance 1 give lists at distance 2 at most.",
    neighbours="Lists of which one has a record more, with their order kept (`insert_delete_distance`, d_in = 1).",
    why="""A list of eleven records is always answered by its first ten in their order, and a list of ten by its
    records in a random order. The map would need each of these 10! orders within distance 2 of the one answer for
    the longer list; only 82 are, those where one record has moved. Whether the order is kept tells whether the last
    record is there.""",
    practice="""It matters where the order of the records is used later, as ordered sums do. Counts and sums that do
    not look at the order lose nothing.""",
    references=("https://github.com/opendp/opendp/issues/2927",),
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import sensitivity
    from auditor.libraries.opendp.distances import distance

    dp.enable_features("contrib")
    lists = dp.vector_domain(dp.atom_domain(T=int)), dp.insert_delete_distance()
    resize = dp.t.make_resize(*lists, size=10, constant=0, MO=dp.InsertDeleteDistance)
    eleven = list(range(11))
    return sensitivity(resize, [(eleven, eleven[:10])], norm=distance(resize.output_metric)), resize.map(1)

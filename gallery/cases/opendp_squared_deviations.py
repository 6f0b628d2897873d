"""OpenDP 0.16.0: the rounding of the mean is missing in the sensitivity of the squared deviations."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_sum_of_squared_deviations: the mean is rounded",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="""OpenDP: the stability map says that the sum moves by 40.6 at most, with floating-point errors taken
    into account.""",
    neighbours="1,024 numbers between 2⁵⁰ and 2⁵⁰ + 1, one of which is replaced (`symmetric_distance`, d_in = 2).",
    why="""The map accounts for rounding in the sum of the squares, but not for the rounding of the mean that is
    subtracted from every number: one record decides in which direction it is rounded, and that moves all
    deviations.""",
    practice="""It takes numbers that are large against their range (here by 2⁵⁰). Shift the data so that the
    bounds lie near zero before asking for a variance.""",
    references=("https://github.com/opendp/opendp/issues/2923",),
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import sensitivity

    dp.enable_features("contrib")
    low, n = 2.0**50, 1024
    numbers = dp.vector_domain(dp.atom_domain(bounds=(low, low + 1), nan=False), size=n)
    deviations = dp.t.make_sum_of_squared_deviations(numbers, dp.symmetric_distance())
    others = [low + 0.25] * (n - 1)
    pairs = [([low + 0.25, *others], [low + move, *others]) for move in (0.0, 0.5, 0.75, 1.0)]
    return sensitivity(deviations, pairs), deviations.map(2)

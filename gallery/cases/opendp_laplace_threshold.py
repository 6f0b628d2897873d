"""OpenDP 0.16.0: a key that one person alone has passes the threshold more often than delta says."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_laplace_threshold: delta misses the mass at the threshold",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the privacy map says epsilon 1 and delta .004926 at d_in = 1 (scale 1, threshold 5).",
    neighbours="One record more or less (`symmetric_distance`, d_in = 1).",
    why="""A noisy count is released where it is at least the threshold, but delta is computed as the probability
    of noise strictly above threshold − 1. A lone key has count 1 and appears with probability P[noise ≥ 4] =
    e⁻⁴/(1 + e⁻¹) = .0134 for discrete Laplace noise, where delta says P[noise ≥ 5] = .0049.""",
    practice="""Delta is e^(1/scale) times as large as the library says. Until it is mended, use a threshold that
    is larger by one than the one for which you ask the map.""",
    references=("https://github.com/opendp/opendp/issues/2922",),
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import audit
    from auditor.libraries import opendp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    release = dp.t.make_count_by(*space) >> dp.m.then_laplace_threshold(scale=1.0, threshold=5)
    return audit(opendp.measurement(release, d_in=1), pairs=[(["key"], [])], trials=100_000, jobs=1)

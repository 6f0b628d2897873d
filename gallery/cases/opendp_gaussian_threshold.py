"""OpenDP 0.16.0: the same threshold with Gaussian noise."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_gaussian_threshold: delta misses the mass at the threshold",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="""OpenDP: the privacy map, converted by the library's own combinators, says epsilon 1.583 at delta
    .007 (scale 2, threshold 6).""",
    neighbours="Histograms that differ in one key, whose count is 1 (`l02inf_distance`, d_in = (1, 1, 1)).",
    why="""As with Laplace noise: a count is released at the threshold too, and delta counts only what is above. A
    lone key has count 1 and appears with probability P[noise ≥ 5] = .0119 for discrete Gaussian noise of scale 2.
    The map says rho = .125 with delta .0062, the tail of the continuous Gaussian above 5. The key never appears
    without its record, so that delta cannot be less than .0119.""",
    practice="""Keys of a single person are published twice as often as was agreed, and for smaller scales more
    than four times. Until it is mended, use a threshold that is larger by one than the one for which you ask the
    map.""",
    references=("https://github.com/opendp/opendp/issues/2922",),
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import audit, per_draw
    from auditor.libraries import opendp

    dp.enable_features("contrib")
    counts = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
    metric = dp.l02inf_distance(dp.absolute_distance(T=int))
    noisy = dp.m.make_gaussian_threshold(counts, metric, scale=2.0, threshold=6)
    noisy = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(noisy), delta=0.007)
    claim = opendp.measurement(noisy, d_in=(1, 1, 1)).claim
    released = per_draw(lambda counts, rng: len(noisy(counts)))  # how many keys are published
    return audit(released, claim, pairs=[({"key": 1}, {})], trials=200_000, jobs=1, name="make_gaussian_threshold")

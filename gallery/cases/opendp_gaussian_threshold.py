"""OpenDP 0.16.0: the same threshold with Gaussian noise."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_gaussian_threshold: delta misses the mass at the threshold",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="""OpenDP: the privacy map, converted by the library's own combinators, says epsilon 4.07 at delta
    .0015 (scale 1, threshold 4).""",
    neighbours="Histograms that differ in one key, whose count is 1 (`l02inf_distance`, d_in = (1, 1, 1)).",
    why="""As with Laplace noise: a count is released at the threshold too, and delta counts only what is above. A
    lone key has count 1 and appears with probability P[noise ≥ 3] = .0058 for discrete Gaussian noise of scale 1;
    the map says .00135, and its part in delta cannot be less than that probability, as the key never appears
    without its record.""",
    practice="""Keys of a single person are published four times as often as was agreed. A threshold that is
    larger by one is safe.""",
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
    return audit(released, claim, pairs=[({"key": 1}, {})], trials=200_000)

"""OpenDP 0.15.1: report noisy max under zCDP charges a quarter of what it uses."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_noisy_max under zCDP: a quarter of the budget is charged",
    kind="finding",
    packages=("opendp==0.15.1",),
    claimed="OpenDP: the privacy map says rho = 1/8 · (d_in/scale)² of zCDP at d_in = 2, scale 1.",
    neighbours="Score vectors that differ by at most d_in in each entry (`linf_distance`).",
    why="""The mechanism is permute-and-flip, which is epsilon-DP; rho = epsilon²/8 holds for the exponential
    mechanism, whose range is bounded. For permute-and-flip epsilon²/2 is right.""",
    practice="A budget under zCDP buys four times too much. Mended in 0.16.0.",
    references=("https://github.com/opendp/opendp/issues/2911",),
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import audit
    from auditor.libraries import opendp

    dp.enable_features("contrib")
    scores = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    best = dp.m.make_noisy_max(*scores, dp.zero_concentrated_divergence(), scale=0.25)
    return audit(opendp.measurement(best, d_in=1), pairs=[([0, 0], [1, -1])], trials=50_000)

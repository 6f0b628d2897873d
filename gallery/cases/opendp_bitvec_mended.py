"""OpenDP 0.16.0: randomized response on bit vectors of one length."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_randomized_response_bitvec, as mended",
    kind="control",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the privacy map says epsilon 2.197 at d_in = 1 (f = .5, vectors of weight at most 1).",
    neighbours="Any two bit vectors of weight at most 1 and of the same length (`discrete_distance`).",
    why="""Each of the eight bits is flipped with probability 1/4. Two vectors of weight 1 differ in two bits: 2
    ln 3 = 2.197, which the library computes as 2 · max_weight · ln((2 − f)/f).""",
    practice="The twin of the case with 0.14.2: the same lines are not refuted any more.",
    references=("https://github.com/opendp/opendp/issues/2707",),
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import audit
    from auditor.libraries import opendp

    dp.enable_features("contrib")
    answers = dp.bitvector_domain(max_weight=1), dp.discrete_distance()
    response = dp.m.make_randomized_response_bitvec(*answers, f=0.5)
    return audit(opendp.measurement(response, d_in=1), pairs=[(b"\x80", b"\x01")], trials=10_000, jobs=1)

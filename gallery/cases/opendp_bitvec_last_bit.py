"""OpenDP 0.14.2: randomized response on bit vectors never flips the last bit."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_randomized_response_bitvec: the last bit is never flipped",
    kind="finding",
    packages=("opendp==0.14.2",),
    claimed="OpenDP: the privacy map says epsilon 2.197 at d_in = 1 (f = .5, vectors of weight at most 1).",
    neighbours="""Any two bit vectors of weight at most 1 (`discrete_distance`): one person's own answer, as in
    local differential privacy.""",
    why="""Noise is sampled for the bits 1 to n − 1 only, and the shorter noise vector is extended with zeros in
    the exclusive or: the last bit is released as it is.""",
    practice="""Whoever has the last attribute is seen with certainty. Mended in the next release; see the control
    with 0.16.0.""",
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

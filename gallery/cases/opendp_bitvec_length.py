"""OpenDP 0.16.0: bit vectors of two lengths are in one domain, and the output tells the length."""

from __future__ import annotations

from typing import Any

from gallery.case import Case

CASE = Case(
    title="make_randomized_response_bitvec: the length is released",
    kind="finding",
    packages=("opendp[polars]==0.16.0",),
    claimed="OpenDP: the privacy map says epsilon 2.197 at d_in = 1 for all of `bitvector_domain(max_weight=1)`.",
    neighbours="Any two members of the domain (`discrete_distance`), whose lengths are not restricted.",
    why="""The domain has a largest weight and no length, so vectors of different lengths are at distance 1. The
    output is as long as the input.""",
    practice="""It matters where the length itself depends on a person (a list of possible answers that grows with
    the answer). Where everyone's vector has the same public length nothing is lost.""",
    references=("https://github.com/opendp/opendp/issues/2930",),
)


def audited() -> Any:
    import opendp.prelude as dp

    from auditor import audit
    from auditor.libraries import opendp

    dp.enable_features("contrib")
    answers = dp.bitvector_domain(max_weight=1), dp.discrete_distance()
    response = dp.m.make_randomized_response_bitvec(*answers, f=0.5)
    return audit(opendp.measurement(response, d_in=1), pairs=[(b"\x01", b"\x01\x00")], trials=10_000, jobs=1)

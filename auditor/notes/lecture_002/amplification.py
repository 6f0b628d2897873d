"""Lecture 002, section 5.1: amplification by Poisson subsampling, and for which neighbours it holds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.finite import both_directions, hockey_stick, max_divergence
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.facts import Fact, at_least, at_most, close, everywhere, fact, fails
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.core.accounting import subsampling
from mechanisms.core.claims import ApproxDP
from mechanisms.poisson_subsampling import PoissonSubsampling, PoissonSubsamplingReplace
from mechanisms.randomized_response import RandomizedResponse

Array = np.ndarray[Any, np.dtype[Any]]


def mix(rate: float, sampled: Array, rest: Array) -> Array:
    """The output law when the record is in the sample with this probability, the rest of the sample fixed.

    Whatever else is sampled is the same on both sides, and a mixture of pairs is no worse than the worst of
    them, so one fixed rest is enough.
    """
    return rate * sampled + (1 - rate) * rest


def response(epsilon: float) -> tuple[Array, Array]:
    """Randomized response of one bit, 1 and 0, over the outputs (1, 0, ⊥)."""
    keep = RandomizedResponse(epsilon).keep
    return np.array([keep, 1 - keep, 0.0]), np.array([1 - keep, keep, 0.0])


NOTHING = np.array([0.0, 0.0, 1.0])  # on an empty sample: ⊥
COIN = np.array([0.5, 0.5, 0.0])  # on an empty sample: a fair coin, e^epsilon away from both


def random_excess(run: Run, relation: str) -> list[tuple[str, float, float]]:
    """Random base mechanisms with the exact δ they have at ε: the amplified pair against the claim."""
    rng, n = run.rng(relation), run.size(20_000, 4_000)
    rest, one, other = np.moveaxis(rng.dirichlet(np.full(4, 0.5), (n, 3)), 1, 0)
    rows = []
    for epsilon in (0.1, 1.0, 3.0):
        with_rest = np.maximum(both_directions(one, rest, epsilon), both_directions(other, rest, epsilon))
        swapped = both_directions(one, other, epsilon)
        base = {
            "add/remove": both_directions(one, rest, epsilon),
            "both": np.maximum(with_rest, swapped),
            "replace-one": swapped,
        }[relation]
        for rate in (0.01, 0.3, 0.9):
            left, right = mix(rate, one, rest), rest if relation == "add/remove" else mix(rate, other, rest)
            amplified = subsampling(ApproxDP(epsilon, 1.0), rate)  # its delta is the factor of δ
            over = both_directions(left, right, amplified.epsilon) - amplified.delta * base
            rows.append((f"ε = {epsilon:g}, q = {rate:g}", float(over.max()), 1e-12))
    return rows


@entry(
    "002-T5.4",
    kind="P",
    title="Privacy amplification by subsampling",
    statement="A is (ε, δ)-DP ⇒ A on a sample with each record w.p. q is (ln(1 + q(e^ε − 1)), qδ)-DP.",
    conditions="the relation is not stated; datasets of size n suggest replace-one",
    source="002 Theorem 5.4",
    expected="holds under condition",
    tests=2,
)
def amplification(run: Run) -> Outcome:
    """Add/remove: exact and tight. Replace-one alone: no amplification at all, by one record."""
    epsilon, rate = 1.0, 0.1
    claim = subsampling(ApproxDP(epsilon), rate)
    one, zero = response(epsilon)
    left, right = mix(rate, one, NOTHING), mix(rate, zero, NOTHING)
    true = max_divergence(left, right)
    added = mix(rate, one, COIN)
    poisson, replaced = PoissonSubsampling(rate=rate), PoissonSubsamplingReplace(rate=rate)
    audit = run.audit(replaced, trials=replaced.trials, name="replace-one")
    control = run.audit(poisson, name="add/remove")
    return judge(
        printed=[
            at_most("replace-one, RR(1) of one bit or ⊥ on an empty sample, q = .1: exact ε", true, claim.epsilon),
        ],
        condition=[
            everywhere("add/remove, random mechanisms: excess over qδ", random_excess(run, "add/remove")),
            everywhere("replace-one, base private for both relations", random_excess(run, "both")),
            at_most(
                "RR(1), a fair coin on an empty sample, record added",
                max_divergence(added, COIN),
                claim.epsilon,
            ),
            fact("an audit of the subsampled count does not refute it", not control.refuted),
        ],
        anchors=[
            fact("an audit refutes it under replace-one", audit.refuted),
            *_tightness(poisson, replaced),
            close("counterexample: unamplified", true, epsilon),
            close("its δ at the claimed ε", float(hockey_stick(left, right, claim.epsilon)), 0.04159, rel=1e-3),
            fails(everywhere("replace-one, base private for replace-one alone", random_excess(run, "replace-one"))),
        ],
        claimed=claim.epsilon,
        exact=true,
        quantity="epsilon, replace-one, q = .1, ε = 1",
        finding=(
            "The theorem does not say which datasets are neighbours. Under replace-one, with a base that is "
            "ε-DP under replace-one only, it fails: one bit, randomized response with ε = 1, ⊥ on an empty "
            f"sample, q = .1 has ε = {true:.4g}, not {claim.epsilon:.5f} "
            f"(δ = {float(hockey_stick(left, right, claim.epsilon)):.4g} there)."
        ),
        correction=(
            "Neighbours by adding or removing a record; or by replacing one, if A is (ε, δ)-DP for both "
            "relations: A on D_S and A on D_S without the record must be close too."
        ),
        audit=audit,
        pictures=(_picture(epsilon),),
    )


def _tightness(poisson: PoissonSubsampling, replaced: PoissonSubsamplingReplace) -> list[Fact]:
    """What is attained, by the catalogue's mechanisms and by hand, at ε = 1 and the mechanism's rate."""
    epsilon, rate, claim = 1.0, poisson.rate, poisson.claim
    one, zero = (law[:2] for law in response(epsilon))
    tight = mix(rate, one, zero)  # with the record A answers like 1, without it like 0
    forth, back = (float(np.log(a / b).max()) for a, b in ((tight, zero), (zero, tight)))
    profile = exact_profile(poisson)
    return [
        close("a subsampled count attains it", profile.epsilon_at(0.0), claim.epsilon, rel=1e-6),
        *(
            close(
                f"its δ at e = {e:g}, by quadrature",
                profile.delta_at(e),
                _count_delta(1.0, rate, e),
                rel=1e-5,
            )
            for e in (0.0, 0.05, 0.1)
        ),
        close("the catalogue's counterexample", exact_profile(replaced).epsilon_at(0.0), epsilon, rel=1e-6),
        close("tight under add/remove: ln(1 + q(e^ε − 1))", forth, claim.epsilon),
        close("and −ln(1 − q(1 − e^−ε)) the other way", back, -math.log1p(rate * math.expm1(-epsilon))),
        close("claimed ε at ε = 1, q = .1", claim.epsilon, 0.15857, rel=1e-4),
        close("qδ is attained by a record that leaks with probability δ", *_leaking(epsilon, rate, 0.01)),
        close(
            "±1 + Lap, private for add/remove alone, judged by replacement",
            _replaced_sum(1.0, rate),
            0.22386,
            rel=1e-3,
        ),
    ]


def _count_delta(epsilon: float, rate: float, at: float) -> float:
    """δ of a count with Lap(1/ε) on a sample of at most one record, against none, by a midpoint rule."""
    width = 1e-3
    y = (np.arange(-40_000, 41_000) + 0.5) * width
    without = epsilon / 2 * np.exp(-epsilon * np.abs(y))
    present = mix(rate, epsilon / 2 * np.exp(-epsilon * np.abs(y - 1)), without)
    return float(both_directions(present, without, at)) * width


def _leaking(epsilon: float, rate: float, delta: float) -> tuple[float, float]:
    """Exact and claimed δ where a sampled record shows itself with probability δ and changes nothing else."""
    claim = subsampling(ApproxDP(epsilon, delta), rate)
    sampled, rest = np.array([delta, 1 - delta]), np.array([0.0, 1.0])
    return float(hockey_stick(mix(rate, sampled, rest), rest, claim.epsilon)), claim.delta


def _replaced_sum(epsilon: float, rate: float) -> float:
    """The largest loss of a sum of ±1 plus Lap(1/ε), ε-DP for added records; a replaced one moves it by 2."""
    y = np.linspace(-30, 30, 60_001)

    def law(centre: float) -> Array:
        return np.asarray(np.exp(-epsilon * np.abs(y - centre)))

    left, right = mix(rate, law(1.0), law(0.0)), mix(rate, law(-1.0), law(0.0))
    return float(np.abs(np.log(left / right)).max())


def _picture(epsilon: float) -> dict[str, object]:
    rates = [float(q) for q in np.linspace(0.01, 1, 34)]
    one, zero = response(epsilon)
    return lines_picture(
        "Subsampling a mechanism with ε = 1",
        ("q", rates),
        "ε",
        {
            "claimed": [subsampling(ApproxDP(epsilon), q).epsilon for q in rates],
            "exact, removed": [-math.log1p(q * math.expm1(-epsilon)) for q in rates],
            "exact, replaced": [max_divergence(mix(q, one, NOTHING), mix(q, zero, NOTHING)) for q in rates],
            "qε": [q * epsilon for q in rates],
        },
        styles={"claimed": "claimed", "exact, replaced": "exact"},
        caption="An added record attains the claim. A base private for replaced records alone gains nothing.",
    )


@entry(
    "002-T5.4pf",
    kind="L",
    title="Last step of the proof of amplification",
    statement="(q e^ε + 1 − q)/(1 − q) ≤ O(1 + q(e^ε − 1)).",
    conditions="0 ≤ q < 1",
    source="002 Theorem 5.4, proof",
    expected="false as printed",
)
def last_step(run: Run) -> Outcome:
    """The quotient of the two sides is 1/(1 − q), which no constant bounds."""
    rates = (0.01, 0.1, 0.5, 0.9, 0.99, 0.999)
    factors = {q: (q * math.e + 1 - q) / (1 - q) / math.exp(subsampling(ApproxDP(1.0), q).epsilon) for q in rates}
    return judge(
        printed=[
            everywhere(
                "left side over right side, against a constant of 10",
                [(f"q = {q:g}", f, 10.0) for q, f in factors.items()],
            )
        ],
        corrected=[
            *(close(f"the quotient is 1/(1 − q), q = {q:g}", f, 1 / (1 - q)) for q, f in factors.items()),
            everywhere(
                "for q ≤ 1/2 the constant 2 is enough",
                [(f"q = {q:g}", f, 2.0) for q, f in factors.items() if q <= 0.5],
            ),
        ],
        anchors=[at_least("it grows without bound: q = .999", factors[0.999], 999.0)],
        claimed=10.0,
        exact=factors[0.999],
        quantity="left over right at q = .999",
        finding=(
            f"The left side is 1/(1 − q) times the right one: {factors[0.99]:.0f} times at q = .99. The step "
            "before drops q P(A(D′_S) ∈ E | i ∈ S), and uses that A is private when a record is added, which "
            "is not assumed."
        ),
        correction=("Bounded by a constant for q ≤ 1/2; with the dropped term it is ln(1 + q(e^ε − 1)) for every q."),
    )


@entry(
    "002-R5.4",
    kind="R",
    title="What a subsample costs",
    statement="For ε ≤ 1, ε̃ ≈ qε; (1, δ) becomes (ε′, ε′δ) on a subsample of roughly ε′ times the size.",
    conditions="“roughly”: up to a factor e − 1",
    source="002 §5.1, after Theorem 5.4",
    expected="holds under condition",
)
def rule_of_thumb(run: Run) -> Outcome:
    """At q = ε′ the ε is up to 1.72 ε′; the q that is needed lies between 0.58 ε′ and ε′."""
    targets = (0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0)
    needed = {e: math.expm1(e) / math.expm1(1.0) for e in targets}
    literal = {e: subsampling(ApproxDP(1.0), e).epsilon for e in targets}
    return judge(
        printed=[everywhere("exact ε at q = ε′, against ε′", [(f"ε′ = {e:g}", literal[e], e) for e in targets])],
        condition=[
            everywhere("within the factor e − 1", [(f"ε′ = {e:g}", literal[e] / e, math.expm1(1.0)) for e in targets]),
            *(
                close(f"q = (e^ε′ − 1)/(e − 1) gives ε′ = {e:g}", subsampling(ApproxDP(1.0), q).epsilon, e)
                for e, q in needed.items()
            ),
            everywhere("this q is at most ε′, so qδ ≤ ε′δ", [(f"ε′ = {e:g}", q, e) for e, q in needed.items()]),
        ],
        anchors=[
            close("q = .1 gives", literal[0.1], 0.15857, rel=1e-4),
            close("ε′ = .1 needs q", needed[0.1], 0.0612, rel=1e-3),
            close("small ε: ε̃/(qε) → 1", subsampling(ApproxDP(1e-4), 0.1).epsilon / 1e-5, 1.0, rel=1e-3),
        ],
        claimed=0.1,
        exact=literal[0.1],
        quantity="epsilon at q = .1, ε = 1",
        finding=f"From ε = 1, q = .1 gives ε = {literal[0.1]:.5f}; ε′ = .1 needs q = {needed[0.1]:.4f}.",
        correction="On a subsample of (e^ε′ − 1)/(e − 1), between 0.58 and 1 times ε′.",
    )

"""Lecture 002, section 5.1: approximate DP, name and shame, composition."""

from __future__ import annotations

import itertools
import math

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.finite import both_directions, by_events, hockey_stick, product
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.facts import at_least, at_most, close, everywhere, fact
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.core.accounting import basic_composition
from mechanisms.core.claims import ApproxDP
from mechanisms.name_and_shame import NameAndShame


@entry(
    "002-D5.1",
    kind="D",
    title="Approximate differential privacy",
    statement="P(A(D) ∈ E) ≤ e^ε P(A(D′) ∈ E) + δ for all neighbours D ~ D′ of size n and all events E.",
    conditions="datasets of n records, so neighbours replace one",
    source="002 Definition 5.1",
    expected="definition",
)
def approximate_dp(run: Run) -> Outcome:
    """The definition over all events against the hockey-stick sum, and the example below (5.1)."""
    rng = run.rng("pairs")
    worst = 0.0
    for _ in range(run.size(300, 100)):
        p, q = rng.dirichlet(np.full(8, 0.4), 2)
        epsilon = float(rng.uniform(0, 3))
        worst = max(worst, abs(max(0.0, by_events(p, q, epsilon)) - float(both_directions(p, q, epsilon))))
    rare = 2.0**-80
    return judge(
        definition=True,
        printed=[
            at_most("|max over 256 events − Σ(p − e^ε q)₊|, random pairs", worst, 1e-12),
            close(
                "an event of probability 0 against 2⁻⁸⁰ costs δ = 2⁻⁸⁰ at any ε",
                by_events([1, 0], [1 - rare, rare], 50.0),
                rare,
            ),
            close("pure DP is δ = 0: its profile ends at ε", ApproxDP(1.0).delta_at(1.0), 0.0),
        ],
        claimed=0.0,
        exact=worst,
        quantity="difference of definition and sum",
    )


def _published(mechanism: NameAndShame, n: int) -> float:
    """P[some record of n is published]: 1 - (1 - rate)^n."""
    return -math.expm1(n * math.log1p(-mechanism.rate))


@entry(
    "002-L5.2",
    kind="L",
    title="δ must be small against 1/n",
    statement="For an (ε, δ)-DP algorithm, δ = o(1/n).",
    source="002 Lemma 5.2",
    expected="false as printed",
)
def delta_against_n(run: Run) -> Outcome:
    """The algorithm of its proof is (0, δ)-DP for every δ and n; what grows is the damage."""
    sizes = (10, 100, 1000, 10_000)
    constant = {n: exact_profile(NameAndShame(0.2)).delta_at(0.0) for n in sizes}
    return judge(
        printed=[
            everywhere(
                "n·δ of name and shame, which is (0, .2)-DP for every n, vanishes",
                [(f"n = {n}", n * d, 1.0) for n, d in constant.items()],
            )
        ],
        corrected=[
            everywhere(
                "at δ = 1/n someone is published with probability at least 1 − 1/e",
                [(f"n = {n}", 1 - 1 / math.e, _published(NameAndShame(1 / n), n)) for n in sizes],
            ),
            everywhere(
                "at δ = 1/n² with probability at most 1/n",
                [(f"n = {n}", _published(NameAndShame(1 / n**2), n), 1 / n) for n in sizes],
            ),
        ],
        anchors=[at_least("name and shame at δ = .2 is no better than (0, .2)-DP", constant[1000], 0.2)],
        claimed=1.0,
        exact=1000 * constant[1000],
        quantity="n·δ of a (0, .2)-DP algorithm at n = 1000",
        finding=(
            "The proof's own algorithm is (0, δ)-DP for every δ in (0, 1) and every n, so no bound on δ "
            "follows from the definition. What it shows: δ ≥ 1/n permits an algorithm that publishes "
            "somebody's record with probability at least 1 − 1/e "
            f"(δ = 1/1000, n = 1000: {_published(NameAndShame(1e-3), 1000):.4f})."
        ),
        correction="A requirement, not a theorem: choose δ = o(1/n), for (0, δ)-DP permits name and shame.",
    )


@entry(
    "002-NS",
    kind="M,P",
    title="Name and shame",
    statement="yᵢ = xᵢ w.p. δ, else nothing: (0, δ)-DP; a record is released w.p. 1 − (1 − δ)ⁿ ≈ δn.",
    conditions="≈ asks for nδ ≪ 1",
    source="002 Lemma 5.2, proof",
    expected="holds under condition",
    tests=2,
)
def name_and_shame(run: Run) -> Outcome:
    """Exact δ by enumeration over all outputs; the release probability exactly and by simulation."""
    mechanism = NameAndShame()
    exact = [(f"δ = {d:g}", _enumerated(NameAndShame(d)), d) for d in (1e-6, 1e-3, 0.01, 0.3)]
    accuracy = mechanism.accuracy()[0]
    seen = run.proportion(
        lambda rng, n: int(np.count_nonzero(accuracy.failed(mechanism.sample(accuracy.dataset, n, rng)))),
        run.size(50_000, 10_000),
        "released",
    )
    audit = run.audit(mechanism)
    cases = {(n, d): _published(NameAndShame(d), n) for n in (10, 1000) for d in (1e-5, 1e-4, 1e-3, 5e-3)}
    error = {case: abs(case[0] * case[1] / value - 1) for case, value in cases.items()}
    small = [(f"n = {n}, δ = {d:g}", error[n, d], n * d) for n, d in cases if n * d <= 0.1]
    private = [
        everywhere("exact δ at ε = 0 by enumeration", exact),
        fact("an audit does not refute it", not audit.refuted),
    ]
    return judge(
        printed=[
            *private,
            everywhere("relative error of nδ", [(f"n = {n}, δ = {d:g}", error[n, d], 0.1) for n, d in cases]),
        ],
        condition=[*private, everywhere("relative error of nδ where nδ ≤ .1, at most nδ", small)],
        anchors=[
            *(
                close(
                    f"the catalogue's profile, {where}",
                    exact_profile(NameAndShame(bound)).delta_at(0.0),
                    value,
                )
                for where, value, bound in exact
            ),
            fact(
                f"simulation of 50 records agrees with 1 − (1 − δ)⁵⁰: {seen}",
                seen.contains(_published(mechanism, 50)),
            ),
            close("n = 1000, δ = 1e-3", cases[1000, 1e-3], 0.6323, rel=1e-3),
            close("n = 1000, δ = 5e-3", cases[1000, 5e-3], 0.9933, rel=1e-3),
        ],
        claimed=mechanism.delta,
        exact=exact_profile(mechanism).delta_at(0.0),
        quantity="delta at ε = 0",
        audit=audit,
        certified=None,
        finding=(
            "nδ is no probability beyond δ = 1/n: at n = 1000, δ = 5e-3 it is 5, and a record is released "
            f"with probability {cases[1000, 5e-3]:.4f}."
        ),
        correction="1 − (1 − δ)ⁿ ≤ nδ, with ≈ for nδ ≪ 1.",
        pictures=(_published_picture(1000),),
    )


def _published_picture(n: int) -> dict[str, object]:
    deltas = [float(d) for d in np.geomspace(1e-6, 0.02, 30)]
    return lines_picture(
        f"P[someone's record is published], n = {n}",
        ("δ", deltas),
        "probability",
        {
            "nδ": [min(1.0, n * d) for d in deltas],
            "exact": [_published(NameAndShame(d), n) for d in deltas],
        },
        styles={"nδ": "claimed", "exact": "exact"},
        log="xy",
    )


def _enumerated(mechanism: NameAndShame) -> float:
    """δ at ε = 0 over all replace-one pairs of two records in {0, 1, 2}, outputs enumerated."""

    def law(record: int) -> list[float]:
        return [1 - mechanism.rate, *(mechanism.rate if value == record else 0.0 for value in range(3))]

    pairs = itertools.product(range(3), repeat=3)
    return max(float(both_directions(product(law(a), law(b)), product(law(a), law(c)), 0.0)) for a, b, c in pairs)


@entry(
    "002-L5.3",
    kind="P",
    title="Post-processing and adaptive composition",
    statement="(ε, δ)-DP is closed under post-processing; (ε₁, δ₁), then (ε₂, δ₂): (ε₁ + ε₂, δ₁ + δ₂).",
    source="002 Lemma 5.3",
    expected="holds",
)
def closure(run: Run) -> Outcome:
    """Random mechanisms, the second one chosen by the first one's output, against the catalogue's sums."""
    rng, n = run.rng("mechanisms"), run.size(20_000, 4_000)
    first = rng.dirichlet(np.full(4, 0.5), (n, 2))  # two inputs, 4 outputs
    second = rng.dirichlet(np.full(3, 0.5), (n, 2, 4))  # for each first output
    kernel = rng.dirichlet(np.full(3, 0.3), (n, 4))  # a randomised map
    budgets = [(ApproxDP(a), ApproxDP(b)) for a, b in ((0.1, 0.4), (0.5, 0.5), (1.0, 0.2), (0.0, 1.5))]
    composed, processed = [], []
    for one, two in budgets:
        d1 = both_directions(first[:, 0], first[:, 1], one.epsilon)
        d2 = both_directions(second[:, 0], second[:, 1], two.epsilon).max(axis=-1)
        joint = (first[..., None] * second).reshape(n, 2, 12)
        excess = both_directions(joint[:, 0], joint[:, 1], basic_composition(one, two).epsilon) - (d1 + d2)
        composed.append((f"ε = {one.epsilon:g} + {two.epsilon:g}", float(excess.max()), 1e-12))
        mapped = np.einsum("nio,nop->nip", first, kernel)
        more = both_directions(mapped[:, 0], mapped[:, 1], one.epsilon) - d1
        processed.append((f"ε = {one.epsilon:g}", float(more.max()), 1e-12))
    times = [_repeated(t, 0.3, 0.01) for t in (2, 3, 5)]
    return judge(
        printed=[
            everywhere(f"excess of the composed δ over δ₁ + δ₂, {n} adaptive pairs", composed),
            everywhere(f"excess of the processed δ over δ, {n} maps", processed),
            everywhere("exact δ of T runs of the worst (.3, .01)-DP mechanism at Tε", times),
        ],
        claimed=0.0,
        exact=max(0.0, *(value for _, value, _ in composed)),
        quantity="excess over δ₁ + δ₂",
    )


def _repeated(times: int, epsilon: float, delta: float) -> tuple[str, float, float]:
    """T independent runs of the mechanism that attains (epsilon, delta), by enumeration."""
    truth = (1 - delta) / (1 + math.exp(-epsilon))
    left, right = (delta, 0.0, truth, 1 - delta - truth), (0.0, delta, 1 - delta - truth, truth)
    p, q = product(*[left] * times), product(*[right] * times)
    bound = basic_composition(*[ApproxDP(epsilon, delta)] * times)
    return f"T = {times}", float(hockey_stick(p, q, bound.epsilon)), bound.delta

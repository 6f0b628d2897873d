"""Lecture 001, what every ε-DP mechanism has: post-processing, group privacy, composition."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.finite import max_divergence, product
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.responses import answers_law
from auditor.notes.facts import at_least, at_most, close, everywhere, fact, fails
from auditor.notes.run import Run
from mechanisms.composition import Composition, Zeros
from mechanisms.core.accounting import basic_composition, group_privacy
from mechanisms.core.claims import ApproxDP, GaussianDP
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.gaussian import analytic_sigma
from mechanisms.laplace import Laplace, laplace_profile


@entry(
    "001-P1.1",
    kind="P",
    title="Post-processing",
    statement="M is ε-DP and f: R → R′ deterministic ⇒ f ∘ M is ε-DP",
    source="001 Proposition 1.1",
    expected="holds",
    tests=1,
)
def post_processing(run: Run) -> Outcome:
    """All 256 maps of the outputs of randomized response on two bits; a rounded Laplace answer, audited."""
    epsilon = 1.0
    left, right = answers_law(epsilon, (0, 1)), answers_law(epsilon, (1, 1))
    costs = []
    for image in itertools.product(range(4), repeat=4):
        places = np.array(image)
        p, q = (np.bincount(places, weights=law, minlength=4).astype(float) for law in (left, right))
        costs.append((f"f = {image}", max_divergence(p, q), epsilon))
    rng = run.rng("channels")
    for _ in range(200):
        channel = rng.dirichlet(np.full(5, 0.4), size=4)
        costs.append(("a random f that draws", max_divergence(left @ channel, right @ channel), epsilon))
    base = Laplace(epsilon=epsilon)

    def rounded(dataset: Any, n: int, draws: np.random.Generator) -> Any:
        return np.round(base.sample(dataset, n, draws))

    audit = run.audit(rounded, claim=base.claim, pairs=base.neighbours())
    return judge(
        printed=[
            everywhere("exact cost of f ∘ M, all 256 maps and 200 random ones", costs),
            fact("an audit of a rounded Laplace answer does not refute it", not audit.refuted),
        ],
        anchors=[close("the identity keeps the cost", max_divergence(left, right), epsilon)],
        audit=audit,
        claimed=epsilon,
        exact=max(cost for _, cost, _ in costs),
        finding="It holds for a randomised f as well.",
    )


@entry(
    "001-P1.2",
    kind="P",
    title="Group privacy",
    statement="M is ε-DP ⇒ P[M(D) ∈ S] ≤ e^(kε) P[M(D′) ∈ S] for D, D′ that differ in k records",
    conditions="Hamming distance at most k",
    source="001 Proposition 1.2",
    expected="holds",
    tests=1,
)
def group(run: Run) -> Outcome:
    """Randomized response by enumeration, Laplace in closed form, and what becomes of δ."""
    epsilon, k = 0.5, 3
    rows = [
        (
            f"k={j}",
            max_divergence(answers_law(epsilon, (0,) * 4), answers_law(epsilon, (1,) * j + (0,) * (4 - j))),
            group_privacy(ApproxDP(epsilon), j).epsilon,
        )
        for j in (1, 2, 3, 4)
    ]
    claim = group_privacy(ApproxDP(epsilon), k)
    base = Laplace(epsilon=epsilon)
    exact = laplace_profile(k * base.sensitivity / base.scale).epsilon_at(0.0)
    pair = NeighbourPair((0,) * 4, (1,) * k + (0,) * (4 - k), Relation.REPLACE_ONE, "three records change", group=k)
    audit = run.audit(base, claim=claim, pairs=[pair])
    approximate = group_privacy(ApproxDP(1.0, 1e-5), k)
    gaussian = GaussianDP(k / analytic_sigma(1.0, 1e-5)).delta_at(approximate.epsilon)
    return judge(
        printed=[
            everywhere("exact cost of randomized response for groups", rows),
            at_most("exact cost of Laplace for a group of 3", exact, claim.epsilon),
            fact("an audit with a group of 3 does not refute it", not audit.refuted),
        ],
        anchors=[
            at_least("attained by randomized response", min(v / b for _, v, b in rows), 1.0),
            close("attained by Laplace", exact, claim.epsilon),
            fails(at_most("with δ > 0: exact δ(3) of a Gaussian that is (1, 1e-5)-DP against kδ", gaussian, k * 1e-5)),
            at_most("and against δ(e^(kε) − 1)/(e^ε − 1)", gaussian, approximate.delta),
            close("which is, for ε = 1, δ = 1e-5", approximate.delta, 1.1107e-4, 1e-4),
        ],
        audit=audit,
        curve=laplace_profile(k * base.sensitivity / base.scale),
        claimed=claim.epsilon,
        exact=exact,
        finding=(
            "For δ > 0 the group pays δ(e^(kε) − 1)/(e^ε − 1), not kδ: Gaussian noise for (1, 1e-5) has "
            f"δ(3) = {gaussian:.3g} for groups of three, above 3e-5 and below {approximate.delta:.3g}."
        ),
    )


@entry(
    "001-T1.7",
    kind="P",
    title="Standard composition",
    statement="M₁ is ε₁-DP and M₂ is ε₂-DP ⇒ (M₁, M₂) is (ε₁ + ε₂)-DP",
    conditions="independent noise",
    source="001 Theorem 1.7",
    expected="holds",
    tests=1,
)
def standard_composition(run: Run) -> Outcome:
    """Randomized response by enumeration, random pairs, and two Laplace answers to one question, audited."""
    claim = basic_composition(ApproxDP(0.4), ApproxDP(0.7))
    worst = max_divergence(
        product(answers_law(0.4, (0,)), answers_law(0.7, (0,))),
        product(answers_law(0.4, (1,)), answers_law(0.7, (1,))),
    )
    rng = run.rng("pairs")
    rows = []
    for _ in range(300):
        p, q, r, s = rng.dirichlet(np.ones(4), size=4)
        rows.append(
            (
                "random pairs",
                max_divergence(product(p, r), product(q, s)),
                max_divergence(p, q) + max_divergence(r, s),
            )
        )
    mechanism = Composition(parts=(Laplace(epsilon=0.4), Zeros(epsilon=0.7)))
    exact = exact_profile(mechanism).epsilon_at(0.0)
    audit = run.audit(mechanism)
    return judge(
        printed=[
            at_most("exact cost of two randomized responses", worst, claim.epsilon),
            everywhere("exact cost of two random mechanisms", rows),
            at_most("exact cost of two Laplace answers", exact, mechanism.claim.epsilon, 1e-3),
            fact("an audit of both answers does not refute it", not audit.refuted),
        ],
        anchors=[
            close("ε₁ + ε₂", claim.epsilon, 1.1),
            close("attained by randomized response", worst, claim.epsilon),
            close("attained by Laplace", exact, claim.epsilon, 1e-3),
        ],
        audit=audit,
        curve=exact_profile(mechanism),
        claimed=claim.epsilon,
        exact=exact,
    )

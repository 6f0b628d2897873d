"""Lecture 000, section 1: approximate differential privacy."""

from __future__ import annotations

import math

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.adaptive import adaptive_deltas
from auditor.notes.exact.finite import both_directions, by_events, product
from auditor.notes.exact.gaussian_loss import loss_tail
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.facts import at_least, at_most, close, fact, fails
from auditor.notes.run import Run
from mechanisms.adaptive_composition import AdaptiveComposition
from mechanisms.core.accounting import basic_composition
from mechanisms.core.claims import ApproxDP
from mechanisms.gaussian import analytic_sigma, gaussian_profile
from mechanisms.parallel import ParallelComposition, ParallelCompositionReplace


@entry(
    "000-T1",
    kind="D",
    title="(ε, δ)-differential privacy",
    statement="P[A(X) ∈ S] ≤ e^ε P[A(X′) ∈ S] + δ for all events S and all neighbours X, X′",
    conditions="ε > 0, δ ∈ [0, 1)",
    source="000 Theorem 1",
    expected="definition",
)
def definition_of_dp(run: Run) -> Outcome:
    """The hockey-stick formula that everything here uses, against the definition over all events."""
    rng = run.rng("pairs")
    gaps, worst = [], []
    for _ in range(200):
        p, q = rng.dirichlet(np.ones(6), size=2)
        epsilon = rng.uniform(0, 2)
        gaps.append(abs(by_events(p, q, epsilon) - both_directions(p, q, epsilon)))
    claim = ApproxDP(1.0, 0.1)
    left, right = _leaky_response(1.0, 0.1)
    for epsilon in (0.0, 0.3, 0.7, 1.0, 1.5):
        worst.append(abs(claim.delta_at(epsilon) - by_events(left, right, epsilon)))
    return judge(
        definition=True,
        printed=[
            at_most("|max over all 64 events − Σ(P − e^ε Q)₊|, 200 random pairs", max(gaps), 1e-12),
            at_most("|profile of (1, 0.1)-DP − its worst pair, over all events|", max(worst), 1e-12),
        ],
        quantity="delta",
        finding="Printed under the heading Theorem; it is a definition.",
    )


def _leaky_response(epsilon: float, delta: float) -> tuple[list[float], list[float]]:
    """The worst (epsilon, delta)-DP pair: tells with probability delta, else randomized response."""
    truth = (1 - delta) / (1 + math.exp(-epsilon))
    lie = 1 - delta - truth
    return [delta, 0.0, truth, lie], [0.0, delta, lie, truth]


@entry(
    "000-R1",
    kind="R",
    title="δ as the probability of no guarantee",
    statement="With probability 1 − δ we obtain the guarantee of pure DP; with probability δ, none at all.",
    conditions="read as P[privacy loss > ε] ≤ δ",
    source="000 §1, after Theorem 1",
    expected="false as printed",
)
def delta_is_not_a_failure_probability(run: Run) -> Outcome:
    """The Gaussian mechanism with exact delta 1e-5 at eps = 1 exceeds the loss 1 far more often than that."""
    epsilon, delta = 1.0, 1e-5
    mu = 1 / analytic_sigma(epsilon, delta)
    exceeds = loss_tail(mu, epsilon)
    return judge(
        printed=[at_most("P[loss > 1] where δ(1) is exactly 1e-5 (Gaussian noise)", exceeds, delta)],
        corrected=[
            # 002, below Lemma 5.5: the weaker converse
            at_most("P[loss > 2ε] ≤ δ/(1 − e^−ε)", loss_tail(mu, 2 * epsilon), delta / -math.expm1(-epsilon)),
            at_least("P[loss > ε] bounds δ from above", exceeds, delta),
        ],
        anchors=[close("δ(1) of the calibrated noise", gaussian_profile(mu).delta_at(epsilon), delta, 1e-6)],
        claimed=delta,
        exact=exceeds,
        quantity="P[loss > 1]",
        finding=(
            f"Gaussian noise calibrated to be exactly (1, 1e-5)-DP has privacy loss above 1 with probability "
            f"{exceeds:.4g}, {exceeds / delta:.0f} times δ."
        ),
        correction=(
            "P[loss > ε] ≤ δ is sufficient for (ε, δ)-DP, not necessary; (ε, δ)-DP implies only "
            "P[loss > 2ε] ≤ δ/(1 − e^−ε)."
        ),
    )


@entry(
    "000-C0",
    kind="P",
    title="Composition and post-processing of approximate DP",
    statement=(
        "approximate DP satisfies sequential composition, (ε₁, δ₁) and (ε₂, δ₂) give (ε₁ + ε₂, δ₁ + δ₂), "
        "parallel composition, and post-processing"
    ),
    conditions="parallel: a record is in one part alone (add/remove)",
    source="000 §1, after Theorem 1",
    expected="holds",
    tests=1,
)
def composition(run: Run) -> Outcome:
    """The worst pairs, random adaptive pairs, a histogram under both relations, random post-processing."""
    first, second = ApproxDP(0.5, 0.01), ApproxDP(0.3, 0.02)
    claim = basic_composition(first, second)
    left, right = (product(*pair) for pair in zip(*map(_leaky_response, (0.5, 0.3), (0.01, 0.02)), strict=True))
    exact = float(both_directions(left, right, claim.epsilon))
    joint, sums = adaptive_deltas(run.rng("adaptive"), run.size(20_000), first.epsilon, second.epsilon)
    parallel = ParallelComposition()
    moved = exact_profile(parallel).epsilon_at(0.0)
    replaced = exact_profile(ParallelCompositionReplace()).epsilon_at(0.0)
    both = basic_composition(*(part.claim for part in parallel.parts[:2]))
    mechanism = AdaptiveComposition()
    audit = run.audit(mechanism)
    return judge(
        printed=[
            at_most("exact δ of the two worst mechanisms at ε₁ + ε₂", exact, claim.delta),
            at_most("largest excess of δ over δ₁ + δ₂, random adaptive pairs", float((joint - sums).max()), 0.0),
            at_most("largest excess of δ by post-processing, random maps", _processed(run), 1e-12),
            at_most("parallel: exact cost, add/remove", moved, parallel.claim.epsilon),
            fact("an audit of an adaptive composition does not refute it", not audit.refuted),
        ],
        anchors=[
            close("the sum of the claims", claim.epsilon, 0.8),
            close("exact δ: 1 − (1 − δ₁)(1 − δ₂)", exact, 1 - 0.99 * 0.98),
            fails(at_most("parallel under replace-one: exact cost", replaced, parallel.claim.epsilon)),
            close("which is the sum of two parts", replaced, both.epsilon),
        ],
        audit=audit,
        curve=exact_profile(mechanism),
        claimed=mechanism.claim.epsilon,
        exact=exact_profile(mechanism).epsilon_at(mechanism.claim.delta),
        finding=(
            "Parallel composition needs add/remove neighbours, or records that stay in their part: where a "
            f"replaced record moves between two parts of cost {moved:g}, both pay, {replaced:g} together."
        ),
    )


def _processed(run: Run) -> float:
    """The most by which a random map of the outputs raises delta; at most 0 but for rounding."""
    rng = run.rng("post-processing")
    excess = []
    for _ in range(200):
        p, q = rng.dirichlet(np.ones(6), size=2)
        channel = rng.dirichlet(np.full(4, 0.5), size=6)
        epsilon = rng.uniform(0, 1)
        excess.append(both_directions(p @ channel, q @ channel, epsilon) - both_directions(p, q, epsilon))
    return float(max(excess))

"""Lecture 002, section 5.2.2: the Gaussian mechanism in k dimensions."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.special import ndtr

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.facts import at_least, at_most, close, everywhere, fact, fails
from auditor.notes.run import Run
from mechanisms.gaussian_simple import GaussianVector, GaussianVectorPerCoordinate


@entry(
    "002-D5.10",
    kind="D,E",
    title="ℓ2 sensitivity",
    statement="Δ₂ = max ‖f(D) − f(D′)‖₂; Δ₂ ≤ Δ₁ ≤ √k Δ₂; for sums over {0,1}^k, Δ₁ = k and Δ₂ = √k.",
    source="002 Definition 5.10",
    expected="definition",
)
def l2_sensitivity(run: Run) -> Outcome:
    """All pairs of records in {0,1}^k, and the norm inequality on random vectors."""
    facts = []
    for k in (1, 2, 3, 5):
        records = np.array(list(itertools.product((0, 1), repeat=k)))
        moves = records[:, None, :] - records[None, :, :]
        facts += [
            close(f"Δ₁ over all pairs of records, k = {k}", float(np.abs(moves).sum(-1).max()), k),
            close(
                f"Δ₂ over all pairs of records, k = {k}",
                float(np.sqrt((moves**2).sum(-1).max())),
                math.sqrt(k),
            ),
            close(f"the catalogue's Δ₂, k = {k}", GaussianVector(k=k).sensitivity, math.sqrt(k)),
        ]
    v = run.rng("vectors").standard_normal((10_000, 7)) ** 3
    one, two = np.abs(v).sum(-1), np.sqrt((v**2).sum(-1))
    pair = GaussianVector(k=4).neighbours()[0]
    query = GaussianVector(k=4).query
    moved = float(np.linalg.norm(np.subtract(query(pair.left), query(pair.right))))
    return judge(
        printed=[
            at_most("largest ‖v‖₂/‖v‖₁", float((two / one).max()), 1.0),
            at_most("largest ‖v‖₁/(√k ‖v‖₂)", float((one / two).max() / math.sqrt(7)), 1.0),
            *facts,
        ],
        anchors=[close("the catalogue's worst pair moves by Δ₂", moved, 2.0)],
        definition=True,
        claimed=2.0,
        exact=moved,
        quantity="Δ₂ for k = 4",
    )


@entry(
    "002-L5.11",
    kind="L",
    title="Moments of a spherical Gaussian",
    statement="Z ~ N(μ, σ²I): E‖Z‖² = kσ², E‖Z‖ ≤ √k σ, E max|Zᵢ| ≤ O(σ√log k), Z·v ~ N(0, ‖v‖²σ²).",
    conditions="printed for every μ",
    source="002 Lemma 5.11",
    expected="false as printed",
    tests=1,
)
def spherical_moments(run: Run) -> Outcome:
    """Closed forms at mu != 0 and mu = 0, a simulation of E‖Z‖², and the expected maximum by quadrature."""
    from scipy.stats import ncx2

    k, sigma, mu = 3, 1.0, np.array([2.0, 0.0, 0.0])
    printed = k * sigma**2
    true = float(ncx2.mean(k, float(mu @ mu) / sigma**2)) * sigma**2
    above = float(ncx2.sf(printed / sigma**2, k, float(mu @ mu)))

    def larger(rng: np.random.Generator, n: int) -> int:
        z = mu + sigma * rng.standard_normal((n, k))
        return int(np.count_nonzero((z**2).sum(axis=1) > printed))

    seen = run.proportion(larger, run.size(100_000), "norm")
    maxima = {k: _expected_maximum(k) for k in (1, 2, 10, 100, 10_000)}
    root_k = [(f"k = {k}", _expected_norm(k), math.sqrt(k)) for k in (1, 2, 3, 10, 100)]
    return judge(
        printed=[
            close("E‖Z‖² at μ = (2, 0, 0), σ = 1, k = 3", true, printed),
            at_most("E|Z₁| against σ√(ln k) at k = 1, up to any constant", maxima[1], 0.0),
        ],
        corrected=[
            close("E‖Z‖² = kσ² + ‖μ‖²", true, k * sigma**2 + float(mu @ mu)),
            fact(f"simulation agrees: P(‖Z‖² > 3) = {above:.4g} against {seen}", seen.contains(above)),
            everywhere("E‖Z‖ ≤ √k σ at μ = 0", root_k),
            everywhere(
                "E max|Zᵢ| ≤ σ√(2 ln 2k) at μ = 0",
                [(f"k = {k}", value, math.sqrt(2 * math.log(2 * k))) for k, value in maxima.items()],
            ),
        ],
        anchors=[close("E|N(0, 1)| = √(2/π)", maxima[1], math.sqrt(2 / math.pi), rel=1e-7)],
        claimed=printed,
        exact=true,
        quantity="E‖Z‖² at μ = (2, 0, 0)",
        trials_used=seen.trials,
        finding=(
            f"With μ = (2, 0, 0), σ = 1 and k = 3 the mean of ‖Z‖² is {true:g}, not {printed:g}; Z·v has "
            f"mean μ·v; at k = 1, σ√(log k) is 0 and E|Z₁| = {maxima[1]:.4g}. The dimension is d and k."
        ),
        correction=("State it for μ = 0 and k ≥ 2, or with E‖Z‖² = kσ² + ‖μ‖², Z·v ~ N(μ·v, ‖v‖²σ²) and √(2 ln 2k)."),
    )


def _expected_maximum(k: int) -> float:
    """E max|Z_i| = integral of 1 - (2 Phi(t) - 1)^k."""
    from scipy.integrate import quad

    top = math.sqrt(2 * math.log(2 * k)) + 9
    return float(quad(lambda t: -np.expm1(k * np.log1p(-2 * ndtr(-t))) if t else 1.0, 0, top, limit=200)[0])


def _expected_norm(k: int) -> float:
    """E‖Z‖ of a standard Gaussian: √2 Γ((k+1)/2)/Γ(k/2)."""
    return math.sqrt(2) * math.exp(math.lgamma((k + 1) / 2) - math.lgamma(k / 2))


@entry(
    "002-T5.12",
    kind="M,P",
    title="Gaussian mechanism in k dimensions",
    statement="f(D) + N(0, 32Δ² ln(2/δ)/(9ε²) I_k) is (ε, δ)-DP for any ε ≤ 1 and δ > 0.",
    conditions="Δ is not said to be Δ₂; 0 < δ < 1",
    source="002 Theorem 5.12",
    expected="holds under condition",
    tests=1,
)
def gaussian_vector(run: Run) -> Outcome:
    """With the ℓ2 sensitivity it holds; with the sensitivity of one coordinate, the old Δ, it does not."""
    correct = GaussianVector(k=3)
    audit = run.audit(correct, trials=run.size(60_000, 20_000))
    k, epsilon, delta = 10, 0.5, 1e-5
    per_coordinate = exact_profile(GaussianVectorPerCoordinate(epsilon, delta, k)).delta_at(epsilon)
    grid = [
        (f"ε = {e:g}, δ = {d:g}, k = {m}", exact_profile(GaussianVector(e, d, m)).delta_at(e), d)
        for e, d, m in itertools.product((0.01, 0.1, 0.5, 1.0), (1e-9, 1e-5, 1e-2, 0.5), (1, 2, 10, 1000))
    ]
    return judge(
        printed=[
            at_most(
                "δ with the sensitivity of a coordinate for Δ, k = 10, (0.5, 1e-5)",
                per_coordinate,
                delta,
            ),
        ],
        condition=[
            everywhere("exact δ with Δ = Δ₂", grid),
            fact("an audit with Δ₂ does not refute it", not audit.refuted),
        ],
        anchors=[
            close("true δ with Δ per coordinate", per_coordinate, 2.08e-3, rel=5e-3),
            fails(at_least("Δ₂ is at most the Δ of one coordinate", 1.0, correct.sensitivity)),
        ],
        claimed=correct.epsilon,
        exact=exact_profile(correct).epsilon_at(correct.delta),
        audit=audit,
        finding=(
            "Read with the Δ of Theorem 5.7 (one number), the theorem fails: ten coordinates that move by 1 "
            f"each, at (0.5, 1e-5), have δ = {per_coordinate:.3g}. The proof bounds ‖f(D′)‖₂ by "
            "Δ, so Δ₂ is meant; its “Lemma 6.10” is Lemma 5.11."
        ),
        correction="Write Δ₂ for Δ.",
    )

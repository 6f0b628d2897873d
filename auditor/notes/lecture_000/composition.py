"""Lecture 000, section 2: advanced composition against the exact composed cost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.composition import composed_gaussian, composed_laplace, composed_randomized_response
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.facts import at_least, at_most, close, everywhere, fact, fails
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.advanced_composition import AdvancedComposition
from mechanisms.core.accounting import advanced_composition, basic_composition
from mechanisms.core.claims import ApproxDP, GaussianDP
from mechanisms.gaussian import analytic_sigma
from mechanisms.laplace import Laplace
from mechanisms.leaky import leaky_composition_profile

SLACK = 1e-6
GRID = (
    (0.01, 10),
    (0.1, 100),
    (0.1, 1000),
    (0.5, 100),
    (0.5, 1000),
    (math.log(2), 1000),
    (1.0, 100),
    (2.0, 100),
)


def _advanced(epsilon: float, k: int, delta: float = 0.0, slack: float = SLACK) -> ApproxDP:
    return advanced_composition(ApproxDP(epsilon, delta), k, slack)


def _basic(epsilon: float, k: int) -> float:
    return basic_composition(*[ApproxDP(epsilon)] * k).epsilon


@entry(
    "000-T2.1",
    kind="P",
    title="Advanced composition",
    statement="k runs of (ε, δ) are (ε′, kδ + δ′)-DP with ε′ = √(2k ln(1/δ′))·ε + kε(e^ε − 1)",
    conditions="δ′ > 0",
    source="000 Theorem 2.1",
    expected="holds",
    tests=1,
)
def advanced(run: Run) -> Outcome:
    """Against exact costs: binomial sums for randomized response, else loss distributions."""
    where = [f"ε={e:.3g}, k={k}" for e, k in GRID]
    worst = [composed_randomized_response(e, k).epsilon_at(SLACK) for e, k in GRID]
    laplace = [composed_laplace(e, k).epsilon_at(SLACK) for e, k in GRID]
    claimed = [_advanced(e, k).epsilon for e, k in GRID]
    leaky = [
        (
            f"ε={e:g}, k={k}, δ={d:g}",
            composed_randomized_response(e, k, d).delta_at(_advanced(e, k, d).epsilon),
            _advanced(e, k, d).delta,
        )
        for e, k, d in ((0.1, 100, 1e-6), (0.5, 50, 1e-3), (1.0, 10, 1e-4))
    ]
    single = 1 / analytic_sigma(0.1, 1e-8)  # each exactly (0.1, 1e-8)-DP
    total = _advanced(0.1, 100, 1e-8)
    gaussian = composed_gaussian(single, 100).epsilon_at(total.delta)
    mechanism = AdvancedComposition(parts=(Laplace(epsilon=0.1),) * 12, slack=0.01)
    audit = run.audit(mechanism)
    return judge(
        printed=[
            everywhere("exact cost, randomized response (the worst)", zip(where, worst, claimed, strict=True)),
            everywhere("exact cost, Laplace", zip(where, laplace, claimed, strict=True), slack=1e-3),
            everywhere("exact δ at ε′ with δ > 0", leaky),
            at_most("exact cost, 100 Gaussians, each (0.1, 1e-8)", gaussian, total.epsilon),
            fact("an audit of twelve Laplace answers does not refute it", not audit.refuted),
        ],
        anchors=[
            close("ε′ at ε = .1, k = 100, δ′ = 1e-6, by hand", claimed[1], 6.3082, 1e-4),
            close("ε′ at ε = 1, k = 100, δ′ = 1e-6, by hand", claimed[6], 224.40, 1e-4),
            close("exact cost there, randomized response", worst[6], 83.53, 1e-4),
            close(
                "δ with leaks, the catalogue's sum against this one",
                leaky_composition_profile(0.5, 1e-3, 50).delta_at(3.0),
                composed_randomized_response(0.5, 50, 1e-3).delta_at(3.0),
            ),
            close("exact cost there, Laplace", laplace[6], 71.546, 1e-4),
            close("Gaussians compose to μ√k", gaussian, GaussianDP(10 * single).epsilon_at(total.delta), 1e-3),
            everywhere("Laplace against the worst", zip(where, laplace, worst, strict=True), slack=1e-3),
        ],
        audit=audit,
        curve=exact_profile(mechanism),
        claimed=mechanism.claim.epsilon,
        exact=exact_profile(mechanism).epsilon_at(mechanism.claim.delta),
        finding=(
            f"At ε = 0.1, k = 100, δ′ = 1e-6: advanced {claimed[1]:.4g}, basic {_basic(0.1, 100):g}, exact "
            f"{worst[1]:.4g}."
        ),
        pictures=(_over_k(0.1), _over_k(1.0)),
    )


def _over_k(epsilon: float) -> dict[str, Any]:
    ks = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
    return lines_picture(
        f"k-fold composition of ε = {epsilon:g} at δ′ = 10⁻⁶",
        ("k", ks),
        "ε of the composition",
        {
            "basic": [_basic(epsilon, k) for k in ks],
            "advanced": [_advanced(epsilon, k).epsilon for k in ks],
            "exact": [composed_randomized_response(epsilon, k).epsilon_at(SLACK) for k in ks],
            "exact, Laplace": [composed_laplace(epsilon, k).epsilon_at(SLACK) for k in ks],
        },
        styles={"basic": "claimed", "advanced": "certified", "exact, Laplace": "other"},
        log="xy",
        caption="Exact: randomized response, the worst of all mechanisms with this ε, by binomial sums.",
    )


def _from(epsilon: float) -> float:
    """k above which advanced composition is below basic: 2 ln(1/δ′)/(2 − e^ε)², for ε < ln 2."""
    return 2 * math.log(1 / SLACK) / (2 - math.exp(epsilon)) ** 2


@entry(
    "000-R3",
    kind="R",
    title="Advanced against basic composition",
    statement="ε′ = O(kε² + √(kε²)), significantly smaller than kε of basic composition when k is large",
    conditions="no range for ε is printed",
    source="000 §2, after Theorem 2.1",
    expected="false as printed",
)
def advanced_against_basic(run: Run) -> Outcome:
    """For ε ≥ ln 2 the second term alone exceeds kε, whatever k; below, the crossover in closed form."""
    large = [
        (f"ε={e:.3g}, k={k}", _advanced(e, k).epsilon, _basic(e, k)) for e in (0.1, 0.5, 1.0) for k in (1000, 10**5)
    ]
    never = min(
        _advanced(e, k).epsilon / (k * e) for e in (math.log(2), 0.8, 1.0, 2.0) for k in (10, 1000, 10**6, 10**9)
    )
    around = []
    for e in (0.01, 0.1, 0.3, 0.5, 0.6):
        k = math.floor(_from(e))
        around += [
            (f"ε={e:g}, k={k}: basic is no larger", k * e, _advanced(e, k).epsilon),
            (f"ε={e:g}, k={k + 1}: advanced is smaller", _advanced(e, k + 1).epsilon, (k + 1) * e),
        ]
    ratio = _advanced(6.0, 10**6).epsilon / (10**6 * 36 + math.sqrt(10**6 * 36))
    at_one = _advanced(1.0, 1000).epsilon
    exact = composed_randomized_response(1.0, 1000).epsilon_at(SLACK)
    epsilons = [float(e) for e in np.linspace(0.01, 0.68, 40)]
    return judge(
        printed=[everywhere("advanced against basic for large k", large)],
        corrected=[
            everywhere("both sides of k = 2 ln(1/δ′)/(2 − e^ε)²", around),
            at_least("smallest advanced/basic for ε ≥ ln 2, k up to 10⁹", never, 1.0),
        ],
        anchors=[
            close("crossover at ε = .1", _from(0.1), 34.5, 1e-2),
            close("crossover at ε = .5", _from(0.5), 223.9, 1e-3),
            close("advanced at ε = 1, k = 1000", at_one, 1884.5, 1e-4),
            close("exact cost there", exact, 591.08, 1e-4),
            fails(at_most("ε′/(kε² + √k ε) at ε = 6, which O() bounds by a constant", ratio, 3.5)),
        ],
        claimed=_basic(1.0, 1000),
        exact=at_one,
        finding=(
            f"At ε = 1, k = 1000, δ′ = 1e-6 the theorem gives ε′ = {at_one:.1f}, more than the "
            f"{_basic(1.0, 1000):g} of "
            f"basic composition (the exact cost is {exact:.2f}). For ε ≥ ln 2 it is never smaller, for any "
            f"k; the O() also hides ln(1/δ′) and grows with ε (a factor {ratio:.0f} at ε = 6)."
        ),
        correction=(
            "ε′ is smaller than kε for ε < ln 2 and k > 2 ln(1/δ′)/(2 − e^ε)²; and for ε ≤ 1, "
            "ε′ = O(kε² + ε√(k ln(1/δ′)))."
        ),
        pictures=(
            lines_picture(
                "How many runs until advanced beats basic composition (δ′ = 10⁻⁶)",
                ("ε", epsilons),
                "k",
                {"crossover": [_from(e) for e in epsilons]},
                log="y",
                caption="It grows without bound towards ε = ln 2 ≈ 0.693; beyond, basic is always smaller.",
            ),
        ),
    )

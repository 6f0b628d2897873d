"""Lecture 002, section 5.2.3: the least noise of the Gaussian mechanism."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.importance import gaussian_delta
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.quadrature import gaussian_delta_by_quadrature
from auditor.notes.facts import Fact, at_least, at_most, close, everywhere, fact
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.gaussian import analytic_sigma, gaussian_profile
from mechanisms.gaussian_analytic import GaussianAnalytic, GaussianAnalyticTenthLess


@entry(
    "002-T5.18",
    kind="M,P",
    title="Analytic Gaussian mechanism",
    statement="N(0, σ²I) is (ε, δ)-DP ⇔ Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) ≤ δ, for any ε ≥ 0, δ ≤ 1.",
    source="002 Theorem 5.18",
    expected="holds",
    tests=4,
)
def analytic(run: Run) -> Outcome:
    """Sufficient and necessary: the calibrated σ attains δ, less noise is refuted; δ = 1e-9 by sampling."""
    mechanism, less = GaussianAnalytic(), GaussianAnalyticTenthLess()
    audit = run.audit(mechanism)
    refuted = run.audit(less, trials=less.trials, name="a tenth less")
    sampled = []
    for epsilon in (0.5, 2.0):
        tiny = GaussianAnalytic(epsilon=epsilon, delta=1e-9)
        estimate = gaussian_delta(
            tiny.sensitivity / tiny.sigma,
            epsilon,
            run.size(100_000, 20_000),
            run.rng(f"tiny {epsilon}"),
            run.spend(f"tiny {epsilon}"),
        )
        sampled.append(fact(f"δ = 1e-9 at ε = {epsilon:g} by importance sampling: {estimate}", estimate.contains(1e-9)))
    grid = [(e, d) for e in (0.0, 0.1, 1.0, 4.0, 12.0) for d in (1e-9, 1e-5, 1e-2, 0.4)]
    attained = []
    for e, d in grid:
        mu = 1 / GaussianAnalytic(e, d).sigma
        attained.append(
            close(
                f"δ by quadrature at the calibrated σ, ε = {e:g}",
                gaussian_delta_by_quadrature(mu, e),
                d,
                rel=1e-6,
            )
        )
    known = {(1.0, 1e-5): 3.73063, (0.5, 1e-5): 7.03183, (4.0, 1e-5): 1.08116}
    return judge(
        printed=[
            *attained,
            fact("an audit does not refute the calibrated σ", not audit.refuted),
            fact("an audit refutes a tenth less noise", refuted.refuted),
            *sampled,
        ],
        anchors=[
            close(f"σ/Δ at ε = {e:g}, δ = {d:g}", GaussianAnalytic(e, d).sigma, value, rel=1e-5)
            for (e, d), value in known.items()
        ],
        claimed=mechanism.epsilon,
        exact=exact_profile(mechanism).epsilon_at(mechanism.delta),
        audit=audit,
    )


_SHOWN = tuple(float(e) for e in np.geomspace(0.02, 20, 60))


def _printed_limit(epsilon: float) -> float:
    return 0.5 - math.exp(-3 * epsilon) / math.sqrt(4 * math.pi * epsilon)


def _true_limit(epsilon: float) -> float:
    """1/2 - e^eps Phi(-sqrt(2 eps)), the exact delta of sigma = Delta / sqrt(2 eps)."""
    return gaussian_profile(math.sqrt(2 * epsilon)).delta_at(epsilon)


def _sufficient_limit(epsilon: float) -> float:
    """Φ(-x) <= φ(x)/x at x = sqrt(2 eps)."""
    return 0.5 - 1 / math.sqrt(4 * math.pi * epsilon)


@entry(
    "002-T5.19",
    kind="P",
    title="Least noise of the Gaussian mechanism",
    statement="0 < δ < 1/2 − e^(−3ε)/√(4πε) and (ε, δ)-DP ⇒ σ ≥ Δ/√(2ε).",
    conditions="ε > 0",
    source="002 Theorem 5.19",
    expected="false as printed",
    tests=1,
)
def least_noise(run: Run) -> Outcome:
    """The condition is exact at δ = 1/2 − e^ε Φ(−√(2ε)); the printed one lies above it from ε = 0.2163 on."""
    epsilon, delta = 1.0, 0.4
    mechanism = GaussianAnalytic(epsilon=epsilon, delta=delta)
    least = mechanism.sensitivity / math.sqrt(2 * epsilon)
    crossover = float(brentq(lambda e: _printed_limit(e) - _true_limit(e), 0.14, 0.4, xtol=1e-14))
    vacuous = float(brentq(_printed_limit, 0.01, 0.4, xtol=1e-14))
    audit = run.audit(mechanism)
    above = [e for e in _SHOWN if _printed_limit(e) > _true_limit(e)]
    return judge(
        printed=[
            at_least(
                f"σ of the exactly (1, {delta})-DP mechanism, δ < {_printed_limit(1.0):.6g}",
                mechanism.sigma,
                least,
            )
        ],
        corrected=_corrected(),
        anchors=[
            at_most("δ is inside the printed range", delta, _printed_limit(epsilon)),
            close(
                "δ by quadrature at this σ",
                gaussian_delta_by_quadrature(1 / mechanism.sigma, epsilon),
                delta,
                rel=1e-7,
            ),
            fact("an audit does not refute it: that little noise is (1, 0.4)-DP", not audit.refuted),
            close("the printed condition is false from ε", crossover, 0.2162821, rel=1e-6),
            fact(
                "above the crossover it is false everywhere on the grid",
                min(above) > crossover and max(above) == max(_SHOWN),
            ),
            close("and empty up to ε", vacuous, 0.1385874, rel=1e-6),
            close("Φ(0) − e^ε Φ(−√(2ε)) at ε = 1", _true_limit(1.0), 0.286208, rel=1e-5),
            close("the same from Φ", 0.5 - math.exp(1 + float(log_ndtr(-math.sqrt(2)))), _true_limit(1.0)),
        ],
        claimed=_printed_limit(epsilon),
        exact=_true_limit(epsilon),
        quantity="largest δ at ε = 1",
        audit=audit,
        certified=None,
        finding=(
            f"At ε = 1 the printed range is δ < {_printed_limit(1.0):.6f}, but σ = {mechanism.sigma:.5f}Δ is "
            f"exactly (1, 0.4)-DP and below Δ/√2 = {least:.5f}Δ. The proof's inequality "
            f"Φ(0) − e^ε Φ(−√(2ε)) > 1/2 − e^(−3ε)/√(4πε) fails for every ε above {crossover:.4f}; up to "
            f"ε = {vacuous:.4f} the printed range is empty."
        ),
        correction=(
            "Suppose 0 < δ < 1/2 − e^ε Φ(−√(2ε)); this is necessary too. Sufficient and simpler: "
            "δ < 1/2 − 1/√(4πε), of use for ε > 1/π."
        ),
        pictures=(_limits_picture(crossover),),
    )


def _corrected() -> list[Fact]:
    """The true limit is exact, just below it and just above; the simple one is below it."""
    inside = 1e-6
    boundary = [(e, _true_limit(e)) for e in (0.05, 0.2163, 0.5, 1.0, 3.0, 10.0)]
    return [
        everywhere(
            "with δ just below 1/2 − e^ε Φ(−√(2ε)), Δ/√(2ε) ≤ σ",
            [(f"ε = {e:g}", 1 / math.sqrt(2 * e), analytic_sigma(e, d * (1 - inside))) for e, d in boundary],
        ),
        everywhere(
            "with δ just above it, σ < Δ/√(2ε): the condition is necessary",
            [(f"ε = {e:g}", analytic_sigma(e, d * (1 + inside)), 1 / math.sqrt(2 * e)) for e, d in boundary],
        ),
        everywhere(
            "the simple sufficient 1/2 − 1/√(4πε) ≤ 1/2 − e^ε Φ(−√(2ε))",
            [(f"ε = {e:.3g}", _sufficient_limit(e), _true_limit(e)) for e in _SHOWN],
        ),
    ]


def _limits_picture(crossover: float) -> dict[str, object]:
    return lines_picture(
        "Where σ ≥ Δ/√(2ε) is forced",
        ("ε", _SHOWN),
        "δ below which it is",
        {
            "printed": [max(0.0, _printed_limit(e)) for e in _SHOWN],
            "exact": [_true_limit(e) for e in _SHOWN],
            "1/2 − 1/√(4πε)": [max(0.0, _sufficient_limit(e)) for e in _SHOWN],
        },
        styles={"printed": "claimed", "exact": "exact"},
        log="x",
        caption=f"The printed limit lies above the exact one, so is false, from ε = {crossover:.4f}.",
    )

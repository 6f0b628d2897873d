"""Lecture 000, section 4: privacy amplification by subsampling."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize_scalar

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.facts import at_most, close, everywhere, fact, fails
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.core.accounting import subsampling
from mechanisms.core.claims import ApproxDP
from mechanisms.laplace import Laplace
from mechanisms.poisson_subsampling import PoissonSubsampling

GRID = (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4603, 0.6, 0.8, 0.9, 0.99, 0.999)


def _amplified(epsilon: float) -> float:
    """ln(1 + ε(e^ε − 1)), from the catalogue (002 Thm 5.4 at rate ε)."""
    return subsampling(ApproxDP(epsilon), epsilon).epsilon


def _downwards(epsilon: float) -> float:
    """−ln(1 − ε(1 − e^−ε)): the other direction (000 Lemma 4.1, second display, before its last line)."""
    return -math.log1p(epsilon * math.expm1(-epsilon))


def _mixture_losses(epsilon: float, rate: float, shift: float) -> tuple[float, float]:
    """Largest ln p/q and ln q/p over outputs, where a Laplace sum is shifted with probability `rate`."""
    scale = Laplace(epsilon=epsilon).scale
    x = np.concatenate([np.linspace(-5, shift + 5, 2001), [-40 * scale, 40 * scale]])
    without = np.exp(-np.abs(x) / scale)
    mixed = (1 - rate) * without + rate * np.exp(-np.abs(x - shift) / scale)
    loss = np.log(mixed / without)
    return float(loss.max()), float((-loss).max())


@entry(
    "000-S4",
    kind="R",
    title="A random subsample of size εn",
    statement="M′ that runs the ε-DP algorithm M on a random subsample of size ε·n is 2ε²-DP",
    conditions="one element more or less; Lemma 4.1 samples each element with probability ε",
    source="000 §4, “We'll go over a simple version”",
    expected="misprint",
)
def fixed_size(run: Run) -> Outcome:
    """A sample of fixed size replaces the missing element by another one: a sum of ±1 then moves by two."""
    epsilon, n = 0.1, 10
    rate = 1 / n  # one element of ten, ε·n = 1
    # X = {+1, −1, …, −1}, X′ = X without +1; M = sum + Lap(1/ε) is ε-DP for one element more or less
    fixed = max(_mixture_losses(epsilon, rate, 2.0))
    poisson = max(_mixture_losses(epsilon, epsilon, 1.0))
    bound = 2 * epsilon**2
    return judge(
        printed=[at_most("exact cost with a sample of one out of ten, ε = 0.1", fixed, bound)],
        intended=[at_most("exact cost where each element is sampled with probability ε", poisson, bound)],
        anchors=[
            close(
                "closed form ln(1 + ε(e^(2ε) − 1))",
                fixed,
                subsampling(ApproxDP(2 * epsilon), rate).epsilon,
                1e-9,
            ),
            close("closed form for Poisson samples", poisson, _amplified(epsilon), 1e-9),
        ],
        claimed=bound,
        exact=fixed,
        finding=(
            "The sentence takes a sample of fixed size, the lemma samples each element independently. With "
            "fixed size, "
            "dropping one element lets another in, and an M that is ε-DP for adding or removing an element "
            "can "
            f"pay for two: for a sum of ±1 with Laplace noise, ε = 0.1 and one of ten elements, {fixed:.5f} "
            f"> {bound:g}."
        ),
        correction="“… on a random subsample with each element in it with probability ε”, as in Lemma 4.1.",
    )


@entry(
    "000-L4.1",
    kind="P",
    title="Privacy amplification by subsampling",
    statement="A is ε-DP ⇒ A on a sample that contains each element with probability ε is 2ε²-DP",
    conditions="0 < ε < 1; neighbours differ by one element more or less",
    source="000 Lemma 4.1",
    expected="holds",
    tests=1,
)
def amplification(run: Run) -> Outcome:
    """Both directions in closed form and for Laplace sums; the best constant; the proof's misprints."""
    best = minimize_scalar(
        lambda e: -_amplified(e) / e**2, bounds=(0.05, 1.0), method="bounded", options={"xatol": 1e-9}
    )
    constant, at = -float(best.fun), float(best.x)
    mixtures = [(e, *_mixture_losses(e, e, 1.0)) for e in GRID]
    epsilon = 0.1
    mechanism = PoissonSubsampling(base=Laplace(epsilon=0.5), rate=0.5)
    claim = ApproxDP(2 * 0.5**2)
    audit = run.audit(mechanism, claim=claim)
    epsilons = [float(e) for e in np.linspace(0.02, 0.98, 33)]
    return judge(
        printed=[
            everywhere(
                "X against X′: ln(1 + ε(e^ε − 1)) against 2ε²",
                [(f"ε={e:g}", _amplified(e), 2 * e**2) for e in GRID],
            ),
            everywhere(
                "X′ against X: −ln(1 − ε(1 − e^−ε)) against 2ε²",
                [(f"ε={e:g}", _downwards(e), 2 * e**2) for e in GRID],
            ),
            fact("an audit of a subsampled Laplace sum at ε = 0.5 does not refute 2ε²", not audit.refuted),
        ],
        anchors=[
            everywhere(
                "attained by a Laplace sum, one way",
                [(f"ε={e:g}", abs(up / _amplified(e) - 1), 1e-9) for e, up, _ in mixtures],
            ),
            everywhere(
                "and the other",
                [(f"ε={e:g}", abs(down / _downwards(e) - 1), 1e-9) for e, _, down in mixtures],
            ),
            close("best constant in front of ε²", constant, 1.12463, 1e-5),
            close("where it is reached", at, 0.4603, 1e-3),
            everywhere("the other direction needs no more than ε²", [(f"ε={e:g}", _downwards(e), e**2) for e in GRID]),
            fails(
                at_most(
                    "the proof's last line gives 2ε where the lemma needs 2ε², at ε = 0.1",
                    2 * epsilon,
                    2 * epsilon**2,
                )
            ),
            fails(at_most("and ε for the other direction, at ε = 0.1", epsilon, 2 * epsilon**2)),
        ],
        audit=audit,
        curve=exact_profile(mechanism),
        claimed=claim.epsilon,
        exact=exact_profile(mechanism).epsilon_at(0.0),
        finding=(
            "The lemma holds; its proof ends in misprinted lines. “≤ e^(2ε)” must read e^(2ε²), and “≥ "
            "e^(−ε)” is true but "
            f"too weak below ε = 1/2 (at 0.1 it gives 0.1; needed 0.02, exact {_downwards(0.1):.5f}). The "
            f"best constant is {constant:.5f}, at ε = {at:.4f}, instead of 2; in the other direction 1."
        ),
        correction="… ≤ e^(2ε²)·P[A(S_X′) = y] and ≥ e^(−2ε²)·P[A(S_X′) = y] in the last lines of the proof.",
        pictures=(
            lines_picture(
                "Subsampling at rate ε: the cost over ε²",
                ("ε", epsilons),
                "cost / ε²",
                {
                    "claimed": [2.0] * len(epsilons),
                    "exact": [_amplified(e) / e**2 for e in epsilons],
                    "exact, other direction": [_downwards(e) / e**2 for e in epsilons],
                },
                styles={"exact, other direction": "other"},
                caption="The lemma's constant is 2; 1.12463 would be enough.",
            ),
        ),
    )

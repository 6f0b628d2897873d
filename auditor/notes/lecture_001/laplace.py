"""Lecture 001, the Laplace mechanism, and its comparison with randomized response."""

from __future__ import annotations

import math

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.responses import count_law, error_limit, error_tail
from auditor.notes.facts import at_least, at_most, close, everywhere, fact, fails
from auditor.notes.run import Run
from mechanisms.laplace import Laplace
from mechanisms.randomized_response import (
    RandomizedResponse,
    RandomizedResponseNoDebias,
)


@entry(
    "001-LAP",
    kind="M,P",
    title="Laplace mechanism",
    statement="q(D) + Y, Y ~ Lap(Δq/ε), is ε-differentially private",
    source="001 Algorithm 2 and Theorem (Privacy of the Laplace Mechanism)",
    expected="holds",
    tests=1,
)
def laplace_privacy(run: Run) -> Outcome:
    """The density ratio over a grid of outputs, the exact profile by quadrature, and an audit."""
    mechanism = Laplace()
    shift, scale = mechanism.sensitivity, mechanism.scale
    x = np.linspace(-20, 21, 8201)
    loss = (np.abs(x - shift) - np.abs(x)) / scale
    profile = exact_profile(mechanism)
    cells = np.linspace(-60, 61, 400_001)
    middle, width = (cells[1:] + cells[:-1]) / 2, cells[1] - cells[0]
    p, q = (np.exp(-np.abs(middle - c) / scale) / (2 * scale) * width for c in (0.0, shift))
    gaps = [
        (f"e={e:g}", abs(float(np.clip(p - math.exp(e) * q, 0, None).sum()) - profile.delta_at(e)), 1e-6)
        for e in (0.0, 0.3, 0.7, 1.0)
    ]
    audit = run.audit(mechanism)
    return judge(
        printed=[
            at_most("largest log density ratio", float(np.abs(loss).max()), mechanism.epsilon),
            at_most("exact cost", profile.epsilon_at(0.0), mechanism.epsilon),
            fact("an audit does not refute it", not audit.refuted),
        ],
        anchors=[
            close("attained", float(np.abs(loss).max()), mechanism.epsilon),
            everywhere("|δ(e) by quadrature − closed form|", gaps),
        ],
        audit=audit,
        curve=profile,
        claimed=mechanism.epsilon,
        exact=profile.epsilon_at(0.0),
    )


@entry(
    "001-LAP-A",
    kind="A",
    title="Accuracy of the Laplace mechanism",
    statement="P[|q(D) − r| ≥ (Δq/ε) ln(1/β)] = β",
    conditions="0 < β ≤ 1",
    source="001 Accuracy Theorem of the Laplace mechanism",
    expected="holds",
    tests=1,
)
def laplace_accuracy(run: Run) -> Outcome:
    """The tail at the printed limit is β exactly; drawn, with an exact interval."""
    mechanism = Laplace(epsilon=0.5, sensitivity=2.0)
    (statement,) = mechanism.accuracy()
    rows = []
    for beta in (1.0, 0.5, 0.05, 1e-6):
        limit = mechanism.sensitivity / mechanism.epsilon * math.log(1 / beta)  # 001 Accuracy Theorem
        rows.append((f"β={beta:g}", abs(math.exp(-limit / mechanism.scale) / beta - 1), 1e-9))
    drawn = run.proportion(
        lambda rng, n: np.count_nonzero(statement.failed(mechanism.sample(statement.dataset, n, rng))),
        run.size(400_000),
        "tail",
    )
    return judge(
        printed=[
            everywhere("|tail/β − 1|", rows),
            fact(f"drawn, β = {statement.probability:g}: {drawn}", drawn.contains(statement.probability)),
        ],
        claimed=statement.probability,
        exact=math.exp(-mechanism.sensitivity / mechanism.epsilon * math.log(20) / mechanism.scale),
        certified=drawn.low,
        trials_used=drawn.trials,
        quantity="P[error too large], β = .05",
    )


@entry(
    "001-CMP-RR",
    kind="A",
    title="Randomized response against Laplace: randomized response",
    statement="with high probability |r − q(D)| ≤ O(1/√n)",
    conditions="r as Algorithm 1 returns it",
    source="001 “Randomized Response vs Laplace”",
    expected="false as printed",
    tests=1,
)
def response_error(run: Run) -> Outcome:
    """The mean is biased by (1 − 2q)/(1 + e^ε), whatever n; after debiasing the claim is right."""
    epsilon, n = 1.0, 1000
    mechanism = RandomizedResponseNoDebias(epsilon=epsilon)
    bias = float(count_law(epsilon, n, 0) @ (np.arange(n + 1) / n))
    tail = error_tail(epsilon, n, 0, 0.2, debiased=False)
    growth = math.sqrt(10_000) * error_median(epsilon, 10_000, False) / (10 * error_median(epsilon, 100, False))
    fair = math.sqrt(10_000) * error_median(epsilon, 10_000, True) / (10 * error_median(epsilon, 100, True))
    drawn = run.proportion(
        lambda rng, k: np.count_nonzero(np.abs(mechanism.sample((0,) * n, k, rng)) >= 0.2),
        run.size(2000, 500),
        "error",
    )
    return judge(
        printed=[
            at_most("√n·(median error of r) at n = 10⁴ over that at n = 100, which O(1/√n) bounds", growth, 2.0),
            at_most("P[|r − q| ≥ 0.2] at n = 1000, q = 0, ε = 1: the interval's lower end", drawn.low, 0.05),
        ],
        corrected=[
            at_most("the same growth after debiasing", fair, 2.0),
            at_most("P[debiased error ≥ 0.2] at n = 1000", error_tail(epsilon, n, 0, 0.2), 0.05),
        ],
        anchors=[
            close("bias at q = 0: 1/(1 + e)", bias, 1 / (1 + math.e)),
            at_least("P[|r − q| ≥ 0.2]", tail, 0.9999998),
            fact(f"drawn: {drawn}", drawn.contains(tail)),
        ],
        claimed=0.05,
        exact=tail,
        certified=drawn.low,
        trials_used=drawn.trials,
        quantity="P[|r − q| ≥ 0.2], n = 1000",
        finding=(
            "r is biased by (1 − 2q)/(1 + e^ε), whatever n is. With ε = 1, q = 0 and n = 1000 the bias is "
            f"{bias:.5f}, and |r − q| ≥ 0.2 with probability {tail:.8f}."
        ),
        correction="… for the debiased mean (1+e^ε)/(e^ε−1)·(r − 1/(1+e^ε)) of the accuracy theorem.",
    )


def error_median(epsilon: float, n: int, debiased: bool) -> float:
    """The median of |estimate − q| at q = 0, exactly."""
    low, high = 0.0, 2.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if error_tail(epsilon, n, 0, middle, debiased) >= 0.5 else (low, middle)
    return high


@entry(
    "001-CMP-L",
    kind="A",
    title="Randomized response against Laplace: Laplace",
    statement="with high probability |q(D) − r| ≤ O(1/n)",
    conditions="a mean, so Δq = 1/n",
    source="001 “Randomized Response vs Laplace”",
    expected="holds",
)
def laplace_error(run: Run) -> Outcome:
    """n times the error that is exceeded with probability β does not depend on n."""
    epsilon, beta = 1.0, 0.05

    def limit(n: int) -> float:
        return Laplace(epsilon=epsilon, sensitivity=1 / n).scale * math.log(1 / beta)

    keep = RandomizedResponse(epsilon=epsilon).keep
    deviation = math.sqrt(keep * (1 - keep)) / math.tanh(epsilon / 2)
    return judge(
        printed=[
            everywhere("n·(error at β = .05)", [(f"n={10**k}", 10**k * limit(10**k), math.log(20)) for k in range(7)])
        ],
        anchors=[
            close("error at n = 1000", limit(1000), 0.002996, 1e-3),
            close("randomized response's limit there", error_limit(epsilon, 1000, beta), 0.0929, 1e-3),
            at_most("Laplace's is the smaller one at n = 1000", limit(1000), error_limit(epsilon, 1000, beta)),
            fails(
                at_most(
                    "already at n = 1: standard deviation of Laplace against randomized response's",
                    math.sqrt(2) * Laplace(epsilon=epsilon).scale,
                    deviation,
                )
            ),
        ],
        claimed=math.log(20) / 1000,
        exact=limit(1000),
        quantity="error at β = .05, n = 1000",
        finding=(
            "An asymptotic statement: at n = 1, ε = 1 the standard deviation of debiased randomized "
            "response is "
            f"{deviation:.3f}, smaller than Laplace's {math.sqrt(2) * Laplace(epsilon=epsilon).scale:.3f}."
        ),
    )

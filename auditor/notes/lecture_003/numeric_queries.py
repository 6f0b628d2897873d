"""Lecture 003, numeric queries: the Laplace distribution and mechanism, subset sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.integrate import quad

from auditor.notes.entries import Outcome, entry, judge, not_checked
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.sensitivity import largest_distance, removals
from auditor.notes.facts import at_most, close, everywhere, fact
from auditor.notes.run import Run
from mechanisms.core.neighbours import Relation
from mechanisms.core.sums import vector_sum
from mechanisms.laplace import laplace_noise
from mechanisms.subset_sums import SubsetSums
from mechanisms.vector_laplace import VectorLaplace


def _density(x: float, b: float) -> float:
    """p(x | b) as 003 prints it."""
    return math.exp(-abs(x) / b) / (2 * b)


def _integral(function: Callable[[float], float], low: float, high: float) -> float:
    return float(quad(function, low, high, epsabs=1e-13, epsrel=1e-12, limit=200)[0])


@entry(
    "003-LD",
    kind="L",
    title="The Laplace distribution",
    statement="Y ~ Lap(b), density e^(−|x|/b)/(2b): E|Y| = b and P[|Y| ≥ tb] = e^−t",
    conditions="t ≥ 0",
    source="003 “The Laplace Distribution”",
    expected="holds",
    tests=1,
)
def laplace_distribution(run: Run) -> Outcome:
    """By quadrature of the printed density, and for the catalogue's noise by Monte Carlo."""
    b, t = 2.0, 1.5
    mean = 2 * _integral(lambda x: x * _density(x, b), 0, 60 * b)
    tails = [
        (f"t={s:g}", abs(2 * _integral(lambda x: _density(x, b), s * b, 60 * b) / math.exp(-s) - 1), 1e-9)
        for s in (0.0, 0.5, 1.0, 3.0, 8.0)
    ]
    drawn = run.proportion(
        lambda rng, n: np.count_nonzero(np.abs(laplace_noise(b, n, rng)) >= t * b), run.size(400_000), "tail"
    )
    return judge(
        printed=[
            close("E|Y| for b = 2", mean, b),
            everywhere("|P[|Y| ≥ tb] / e^−t − 1|", tails),
            fact(
                f"P[|Y| ≥ 1.5 b] of the catalogue's noise is e^−1.5 = {math.exp(-t):.4g}: {drawn}",
                drawn.contains(math.exp(-t)),
            ),
        ],
        claimed=math.exp(-t),
        exact=2 * _integral(lambda x: _density(x, b), t * b, 60 * b),
        certified=drawn.low,
        trials_used=drawn.trials,
        quantity="P[|Y| ≥ 1.5 b]",
    )


@entry(
    "003-LAP",
    kind="M,P",
    title="Laplace mechanism for k numbers",
    statement="Q(D) + (Y₁, …, Y_k), Y_i ~ Lap(Δ/ε), Δ = GS(Q), is (ε, 0)-DP",
    conditions="GS in ℓ₁; ‖D − D′‖₁ ≤ 1 (add/remove)",
    source="003 Theorem of the Laplace mechanism",
    expected="holds",
    tests=1,
)
def vector_laplace(run: Run) -> Outcome:
    """Exact cost, the density ratio of the proof at random outputs, and an audit of vector outputs."""
    mechanism = VectorLaplace()
    exact = exact_profile(mechanism).epsilon_at(0.0)
    records = [tuple(row) for row in np.ndindex(*(2,) * mechanism.k)]
    moved = largest_distance(partial(vector_sum, k=mechanism.k), removals(records, 2), 1)
    left, right = np.zeros(mechanism.k), np.ones(mechanism.k)
    x = run.rng("outputs").uniform(-3, 4, (5000, mechanism.k))
    loss = (np.abs(x - right) - np.abs(x - left)).sum(axis=1) / mechanism.scale
    audit = run.audit(mechanism)
    return judge(
        printed=[
            at_most("largest log density ratio at 5000 outputs", float(np.abs(loss).max()), mechanism.epsilon),
            at_most("exact cost", exact, mechanism.epsilon),
            fact("an audit does not refute it", not audit.refuted),
        ],
        anchors=[
            close("ε is attained", exact, mechanism.epsilon),
            close("ℓ₁ sensitivity of the query, by brute force", moved, mechanism.sensitivity),
            close("scale", mechanism.scale, mechanism.k / mechanism.epsilon),
        ],
        audit=audit,
        curve=exact_profile(mechanism),
        claimed=mechanism.epsilon,
        exact=exact,
    )


@entry(
    "003-R1",
    kind="R",
    title="The expected size of the noise",
    statement="E[Lap(1/ε)] = 1/ε",
    source="003 “Take away message” 1",
    expected="misprint",
)
def expected_noise(run: Run) -> Outcome:
    """The mean is 0; the mean of the absolute value is 1/epsilon, as the first slide says."""
    epsilon = 0.5
    b = 1 / epsilon
    above = _integral(lambda x: x * _density(x, b), 0, 60 * b)
    below = _integral(lambda x: x * _density(x, b), -60 * b, 0)
    mean, size = above + below, above - below
    return judge(
        printed=[close("E[Lap(1/ε)] at ε = 0.5", mean, b)],
        intended=[close("E|Lap(1/ε)| at ε = 0.5", size, b)],
        anchors=[close("E[Lap(1/ε)]", mean, 0.0, absolute=1e-9)],
        claimed=b,
        exact=mean,
        quantity="E[Lap(1/ε)]",
        finding="A Laplace variable has mean 0; its mean absolute value is 1/ε. The bars are missing.",
        correction="E[|Lap(1/ε)|] = 1/ε.",
    )


@entry(
    "003-R2",
    kind="A",
    title="Subset sums by the Laplace mechanism",
    statement="any k subset sums have joint sensitivity k, so they can be answered with error o(k/ε)",
    conditions="add/remove; little-o as printed",
    source="003 “Take away message” 2",
    expected="false as printed",
    tests=1,
)
def subset_sum_error(run: Run) -> Outcome:
    """The expected error of each answer is k/epsilon exactly, so its ratio to k/epsilon never falls."""
    mechanism = SubsetSums()
    k = len(mechanism.queries.names)

    def relative(size: int) -> float:
        """E|error| of one answer, which is the scale, over k/epsilon."""
        vector = VectorLaplace(k=size)
        return vector.scale / (size / vector.epsilon)

    def largest(size: int) -> float:
        """E of the largest error: scale times the k-th harmonic number (the maximum of k exponentials)."""
        return VectorLaplace(k=size).scale * sum(1 / i for i in range(1, size + 1))

    def beyond(rng: np.random.Generator, n: int) -> int:
        outputs = mechanism.sample(("a", "c", "d"), n, rng)
        return int(np.count_nonzero(np.abs(outputs[:, 0] - 3) >= k / mechanism.epsilon))

    drawn = run.proportion(beyond, run.size(100_000), "error")
    return judge(
        printed=[
            at_most(
                "error·ε/k at k = 1000 over the same at k = 10, which o(k/ε) sends to 0",
                relative(1000) / relative(10),
                0.5,
            )
        ],
        corrected=[
            everywhere("E|error| of each answer over k/ε", [(f"k={s}", relative(s), 1.0) for s in (1, 10, 100, 1000)]),
            everywhere(
                "E max error over (k/ε)(1 + ln k)",
                [(f"k={s}", largest(s), s * (1 + math.log(s))) for s in (1, 10, 100, 1000)],
            ),
            fact(
                f"P[|error| ≥ k/ε] = e^−1 = {math.exp(-1):.4g} in the catalogue: {drawn}",
                drawn.contains(math.exp(-1)),
            ),
        ],
        anchors=[
            close(
                "joint sensitivity of the catalogue's k sums is k",
                mechanism.queries.sensitivity(Relation.ADD_REMOVE),
                k,
            ),
            close("E max error for k = 10, ε = 1", largest(10), 29.29, 1e-3),
        ],
        exact=relative(1000),
        trials_used=drawn.trials,
        quantity="E|error|·ε/k at k = 1000",
        finding=(
            f"Each of k answers has expected error exactly k/ε (k = 10, ε = 1: {10 * relative(10):g}; the "
            "largest of "
            f"them {largest(10):.4g} on average), so the error is not o(k/ε). The sensitivity k is right."
        ),
        correction="… with error O(k/ε) each, and O((k/ε) log k) for all of them at once.",
    )


@entry(
    "003-R3",
    kind="R",
    title="Lower bounds for blatant non-privacy",
    statement="blatant non-privacy needs 2^|X| subset sums with error o(|X|), or Õ(|X|) with o(√|X|)",
    source="003 “Take away message” 2, recalled",
    expected="not checked",
)
def reconstruction_bounds(run: Run) -> Outcome:
    """Recalled from another lecture, without constants."""
    return not_checked(
        "recalled from another lecture (Dinur and Nissim 2003) as asymptotic statements without constants: "
        "no finite computation decides them"
    )

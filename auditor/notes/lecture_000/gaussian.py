"""Lecture 000, section 2: sensitivities and the Gaussian mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.gaussian_loss import log_loss_tail
from auditor.notes.exact.importance import gaussian_delta
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.sensitivity import largest_distance, removals, replacements
from auditor.notes.exact.stability import AllGraphs
from auditor.notes.facts import at_most, close, everywhere, fact
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.core.queries import THREE_BITS
from mechanisms.core.sums import vector_sum
from mechanisms.gaussian import analytic_sigma, gaussian_profile
from mechanisms.gaussian_classic import GaussianClassic, GaussianClassicSquaredSensitivity, classic_sigma
from mechanisms.gaussian_simple import GaussianVector
from mechanisms.histogram import Histogram
from mechanisms.vector_laplace import VectorLaplace


@entry(
    "000-D2",
    kind="D",
    title="ℓ₂-sensitivity",
    statement="Δ₂ = max over neighbours of ‖f(G) − f(G′)‖₂",
    conditions="edge-neighbouring graphs",
    source="000 Theorem 2",
    expected="definition",
)
def l2_sensitivity(run: Run) -> Outcome:
    """By brute force over all graphs on five vertices, and for the catalogue's vector query."""
    graphs = AllGraphs(5)
    present = graphs.present().astype(float)
    degrees = np.array([sum(present[k] for k, pair in enumerate(graphs.pairs) if v in pair) for v in range(graphs.n)])
    moved = np.stack([graphs.changes(row) for row in degrees])  # vertex, flipped pair, graph
    by_hand = float(np.sqrt((moved**2).sum(axis=0)).max())
    records = [tuple(row) for row in np.ndindex(2, 2, 2)]
    pairs = [*replacements(records, 2), *removals(records, 2)]
    found = largest_distance(lambda data: vector_sum(data, 3), pairs, 2)
    return judge(
        definition=True,
        printed=[
            close("Δ₂ of the degree sequence, all graphs on 5 vertices, against √2", by_hand, math.sqrt(2)),
            close(
                "Δ₂ of the sum over {0,1}³, all pairs, against the catalogue's",
                found,
                GaussianVector(k=3).sensitivity,
            ),
        ],
        exact=by_hand,
        quantity="ℓ₂ sensitivity",
    )


@entry(
    "000-D2b",
    kind="D",
    title="ℓ₂-sensitivity, as recapitulated",
    statement="the ℓ₂ sensitivity is Δ₂ = max ‖f(G) − f(G′)‖₂²",
    conditions="the recap on page 3, against Theorem 2",
    source="000 §2, recap before “Suppose we have a function”",
    expected="false as printed",
    tests=1,
)
def squared_sensitivity(run: Run) -> Outcome:
    """The squared norm in the Gaussian mechanism: too little noise whenever Delta < 1."""
    epsilon, delta, size = 0.5, 1e-5, 0.1
    squared = GaussianClassicSquaredSensitivity(epsilon=epsilon, delta=delta, sensitivity=size)
    plain = GaussianClassic(epsilon=epsilon, delta=delta, sensitivity=size)
    profile, right = exact_profile(squared), exact_profile(plain)
    audit = run.audit(squared)
    return judge(
        printed=[
            at_most("exact δ(0.5) with ‖·‖₂² for Δ = 0.1", profile.delta_at(epsilon), delta),
            close("‖(1, …, 1)‖₂² in 9 dimensions against the √n of the next line", 9.0, math.sqrt(9)),
            fact("an audit with ‖·‖₂² does not refute the claim", not audit.refuted),
        ],
        corrected=[
            at_most("exact δ(0.5) with ‖·‖₂ for Δ = 0.1", right.delta_at(epsilon), delta),
            close("‖(1, …, 1)‖₂ in 9 dimensions", GaussianVector(k=9).sensitivity, math.sqrt(9)),
        ],
        audit=audit,
        curve=profile,
        claimed=epsilon,
        exact=profile.epsilon_at(delta),
        finding=(
            f"With Δ = 0.1 squared, the Gaussian mechanism for (0.5, 1e-5) has δ(0.5) = "
            f"{profile.delta_at(epsilon):.4g}, and ε = {profile.epsilon_at(delta):.4g} at δ = 1e-5. The √n "
            "of the next line agrees with the norm, not with its square."
        ),
        correction="Δ₂ = max ‖f(G) − f(G′)‖₂, without the square, as in Theorem 2.",
    )


@entry(
    "000-T3",
    kind="M,P",
    title="Gaussian mechanism",
    statement="f(G) + N(0, 2 ln(5/(4δ)) Δ₂²/ε²) in each coordinate is (ε, δ)-DP",
    conditions="no range for ε is printed; 002 Theorem 5.9 has ε < 1",
    source="000 Theorem 3",
    expected="holds under condition",
    tests=2,
)
def gaussian_mechanism(run: Run) -> Outcome:
    """The exact delta on a grid, an audit, and a delta of a billionth by importance sampling."""

    def exact_delta(epsilon: float, delta: float) -> float:
        return gaussian_profile(1 / classic_sigma(epsilon, delta, 1.0)).delta_at(epsilon)

    def rows(epsilons: tuple[float, ...]) -> list[tuple[str, float, float]]:
        return [
            (f"ε={e:g}, δ={d:g}", exact_delta(e, d), d) for e in epsilons for d in (0.5, 0.1, 1e-2, 1e-3, 1e-5, 1e-9)
        ]

    fails_from = _first_failure(exact_delta, 1e-5)
    mechanism = GaussianClassic()
    profile = exact_profile(mechanism)
    audit = run.audit(mechanism)
    mu = 1 / analytic_sigma(1.0, 1e-9)
    tiny = gaussian_delta(mu, 1.0, run.size(100_000, 100_000), run.rng("tiny"), run.spend("tiny delta"))
    within = (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
    return judge(
        printed=[everywhere("exact δ for ε up to 16", rows((*within, 2.0, 4.0, 8.0, 10.0, 16.0)))],
        condition=[
            everywhere("exact δ for ε ≤ 1", rows(within)),
            at_most("exact ε of the catalogue's instance", profile.epsilon_at(mechanism.delta), mechanism.epsilon),
            fact("an audit does not refute it", not audit.refuted),
        ],
        anchors=[
            close("σ for (1, 1e-5), by hand √(2 ln 125000)", classic_sigma(1.0, 1e-5, 1.0), 4.844805, 1e-6),
            close("smallest ε at which it fails for δ = 1e-5", fails_from, 8.42, 1e-3),
            fact(f"δ = 1e-9 by importance sampling: {tiny}", tiny.contains(1e-9)),
            at_most("its half-width relative to the value", tiny.relative_width, 1e-3),
        ],
        audit=audit,
        curve=profile,
        claimed=mechanism.epsilon,
        exact=profile.epsilon_at(mechanism.delta),
        finding=(
            f"At ε = 10, δ = 1e-5 the printed noise has δ(10) = {exact_delta(10, 1e-5):.4g}. For δ = 1e-5 it "
            f"is too small for every ε above {fails_from:.4g}."
        ),
        correction="State the range ε ≤ 1 (as 002 Theorem 5.9 does), or calibrate by 002 Theorem 5.18.",
        pictures=(_picture(exact_delta),),
    )


def _first_failure(exact_delta: Callable[[float, float], float], delta: float) -> float:
    """The epsilon from which on the exact delta exceeds the one asked for, by bisection from 1 to 64."""
    low, high = 1.0, 64.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if exact_delta(middle, delta) > delta else (middle, high)
    return high


def _picture(exact_delta: Callable[[float, float], float]) -> dict[str, Any]:
    epsilons = np.geomspace(0.1, 16, 45)
    ratios = {f"δ = {d:g}": [exact_delta(e, d) / d for e in epsilons] for d in (0.1, 1e-3, 1e-5)}
    return lines_picture(
        "Classic Gaussian noise: exact δ over the δ asked for",
        ("ε", epsilons),
        "exact δ / δ",
        {**ratios, "allowed": [1.0] * len(epsilons)},
        styles={"allowed": "claimed"},
        log="xy",
        caption="Above 1 the noise is too small: the formula is for ε up to 1.",
    )


@entry(
    "000-E0",
    kind="E",
    title="Element-wise sensitivity 1",
    statement="a function into ℝⁿ with element-wise sensitivity 1 has ℓ₁ sensitivity n and ℓ₂ sensitivity √n",
    conditions="“is” n; in general at most n",
    source="000 §2, “Suppose we have a function that returns a vector”",
    expected="holds under condition",
)
def elementwise_sensitivity(run: Run) -> Outcome:
    """Attained by sums over {0,1}ⁿ, where one record moves all coordinates; not by a histogram."""
    facts = []
    for n in (1, 2, 3, 4):
        pairs = list(removals([tuple(row) for row in np.ndindex(*(2,) * n)], 2))
        one, two = (largest_distance(partial(vector_sum, k=n), pairs, order) for order in (1, 2))
        facts += [
            close(f"ℓ₁ of the sum over {{0,1}}^{n}", one, VectorLaplace(k=n).sensitivity),
            close(f"ℓ₂ of the sum over {{0,1}}^{n}", two, math.sqrt(n)),
        ]
    cells = Histogram.queries
    moves = list(replacements(THREE_BITS, 2))
    each, one, two = (largest_distance(cells.counts, moves, order) for order in (math.inf, 1, 2))
    return judge(
        printed=[close("ℓ₁ sensitivity of a histogram with 8 cells, each of sensitivity 1", one, 8.0)],
        condition=[
            *facts,
            at_most("ℓ₁ of the histogram: n is an upper bound", one, 8.0),
            at_most("ℓ₂ of the histogram: √n is an upper bound", two, math.sqrt(8)),
        ],
        anchors=[
            close("element-wise sensitivity of the histogram", each, 1.0),
            close("its ℓ₁ sensitivity against the catalogue's", one, Histogram().sensitivity),
        ],
        claimed=8.0,
        exact=one,
        quantity="ℓ₁ sensitivity",
        finding=(
            "n and √n are upper bounds, attained where one record can move all coordinates at once. A "
            f"histogram with 8 cells has element-wise sensitivity 1 and ℓ₁ sensitivity {one:g} (replace-one)."
        ),
        correction="… has ℓ₁ sensitivity at most n and ℓ₂ sensitivity at most √n.",
    )


@entry(
    "000-R2",
    kind="R",
    title="The Gaussian mechanism fails gracefully",
    statement="with probability δ it does not satisfy ε-DP but a weaker cε-DP for some value c",
    conditions="no c is given",
    source="000 §2, “Second, recall that”",
    expected="holds under condition",
)
def graceful_failure(run: Run) -> Outcome:
    """The loss has a tail at every multiple of epsilon: c depends on the output, no constant is enough."""
    epsilon, delta = 0.5, 1e-5
    mu = 1 / classic_sigma(epsilon, delta, 1.0)
    logs = {c: log_loss_tail(mu, c * epsilon) for c in (1.0, 1.5, 2.0, 3.0, 5.0, 50.0)}
    falling = list(logs.values())
    return judge(
        printed=[fact("for some constant c, P[loss > cε] = 0 (c up to 50)", any(map(math.isinf, falling)))],
        condition=[
            at_most(
                "P[loss > ε]: outside an event of probability δ the loss is at most ε",
                math.exp(logs[1.0]),
                delta,
            ),
            fact(
                "the loss is finite at every output, and larger multiples are rarer: log10 P[loss > cε] = "
                + ", ".join(f"{v / math.log(10):.4g} (c={c:g})" for c, v in logs.items()),
                all(a > b for a, b in pairwise(falling)),
            ),
        ],
        anchors=[
            close("P[loss > ε] of the classic noise", math.exp(logs[1.0]), 8.21e-7, 1e-3),
            close("P[loss > 2ε]", math.exp(logs[2.0]), 2.8e-22, 0.02),
        ],
        claimed=delta,
        exact=math.exp(logs[1.0]),
        quantity="P[loss > ε]",
        finding=(
            f"With the classic noise for (0.5, 1e-5), P[loss > ε] = {math.exp(logs[1.0]):.3g}, "
            f"P[loss > 2ε] = {math.exp(logs[2.0]):.2g}, and no multiple has probability 0: c depends on the "
            "output."
        ),
        correction="… the loss exceeds cε with a probability that is at most δ at c = 1 and falls with c.",
    )

"""Lecture 003, the utility of the exponential mechanism."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.selection import expected_score, failure, worst_failure
from auditor.notes.facts import at_most, close, everywhere, fact
from auditor.notes.lecture_000.exponential import random_failures
from auditor.notes.run import Run
from mechanisms.eye_colour import EyeColour

BUYERS = (1.0, 1.0, 1.0, 4.01)  # the figure is missing; these valuations give all four printed profits


@entry(
    "003-U",
    kind="A",
    title="Utility of the exponential mechanism",
    statement="P[q(r*) ≤ OPT − (2Δ/ε)(log(|R|/|R_OPT|) + t)] ≤ e^−t",
    source="003 Theorem of utility",
    expected="holds",
)
def utility(run: Run) -> Outcome:
    """Random scores, and the worst ones in closed form against the catalogue's law."""
    size, best, t = 7, 2, 2.0
    limit = -2 * (math.log(size / best) + t)
    exact = failure([0.0] * best + [limit] * (size - best), limit)
    return judge(
        printed=[
            everywhere("failure probability over random scores", random_failures(run, ties=True)),
            at_most("worst scores, |R| = 7, |R_OPT| = 2, t = 2", exact, math.exp(-t)),
        ],
        anchors=[close("closed form of the worst case", exact, worst_failure(size, best, t))],
        claimed=math.exp(-t),
        exact=exact,
        quantity="P[failure], |R| = 7, |R_OPT| = 2, t = 2",
    )


@entry(
    "003-U1",
    kind="A",
    title="Utility, first corollary",
    statement="P[q(r*) ≤ OPT − (2Δ/ε)(log|R| + t)] ≤ e^−t",
    source="003 Corollary 1",
    expected="holds",
)
def utility_corollary(run: Run) -> Outcome:
    """Weaker than the theorem, since |R_OPT| ≥ 1; equal where the best outcome is unique."""
    size, t = 7, 2.0
    limit = -2 * (math.log(size) + t)
    exact = failure([0.0] + [limit] * (size - 1), limit)
    shared = failure([0.0] * 3 + [limit] * (size - 3), limit)
    return judge(
        printed=[
            everywhere("failure probability over random scores", random_failures(run, ties=False)),
            at_most("worst scores, |R| = 7, t = 2", exact, math.exp(-t)),
            at_most("three best outcomes fail less often than one", shared, exact),
        ],
        anchors=[close("closed form of the worst case", exact, worst_failure(size, 1, t))],
        claimed=math.exp(-t),
        exact=exact,
        quantity="P[failure], |R| = 7, t = 2",
    )


def _printed_bound(best: float, size: int, epsilon: float) -> float:
    """OPT - (2 Delta/eps)(log|R| + log OPT) - 1 with Delta = 1 (003 Corollary 2)."""
    return best - 2 / epsilon * (math.log(size) + math.log(best)) - 1


@entry(
    "003-U2",
    kind="A",
    title="Utility, second corollary",
    statement="E[q(r*)] ≥ OPT − (2Δ/ε)(log|R| + log OPT) − 1",
    conditions="none printed; the proof needs q ≥ 0 and OPT ≥ 1",
    source="003 Corollary 2",
    expected="holds under condition",
)
def expected_utility(run: Run) -> Outcome:
    """True where OPT ≥ e^(−ε/2Δ); below, the logarithm of OPT turns the bound around."""
    rng = run.rng("scores")
    small = [
        (
            f"OPT={best:g}, |R|={size}, ε={e:g}",
            _printed_bound(best, size, e),
            expected_score([best] + [0.0] * (size - 1), e),
        )
        for best, size, e in ((0.01, 2, 1.0), (0.3, 2, 1.0), (0.9, 1, 0.1))
    ]
    rows, gibbs = [], []
    for _ in range(2000):
        size, e = int(rng.integers(1, 12)), float(rng.uniform(0.1, 3))
        best = math.exp(-e / 2) * float(rng.uniform(1, 20))
        scores = best - rng.exponential(rng.uniform(0.1, 10), size)
        scores[0] = best
        expected = expected_score(scores, e)
        rows.append((f"OPT={best:.3g}, |R|={size}, ε={e:.3g}", _printed_bound(best, size, e), expected))
        gibbs.append((f"|R|={size}, ε={e:.3g}", best - 2 / e * math.log(size), expected))
    where, bound, value = small[0]
    return judge(
        printed=[everywhere("bound against E[q(r*)] for small OPT", small)],
        condition=[everywhere("bound against E[q(r*)] where OPT ≥ e^(−ε/2Δ), scores of any sign", rows)],
        anchors=[everywhere("OPT − (2Δ/ε) ln|R| against E[q(r*)], for every OPT", gibbs)],
        claimed=bound,
        exact=value,
        quantity="E[q(r*)]",
        finding=(
            f"For {where} the bound says E ≥ {bound:.4g}, and E = {value:.4g}. With two outcomes of score "
            f"0.3 and 0 it says {small[1][1]:.4g}, and E = {small[1][2]:.4g}."
        ),
        correction="Require OPT ≥ e^(−ε/(2Δ)) (OPT ≥ 1 is enough), or use E[q(r*)] ≥ OPT − (2Δ/ε) log|R|.",
    )


@entry(
    "003-EYE",
    kind="E",
    title="Eye colour: 7.4 or 9.2 people",
    statement="a colour of OPT − (2/ε)(log 5 + 3) < OPT − 7.4/ε people, except with probability ≤ e^−3 < .05",
    conditions="Δ = 1; log is the natural one, as in the theorem",
    source="003 “So if R = {Red, Blue, Green, Brown, Purple}”",
    expected="false as printed",
    tests=1,
)
def eye_colour(run: Run) -> Outcome:
    """Ten people of one colour, ε = 0.74: a colour that nobody has is 7.4/ε short, and comes too often."""
    natural, decimal = 2 * (math.log(5) + 3), 2 * (math.log10(5) + 3)

    def fails_at(c: float) -> float:
        """P[at least c/eps people short], worst case: the others at exactly that distance."""
        return failure([0.0] + [-c] * 4, -c)

    room, mechanism = ("Brown",) * 10, EyeColour(epsilon=0.74)
    exact = float(1 - mechanism.probabilities(room).max())
    drawn = run.proportion(
        lambda rng, n: np.count_nonzero(mechanism.sample(room, n, rng) != "Brown"), run.size(100_000), "room"
    )
    smallest = brentq(lambda c: fails_at(c) - 0.05, 5.0, 10.0)
    return judge(
        printed=[
            at_most("P[7.4/ε people short], ten people with one colour, ε = 0.74", exact, 0.05),
            close("2(log 5 + 3)", natural, 7.4, 1e-2),
            at_most("the same probability, drawn: the interval's lower end", drawn.low, 0.05),
        ],
        corrected=[
            at_most("P[9.22/ε people short], the worst case", fails_at(natural), math.exp(-3)),
            at_most("e^−3", math.exp(-3), 0.05),
        ],
        anchors=[
            close("closed form against the catalogue's room", fails_at(7.4), exact),
            close("2(log₁₀ 5 + 3) is the printed number", decimal, 7.4, 1e-3),
            close("2(ln 5 + 3)", natural, 9.2189, 1e-4),
            close("smallest c with failure .05", smallest, 8.6615, 1e-4),
            fact(f"drawn, exactly {exact:.5g}: {drawn}", drawn.contains(exact)),
        ],
        claimed=0.05,
        exact=exact,
        certified=drawn.low,
        trials_used=drawn.trials,
        quantity="P[7.4/ε people short]",
        finding=(
            f"2(ln 5 + 3) = {natural:.4f}, not 7.4; 7.4 is 2(log₁₀ 5 + 3). With ten people of one colour and "
            "ε = 0.74, "
            f"a colour 7.4/ε = 10 people short is answered with probability {exact:.4f}, more than .05."
        ),
        correction=(
            f"OPT − (2/ε)(log 5 + 3) > OPT − 9.22/ε people, except with probability ≤ e^−3; for .05 itself "
            f"{smallest:.4f}/ε is enough."
        ),
    )

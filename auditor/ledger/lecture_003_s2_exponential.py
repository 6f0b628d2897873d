"""Lecture 003, non-numeric queries: pricing, eye colour, the exponential mechanism and its utility."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
from scipy.optimize import brentq

from auditor.exact.finite import max_divergence
from auditor.exact.profiles import exact_profile
from auditor.exact.selection import expected_score, failure, law, worst_failure
from auditor.exact.sensitivity import removals, replacements, sensitivity
from auditor.ledger.entries import Outcome, entry, judge
from auditor.ledger.facts import at_least, at_most, close, everywhere, fact
from auditor.ledger.lecture_000_s3_exponential import random_failures
from auditor.ledger.run import Run
from mechanisms.eye_colour import COLOURS, EyeColour
from mechanisms.pricing import Apples

BUYERS = (1.0, 1.0, 1.0, 4.01)  # the figure is missing; these valuations give all four printed profits


@entry(
    "003-E3",
    kind="E",
    title="Items for sale",
    statement="profit 4.00 at price 1.00, 4.01 at 4.01 (best), 0 at 4.02, 1.01 at 1.01; second best 1.00",
    conditions="valuations 1, 1, 1 and 4.01 (inferred: the figure is missing)",
    source="003 “Example: Items for sale”",
    expected="holds",
)
def items_for_sale(run: Run) -> Outcome:
    """The catalogue's revenue at every price in cents."""
    profit = dict(zip(np.round(Apples.prices() * 100).astype(int), Apples().scores(BUYERS), strict=True))
    ranked = sorted(profit.values(), reverse=True)
    ties = [cents / 100 for cents, value in profit.items() if math.isclose(value, ranked[1])]
    return judge(
        printed=[
            close("profit at 1.00", profit[100], 4.00),
            close("profit at 4.01", profit[401], 4.01),
            close("the best profit", ranked[0], profit[401]),
            close("profit at 4.02", profit[402], 0.0, absolute=1e-12),
            close("profit at 1.01", profit[101], 1.01),
            close("the second best profit, at 1.00", ranked[1], profit[100]),
        ],
        claimed=4.01,
        exact=ranked[0],
        quantity="profit",
        finding="The second best price is a tie: " + ", ".join(f"{p:.2f}" for p in ties) + " earn 4.00.",
    )


def _useful(extra: int) -> tuple[float, float]:
    """P[profit > 0] and the normaliser over its largest term, with `extra` prices beyond 5.00."""
    scores = np.concatenate([Apples().scores(BUYERS), np.zeros(extra)])  # nobody buys beyond 4.01
    probabilities = law(scores, Apples().epsilon, Apples().sensitivity)
    return float(probabilities[scores > 0].sum()), float(1 / probabilities.max())


@entry(
    "003-E4",
    kind="E",
    title="Prices without end",
    statement="an abstract range R, i.e. R = {$1.00, $1.01, $1.02, $1.03, …}",
    conditions="as a range for the exponential mechanism with the profit as quality score",
    source="003 “The Exponential Mechanism”, first slide",
    expected="false as printed",
    tests=1,
)
def endless_prices(run: Run) -> Outcome:
    """Infinitely many prices have profit 0 and equal weight: the normaliser diverges."""
    useful = {extra: _useful(extra) for extra in (0, 10**4, 10**5, 10**6)}
    growth = useful[10**6][1] / useful[10**5][1]
    mechanism = Apples()
    audit = run.audit(mechanism)
    exact = exact_profile(mechanism).epsilon_at(0.0)
    return judge(
        printed=[
            at_most(
                "normaliser with 10⁶ prices beyond 5.00 over that with 10⁵, which a finite sum keeps near 1",
                growth,
                1.1,
            ),
            at_least(
                "P[profit > 0] with 10⁶ prices beyond 5.00 against 0", useful[10**6][0], 0.5 * useful[0][0]
            ),
        ],
        corrected=[
            at_most("the list that ends at 5.00: exact cost", exact, mechanism.epsilon),
            fact("and an audit does not refute it", not audit.refuted),
            at_least("and P[profit > 0]", useful[0][0], 0.5),
        ],
        anchors=[close("P[profit > 0] falls like 1/N", useful[10**6][0] / useful[10**5][0], 0.1, 0.05)],
        audit=audit,
        claimed=mechanism.epsilon,
        exact=exact,
        finding=(
            "All prices above the highest valuation have profit 0 and the same positive weight, so the "
            "weights of the "
            "infinite list have no finite sum. Cut after N more prices, P[profit > 0] is "
            f"{useful[10**4][0]:.3g} for "
            f"N = 10⁴ and {useful[10**6][0]:.3g} for N = 10⁶; Δ, the highest price, grows without bound as "
            "well."
        ),
        correction="A list that ends at a public highest price, which is then also Δ.",
    )


@entry(
    "003-EM",
    kind="M,P",
    title="Privacy of the exponential mechanism",
    statement="P[r] ∝ exp(ε q(D, r)/(2Δ)), Δ = GS(q), is (ε, 0)-DP",
    conditions="‖D − D′‖₁ ≤ 1 (add/remove)",
    source="003 Theorem of the exponential mechanism",
    expected="holds",
    tests=1,
)
def exponential(run: Run) -> Outcome:
    """Eye colour in every room of up to eight people: cost by enumeration, for both relations."""
    mechanism = EyeColour()
    rooms = [room for n in range(9) for room in combinations_with_replacement(COLOURS, n)]
    laws = {room: np.log(mechanism.probabilities(room)) for room in rooms}
    added = replaced = 0.0
    for room, here in laws.items():
        if len(room) == 8:
            continue
        bigger = [laws[tuple(sorted((*room, colour), key=COLOURS.index))] for colour in COLOURS]
        added = max(added, max(float(np.abs(there - here).max()) for there in bigger))
        replaced = max(replaced, max(float(np.abs(a - b).max()) for a in bigger for b in bigger))
    audit = run.audit(mechanism)
    exact = exact_profile(mechanism).epsilon_at(0.0)
    return judge(
        printed=[
            at_most("largest loss by enumeration, add/remove", added, mechanism.epsilon),
            at_most("largest loss by enumeration, replace-one", replaced, mechanism.epsilon),
            at_most("exact cost over all rooms", exact, mechanism.epsilon),
            fact("an audit does not refute it", not audit.refuted),
        ],
        anchors=[
            at_most("add/remove: a count moves one way, ε/2 is enough", added, mechanism.epsilon / 2),
            at_least("and nearly attained in small rooms", added, 0.96 * mechanism.epsilon / 2),
            at_least("replace-one: nearly ε in small rooms", replaced, 0.93 * mechanism.epsilon),
            close(
                "GS(q), add/remove, by brute force",
                sensitivity(mechanism.scores, removals(COLOURS, 2), math.inf),
                mechanism.sensitivity,
            ),
        ],
        audit=audit,
        claimed=mechanism.epsilon,
        exact=exact,
        finding="The signature “q: ℕ^|X| → R” in the algorithm's head is a misprint for q: ℕ^|X| × R → ℝ.",
    )


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


@entry(
    "003-M1",
    kind="R",
    title="The sensitivity of all scores at once",
    statement="GS(q̂) of all scores at once might be |R|·GS(q); the mechanism depends on GS(q) only",
    source="003 “To Muse On”",
    expected="holds",
)
def all_scores(run: Run) -> Outcome:
    """A score that one record moves everywhere has |R| GS(q), eye colour 1 or 2; the cost is ε in both."""
    size = 6

    def everywhere_moved(data: tuple[int, ...]) -> list[float]:
        return [float(sum(data))] * size

    whole = sensitivity(everywhere_moved, removals((0, 1), 2), 1)
    one = sensitivity(everywhere_moved, removals((0, 1), 2), math.inf)
    colours = EyeColour().scores
    rng = run.rng("scores")
    rows = []
    for _ in range(200):
        scores = rng.normal(0, 3, size)
        rows.append(
            (
                "all scores move by Δ",
                max_divergence(law(scores), law(scores + rng.choice((-1.0, 1.0), size))),
                1.0,
            )
        )
    return judge(
        printed=[
            close("GS(q̂)/GS(q) of a score that one record moves everywhere, |R| = 6", whole / one, size),
            everywhere("cost of the exponential mechanism with ε = 1, Δ = GS(q) alone", rows),
        ],
        anchors=[
            close("GS(q̂) of eye colour, add/remove", sensitivity(colours, removals(COLOURS, 2), 1), 1.0),
            close("GS(q̂) of eye colour, replace-one", sensitivity(colours, replacements(COLOURS, 2), 1), 2.0),
        ],
        claimed=float(size),
        exact=whole / one,
        quantity="GS(q̂)/GS(q)",
    )

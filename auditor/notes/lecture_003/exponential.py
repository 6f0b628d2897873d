"""Lecture 003, non-numeric queries: prices, eye colours, the exponential mechanism."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.finite import max_divergence
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.selection import law
from auditor.notes.exact.sensitivity import largest_distance, removals, replacements
from auditor.notes.facts import at_least, at_most, close, everywhere, fact
from auditor.notes.run import Run
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
            at_least("P[profit > 0] with 10⁶ prices beyond 5.00 against 0", useful[10**6][0], 0.5 * useful[0][0]),
        ],
        corrected=[
            at_most("the list that ends at 5.00: exact cost", exact, mechanism.epsilon),
            fact("and an audit does not refute it", not audit.refuted),
            at_least("and P[profit > 0]", useful[0][0], 0.5),
        ],
        anchors=[close("P[profit > 0] falls like 1/N", useful[10**6][0] / useful[10**5][0], 0.1, 0.05)],
        audit=audit,
        curve=exact_profile(mechanism),
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
                largest_distance(mechanism.scores, removals(COLOURS, 2), math.inf),
                mechanism.sensitivity,
            ),
        ],
        audit=audit,
        curve=exact_profile(mechanism),
        claimed=mechanism.epsilon,
        exact=exact,
        finding="The signature “q: ℕ^|X| → R” in the algorithm's head is a misprint for q: ℕ^|X| × R → ℝ.",
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

    whole = largest_distance(everywhere_moved, removals((0, 1), 2), 1)
    one = largest_distance(everywhere_moved, removals((0, 1), 2), math.inf)
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
            close("GS(q̂) of eye colour, add/remove", largest_distance(colours, removals(COLOURS, 2), 1), 1.0),
            close("GS(q̂) of eye colour, replace-one", largest_distance(colours, replacements(COLOURS, 2), 1), 2.0),
        ],
        claimed=float(size),
        exact=whole / one,
        quantity="GS(q̂)/GS(q)",
    )

"""Lecture 000, section 3: the exponential mechanism, its privacy and its utility."""

from __future__ import annotations

import math

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.finite import max_divergence
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.selection import ByScore, failure, law, worst_failure
from auditor.notes.facts import at_least, at_most, close, everywhere, fact, fails
from auditor.notes.run import Run
from mechanisms.eye_colour import EyeColour
from mechanisms.pricing import Bidders


@entry(
    "000-E1",
    kind="E",
    title="Bidders who value an item at 1, 2 and 5",
    statement="price 5 earns the most; any price beyond 5 earns 0",
    conditions="one item",
    source="000 §3, example of bidders",
    expected="holds",
)
def bidders(run: Run) -> Outcome:
    """The revenue of every price; and that item maxima are a matching only where the bidders differ."""
    from scipy.optimize import linear_sum_assignment

    revenue = dict(zip(Bidders.prices(), Bidders().scores((1.0, 2.0, 5.0)), strict=True))
    values = np.array([[5.0, 5.0]])  # one bidder, two items
    matching = float(values[linear_sum_assignment(values, maximize=True)].sum())
    return judge(
        printed=[
            close("revenue at price 5, the best", revenue[5.0], max(revenue.values())),
            close("revenue at price 5", revenue[5.0], 5.0),
            close("revenue at price 6", revenue[6.0], 0.0, absolute=1e-12),
        ],
        anchors=[
            close("revenue at price 1", revenue[1.0], 3.0),
            close("revenue at price 2", revenue[2.0], 4.0),
            fails(close("one bidder who values two items at 5: maximum matching", matching, 10.0)),
        ],
        claimed=5.0,
        exact=max(revenue.values()),
        quantity="revenue",
        finding=(
            "“Corresponds with maximum weighted matching” holds where the items' best bidders differ: one "
            f"bidder who values two items at 5 gives item maxima of 10 in sum and a matching of {matching:g}."
        ),
    )


@entry(
    "000-T4",
    kind="M",
    title="Exponential mechanism",
    statement="outputs h ∈ H with probability proportional to exp(ε u(X, h) / (2Δ_u))",
    conditions="finite H, or a finite normaliser",
    source="000 Theorem 4",
    expected="definition",
    tests=1,
)
def exponential_mechanism(run: Run) -> Outcome:
    """The catalogue's law against the printed weights, and its draws against the law."""
    mechanism = EyeColour(epsilon=0.8)
    room = ("Brown",) * 5 + ("Blue",) * 3 + ("Green",)
    scores = mechanism.scores(room)
    weights = [math.exp(0.8 * u / 2) for u in scores]  # 000 Thm 4 with Delta_u = 1
    law_ = mechanism.probabilities(room)
    brown = int(np.flatnonzero(mechanism.outcomes == "Brown")[0])
    drawn = run.proportion(
        lambda rng, n: np.count_nonzero(mechanism.sample(room, n, rng) == "Brown"), run.size(200_000), "Brown"
    )
    return judge(
        definition=True,
        printed=[
            everywhere(
                "|P(h)/P(h′) − weight ratio|",
                [
                    (f"{a}, {b}", abs(law_[i] / law_[j] / (weights[i] / weights[j]) - 1), 1e-12)
                    for i, a in enumerate(mechanism.outcomes)
                    for j, b in enumerate(mechanism.outcomes)
                ],
            ),
            close("the probabilities sum to 1", float(law_.sum()), 1.0),
            fact(f"draws of Brown, probability {law_[brown]:.5g}: {drawn}", drawn.contains(float(law_[brown]))),
        ],
        exact=float(law_[brown]),
        certified=drawn.low,
        trials_used=drawn.trials,
        quantity="P[Brown]",
    )


def _cost(size: int, gap: float, monotone: bool, epsilon: float = 1.0) -> float:
    """The loss at the favoured outcome, `gap` behind: its score rises by Delta, the others fall or stay."""
    others = gap if monotone else gap - 1.0
    left, right = [0.0] + [gap] * (size - 1), [1.0] + [others] * (size - 1)
    return max_divergence(law(left, epsilon), law(right, epsilon))


@entry(
    "000-T4.1",
    kind="P",
    title="The cost does not depend on |H|",
    statement="the privacy cost of the exponential mechanism is ε, regardless of the size of H",
    source="000 §3, characteristic 1",
    expected="holds",
    tests=1,
)
def cost_and_size(run: Run) -> Outcome:
    """The worst pair of score vectors for |H| from 2 to 10⁵; a monotone score costs half."""
    sizes = (2, 10, 1000, 100_000)
    audit = run.audit(ByScore(epsilon=1.0, size=1000), claim=EyeColour().claim)
    attained = _cost(2, 40.0, monotone=False)
    return judge(
        printed=[
            everywhere(
                "cost",
                [(f"|H|={s}, gap {g:g}", _cost(s, g, False), 1.0) for s in sizes for g in (0.0, 5.0, 40.0)],
            ),
            fact("an audit with |H| = 1000 does not refute ε", not audit.refuted),
        ],
        anchors=[
            at_least("attained: cost where the others lead by 40Δ", attained, 1 - 1e-8),
            everywhere("cost of a monotone score", [(f"|H|={s}", _cost(s, 40.0, True), 0.5) for s in sizes]),
            close("eye colour, replace-one: exact cost", exact_profile(EyeColour()).epsilon_at(0.0), 1.0, 1e-6),
        ],
        audit=audit,
        claimed=1.0,
        exact=attained,
    )


@entry(
    "000-L3.1",
    kind="P",
    title="Privacy of the exponential mechanism",
    statement="the exponential mechanism is ε-differentially private",
    conditions="Δ_u as in Theorem 4",
    source="000 Lemma 3.1",
    expected="holds",
    tests=1,
)
def exponential_is_private(run: Run) -> Outcome:
    """Random neighbouring scores, the catalogue's bidders, and the misprinted last line of the proof."""
    rng = run.rng("scores")
    rows = []
    for _ in range(500):
        size = int(rng.integers(2, 20))
        scores = rng.normal(0, 5, size)
        moved = scores + rng.choice((-1.0, 1.0), size)
        rows.append((f"{size} outcomes", max_divergence(law(scores), law(moved)), 1.0))
    mechanism = EyeColour()
    exact = exact_profile(mechanism).epsilon_at(0.0)
    audit = run.audit(mechanism)
    here, there, rate = -1.0, 0.0, 0.5  # u(X, h') and u(X', h') of neighbours with Delta = 1, at eps = 1
    left = math.exp(rate * there)
    return judge(
        printed=[
            everywhere("largest loss over random neighbouring scores, ε = 1", rows),
            at_most("exact cost of the eye-colour instance", exact, mechanism.epsilon),
            fact("an audit does not refute it", not audit.refuted),
        ],
        anchors=[
            close("ε is attained by the eye-colour instance", exact, mechanism.epsilon, 1e-6),
            fails(
                at_most(
                    "last line of the proof, u(X, h′) = −1, u(X′, h′) = 0",
                    left,
                    math.exp(rate * here) * math.exp(rate * there),
                )
            ),
            at_most(
                "the same line with exp(ε(u(X′, h′) − u(X, h′))/2Δ) ≤ e^(ε/2)",
                left,
                math.exp(rate * here) * math.exp(rate * (there - here)),
            ),
        ],
        audit=audit,
        curve=exact_profile(mechanism),
        claimed=mechanism.epsilon,
        exact=exact,
        finding=(
            "The lemma holds. Its last line is misprinted: with u(X, h′) = −1, u(X′, h′) = 0 and ε = Δ = 1 "
            "it says "
            f"1 ≤ {math.exp(rate * here):.4f}. The second factor must be exp(ε(u(X′, h′) − u(X, h′))/(2Δ)) ≤ "
            "e^(ε/2)."
        ),
    )


@entry(
    "000-L3.2",
    kind="A",
    title="Utility of the exponential mechanism",
    statement="P[u(M(X)) ≤ OPT − (2Δ/ε)(ln(|H|/|H*|) + t)] ≤ e^−t",
    source="000 Lemma 3.2",
    expected="holds",
    tests=1,
)
def utility(run: Run) -> Outcome:
    """Random scores, the worst scores in closed form, and the worst room drawn, with an exact interval."""
    size, t, votes = 5, 3.0, 10
    far = 2 * (math.log(size) + t)
    room = EyeColour(epsilon=far / votes)  # the other colours lie exactly at the limit
    exact = float(1 - room.probabilities(("Brown",) * votes).max())
    drawn = run.proportion(
        lambda rng, n: np.count_nonzero(room.sample(("Brown",) * votes, n, rng) != "Brown"),
        run.size(200_000),
        "room",
    )
    closed = [
        (f"|H|={h}, |H*|={m}, t={s:g}", worst_failure(h, m, s), math.exp(-s))
        for h, m in ((2, 1), (5, 1), (5, 4), (10**6, 1))
        for s in (0.0, 1.0, 3.0, 10.0)
    ]
    return judge(
        printed=[
            everywhere("failure probability over random scores", random_failures(run, ties=True)),
            everywhere("worst case in closed form", closed),
            at_most("worst room, |H| = 5, t = 3: exact failure probability", exact, math.exp(-t)),
            at_most("the same, drawn: the interval's lower end", drawn.low, math.exp(-t)),
        ],
        anchors=[
            close("closed form against the catalogue's law", exact, worst_failure(size, 1, t)),
            close("closed form against the law of any score", failure([0.0] + [-far] * 4, -far), exact),
            close("its value", exact, 0.03830, 1e-3),
            close("worst case for |H| = 10⁶, t = 3", worst_failure(10**6, 1, 3.0), 0.04743, 1e-3),
            fact(f"drawn, exactly {exact:.4g}: {drawn}", drawn.contains(exact)),
        ],
        claimed=math.exp(-t),
        exact=exact,
        certified=drawn.low,
        trials_used=drawn.trials,
        quantity="P[failure], |H| = 5, t = 3",
    )


def random_failures(run: Run, ties: bool, count: int = 1000) -> list[tuple[str, float, float]]:
    """Failure probabilities against e^-t on random scores; the bound with ln(|H|/|H*|), or with ln |H|."""
    rng = run.rng("scores")
    rows = []
    for _ in range(count):
        size, t = int(rng.integers(2, 30)), float(rng.uniform(0, 5))
        scores = -np.round(rng.exponential(4, size), 1)
        best = int((scores == scores.max()).sum()) if ties else 1
        limit = float(scores.max()) - 2 * (math.log(size / best) + t)
        rows.append((f"|H|={size}, t={t:.3g}", failure(scores, limit), math.exp(-t)))
    return rows

"""Lecture 000, section 3: the exponential mechanism."""

from __future__ import annotations

import math

import numpy as np

from auditor.exact.finite import max_divergence
from auditor.exact.profiles import exact_profile
from auditor.exact.selection import ByScore, failure, law, permute_and_flip, worst_failure
from auditor.ledger.entries import Outcome, entry, judge
from auditor.ledger.facts import at_least, at_most, close, everywhere, fact, fails
from auditor.ledger.run import Run
from mechanisms.eye_colour import EyeColour
from mechanisms.geometric import Geometric
from mechanisms.pricing import Bidders
from mechanisms.randomized_response import RandomizedResponse


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
            fact(
                f"draws of Brown, probability {law_[brown]:.5g}: {drawn}", drawn.contains(float(law_[brown]))
            ),
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
            close(
                "eye colour, replace-one: exact cost", exact_profile(EyeColour()).epsilon_at(0.0), 1.0, 1e-6
            ),
        ],
        audit=audit,
        claimed=1.0,
        exact=attained,
    )


@entry(
    "000-T4.2",
    kind="R",
    title="Infinite sets of outcomes",
    statement="the mechanism works for finite and infinite sets H",
    conditions="the normaliser Σ exp(εu/(2Δ)) must be finite, which is not printed",
    source="000 §3, characteristic 2",
    expected="holds under condition",
)
def infinite_outcomes(run: Run) -> Outcome:
    """On all integers: score −|h − x| has a finite normaliser, a constant score has none."""
    epsilon = 1.0

    def normaliser(score: object, size: int) -> float:
        assert callable(score)
        return float(np.exp(epsilon * score(np.arange(-size, size + 1)) / 2).sum())

    distance = normaliser(lambda h: -np.abs(h), 400) / normaliser(lambda h: -np.abs(h), 200)
    constant = normaliser(lambda h: 0.0 * h, 400) / normaliser(lambda h: 0.0 * h, 200)
    window = np.arange(-60, 61)
    left, right = law(-np.abs(window), epsilon), law(-np.abs(window - 1), epsilon)
    geometric = Geometric(epsilon=epsilon / 2)
    return judge(
        printed=[
            close("every score: normaliser over 801 outcomes against 401, score 0", constant, 1.0, 1e-6)
        ],
        condition=[
            close("score −|h − x|: normaliser over 801 outcomes against 401", distance, 1.0, 1e-12),
            at_most("and its cost", max_divergence(left, right), epsilon),
            close(
                "and it is the geometric mechanism: ratio of neighbouring outputs",
                float(left[70] / left[69]),
                math.exp(-geometric.decay),
                1e-9,
            ),
        ],
        exact=constant,
        claimed=1.0,
        quantity="Z(801)/Z(401)",
        finding=(
            "With a constant score on the integers the weights do not sum to a finite number, and no "
            "distribution is proportional to them; with score −|h − x| they do."
        ),
        correction="… and infinite sets H on which Σ_h exp(εu(X, h)/(2Δ_u)) is finite.",
    )


@entry(
    "000-T4.3",
    kind="R",
    title="Every ε-DP mechanism as an exponential mechanism",
    statement="all other ε-DP mechanisms can be defined in terms of the exponential mechanism",
    conditions="at the same ε",
    source="000 §3, characteristic 3",
    expected="false as printed",
)
def every_mechanism(run: Run) -> Outcome:
    """With u = ln P, Δ_u = ε the mechanism comes out at 2ε; at ε no score gives randomized response."""
    epsilon = 1.0
    keep = RandomizedResponse(epsilon=epsilon).keep
    log_p = np.log([keep, 1 - keep])
    at_same, at_double = law(log_p, epsilon, epsilon), law(log_p, 2 * epsilon, epsilon)
    rng = run.rng("scores")
    # any u on inputs {0, 1}: log-odds gap between the inputs; randomized response needs 2ε
    scores = rng.uniform(-1, 1, (4000, 2, 2))
    width = np.abs(scores[:, 0] - scores[:, 1]).max(axis=1)
    odds = epsilon * (scores[:, :, 0] - scores[:, :, 1]) / (2 * width[:, None])
    gap = float(np.abs(odds[:, 0] - odds[:, 1]).max())
    channel = rng.dirichlet(np.ones(4)) * 0.5 + 0.125
    tilted = channel * np.exp(rng.uniform(0, epsilon / 2, 4))
    pair = channel, tilted / tilted.sum()
    again = [law(np.log(p), 2 * epsilon, epsilon) for p in pair]
    return judge(
        printed=[
            close("P[truth] of the exponential mechanism with u = ln P at ε = 1", float(at_same[0]), keep),
            at_least(
                "largest log-odds gap over 4000 scores at ε = 1; randomized response has 2", gap, 2 * epsilon
            ),
        ],
        corrected=[
            close("P[truth] with u = ln P, Δ_u = ε, at 2ε", float(at_double[0]), keep),
            at_most("sensitivity of u = ln P for a random ε-DP channel", max_divergence(*pair), epsilon),
            at_most(
                "its law at 2ε is the channel: largest difference",
                max(float(np.abs(a - p).max()) for a, p in zip(again, pair, strict=True)),
                1e-12,
            ),
        ],
        anchors=[close("P[truth] at ε", float(at_same[0]), 1 / (1 + math.exp(-epsilon / 2)))],
        claimed=keep,
        exact=float(at_same[0]),
        quantity="P[truth]",
        finding=(
            f"Randomized response with ε = 1 tells the truth with probability {keep:.5f}. The exponential "
            "mechanism with "
            f"u = ln P, Δ_u = ε gives {at_same[0]:.5f} at ε = 1 and {at_double[0]:.5f} only at 2ε = 2; no "
            f"score does better, since at ε the log-odds of two inputs differ by at most ε, and here by 2ε."
        ),
        correction="Every ε-DP mechanism is an exponential mechanism with parameter 2ε (u = ln P, Δ_u = ε).",
    )


@entry(
    "000-T4.4",
    kind="R",
    title="The exponential mechanism as the best one",
    statement="for many situations, the exponential distribution gives the “best” possible outcome",
    conditions="read as: no ε-DP mechanism has a larger expected score",
    source="000 §3, characteristic 4",
    expected="false as printed",
)
def best_possible(run: Run) -> Outcome:
    """Permute-and-flip at the same ε loses less on every score vector that has something to choose."""
    rng = run.rng("scores")
    rows, losses = [], []
    for _ in range(300):
        scores = rng.uniform(0, 6, rng.integers(2, 9))
        scores -= scores.max()
        em, pf = float(-law(scores) @ scores), float(-permute_and_flip(scores) @ scores)
        rows.append((f"{len(scores)} outcomes", em, pf))
        losses.append((f"{len(scores)} outcomes", pf, em))
        moved = scores + rng.uniform(-1, 1, len(scores))
        losses.append(("privacy", max_divergence(permute_and_flip(scores), permute_and_flip(moved)), 1.0))
    two = [1.0, 0.0]
    em_two, pf_two = (float(1 - law_[0]) for law_ in (law(two), permute_and_flip(two)))
    return judge(
        printed=[everywhere("expected loss against permute-and-flip's, at ε = 1", rows)],
        corrected=[
            everywhere("permute-and-flip is ε-DP and loses no more than the exponential mechanism", losses),
            everywhere("which loses at most twice as much", [(w, em, 2 * pf) for w, em, pf in rows]),
        ],
        anchors=[
            close("expected loss on scores (1, 0)", em_two, 0.3775, 1e-3),
            close("and permute-and-flip's", pf_two, 0.3033, 1e-3),
        ],
        claimed=pf_two,
        exact=em_two,
        quantity="expected loss on (1, 0)",
        finding=(
            f"On scores (1, 0) at ε = 1 the exponential mechanism loses {em_two:.4f} on average and "
            "permute-and-flip "
            f"{pf_two:.4f}, with the same ε; so on all 300 random score vectors tried. “Many situations” is "
            "not precise enough to be proved or refuted beyond that."
        ),
        correction="… loses at most twice what permute-and-flip loses on average at the same ε.",
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

"""Lecture 000, section 3: what is said of the exponential mechanism in passing."""

from __future__ import annotations

import math

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.finite import max_divergence
from auditor.notes.exact.selection import law, permute_and_flip
from auditor.notes.facts import at_least, at_most, close, everywhere
from auditor.notes.run import Run
from mechanisms.geometric import Geometric
from mechanisms.randomized_response import RandomizedResponse


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
        printed=[close("every score: normaliser over 801 outcomes against 401, score 0", constant, 1.0, 1e-6)],
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
            at_least("largest log-odds gap over 4000 scores at ε = 1; randomized response has 2", gap, 2 * epsilon),
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

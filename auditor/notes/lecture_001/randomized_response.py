"""Lecture 001, randomized response: privacy and accuracy."""

from __future__ import annotations

import itertools
import math

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.finite import by_events, max_divergence
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.responses import answers_law, count_law, error_limit, error_tail
from auditor.notes.facts import at_least, at_most, close, everywhere, fact
from auditor.notes.run import Run
from mechanisms.randomized_response import (
    RandomizedResponseMean,
)


@entry(
    "001-D",
    kind="D",
    title="(ε, δ)-differential privacy over Xⁿ",
    statement="P[Q(b₁) ∈ S] ≤ e^ε P[Q(b₂) ∈ S] + δ for all adjacent b₁, b₂ and every S ⊆ R",
    conditions="ε, δ ≥ 0; Xⁿ has a fixed n, so adjacent means one record replaced",
    source="001 Definition of (ε, δ)-DP",
    expected="definition",
)
def definition(run: Run) -> Outcome:
    """Randomized response on all databases of three bits, over all 256 events."""
    epsilon = 0.7
    laws = {b: answers_law(epsilon, b) for b in itertools.product((0, 1), repeat=3)}
    deltas: dict[int, list[float]] = {1: [], 2: []}
    below = []
    for a, b in itertools.combinations(laws, 2):
        distance = sum(x != y for x, y in zip(a, b, strict=True))
        if distance in deltas:
            deltas[distance].append(by_events(laws[a], laws[b], epsilon))
        if distance == 1:
            below.append(by_events(laws[a], laws[b], epsilon - 0.01))
    return judge(
        definition=True,
        printed=[
            at_most("largest δ at ε over all events, one record replaced", max(deltas[1]), 1e-12),
            at_least("smallest δ at ε − 0.01: the definition is tight on this mechanism", min(below), 1e-3),
            at_least("δ at ε where two records differ: they are not adjacent", min(deltas[2]), 1e-3),
        ],
        claimed=0.0,
        exact=max(deltas[1]),
        quantity="delta at ε = 0.7",
    )


@entry(
    "001-RR",
    kind="M",
    title="Randomized response, pseudo-code",
    statement="for k ← 1 to |D|: S_i ← q(d_i) with probability e^ε/(1+e^ε), else ¬q(d_i); return (sum S)/|D|",
    conditions="the loop runs over k, its body uses i",
    source="001 Algorithm 1",
    expected="misprint",
    tests=1,
)
def pseudo_code(run: Run) -> Outcome:
    """With i fixed while k runs, one answer alone is set; the mean of n ones is then e^ε/(1+e^ε)/n."""
    mechanism = RandomizedResponseMean()
    n = 8
    ones = (1,) * n
    keep = math.exp(mechanism.epsilon) / (1 + math.exp(mechanism.epsilon))
    literal = keep / n  # S_1 alone is ever set, all other answers stay empty
    expected = float(count_law(mechanism.epsilon, n, n) @ (np.arange(n + 1) / n))
    drawn = run.proportion(
        lambda rng, m: np.count_nonzero(mechanism.sample(ones, m, rng) == 1.0), run.size(100_000), "all ones"
    )
    return judge(
        printed=[close("E[r] on eight ones with i fixed while k runs, against e^ε/(1+e^ε)", literal, keep)],
        intended=[
            close("E[r] on eight ones with i for k", expected, keep),
            fact(
                f"the catalogue answers all ones with probability keep⁸ = {keep**n:.5g}: {drawn}",
                drawn.contains(keep**n),
            ),
        ],
        anchors=[close("the probability of the truth", mechanism.keep, keep)],
        claimed=keep,
        exact=literal,
        quantity="E[r] on eight ones",
        finding="The loop counts k while its body sets S_i: read literally, one answer alone is ever set.",
        correction="for i ← 1 to |D|.",
    )


@entry(
    "001-RR-P",
    kind="P",
    title="Privacy of randomized response",
    statement="randomized response is ε-differentially private",
    conditions="replace-one",
    source="001 Privacy Theorem of randomized response",
    expected="holds",
    tests=1,
)
def response_privacy(run: Run) -> Outcome:
    """The mean alone, for ten records and every number of ones, and the vector of answers."""
    rows = [
        (f"ε={e:g}, {m} ones of 10", max_divergence(count_law(e, 10, m), count_law(e, 10, m + 1)), e)
        for e in (0.5, 1.0, 3.0)
        for m in range(10)
    ]
    vectors = max_divergence(answers_law(1.0, (0, 1, 0, 1)), answers_law(1.0, (1, 1, 0, 1)))
    mechanism = RandomizedResponseMean()
    exact = exact_profile(mechanism).epsilon_at(0.0)
    audit = run.audit(mechanism)
    return judge(
        printed=[
            everywhere("exact cost of the mean", rows),
            at_most("exact cost of the answers, ε = 1", vectors, 1.0),
            fact("an audit does not refute it", not audit.refuted),
        ],
        anchors=[
            at_least("attained by the mean for every number of ones", min(v / e for _, v, e in rows), 1.0),
            close("attained by the answers", vectors, 1.0),
            close("the catalogue's exact cost", exact, mechanism.epsilon),
        ],
        audit=audit,
        curve=exact_profile(mechanism),
        claimed=mechanism.epsilon,
        exact=exact,
    )


@entry(
    "001-RR-A",
    kind="A",
    title="Accuracy of randomized response",
    statement=("P[|(1+e^ε)/(e^ε−1)·(r − 1/(1+e^ε)) − q(D)| ≥ (1+e^ε)/(e^ε−1)·√(log(2/β)/(2n))] ≤ β"),
    conditions="ε > 0",
    source="001 Accuracy Theorem of randomized response",
    expected="holds",
    tests=1,
)
def response_accuracy(run: Run) -> Outcome:
    """The exact tail (Poisson-binomial) on a grid, and the catalogue's instance drawn."""
    rows = [
        (f"ε={e:g}, n={n}, β={b:g}, {m} ones", error_tail(e, n, m, error_limit(e, n, b)), b)
        for e in (0.1, 0.5, 1.0, 3.0)
        for n in (1, 5, 30, 100)
        for b in (0.5, 0.05, 0.001)
        for m in sorted({0, n // 2, n})
    ]
    mechanism = RandomizedResponseMean()
    (statement,) = mechanism.accuracy()
    n, m = len(statement.dataset), sum(statement.dataset)
    exact = error_tail(mechanism.epsilon, n, m, error_limit(mechanism.epsilon, n, statement.probability))
    drawn = run.proportion(
        lambda rng, k: np.count_nonzero(statement.failed(mechanism.sample(statement.dataset, k, rng))),
        run.size(40_000),
        "tail",
    )
    return judge(
        printed=[
            everywhere("exact tail probability", rows),
            at_most("exact tail of the catalogue's instance", exact, statement.probability),
            at_most("the same, drawn: the interval's lower end", drawn.low, statement.probability),
        ],
        anchors=[
            close(
                "tail at ε = .5, n = 5, β = .5",
                max(v for w, v, _ in rows if w.startswith("ε=0.5, n=5, β=0.5")),
                0.16435,
                1e-3,
            ),
            fact(f"drawn, exactly {exact:.4g}: {drawn}", drawn.contains(exact)),
        ],
        claimed=statement.probability,
        exact=exact,
        certified=drawn.low,
        trials_used=drawn.trials,
        quantity=f"P[error too large], n = {n}",
    )

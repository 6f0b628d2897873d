"""Lecture 004, section 15.2.2: releasing the local sensitivity, for the triangles of a graph."""

from __future__ import annotations

import math

import numpy as np

from auditor.notes.entries import Outcome, entry, judge
from auditor.notes.exact.profiles import exact_profile
from auditor.notes.exact.stability import AllGraphs, released_scale_delta
from auditor.notes.facts import Fact, at_least, close, everywhere, fact, fails
from auditor.notes.run import Run
from auditor.results.pictures import lines_picture
from mechanisms.core.graph import Graph, deletion_sensitivity, triangle_sensitivity, triangles
from mechanisms.core.profiles import laplace_hockey
from mechanisms.private_local_sensitivity import (
    LEAST,
    PrivateLocalSensitivity,
    PrivateLocalSensitivityNoOffset,
    Step,
)


@entry(
    "004-TRI",
    kind="E",
    title="Counting triangles under edge privacy",
    statement="The number of triangles has GS n − 2, LS at most the maximum degree, and GS(LS) = 1.",
    conditions="n ≥ 3; LS over added and deleted edges",
    source="004 §15.2.2",
    expected="holds",
)
def counting_triangles(run: Run) -> Outcome:
    """Every graph on 3 to 6 vertices, and the catalogue's functions against the definitions."""
    sizes = (3, 4, 5) if run.quick else (3, 4, 5, 6)
    facts: list[Fact] = []
    anchors: list[Fact] = []
    for n in sizes:
        graphs = AllGraphs(n)
        count = graphs.triangles()
        moves = graphs.changes(count)
        sensitivity, degree = moves.max(axis=0), graphs.degrees()
        deleted = np.where(graphs.present(), moves, 0).max(axis=0)
        total = len(graphs.numbers)
        facts += [
            close(f"GS over all {total} graphs on {n} vertices", int(moves.max()), n - 2),
            everywhere(f"LS − maximum degree, n = {n}", [("all graphs", int((sensitivity - degree).max()), 0)]),
            close(f"GS(LS), n = {n}", int(graphs.changes(sensitivity).max()), 1),
        ]
        anchors += [
            fact(
                f"the catalogue's triangles and LS, n = {n}",
                _agrees(graphs, count, sensitivity, deleted, run),
            ),
            close(f"an LS of deletions alone has GS n − 2, n = {n}", int(graphs.changes(deleted).max()), n - 2),
        ]
    above = int(np.count_nonzero(sensitivity > degree - 1))
    return judge(
        printed=facts,
        anchors=[
            *anchors,
            fails(close(f"no graph on {n} vertices has LS above maximum degree − 1", above, 0)),
            close("graphs with LS above maximum degree − 1", above, {5: 56, 6: 1376}[n]),
        ],
        claimed=n - 2.0,
        exact=float(moves.max()),
        quantity=f"GS of the number of triangles, n = {n}",
    )


def _agrees(graphs: AllGraphs, count: np.ndarray, sensitivity: np.ndarray, deleted: np.ndarray, run: Run) -> bool:
    """The catalogue's three functions on every graph, or on 500 of many."""
    numbers = (
        graphs.numbers if len(graphs.numbers) <= 1024 else run.rng("graphs").choice(graphs.numbers, 500, replace=False)
    )
    for number in numbers.tolist():
        graph = Graph(graphs.n, frozenset(graphs.edges(number)))
        found = triangles(graph), triangle_sensitivity(graph), deletion_sensitivity(graph)
        if found != (count[number], sensitivity[number], deleted[number]):
            return False
    return True


_CASES = tuple(PrivateLocalSensitivity(*at) for at in ((1.0, 0.01), (1.0, 1e-3), (0.5, 0.05), (2.0, 1e-4)))


@entry(
    "004-L15.6",
    kind="M,P",
    title="Noise scaled to a private bound on the local sensitivity",
    statement="D̃ is ε-DP and P[LS(D) ≥ D̃(D)] ≤ δ ⇒ f(D) + Lap(D̃/ε) is (2ε, δ)-DP.",
    conditions="D̃ > 0, so that the scale exists; P[LS ≥ D̃] ≤ δ for every D",
    source="004 Lemma 15.6",
    expected="holds",
    tests=1,
)
def released_sensitivity(run: Run) -> Outcome:
    """Random bounds D̃ that meet the premise; triangles by quadrature, over all neighbours; an audit."""
    mechanism, bare = PrivateLocalSensitivity(), PrivateLocalSensitivityNoOffset()
    audit = run.audit(mechanism, trials=run.size(100_000, 20_000))
    kinds = _kinds(5 if run.quick else 6)
    worst = {m: max(_quadrature(m, step, 2 * m.epsilon) for step in kinds) for m in _CASES}
    tight = PrivateLocalSensitivity(1.0, 1e-3)
    return judge(
        printed=[
            everywhere(
                "exact δ at 2ε of triangles, all pairs of neighbours",
                [(str(m.claim), value, m.delta) for m, value in worst.items()],
            ),
            everywhere("exact δ at 2ε for random D̃ that meet the premise", _random_bounds(run)),
            fact("an audit of the triangles does not refute it", not audit.refuted),
        ],
        anchors=[
            close("P[LS ≥ D̃] is δ/2", 0.5 * math.exp(-tight.epsilon * tight.offset), tight.delta / 2),
            *(
                close(
                    f"the catalogue's δ at 1.5ε, LS {s.left} and {s.right}",
                    tight.hockey(s, 1.5),
                    _quadrature(tight, s, 1.5),
                    rel=1e-6,
                    absolute=1e-9,
                )
                for s in tight.steps()
            ),
            everywhere(
                "no pair of neighbours is worse than the catalogue's",
                [(str(m.claim), value, exact_profile(m).delta_at(2 * m.epsilon) + 1e-8) for m, value in worst.items()],
            ),
            *_released_values(tight),
            at_least("without ln(1/δ)/ε: the catalogue's δ at 2ε", exact_profile(bare).delta_at(2.0), 0.1),
        ],
        claimed=2 * mechanism.epsilon,
        exact=exact_profile(mechanism).epsilon_at(mechanism.delta),
        audit=audit,
        pictures=(_released_picture(tight),),
    )


def _released_values(tight: PrivateLocalSensitivity) -> list[Fact]:
    """The worst pair of each LS where D̃ is only kept positive, with and without its offset."""
    return [
        *(
            close(
                f"LS {ls} → {ls + 1}, D̃ > 0 alone, (1, 1e-3)",
                _unclipped(ls, tight.offset),
                value,
                rel=2e-3,
            )
            for ls, value in ((1, 3.004e-4), (5, 7.121e-5), (20, 1.3555e-5))
        ),
        *(
            close(f"without ln(1/δ)/ε, LS {ls} → {ls + 1}", _unclipped(ls, 0.0), value, rel=2e-3)
            for ls, value in ((1, 0.30042), (5, 0.071209))
        ),
    ]


def _released_picture(tight: PrivateLocalSensitivity) -> dict[str, object]:
    sensitivities = range(1, 16)
    return lines_picture(
        "Triangles with a released sensitivity, ε = 1, δ = 1e-3",
        ("LS of the one graph, LS + 1 of the other", sensitivities),
        "δ at 2ε",
        {
            "exact": [_unclipped(ls, tight.offset) for ls in sensitivities],
            "claimed": [tight.delta] * len(sensitivities),
            "without ln(1/δ)/ε": [_unclipped(ls, 0.0) for ls in sensitivities],
        },
        log="y",
    )


def _kinds(n: int) -> set[Step]:
    """LS of both graphs and the difference of the counts, over all edge-neighbours on n vertices."""
    graphs = AllGraphs(n)
    moves = graphs.changes(graphs.triangles())
    sensitivity = moves.max(axis=0)
    found: set[Step] = set()
    for bit in range(len(graphs.pairs)):
        other = sensitivity[graphs.numbers ^ (1 << bit)]
        rows = np.unique(np.stack([sensitivity, other, moves[bit]], axis=1), axis=0)
        found |= {Step(*map(int, row)) for row in rows}
    return found


def _quadrature(mechanism: PrivateLocalSensitivity, step: Step, epsilon: float) -> float:
    left, right = step.left + mechanism.offset, step.right + mechanism.offset
    return released_scale_delta(epsilon, mechanism.epsilon, left, right, step.moved, LEAST)


def _unclipped(sensitivity: int, offset: float) -> float:
    """δ at 2ε, ε = 1, where D̃ is only kept positive."""
    return released_scale_delta(2.0, 1.0, sensitivity + offset, sensitivity + 1 + offset, sensitivity, 1e-12)


def _random_bounds(run: Run) -> list[tuple[str, float, float]]:
    """D̃ over six values: two laws within e^ε of each other, LS where at most δ of the left one lies below."""
    rng = run.rng("bounds")
    rows = []
    for number in range(run.size(1000, 200)):
        epsilon = float(rng.uniform(0.1, 2))
        values = np.sort(rng.uniform(0.1, 10, 6))
        q = rng.dirichlet(np.full(6, 0.7))
        p = q * np.exp(rng.choice([-0.5, 0.5], 6) * epsilon)  # within e^±ε after normalising
        p /= p.sum()
        sensitivity = float(values[rng.integers(6)] * rng.choice([1.0, 0.999]))
        delta = float(p[values <= sensitivity].sum())
        exact = sum(
            a * laplace_hockey(epsilon * sensitivity / v, 2 * epsilon + math.log(b / a))
            for a, b, v in zip(p.tolist(), q.tolist(), values.tolist(), strict=True)
        )
        rows.append((f"case {number}", exact, delta + 1e-12))
    return rows

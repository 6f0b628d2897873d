"""Lecture 004, section 15.2.2: releasing the local sensitivity, for the triangles of a graph."""

from __future__ import annotations

import numpy as np

from auditor.exact.stability import AllGraphs
from auditor.ledger.entries import Outcome, entry, judge
from auditor.ledger.facts import Fact, close, everywhere, fact, fails
from auditor.ledger.run import Run
from mechanisms.graph import Graph, deletion_sensitivity, triangle_sensitivity, triangles


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
            everywhere(
                f"LS − maximum degree, n = {n}", [("all graphs", int((sensitivity - degree).max()), 0)]
            ),
            close(f"GS(LS), n = {n}", int(graphs.changes(sensitivity).max()), 1),
        ]
        anchors += [
            fact(
                f"the catalogue's triangles and LS, n = {n}",
                _agrees(graphs, count, sensitivity, deleted, run),
            ),
            close(
                f"an LS of deletions alone has GS n − 2, n = {n}", int(graphs.changes(deleted).max()), n - 2
            ),
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


def _agrees(
    graphs: AllGraphs, count: np.ndarray, sensitivity: np.ndarray, deleted: np.ndarray, run: Run
) -> bool:
    """The catalogue's three functions on every graph, or on 500 of many."""
    numbers = (
        graphs.numbers
        if len(graphs.numbers) <= 1024
        else run.rng("graphs").choice(graphs.numbers, 500, replace=False)
    )
    for number in numbers.tolist():
        graph = Graph(graphs.n, frozenset(graphs.edges(number)))
        found = triangles(graph), triangle_sensitivity(graph), deletion_sensitivity(graph)
        if found != (count[number], sensitivity[number], deleted[number]):
            return False
    return True

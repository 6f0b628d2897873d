"""Small undirected graphs, their triangles, and how an edge moves them (004 Section 15.2.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from mechanisms.core import checks

Edge = tuple[int, int]


@dataclass(frozen=True)
class Graph:
    """Vertices 0, ..., n - 1 and a set of edges (i, j) with i < j. Neighbours differ in one edge."""

    vertices: int
    edges: frozenset[Edge]

    def __post_init__(self) -> None:
        checks.whole("vertices", self.vertices)
        edges = frozenset((min(edge), max(edge)) for edge in self.edges)
        bad = [edge for edge in edges if not 0 <= edge[0] < edge[1] < self.vertices]
        if bad:
            raise ValueError(f"an edge must join two of the {self.vertices} vertices, got {bad[0]}")
        object.__setattr__(self, "edges", edges)

    def __repr__(self) -> str:
        shown = " ".join(f"{i}-{j}" for i, j in sorted(self.edges))
        return f"Graph({self.vertices}: {shown})"

    def toggled(self, i: int, j: int) -> Graph:
        """The neighbour that has this edge if and only if this graph has not."""
        return Graph(self.vertices, self.edges ^ {(min(i, j), max(i, j))})

    def pairs(self) -> Iterable[Edge]:
        """All pairs of vertices, joined or not."""
        return combinations(range(self.vertices), 2)

    def adjacent(self, i: int) -> frozenset[int]:
        """The vertices joined to i."""
        return frozenset(a + b - i for a, b in self.edges if i in (a, b))

    def common(self, i: int, j: int) -> int:
        """How many vertices are joined to both: by so much the edge i-j moves the number of triangles."""
        return len(self.adjacent(i) & self.adjacent(j))


def triangles(graph: Graph) -> int:
    """The number of triangles; each is seen from its three edges."""
    return sum(graph.common(i, j) for i, j in graph.edges) // 3


def triangle_sensitivity(graph: Graph) -> int:
    """LS(G): the most triangles that adding or deleting one edge makes or breaks."""
    return max((graph.common(i, j) for i, j in graph.pairs()), default=0)


def deletion_sensitivity(graph: Graph) -> int:
    """The most triangles that deleting an edge breaks; one edge can move this by n - 2."""
    return max((graph.common(i, j) for i, j in graph.edges), default=0)

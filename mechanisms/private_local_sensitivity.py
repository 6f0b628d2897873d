"""Counting triangles with a privately released local sensitivity (004 Section 15.2.2, Lemma 15.6)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mechanisms.core import checks
from mechanisms.core.claims import ApproxDP, NumericProfile, Profile
from mechanisms.core.graph import Graph, deletion_sensitivity, triangle_sensitivity, triangles
from mechanisms.core.mechanism import ON_DOUBLES, Mechanism, Outputs
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.core.profiles import certain, laplace_hockey, laplace_tail
from mechanisms.laplace import laplace_noise

LEAST = 1.0  # an edge that closes a triangle closes at least one; the notes do not say what D~ <= 0 means


class Step(NamedTuple):
    """Two neighbours: their local sensitivities, and by how much their numbers of triangles differ."""

    left: int
    right: int
    moved: int


@dataclass(frozen=True)
class PrivateLocalSensitivity(Mechanism):
    """Releases D~ = LS(G) + Lap(1/epsilon) + ln(1/delta)/epsilon, and triangles(G) + Lap(D~/epsilon).

    The output is the pair (noisy count, D~): the proof of Lemma 15.6 gives away both.
    """

    epsilon: float = 1.0
    delta: float = 0.01
    vertices: int = 6

    id: ClassVar[str] = "private-local-sensitivity"
    title: ClassVar[str] = "triangles with a privately released local sensitivity"
    source: ClassVar[str] = "004 Section 15.2.2, Lemma 15.6"
    note: ClassVar[str] = ON_DOUBLES

    def __post_init__(self) -> None:
        checks.positive("epsilon", self.epsilon)
        checks.open_probability("delta", self.delta)
        checks.whole("vertices", self.vertices, least=5)

    @property
    def claim(self) -> ApproxDP:
        """(2 epsilon, delta)-DP (004 Lemma 15.6)."""
        return ApproxDP(2 * self.epsilon, self.delta)

    @property
    def offset(self) -> float:
        """ln(1/delta)/epsilon: D~ is below LS with probability delta/2."""
        return math.log(1 / self.delta) / self.epsilon

    def sensitivity(self, graph: Graph) -> int:
        """LS(G): the most common neighbours of any two vertices; one edge moves it by at most 1."""
        return triangle_sensitivity(graph)

    def sample(self, dataset: Any, n: int, rng: np.random.Generator) -> Outputs:
        """Rows (f(G) + Lap(D~/epsilon), D~)."""
        outputs = np.empty((n, 2))
        outputs[:, 1] = self.noisy_sensitivity(dataset, n, rng)
        outputs[:, 0] = laplace_noise(1 / self.epsilon, n, rng) * outputs[:, 1] + triangles(dataset)
        return outputs

    def noisy_sensitivity(self, graph: Graph, n: int, rng: np.random.Generator) -> Outputs:
        """D~, epsilon-DP because LS has sensitivity 1; kept positive, which is post-processing."""
        noisy = laplace_noise(1 / self.epsilon, n, rng)
        noisy += self.sensitivity(graph) + self.offset
        return np.maximum(noisy, LEAST, out=noisy)

    def neighbours(self) -> tuple[NeighbourPair, ...]:
        """One edge that moves both LS and the count; one on which n - 2 triangles hang; an ordinary one."""
        n = self.vertices
        # 0-1 closes n - 3 triangles, and gives 0 and 2 one more common neighbour: LS goes from n - 3 to n - 2.
        both = {(hub, other) for hub in (0, 2) for other in range(3, n)}
        rising = Graph(n, frozenset({(0, 2), (1, 2), *both, *((1, other) for other in range(3, n - 1))}))
        hubs = Graph(n, frozenset((hub, other) for hub in (0, 1) for other in range(2, n)))
        return (
            NeighbourPair(rising, rising.toggled(0, 1), Relation.EDGE, "LS rises while the count moves by LS"),
            NeighbourPair(hubs, hubs.toggled(0, 1), Relation.EDGE, "one edge closes n - 2 triangles"),
            NeighbourPair(rising, rising.toggled(1, 4), Relation.EDGE, "an ordinary edge"),
        )

    def steps(self) -> Iterable[Step]:
        """The count moves by the common neighbours of one pair: at most by the smaller LS, and so far."""
        for low in range(self.vertices - 1):
            yield Step(low, low, low)
            if low + 1 <= self.vertices - 2:
                yield Step(low, low + 1, low)

    def exact(self) -> Profile | None:
        """The worst of all neighbours, by quadrature over D~."""
        steps = {*self.steps()}
        steps |= {Step(right, left, moved) for left, right, moved in steps}
        return NumericProfile(lambda e: max(self.hockey(step, e) for step in steps), "quadrature")

    def hockey(self, step: Step, epsilon: float) -> float:
        """For each value of D~, two Laplace distributions weighted with its densities on both sides."""
        eps, a, b = self.epsilon, step.left + self.offset, step.right + self.offset
        p, q = (1 - laplace_tail(eps * (LEAST - centre)) for centre in (a, b))
        total = p * laplace_hockey(eps * step.moved / LEAST, epsilon + math.log(q / p))  # D~ cut off at LEAST
        for low, high in pairwise(self._cuts(step, epsilon)):
            half = (high - low) / 2
            for node, weight in zip(*_GAUSS, strict=True):
                s = low + half * (1 + node)
                density = eps / 2 * math.exp(-eps * abs(s - a))
                level = epsilon + eps * (abs(s - a) - abs(s - b))
                total += weight * half * density * laplace_hockey(eps * step.moved / s, level)
        return total

    def _cuts(self, step: Step, epsilon: float) -> list[float]:
        """Where the integrand has a kink: at the centres a and b, and where the shift meets the level.

        The shift is eps moved/s; the level, epsilon + eps (|s - a| - |s - b|), is flat outside the centres
        and has slope 2 eps or -2 eps between them, so that each meeting is the root of a quadratic.
        """
        eps, a, b = self.epsilon, step.left + self.offset, step.right + self.offset
        last, sign = max(a, b) + 40 / eps, math.copysign(1, b - a)
        cuts = {a, b, max(a, b) + 3 / eps, max(a, b) + 10 / eps, last}
        for shift in (eps * step.moved, -eps * step.moved):
            cuts.update(_roots(0, epsilon + eps * (b - a), -shift))
            cuts.update(_roots(0, epsilon - eps * (b - a), -shift))
            cuts.update(_roots(2 * eps * sign, epsilon - eps * sign * (a + b), -shift))
        return [LEAST, *sorted(cut for cut in cuts if LEAST < cut <= last)]


_GAUSS = tuple(map(tuple, np.polynomial.legendre.leggauss(20)))


def _roots(a: float, b: float, c: float) -> list[float]:
    """The real s with a s^2 + b s + c = 0."""
    if a == 0:
        return [-c / b] if b else []
    square = b * b - 4 * a * c
    return [(-b + sign * math.sqrt(square)) / (2 * a) for sign in (1, -1)] if square >= 0 else []


class PrivateLocalSensitivityNoOffset(PrivateLocalSensitivity):
    """Mutant: D~ = LS + Lap(1/epsilon) falls below LS half of the time."""

    id = "private-local-sensitivity/no-offset"
    of = "private-local-sensitivity"
    title = "triangles with a noisy sensitivity that is too small half of the time"

    @property
    def offset(self) -> float:
        """Broken: ln(1/delta)/epsilon is missing."""
        return 0.0


class PrivateLocalSensitivityRaw(PrivateLocalSensitivity):
    """Mutant: the local sensitivity itself is published and scales the noise."""

    id = "private-local-sensitivity/raw"
    of = "private-local-sensitivity"
    title = "triangles with noise scaled to the local sensitivity itself"

    def noisy_sensitivity(self, graph: Graph, n: int, rng: np.random.Generator) -> Outputs:
        """Broken: no noise on LS(G)."""
        return np.full(n, max(LEAST, self.sensitivity(graph)))

    def exact(self) -> Profile | None:
        """LS of neighbours can differ, and is published."""
        return certain("the local sensitivity is published")


class PrivateLocalSensitivityDeletions(PrivateLocalSensitivity):
    """Mutant: LS over deletions alone; a new edge can move it by n - 2, so D~ costs (n - 2) epsilon."""

    id = "private-local-sensitivity/deletions-only"
    of = "private-local-sensitivity"
    worst = 1
    title = "triangles with the sensitivity to deleted edges alone"

    def sensitivity(self, graph: Graph) -> int:
        """Broken: edges that are not there can be added."""
        return deletion_sensitivity(graph)

    def steps(self) -> Iterable[Step]:
        """An edge between vertices with c common neighbours takes LS from 0 to c, and closes c triangles."""
        return [Step(0, common, common) for common in range(1, self.vertices - 1)]

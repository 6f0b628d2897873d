"""Compositions of the notes, certified by their parts."""

from __future__ import annotations

import pytest

from auditor.notes.by_parts import certified_by_parts
from auditor.notes.catalogue_audits import audit_entry, count_tests, pieces
from auditor.results.entry import entry_from_dict
from mechanisms.adaptive_composition import AdaptiveComposition
from mechanisms.advanced_composition import AdvancedComposition
from mechanisms.composition import Composition, CompositionReusedNoise
from mechanisms.core.mechanism import Mechanism
from mechanisms.core.neighbours import NeighbourPair, Relation
from mechanisms.group_privacy import GroupPrivacy
from mechanisms.laplace import Laplace
from mechanisms.parallel import ParallelComposition
from mechanisms.poisson_subsampling import PoissonSubsampling
from mechanisms.vector_laplace import VectorLaplace


@pytest.mark.parametrize(
    "mechanism",
    [
        Composition(),
        AdvancedComposition(),
        AdaptiveComposition(),
        ParallelComposition(),
        PoissonSubsampling(),
        GroupPrivacy(),
        VectorLaplace(),
    ],
    ids=lambda m: m.id,
)
def test_parts_certify_most_of_the_exact_value(mechanism: Mechanism) -> None:
    """Fixed seed, alpha = 1 %; below the exact value at two deltas, and not far below."""
    parts = pieces(mechanism)
    assert parts
    exact = mechanism.exact()
    assert exact is not None
    found = certified_by_parts(parts, 60_000, 0.01, 0)
    assert found.alpha <= 0.01 + 1e-12
    for delta in (0.0, 1e-2):
        assert 0.55 * exact.epsilon_at(delta) <= found.epsilon_at(delta) <= exact.epsilon_at(delta) + 1e-9


def test_equal_parts_are_drawn_once() -> None:
    (part,) = Composition((Laplace(0.1),) * 10).pieces(NeighbourPair((0, 0), (0, 1)))
    assert part.times == 10


def test_what_is_not_independent_has_no_parts() -> None:
    assert pieces(CompositionReusedNoise()) == ()
    other = PoissonSubsampling().pieces(NeighbourPair((1, 0), (1,), Relation.ADD_REMOVE))
    assert other == ()
    added = AdaptiveComposition().pieces(NeighbourPair((1, 0), (1,), Relation.ADD_REMOVE))
    assert added == ()
    assert Laplace().pieces(Laplace().neighbours()[0]) == ()


def test_the_entry_has_three_numbers() -> None:
    entry = audit_entry("composition", True, 0, 1e-3)
    assert entry.reason == ""
    assert entry.by_parts is not None
    assert entry.exact is not None
    assert entry.certified < entry.by_parts <= entry.exact + 1e-9
    assert entry_from_dict(entry.to_dict()) == entry
    assert count_tests(Composition()) == 2
    assert "by_parts" not in audit_entry("laplace", True, 0, 1e-3).to_dict()

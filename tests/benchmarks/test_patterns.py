import pytest

from benchmarks.zoo.patterns import Moves, answer_patterns, are_neighbours
from mechanisms.core.neighbours import Relation


def differences(pair):
    return [b - a for a, b in zip(pair.left, pair.right, strict=True)]


@pytest.mark.parametrize("length", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("moves", list(Moves))
def test_every_pair_is_a_neighbour_by_the_definition(length, moves):
    pairs = answer_patterns(length, moves, base=3.0)
    assert pairs
    for pair in pairs:
        moved = differences(pair)
        assert len(pair.left) == len(pair.right) == length
        assert 0 < max(abs(d) for d in moved) <= 1
        if moves is Moves.ONE_DIFFERS:
            assert sum(d != 0 for d in moved) == 1
        if moves is Moves.ONE_DIRECTION:
            assert not (min(moved) < 0 < max(moved))
        assert pair.relation is Relation.ANSWERS


def test_the_published_patterns_are_all_there():
    # Ding et al. 2018, for five queries that answer 1.
    published = {
        (1, 1, 1, 1, 1): [
            (2, 1, 1, 1, 1),
            (0, 1, 1, 1, 1),
            (2, 0, 0, 0, 0),
            (0, 2, 2, 2, 2),
            (2, 2, 0, 0, 0),
            (2, 2, 2, 2, 2),
            (0, 0, 0, 0, 0),
        ],
        (1, 1, 0, 0, 0): [(0, 0, 1, 1, 1)],
    }
    ours = {(pair.left, pair.right) for pair in answer_patterns(5)}
    assert {(left, right) for left, rights in published.items() for right in rights} <= ours


def test_one_record_leaves_fewer_patterns():
    assert [pair.why for pair in answer_patterns(4, "one differs")] == ["one above", "one below"]
    assert [pair.why for pair in answer_patterns(4, "one direction")] == [
        "one above",
        "one below",
        "all above",
        "all below",
        "half above, half level",
    ]
    assert len(answer_patterns(4, "all differ")) == 10


def test_no_pair_comes_twice():
    for length in (1, 2, 3):
        for moves in Moves:
            pairs = [frozenset((pair.left, pair.right)) for pair in answer_patterns(length, moves)]
            assert len(pairs) == len(set(pairs))


def test_base_and_sensitivity_move_the_answers():
    pair = answer_patterns(2, Moves.ONE_DIRECTION, base=10.0, sensitivity=0.5)[0]
    assert (pair.left, pair.right) == ((10.0, 10.0), (10.5, 10.0))


@pytest.mark.parametrize(
    ("left", "right", "moves"),
    [
        ((1, 1), (3, 1), "one differs"),
        ((1, 1), (2, 2), "one differs"),
        ((1, 1), (2, 0), "one direction"),
        ((1, 1), (1, 1), "all differ"),
        ((1, 1), (2, 0, 1), "all differ"),
        ((1, 1), (float("nan"), 1), "all differ"),
    ],
)
def test_what_is_not_a_neighbour(left, right, moves):
    assert not are_neighbours(left, right, moves)


def test_what_is_a_neighbour():
    assert are_neighbours((1, 1), (2, 1), "one differs")
    assert are_neighbours((1, 1, 1), (1, 0, 0), "one direction")
    assert are_neighbours((1, 1, 1), (2, 0, 1), "all differ")


def test_a_wrong_argument_is_named():
    with pytest.raises(ValueError, match="length must be a whole number of at least 1, got length=0"):
        answer_patterns(0)
    with pytest.raises(ValueError, match="moves must be one of 'one differs'"):
        answer_patterns(2, "sideways")

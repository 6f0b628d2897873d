"""Relations between parts of an output, and directions of several columns: found where they leak, silent where not."""

import numpy as np
import pytest

from auditor import ApproxDP, AuditResult, audit, per_draw
from auditor.events.outputs import canonical, form_of
from auditor.events.scores import score_from_dict
from auditor.search.learners import directions, relations
from auditor.search.past import Past

PURE = ApproxDP(1.0)


def past_of(sample, size, views=("values",)):
    rng = np.random.default_rng(0)
    sides = [sample(np.full(size, bit), rng) for bit in (0, 1)]
    form = form_of(sides, "m")
    past = Past(views)
    past.add(*(canonical(side, size, "m", form) for side in sides))
    return past


def exclusive_or(bits, rng):
    """The last bit is an exclusive or of three others and the secret one: any nine of the ten are random."""
    matrix = rng.integers(0, 2, (len(bits), 10))
    matrix[:, 9] = matrix[:, 1] ^ matrix[:, 4] ^ matrix[:, 6] ^ bits
    return matrix


def check_number(bits, rng):
    matrix = rng.integers(0, 1000, (len(bits), 6))
    matrix[:, 5] = (matrix[:, :5] @ np.arange(1, 6) + bits) % 7 + 7 * rng.integers(0, 9, len(bits))
    return matrix


def looked_up(bits, rng):
    """The value at a random place is odd or even, as the secret bit is."""
    matrix = rng.integers(0, 100, (len(bits), 6))
    matrix[:, 5] = rng.integers(0, 5, len(bits))
    at = np.arange(len(bits)), matrix[:, 5]
    matrix[at] = matrix[at] // 2 * 2 + bits
    return matrix


@pytest.mark.parametrize("sample", [exclusive_or, check_number, looked_up])
def test_a_relation_that_holds_on_one_side_is_found_and_told_again_from_json(sample):
    found = relations.propose(past_of(sample, 512))
    assert found
    score = found[0].score
    fresh = [sample(np.full(500, bit), np.random.default_rng(1)) for bit in (0, 1)]
    form = form_of(fresh, "m")
    read = [canonical(side, 500, "m", form) for side in fresh]
    values = {float(score.of(side).mean()) for side in read}
    assert min(values) == 0.0
    assert max(values) > 0.1
    assert score_from_dict(score.to_dict()) == score
    assert score.words("<=", 0.0)


@pytest.mark.parametrize("sample", [exclusive_or, check_number, looked_up])
def test_a_relation_that_holds_by_luck_is_thrown_away(sample):
    def twin(bits, rng):
        return sample(rng.integers(0, 2, len(bits)), rng)

    assert relations.propose(past_of(twin, 512)) == []


def test_a_relation_that_holds_on_both_sides_tells_nothing():
    assert relations.propose(past_of(lambda bits, rng: exclusive_or(0 * bits, rng), 512)) == []


def test_weights_of_a_null_space_give_zero_for_every_row():
    rng = np.random.default_rng(0)
    for modulus in (2, 3, 7, 127):
        rows = rng.integers(0, modulus, (30, 8))
        rows[:, 5] = (3 * rows[:, 0] + rows[:, 2]) % modulus
        basis = relations.null_space(rows, modulus)
        assert len(basis) == 1
        assert not (rows @ basis[0] % modulus).any()


def total(bits, rng):
    matrix = rng.laplace(size=(len(bits), 7))
    matrix[:, 6] = matrix[:, :6].sum(axis=1) + 0.1 * bits
    return matrix


def ratio(bits, rng):
    matrix = np.exp(rng.normal(size=(len(bits), 3)))
    matrix[:, 2] = matrix[:, 0] / matrix[:, 1] * (1 + 0.01 * bits)
    return matrix


def square(bits, rng):
    matrix = rng.normal(size=(len(bits), 3))
    matrix[:, 2] = matrix[:, 0] ** 2 - matrix[:, 0] * matrix[:, 1] + 0.01 * bits
    return matrix


@pytest.mark.parametrize("sample", [total, ratio, square])
def test_a_direction_is_found_and_told_again_from_json(sample):
    found = directions.propose(past_of(sample, 512))
    assert found
    for scored in found:
        assert score_from_dict(scored.score.to_dict()) == scored.score
        assert scored.score.words("<=", 0.0)
    fresh = [sample(np.full(500, bit), np.random.default_rng(1)) for bit in (0, 1)]
    form = form_of(fresh, "m")
    left, right = (found[0].score.of(canonical(side, 500, "m", form)) for side in fresh)
    assert left.max() < right.min() or right.max() < left.min()


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_independent_columns_have_no_direction_of_their_own(shift):
    """Each column shows what there is to see; a sum over columns is for the learner of sums."""
    sample = past_of(lambda bits, rng: rng.normal(size=(len(bits), 6)) + shift * bits[:, None], 512)
    assert directions.propose(sample) == []


def test_a_witness_with_a_relation_can_be_stored_and_names_its_parts():
    def coded(dataset, rng):
        label = int(rng.integers(2))
        return {"label": "ab"[label], "noise": float(rng.normal()), "code": 5 + (label ^ dataset)}

    result = audit(per_draw(coded), PURE, [(0, 1)], trials=5000, jobs=1)
    assert result.refuted
    again = AuditResult.from_json(result.to_json())
    assert str(again.witness) == str(result.witness)

"""An exception ends an audit, or is an output: raising on one dataset only tells the two apart."""

import numpy as np
import pytest

from auditor import ApproxDP, MechanismError, UsageError, audit, per_draw

PURE = ApproxDP(1.0)


def quick(mechanism, **options):
    return audit(mechanism, PURE, [(0, 1)], **{"trials": 1000, "jobs": 1, **options})


def sometimes(dataset, rng):
    """Raises twice as often on the right: log 2 below the claim."""
    if rng.random() < 0.2 * (1 + dataset):
        raise ValueError(f"the secret is {dataset}")
    return float(rng.laplace())


def whole(dataset, n, rng):
    if dataset and rng.random() < 0.5:
        raise KeyError(dataset)
    return rng.random(n)


def always(dataset, rng):
    raise ZeroDivisionError(str(dataset))


@pytest.mark.parametrize("mechanism", [per_draw(always), per_draw(sometimes)])
def test_an_exception_ends_the_audit_by_default(mechanism):
    with pytest.raises(MechanismError, match="raised"):
        quick(mechanism)


def test_where_one_side_raises_the_error_says_that_this_is_a_leak():
    def one_side(dataset, n, rng):
        return rng.random(n) if dataset else 1 / 0

    with pytest.raises(MechanismError, match=r'did not raise, and that alone tells the two apart.*raises="output"'):
        quick(one_side)
    with pytest.raises(MechanismError) as caught:
        quick(per_draw(always))
    assert "tells the two apart" not in str(caught.value)


def test_an_exception_as_an_output_tells_the_sides_apart():
    result = quick(whole, raises="output")
    assert result.refuted
    assert "raises KeyError" in str(result.witness)


def test_the_message_of_an_exception_is_not_looked_at():
    """The kind alone is an output: log 2 is not refuted, and no message is in the result. At alpha .01."""
    result = quick(per_draw(sometimes), raises="output", views=("values",))
    assert not result.refuted
    assert "secret" not in result.to_json()
    assert "Of an exception its kind was looked at, not its message." in result.limits
    assert not any("message" in limit for limit in quick(lambda d, n, rng: rng.random(n)).limits)


def test_exceptions_of_both_sides_are_one_output():
    result = quick(per_draw(always), raises="output")
    assert not result.refuted
    assert any("never varied" in warning for warning in result.warnings)


def test_arrays_and_rows_are_asked_for_one_by_one():
    asked = []

    def rows(dataset, n, rng):
        asked.append(n)
        return rng.random((n, 2)) + dataset * np.array([0, 9])

    assert quick(rows, raises="output").refuted
    assert set(asked) == {1}


def test_any_other_word_is_refused():
    with pytest.raises(UsageError, match="raises must be one of"):
        quick(per_draw(sometimes), raises="ignore")


def test_a_search_and_raises_output_are_one_way():
    """A mechanism that a search finds to raise on one side is audited as with raises="output", byte for byte."""
    st = pytest.importorskip("hypothesis.strategies")
    from auditor import neighbouring

    def raises_when_empty(dataset, n, rng):
        return len(dataset) + 0 * dataset[0] + rng.laplace(0, 1, n)

    pairs = neighbouring(st.lists(st.integers(0, 3), max_size=3))
    searched = audit(raises_when_empty, PURE, pairs, trials=1000, jobs=1)
    asked = audit(raises_when_empty, PURE, pairs, trials=1000, jobs=1, raises="output")
    given = audit(raises_when_empty, PURE, [([0], [])], trials=1000, jobs=1, raises="output")
    assert all(found.refuted for found in (searched, asked, given))
    assert "raises IndexError" in str(searched.witness)
    assert searched.witness.counts == given.witness.counts


def test_constants_of_the_source_are_tried_where_exceptions_are_outputs():
    st = pytest.importorskip("hypothesis.strategies")
    from auditor import neighbouring

    def special(dataset, n, rng):
        return len(dataset) + rng.laplace(0, 0.1 if 45_217 in dataset else 1.0, n)

    pairs = neighbouring(st.lists(st.integers(0, 10**6), max_size=3))
    assert audit(special, PURE, pairs, trials=4000, jobs=1, raises="output").refuted

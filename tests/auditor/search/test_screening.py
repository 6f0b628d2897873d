"""Screening finds the telling columns of wide outputs, and hardly ever anything where nothing tells."""

import numpy as np
import pytest

from auditor.events.outputs import canonical, form_of
from auditor.search import screening
from auditor.search.past import Past


def past_of(left, right) -> Past:
    form = form_of([left[:32], right[:32]], "m")
    past = Past(("values", "bits"))
    past.add(canonical(left, len(left), "m", form), canonical(right, len(right), "m", form))
    return past


def wide(rng, n=400, width=100):
    return rng.normal(size=(n, width))


def test_the_telling_column_of_a_wide_output_is_chosen():
    rng = np.random.default_rng(0)
    right = wide(rng)
    right[:, 70] += 1.0
    assert "x[70]" in past_of(wide(rng), right).features("values")


@pytest.mark.parametrize(
    ("told", "feature"),
    [
        (lambda m: m[:, 30], "x[70]-x[30]"),
        (lambda m: -m[:, 30], "x[70]+x[30]"),
        (lambda m: np.abs(m[:, 70]) * np.sign(m[:, 30]), "x[70]*x[30]"),
    ],
)
def test_two_columns_that_go_together_are_looked_at_together(told, feature):
    rng = np.random.default_rng(0)
    right = wide(rng)
    right[:, 70] = told(right)
    assert feature in past_of(wide(rng), right).features("values")


@pytest.mark.parametrize(
    ("make", "view", "part"),
    [
        (lambda b, rng: 2 * rng.integers(0, 10**8, 400) + b, "values", " mod "),
        (lambda b, rng: (rng.integers(0, 2**45, 400) & ~(1 << 37)) | (b << 37), "values", "byte 4 of x"),
        (lambda b, rng: rng.integers(0, 10**6, 400) + 0.25 + b / 2, "values", " e2 mod "),
        (
            lambda b, rng: 10**4 * rng.integers(0, 10**6, 400) + 10**3 * (4 + b) + rng.integers(400),
            "values",
            "x e-3 mod",
        ),
        (lambda b, rng: np.where(rng.random(400) < 0.5, 1.5, -0.0 if b else 0.0), "bits", "negative zeros"),
    ],
)
def test_leaves_have_eyes_of_their_own(make, view, part):
    rng = np.random.default_rng(0)
    found = past_of(make(0, rng), make(1, rng)).features(view)
    assert any(part in name for name in found)


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda b, rng, n: 31 * rng.integers(0, 10**6, n) + rng.integers(0, 15, n) + 15 * b, "x mod 31"),
        (lambda b, rng, n: 2 * rng.integers(0, 10**6, n) + b * (rng.random(n) < 0.1), "x mod 2"),
        (lambda b, rng, n: rng.integers(-(10**5), 10**5, n) + (rng.random(n) + b) / 2, "fraction of x"),
        (lambda b, rng, n: (rng.integers(-(10**5), 10**5, n) + (rng.random(n) + b) / 2) / 100, "fraction of x e2"),
    ],
)
def test_where_many_draws_are_screened_more_of_a_number_is_looked_at(make, part):
    rng = np.random.default_rng(0)
    found = past_of(make(0, rng, 2000), make(1, rng, 2000)).features("values")
    assert part in found
    alike = past_of(make(0, rng, 2000), make(0, rng, 2000)).features("values")
    assert alike == ["x"]


@pytest.mark.parametrize("of", [np.max, np.min, np.median])
def test_the_parity_of_one_of_the_numbers_by_size_is_seen(of):
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 10**6, (4000, 5))
    odd = of(numbers, axis=1).astype(np.int64) % 2 == 1
    found = past_of(numbers[~odd].astype(float), numbers[odd].astype(float)).features("values")
    assert any(name.endswith(" mod 2") for name in found)


def test_where_nothing_tells_no_eye_is_opened():
    """At eight and at four standard errors of chi-square, on two halves: none in 40 pasts with some 20 eyes each."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        past = past_of(rng.integers(0, 10**6, 300), rng.integers(0, 10**6, 300))
        assert screening.eyes(past, "values", ["x"]) == []

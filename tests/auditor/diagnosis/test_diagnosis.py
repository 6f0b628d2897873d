"""Each bug that a diagnosis knows, in a mechanism that has it, with the sentence; and what it must not say."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from auditor.diagnosis import diagnose
from auditor.diagnosis.runs import RUNS
from mechanisms.core.claims import ZCDP, ApproxDP, Claim, GaussianDP

LEFT, RIGHT = [1.0, 1.0], [1.0]
PURE = ApproxDP(1.0)


def stream(place: int) -> np.random.Generator:
    return np.random.default_rng([7, place])


def said(mechanism: Any, claim: Claim = PURE, delta: float = 0.0) -> tuple[str, ...]:
    return diagnose(mechanism, LEFT, RIGHT, stream, claim, delta)


def laplace_sum(data: Any, n: int, rng: np.random.Generator) -> Any:
    return sum(data) + rng.laplace(0, 1, n)


def one_by_one(function: Any) -> Any:
    return lambda data, n, rng: [function(data, rng) for _ in range(n)]


def used_twice(data: Any, n: int, rng: np.random.Generator) -> Any:
    z = rng.laplace(0, 1, n)
    return np.column_stack([sum(data) + z, 2 * len(data) + 3 * z])


def too_few(data: Any, rng: np.random.Generator) -> float:
    if len(data) < 2:
        raise ValueError("too few rows")
    return float(sum(data) + rng.laplace())


def at_times(data: Any, rng: np.random.Generator) -> float:
    value = rng.random()
    if len(data) < 2 and value < 0.5:
        raise ValueError
    return value


SAME = "With the same random numbers the outputs differ by "
SENTENCES = {
    "sensitivity": (
        lambda d, n, rng: 2 * sum(d) + rng.laplace(0, 1, n),
        SAME + "2, and the noise is Laplace with scale 1: that alone is epsilon 2, 2 times the claimed 1.",
    ),
    "the value is the location": (
        lambda d, n, rng: rng.laplace(2 * sum(d), 1, n),
        SAME + "2, and the noise is Laplace with scale 1: that alone is epsilon 2, 2 times the claimed 1.",
    ),
    "one draw a call": (
        one_by_one(lambda d, rng: 2 * sum(d) + rng.laplace(0, 1)),
        SAME + "2, and the noise is Laplace with scale 1: that alone is epsilon 2, 2 times the claimed 1.",
    ),
    "noise made smaller afterwards": (
        lambda d, n, rng: sum(d) + rng.laplace(0, 1, n) / 4,
        SAME + "1, and the noise is Laplace with scale 0.25: that alone is epsilon 4, 4 times the claimed 1.",
    ),
    "clipped afterwards": (
        lambda d, n, rng: np.maximum(1.5, 2 * sum(d) + rng.laplace(0, 1, n)),
        SAME + "up to 2, and the noise is Laplace with scale 1: that alone is epsilon 2, 2 times the claimed 1.",
    ),
    "a vector": (
        lambda d, n, rng: np.array([2 * sum(d), len(d)]) + rng.laplace(0, 1, (n, 2)),
        SAME
        + "3 in l1 norm, and the noise on each number is Laplace with scale 1: that alone is epsilon 3, 3 times the "
        "claimed 1.",
    ),
    "a vector longer than there are runs": (
        lambda d, n, rng: np.full(100, sum(d)) + rng.laplace(0, 100, (n, 100)),
        SAME + "100 in l1 norm, and the noise on each number is Laplace with scale 100: that alone is epsilon 1, as "
        "claimed, "
        "so the leak is not in this difference.",
    ),
    "exponentials": (
        lambda d, n, rng: sum(d) + rng.exponential(0.5, n) - rng.exponential(0.5, n),
        SAME + "1, and the noise is Laplace with scale 0.5: that alone is epsilon 2, 2 times the claimed 1.",
    ),
    "an exponential with a random sign": (
        lambda d, n, rng: sum(d) + rng.choice([-1, 1], n) * rng.exponential(0.5, n),
        SAME + "1, and the noise is Laplace with scale 0.5: that alone is epsilon 2, 2 times the claimed 1.",
    ),
    "uniform with a random sign": (
        lambda d, n, rng: sum(d) + rng.choice([-1, 1], n) * rng.uniform(0, 5, n),
        SAME + "1, and the noise is uniform of width 10: that alone is delta 0.1 at every epsilon, for some outputs "
        "are possible on one side only.",
    ),
    "geometrics": (
        lambda d, n, rng: len(d) + rng.geometric(0.9, n) - rng.geometric(0.9, n),
        SAME + "1, and the noise is two-sided geometric with epsilon 2.30259 for each unit: that alone is epsilon "
        "2.303, 2.3 "
        "times the claimed 1.",
    ),
    "one-sided": (
        lambda d, n, rng: sum(d) + rng.exponential(2.0, n),
        SAME + "1, and the noise is exponential with scale 2: that alone is no finite epsilon, for some outputs are "
        "possible on "
        "one side only.",
    ),
    "uniform": (
        lambda d, n, rng: sum(d) + rng.uniform(-5, 5, n),
        SAME + "1, and the noise is uniform of width 10: that alone is delta 0.1 at every epsilon, for some outputs "
        "are possible "
        "on one side only.",
    ),
    "noise without a name": (
        lambda d, n, rng: sum(d) - np.log(rng.random(n)),
        SAME + "1 in every run.",
    ),
    "noise drawn past the generator": (
        lambda d, n, rng: sum(d) + np.random.Generator(rng.bit_generator).laplace(size=n),
        SAME + "1 in every run.",
    ),
    "data in the scale": (
        lambda d, n, rng: sum(d) + rng.laplace(0, 1 / len(d), n),
        "The noise depends on the data: laplace(scale=0.5) on the left, laplace(scale=1) on the right.",
    ),
    "data in a factor": (
        lambda d, n, rng: sum(d) + rng.laplace(0, 1, n) / len(d),
        "The noise depends on the data: Laplace with scale 0.5 on the left, Laplace with scale 1 on the right.",
    ),
    "data in a width": (
        lambda d, n, rng: rng.uniform(0, len(d), n),
        "The noise depends on the data: uniform(low=0, high=2) on the left, uniform(low=0, high=1) on the right.",
    ),
    "a choice": (
        lambda d, n, rng: rng.choice(2, size=n, p=[0.9, 0.1] if len(d) > 1 else [0.2, 0.8]),
        "It draws choice(p=[0.9, 0.1]) on the left, choice(p=[0.2, 0.8]) on the right: that alone is epsilon 2.079.",
    ),
    "a coin": (
        lambda d, n, rng: rng.binomial(1, 0.5 if len(d) > 1 else 0.1, n),
        "It draws binomial(p=0.5) on the left, binomial(p=0.1) on the right: that alone is epsilon 1.609.",
    ),
    "a coin that never falls": (
        lambda d, n, rng: rng.binomial(1, 0.5 if len(d) > 1 else 0.0, n),
        "It draws binomial(p=0.5) on the left, binomial(p=0) on the right: that alone is no finite epsilon.",
    ),
    "number of draws": (
        lambda d, n, rng: sum(rng.laplace(0, 1, n) for _ in d),
        "How many random numbers are drawn depends on the data: 2 from laplace on the left, 1 from laplace on "
        "the right.",
    ),
    "branch": (
        lambda d, n, rng: rng.normal(0, 1, n) if len(d) > 1 else rng.laplace(0, 1, n),
        "Which steps it takes depends on the data (a branch): with the same random numbers it draws 1 from "
        "normal on the "
        "left, 1 from laplace on the right.",
    ),
    "no noise": (
        lambda d, n, rng: np.full(n, float(sum(d))),
        "No random number was drawn: the output is always 2 on the left and 1 on the right.",
    ),
    "no noise on a text": (
        lambda d, n, rng: ["many" if len(d) > 1 else "few"] * n,
        "No random number was drawn: the output is always 'many' on the left and 'few' on the right.",
    ),
    "no noise on one side": (
        lambda d, n, rng: np.ones(n) if len(d) < 2 else sum(d) + rng.laplace(size=n),
        "No random number was drawn on the right input, where the output is always 1; on the left one it draws 1 from "
        "laplace.",
    ),
    "noise that is thrown away": (
        lambda d, n, rng: (rng.laplace(size=n), np.full(n, len(d)))[1],
        f"Random numbers were drawn, but in all {RUNS} runs the output is 2 on the left and 1 on the right.",
    ),
    "one number without noise": (
        lambda d, n, rng: np.column_stack([sum(d) + rng.laplace(0, 1, n), np.full(n, len(d))]),
        "There is no noise on x[1]: it is 2 on the left and 1 on the right.",
    ),
    "noise used twice": (
        used_twice,
        "Noise is used twice: x[0] and x[1] have the same, so x[1] minus 3 times x[0] has none; it is -2 on the "
        "left and -1 "
        "on the right.",
    ),
    "noise that cancels to the same on both sides": (
        lambda d, n, rng: np.outer(2 * sum(d) + rng.laplace(0, 1, n), [1.0, 3.0]),
        SAME + "8 in l1 norm in every run.",
    ),
    "no number": (
        lambda d, n, rng: (np.nan if len(d) < 2 else 1.0) + rng.laplace(0, 1, n),
        f"The output is nan in all {RUNS} runs on the right input, in none on the left one.",
    ),
    "no number beside others": (
        lambda d, n, rng: np.array([0.0, np.inf if len(d) > 1 else 1.0]) + rng.laplace(0, 1, (n, 2)),
        f"x[1] is inf in {RUNS} of {RUNS} runs on the left and in 0 on the right.",
    ),
    "an output that hardly ever comes": (
        one_by_one(lambda d, rng: {key: 1 for key in d[:1] if len(d) > 1 and rng.random() < 1e-9}),
        "No random number was drawn on the right input, where the output is always {}; on the left one it draws 1 "
        "from random.",
    ),
    "an exception": (
        one_by_one(too_few),
        "The right input makes it raise ValueError: too few rows; the left one does not.",
    ),
    "an exception on each side": (
        lambda d, n, rng: {2: [1, 2]}[len(d)] if len(d) < 2 else 1 / 0,
        "The left input makes it raise ZeroDivisionError: division by zero, the right one KeyError: 1.",
    ),
    "randomness of its own": (
        lambda d, n, rng: sum(d) + np.random.default_rng().laplace(size=n),
        "It does not take its randomness from the rng that it is given: nothing can be said of its noise.",
    ),
    "children of the generator": (
        lambda d, n, rng: 2 * sum(d) + rng.spawn(1)[0].laplace(0, 1, n),
        SAME + "2, and the noise is Laplace with scale 1: that alone is epsilon 2, 2 times the claimed 1.",
    ),
}


@pytest.mark.parametrize("bug", SENTENCES)
def test_the_sentence_of_a_bug(bug: str) -> None:
    mechanism, sentence = SENTENCES[bug]
    assert said(mechanism) == (sentence,)


@pytest.mark.parametrize(
    ("claim", "delta", "words"),
    [
        (GaussianDP(1.0), 0.01, "that alone is mu 2, 2 times the claimed 1."),
        (ZCDP(0.5), 0.01, "that alone is rho 2, 4 times the claimed 0.5."),
        (ApproxDP(1.0, 1e-5), 1e-5, "mu 2 of Gaussian DP, epsilon 9.997 at delta 1e-05, 10 times the claimed 1."),
        (PURE, 0.0, "mu 2 of Gaussian DP, and no finite epsilon at delta 0."),
        (ApproxDP(0.0, 0.1), 0.1, "and 0 is claimed."),
    ],
)
def test_gaussian_noise_in_the_words_of_the_claim(claim: Claim, delta: float, words: str) -> None:
    (sentence,) = said(lambda d, n, rng: 2 * sum(d) + rng.normal(0, 1, n), claim, delta)
    assert "the noise is Gaussian with standard deviation 1" in sentence
    assert sentence.endswith(words)


def test_gaussian_noises_add_up_in_squares() -> None:
    (sentence,) = said(lambda d, n, rng: sum(d) + rng.normal(0, 3, n) + 4 * rng.standard_normal(n), GaussianDP(0.1))
    assert "standard deviation 5: that alone is mu 0.2, 2 times the claimed 0.1" in sentence


def test_an_exception_that_comes_at_times() -> None:
    (sentence,) = said(one_by_one(at_times))
    assert re.fullmatch(
        rf"The right input makes it raise ValueError in \d+ of {RUNS} runs; the left one does not\.", sentence
    )


def test_a_value_that_comes_again_and_again_on_one_side() -> None:
    def rounded(data: Any, n: int, rng: np.random.Generator) -> Any:
        z = rng.laplace(0, 1, n)
        return np.where(z > 0, sum(data), z**2)

    left, right = said(rounded)
    assert re.fullmatch(rf"The output is 2 in \d+ of {RUNS} runs on the left input, in none on the right one\.", left)
    assert right.startswith("The output is 1 in ")


def test_what_is_as_claimed_is_not_accused() -> None:
    (sentence,) = said(laplace_sum)
    assert sentence.endswith("that alone is epsilon 1, as claimed, so the leak is not in this difference.")


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda d, n, rng: ["yes" if u < 0.4 * len(d) else "no" for u in rng.random(n)],
        lambda d, n, rng: rng.laplace(0, 1, n),
        lambda d, n, rng: 1 / 0,
        lambda d, n, rng: None,
        lambda d, n, rng: [object()] * n,
    ],
)
def test_where_nothing_is_known_nothing_is_said(mechanism: Any) -> None:
    assert said(mechanism) == ()


def test_it_never_raises() -> None:
    def stops(data: Any, n: int, rng: np.random.Generator) -> Any:
        raise SystemExit(3)

    class Odd:
        def __len__(self) -> int:
            raise RuntimeError

    assert said(stops) == ()
    assert said(lambda d, n, rng: Odd()) == ()
    assert diagnose(laplace_sum, LEFT, RIGHT, lambda place: 1 / 0, PURE, 0.0) == ()  # type: ignore[arg-type,return-value]


def test_the_same_streams_give_the_same_sentences() -> None:
    assert said(one_by_one(at_times)) == said(one_by_one(at_times))

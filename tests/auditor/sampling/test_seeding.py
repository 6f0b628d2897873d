"""A mechanism that makes its generator from a fixed seed in each draw is an error, however coarse its outputs are."""

import random
import secrets
from random import Random
from random import seed as seed_global

import numpy as np
import pytest
from numpy.random import default_rng

from auditor import ApproxDP, MechanismError, audit, per_draw
from auditor.sampling.seeding import watched


def run(function, **options):
    mechanism = per_draw(function)
    return audit(mechanism, ApproxDP(1.0), [(0, 1)], **{"trials": 1000, "views": ("values",), "jobs": 1, **options})


def helper():
    return default_rng(3)


def with_global_numpy(dataset, rng):
    np.random.seed(0)  # noqa: NPY002
    return dataset + np.random.laplace()  # noqa: NPY002


def with_global_random(dataset, rng):
    seed_global(4)
    return dataset + random.gauss(0, 1)


SEEDED = {
    "default_rng": lambda d, rng: d + np.random.default_rng(0).laplace(),
    "default_rng by keyword": lambda d, rng: d + np.random.default_rng(seed=7).laplace(),
    "default_rng imported by name": lambda d, rng: d + default_rng(0).laplace(),
    "a helper": lambda d, rng: d + helper().laplace(),
    "RandomState": lambda d, rng: d + np.random.RandomState(5).laplace(),
    "random.Random": lambda d, rng: d + Random(6).gauss(0, 1),
    "numpy's global generator": with_global_numpy,
    "Python's global generator": with_global_random,
    "rounded": lambda d, rng: round(d / 10 + 0.3 * np.random.default_rng(0).laplace()),
}


@pytest.mark.parametrize("kind", SEEDED)
def test_each_draw_from_a_fixed_seed_is_an_error(kind):
    with pytest.raises(MechanismError, match="generator from a fixed seed"):
        run(SEEDED[kind])


def test_so_it_is_with_a_time_limit_and_for_a_whole_call():
    def sample(dataset, n, rng):
        return np.full(n, dataset + np.random.default_rng(0).laplace())

    with pytest.raises(MechanismError, match="generator from a fixed seed"):
        audit(sample, ApproxDP(1.0), [(0, 1)], trials=1000, jobs=1, time_limit=60)


FINE = {
    "no noise": lambda d, rng: d,
    "the same on both inputs": lambda d, rng: 3.5,
    "a fixed generator beside the stream": lambda d, rng: (default_rng(0).random(), rng.random() < 0.01),
    "rare, from the system": lambda d, rng: default_rng(0).random() + (secrets.randbelow(50) == 0),
    "seeded from the stream, rounded": lambda d, rng: round(default_rng(rng.integers(2**32)).laplace(0, 0.01)),
    "unseeded, rounded": lambda d, rng: round(default_rng().laplace(0, 0.01)),
    "the stream itself, rounded": lambda d, rng: round(default_rng(rng).laplace(0, 0.01)),
}


@pytest.mark.parametrize("kind", FINE)
def test_what_does_not_seed_itself_is_no_error(kind):
    """The rare one stays constant in 500 draws a side with probability 1e-9."""
    result = run(FINE[kind])
    assert result.refuted == (kind == "no noise")


@pytest.mark.parametrize("function", [lambda d, rng: d, lambda d, rng: 0.0])
def test_an_output_that_never_varies_is_told(function):
    assert "The output never varied on either input" in run(function).warnings[0]


def test_two_inputs_that_are_one_are_told():
    data = [1, 2, 3]
    for pair in [(data, data), (data, [1, 2, 3])]:
        result = audit(lambda d, n, rng: rng.laplace(0, 1, n), ApproxDP(1.0), [pair], trials=500, jobs=1)
        assert any("are the same" in line for line in result.warnings)
    assert not audit(lambda d, n, rng: rng.laplace(0, 1, n), ApproxDP(1.0), [([1], [2])], trials=500, jobs=1).warnings


def test_watching_leaves_everything_as_it_was():
    before = np.random.default_rng, np.random.RandomState, random.Random, random.seed, default_rng
    old = np.random.RandomState(1)
    with watched(helper) as watch:
        assert isinstance(old, np.random.RandomState)
        assert isinstance(Random(), random.Random)
        assert default_rng(np.random.SFC64()) is not None
        assert not watch.seeded
        helper()
        assert watch.seeded
    assert before == (np.random.default_rng, np.random.RandomState, random.Random, random.seed, default_rng)

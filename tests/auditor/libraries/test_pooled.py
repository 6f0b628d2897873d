"""Outputs of slow libraries that are kept: each is handed out once, for its own dataset, and no copy has them."""

import copy
import os
import pickle
from itertools import count

import numpy as np
import pytest

from auditor import ApproxDP, UsageError, audit
from auditor.libraries.adapted import Adapted, Pooled

NUMBERS = count()


def numbered(dataset, size, rng):
    return [(dataset["name"], next(NUMBERS)) for _ in range(size)]


def test_each_output_is_handed_out_once_and_for_its_own_dataset():
    pool, left, right = Pooled(numbered, 10), {"name": "left"}, {"name": "right"}
    drawn = [pool(data, n, None) for n in (3, 1, 9, 25) for data in (left, right)]
    assert [len(outputs) for outputs in drawn] == [3, 3, 1, 1, 9, 9, 25, 25]
    flat = [output for outputs in drawn for output in outputs]
    assert len(set(flat)) == len(flat)
    assert all(
        {name for name, _ in outputs} == {data} for outputs, data in zip(drawn, ["left", "right"] * 4, strict=True)
    )


def test_calls_are_as_few_as_give_the_outputs():
    sizes = []
    pool = Pooled(lambda data, size, rng: sizes.append(size) or [0] * size, 10)
    for n in (1, 4, 5, 1, 30, 9):
        assert pool([1], n, None) == [0] * n
    assert sizes == [10, 10, 21, 10]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda pool: pickle.loads(pickle.dumps(pool))])
def test_a_copy_shares_no_output(copied):
    pool, data = Pooled(numbered, 10), {"name": "left"}
    first = pool(data, 2, None)
    other = copied(pool)
    assert not set(pool(data, 8, None) + first) & set(other(data, 8, None))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_shares_no_output(monkeypatch):
    """What was drawn in one process is not handed out by another one, whose number differs."""
    pool, data = Pooled(numbered, 10), {"name": "left"}
    kept = pool(data, 1, None)[0][1]
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert pool(data, 1, None)[0][1] > kept + 9


def test_outputs_of_many_datasets_do_not_pile_up():
    pool = Pooled(numbered, 10)
    first = {"name": "0"}
    kept = pool(first, 1, None)[0][1]
    for name in range(1, 40):
        pool({"name": str(name)}, 1, None)
    assert pool(first, 1, None)[0][1] > kept + 9


def test_an_audit_of_pooled_draws_finds_what_is_wrong_and_nothing_else():
    """The correct one is audited at alpha 1e-6."""
    for scale, refuted in ((1.0, False), (0.3, True)):
        own = np.random.default_rng(5)
        noise = Pooled(lambda data, size, rng, own=own, scale=scale: list(data + own.laplace(0, scale, size)), 64)
        mechanism = Adapted("noise", ApproxDP(1.0), noise)
        assert (
            audit(mechanism, pairs=[(0.0, 1.0)], trials=2_000, alpha=1e-6, views=["values"], jobs=1).refuted == refuted
        )


@pytest.mark.parametrize("size", [0, True, 2.5])
def test_a_size_that_is_none(size):
    with pytest.raises(UsageError, match="size must be a whole number"):
        Pooled(numbered, size)

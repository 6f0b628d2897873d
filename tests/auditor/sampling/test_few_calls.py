"""Calls beyond an audit's own draws are few: libraries may take seconds for each."""

import numpy as np
import pytest

from auditor import ApproxDP, audit, batched, per_draw
from auditor.libraries.adapted import Adapted

CLAIM, PAIR = ApproxDP(1.0), [(0, 1)]


class Counting:
    """Laplace noise from `rng`, or from a generator of its own."""

    def __init__(self, scale, own=False):
        self.scale, self.calls = scale, 0
        self.own = np.random.default_rng(3) if own else None

    def one(self, data, rng):
        self.calls += 1
        return data + (self.own or rng).laplace(scale=self.scale)

    def many(self, data, size, rng):
        self.calls += 1
        return data + (self.own or rng).laplace(scale=self.scale, size=size)

    def shared(self, data, size, rng):
        self.calls += 1
        return data + rng.laplace(scale=self.scale) + rng.normal(0, 1e-9, size)


def run(mechanism, trials=144):
    return audit(mechanism, CLAIM, PAIR, trials=trials, jobs=1, views=["values"])


@pytest.mark.parametrize(("trials", "calls"), [(60, 132), (144, 315)])
def test_one_output_a_call(trials, calls):
    counting = Counting(1.0)
    assert not run(per_draw(counting.one), trials).refuted
    assert counting.calls == calls


@pytest.mark.parametrize(("trials", "calls"), [(60, 7), (144, 11)])
def test_a_fixed_number_a_call(trials, calls):
    counting = Counting(1.0)
    assert not run(batched(counting.many, 256), trials).refuted
    assert counting.calls == calls


@pytest.mark.parametrize("adapted", [False, True])
@pytest.mark.parametrize(("own", "diagnosis"), [(False, 72), (True, 9)])
def test_a_refutation_of_one_output_a_call(own, diagnosis, adapted):
    """A library's object that passes calls on to `per_draw` costs no more."""
    counting = Counting(0.1, own)
    mechanism = per_draw(counting.one)
    result = run(Adapted("x", CLAIM, mechanism.sample) if adapted else mechanism)
    assert result.refuted
    assert counting.calls == 2 * result.trials_used + 27 + diagnosis


def test_a_refutation_of_a_fixed_number_a_call():
    counting = Counting(0.1, own=True)
    assert run(batched(counting.many, 256)).refuted
    assert counting.calls <= 11 + 12 + 9


def test_draws_of_one_call_that_share_their_noise_are_still_noticed():
    counting = Counting(0.1)
    result = run(batched(counting.shared, 256))
    assert any("draws of one call" in text for text in result.warnings), result.warnings

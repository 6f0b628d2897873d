"""What stands beside the numbers of an output is read: each leak is found, and its correct twin is not refuted."""

import numpy as np
import pytest

from auditor import ApproxDP, MechanismError, audit, per_draw
from benchmarks.eyes.beside import BESIDE
from benchmarks.eyes.digits import DIGITS

PURE = ApproxDP(1.0)
QUICK = [leak for leak in BESIDE if leak.kind != "rare"]


@pytest.mark.parametrize("leak", QUICK, ids=lambda leak: leak.name)
def test_a_leak_beside_the_numbers_is_found(leak):
    assert audit(leak.leak, PURE, [(0, 1)], trials=4000, jobs=1).refuted


@pytest.mark.parametrize("leak", DIGITS, ids=lambda leak: leak.name)
def test_a_leak_in_digits_is_found_and_its_twin_is_not_refuted(leak):
    assert audit(leak.leak, PURE, [(0, 1)], trials=20_000, jobs=1).refuted
    assert not audit(leak.twin, PURE, [(0, 1)], trials=4000, jobs=1).refuted


@pytest.mark.parametrize("wrap", [iter, lambda items: (item for item in items), lambda items: map(float, items)])
def test_what_an_iterator_gives_is_an_output(wrap):
    def numbers(dataset, rng):
        return wrap([*rng.normal(size=3).tolist(), float(dataset)])

    def same(dataset, rng):
        return wrap(rng.normal(size=4).tolist())

    assert audit(per_draw(numbers), PURE, [(0, 1)], trials=500, jobs=1).refuted
    assert not audit(per_draw(same), PURE, [(0, 1)], trials=500, jobs=1).refuted


def test_an_iterator_must_end():
    def forever(dataset, rng):
        while True:
            yield float(rng.normal())

    with pytest.raises(MechanismError, match="must end after at most 65536 items"):
        audit(per_draw(forever), PURE, [(0, 1)], trials=10, jobs=1)


def test_a_property_that_fails_is_left_out():
    class Half:
        def __init__(self, value):
            self.value = value

        @property
        def broken(self):
            raise RuntimeError("no")

    assert audit(per_draw(lambda d, rng: Half(d + rng.random())), PURE, [(0, 1)], trials=500, jobs=1).refuted
    assert not audit(per_draw(lambda d, rng: Half(rng.random())), PURE, [(0, 1)], trials=500, jobs=1).refuted


def test_bits_of_nan_are_those_of_the_implementation():
    def payload(dataset, n, rng):
        numbers = rng.normal(size=n)
        numbers.view(np.int64)[::2] = 0x7FF8000000000000 + dataset
        return numbers

    assert audit(payload, PURE, [(0, 1)], trials=2000, jobs=1).refuted
    assert not audit(payload, PURE, [(0, 1)], trials=2000, jobs=1, views=("values",)).refuted

"""Every leak of the list tells its bit, and its twin flips it as randomized response does."""

import numpy as np
import pytest

from auditor.events.outputs import canonical, form_of
from benchmarks.eyes.leak import KEEP
from benchmarks.eyes.listed import LEAKS


def test_names_are_unique_and_there_are_enough():
    assert len({leak.name for leak in LEAKS}) == len(LEAKS) >= 80


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.name)
def test_outputs_of_both_bits_can_be_read(leak):
    rng = np.random.default_rng(0)
    sides = [leak.leak(bit, 32, rng) for bit in (0, 1)]
    form = form_of(sides, "m")
    read = [canonical(side, 32, "m", form) for side in sides]
    assert not read[0].same(read[1])


def test_a_twin_keeps_its_bit_as_often_as_randomized_response():
    """Within five standard errors: a false alarm has probability below 1e-6."""
    leak = next(leak for leak in LEAKS if leak.name == "parity of a large number")
    kept = (leak.twin(1, 40_000, np.random.default_rng(0)) % 2).mean()
    assert abs(kept - KEEP) < 5 * np.sqrt(KEEP * (1 - KEEP) / 40_000)

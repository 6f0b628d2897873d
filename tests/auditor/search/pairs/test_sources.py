"""Constants of a mechanism's own code and settings, and of nothing else."""

import functools
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

from auditor import per_draw
from auditor.search.pairs.sources import constants

ACCOUNTS = {"svc-backup": 1.0, "svc-mail": 2.0}
FAR_AWAY = 987_654  # nobody names it


def weight(name):
    return ACCOUNTS.get(name, 44.5)


def helped(dataset, n, rng):
    return sum(map(weight, dataset)) + rng.laplace(0, 1, n)


@dataclass(frozen=True)
class Configured:
    trusted: int

    def sample(self, dataset, n, rng):
        return helped(dataset, n, rng) if self.trusted in dataset else rng.random(n)


def test_helpers_and_constants_of_the_module_are_found():
    found = constants(helped)
    assert {"svc-backup", "svc-mail", 44.5} <= set(found)
    assert FAR_AWAY not in found


def test_settings_closures_defaults_and_parts_are_found():
    limit = 7_001

    def closed(dataset, n, rng, extra=8_001):
        return limit + extra

    assert {31_337, 31_338, 31_336, "svc-mail"} <= set(constants(Configured(31_337).sample))
    assert {7_001, 8_001} <= set(constants(closed))
    assert {7_001, 8_001} <= set(constants(per_draw(closed).sample))
    assert 9_001 in constants(functools.partial(closed, extra=9_001))


def test_other_packages_and_what_cannot_be_read_give_nothing():
    assert constants(np.random.default_rng(0).laplace) == ()
    assert constants(len) == ()
    assert constants(object()) == ()


def test_the_order_is_that_of_the_code_in_every_process():
    code = "from tests.auditor.search.pairs.test_sources import *; print(constants(Configured(5).sample))"
    places = [{"PYTHONHASHSEED": seed, "PYTHONPATH": "."} for seed in ("1", "2")]
    runs = [subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True) for env in places]
    assert runs[0].stdout == runs[1].stdout
    assert b"svc-backup" in runs[0].stdout

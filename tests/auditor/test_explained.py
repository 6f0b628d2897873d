"""A refutation comes with its reason; the reason decides nothing, and costs no verdict."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from auditor import ApproxDP, AuditResult, Verdict, audit, per_draw
from mechanisms.core.catalogue import catalogue

OPTIONS = {
    "claim": ApproxDP(1.0),
    "pairs": [([1.0, 1.0], [1.0])],
    "trials": 20_000,
    "alpha": 1e-3,
    "views": ("values",),
}


def twice(data: Any, n: int, rng: np.random.Generator) -> Any:
    return 2 * sum(data) + rng.laplace(0, 1, n)


def test_the_reason_stands_in_the_result_and_in_its_json() -> None:
    result = audit(twice, **OPTIONS)
    assert result.diagnosis == (
        "With the same random numbers the outputs differ by 2, and the noise is Laplace with scale 1: that alone is "
        "epsilon 2, 2 times the claimed 1.",
    )
    assert AuditResult.from_json(result.to_json()) == result
    assert json.loads(result.to_json())["diagnosis"] == list(result.diagnosis)


def test_the_pair_of_the_witness_is_looked_at() -> None:
    pairs = [([1.0], [1.0]), ([1.0, 1.0], [1.0])]
    result = audit(twice, **{**OPTIONS, "pairs": pairs})
    assert result.witness.pair.index == 1
    assert "differ by 2" in result.diagnosis[0]


def test_what_is_not_refuted_is_not_explained() -> None:
    assert audit(lambda d, n, rng: sum(d) + rng.laplace(0, 2, n), **OPTIONS).diagnosis == ()


def test_the_reason_depends_on_the_seed_alone() -> None:
    def at_times(data: Any, rng: np.random.Generator) -> Any:
        return float(len(data) + rng.laplace() if rng.random() < 0.5 * len(data) else rng.normal())

    results = [audit(per_draw(at_times), jobs=jobs, **OPTIONS) for jobs in (1, 2)]
    assert results[0].diagnosis == results[1].diagnosis
    limited = audit(per_draw(at_times), time_limit=100.0, **OPTIONS)
    assert limited.diagnosis == results[0].diagnosis


def test_a_diagnosis_that_fails_leaves_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    import auditor.diagnosis

    expected = audit(twice, **OPTIONS).without_timings().to_dict()
    for broken in (RuntimeError, KeyError, MemoryError):

        def fail(*_: Any, error: type[Exception] = broken) -> Any:
            raise error

        monkeypatch.setattr(auditor.diagnosis, "diagnose", fail)
        result = audit(twice, **OPTIONS)
        assert (result.verdict, result.diagnosis) == (Verdict.REFUTED, ())
        assert result.without_timings().to_dict() == expected | {"diagnosis": []}


def test_a_mechanism_that_dislikes_single_draws_is_refuted_without_a_reason() -> None:
    def in_bulk(data: Any, n: int, rng: np.random.Generator) -> Any:
        if n < 2:
            raise ValueError("two at least")
        return twice(data, n, rng)

    result = audit(in_bulk, **OPTIONS)
    assert result.refuted
    assert result.diagnosis == ()


BROKEN = [mutant for mutant in catalogue() if mutant.of == "laplace" and mutant.breaks == "privacy"]


@pytest.mark.parametrize("mutant", BROKEN, ids=lambda m: m.id)
def test_every_broken_laplace_of_the_catalogue_has_a_reason(mutant: Any) -> None:
    result = audit(mutant, pairs=mutant.neighbours()[mutant.worst : mutant.worst + 1], trials=200_000)
    assert result.refuted
    assert result.diagnosis

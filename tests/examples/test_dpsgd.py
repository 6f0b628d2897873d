"""The DP-SGD example: the right code is not refuted, the broken twin is, by each of the audits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import auditor
from mechanisms.core.claims import ApproxDP

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def dpsgd(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import dpsgd

    return dpsgd


@pytest.fixture
def claim(dpsgd: Any) -> ApproxDP:
    found: ApproxDP = dpsgd.claimed()
    assert found.epsilon == pytest.approx(2.997, abs=0.01)
    return found


def test_one_run(dpsgd: Any, claim: ApproxDP) -> None:
    right, broken = (dpsgd.by_one_run(dpsgd.Trainer(scaled), claim, 1000) for scaled in (True, False))
    assert not right.refuted
    assert right.mu_lower > 0
    assert broken.refuted
    assert broken.epsilon_lower > 2 * right.epsilon_lower


def test_many_runs(dpsgd: Any, claim: ApproxDP) -> None:
    right, broken = (dpsgd.by_many_runs(dpsgd.Trainer(scaled), claim, 3000) for scaled in (True, False))
    assert not right.refuted
    assert broken.refuted


@pytest.mark.skipif("tradeoff" not in auditor.__all__, reason="needs trade-off curves")
def test_one_step_composed(dpsgd: Any, claim: ApproxDP) -> None:
    assert 2 < dpsgd.by_one_step(dpsgd.Trainer(), 50_000) < claim.epsilon
    assert dpsgd.by_one_step(dpsgd.Trainer(scaled=False), 50_000) > 2 * claim.epsilon

"""A learner with a kind of score that nobody knows is one new file, and no edit elsewhere."""

import importlib
import sys

import numpy as np
import pytest

import auditor.search.learners as folder
from auditor import ApproxDP, AuditResult, audit
from auditor.events.scores import Score

FILE = '''
"""Parity of the rounded output: what no threshold and no interval of the number shows."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from auditor.events.scores import Score
from auditor.search.candidates import Scored
from auditor.search.past import curve_of


@dataclass(frozen=True)
class Cosine(Score):
    """The cosine of so many turns of the number."""

    kind: ClassVar[str] = "cosine"
    turns: float

    def of(self, outputs):
        return np.cos(2 * np.pi * self.turns * outputs.numbers[:, 0])

    def words(self, op, at, names=()):
        return f"cosine of {self.turns:g} turns {op} {at:.3g}"

    def to_dict(self):
        return {"kind": self.kind, "turns": self.turns}

    @classmethod
    def from_dict(cls, data: Any):
        return cls(float(data["turns"]))


def propose(past):
    score = Cosine(777.7)
    left, right = (np.sort(score.of(side)) for side in past.sides())
    return [Scored(score, curve_of(left, right), "values")]
'''


@pytest.fixture
def one_more_learner(tmp_path, monkeypatch):
    """The file above stands in the learners' folder."""
    (tmp_path / "cosine.py").write_text(FILE)
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    folder.learners.cache_clear()
    yield
    folder.learners.cache_clear()
    sys.modules.pop(f"{folder.__name__}.cosine", None)
    Score.kinds.pop("cosine", None)


def fine_grid(dataset, n, rng):
    """Uniform noise, moved onto one of two fine combs: the sides differ nowhere but in their phase, and no decimal
    shows it."""
    comb = np.floor(rng.random(n) * 1e6) / 777.7
    return comb + (0.0006 if dataset else 0.0) + rng.normal(0, 0.0001, n)


def go(**options):
    return audit(fine_grid, ApproxDP(1.0), [(0, 1)], trials=3000, views=("values",), jobs=1, **options)


def test_without_it_the_comb_is_not_seen():
    assert not go().refuted


def test_with_it_the_claim_is_refuted_and_the_result_is_stored_and_read(one_more_learner):
    result = go()
    assert result.refuted
    assert "cosine of 777.7 turns" in str(result.witness)
    assert AuditResult.from_json(result.to_json()) == result


def test_its_draws_are_counted_in_cells_of_its_own(one_more_learner):
    from auditor.engine import carry_out
    from auditor.request import request
    from auditor.tuning import Learning, Tuning

    asked = request(fine_grid, ApproxDP(8.0), [(0, 1)], 40_000, 0.05, 0, ("values",), None)
    result = carry_out(asked, tuning=Tuning(learning=Learning(remembered=2**10)))
    assert result.witness.event.score.kind == "cosine"
    assert result.epsilon_lower > 3

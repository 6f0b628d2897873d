"""The complete example of CONTRIBUTING.md works as it stands."""

import re
from pathlib import Path

import pytest

import mechanisms
from auditor import Verdict, audit
from mechanisms.core import catalogue

ROOT = Path(__file__).parents[2]


@pytest.fixture
def with_example(tmp_path, monkeypatch):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", text, re.S).group(1)
    (tmp_path / "masked_bit.py").write_text(example, encoding="utf-8")
    monkeypatch.setattr(mechanisms, "__path__", [*mechanisms.__path__, str(tmp_path)])
    catalogue.catalogue.cache_clear()
    yield
    catalogue.catalogue.cache_clear()


def test_the_catalogue_finds_the_example_and_its_mutants(with_example):
    masked = catalogue.find("masked-bit")
    assert [m.id for m in catalogue.mutants_of(masked)] == ["masked-bit/kept-too-often", "masked-bit/no-coin"]
    assert masked.exact().delta_at(masked.claim.epsilon) == pytest.approx(0, abs=1e-12)


def test_the_audits_come_out_as_they_should(with_example):
    masked = catalogue.find("masked-bit")
    # a true claim is refuted with probability at most alpha = 1e-6
    assert audit(masked, trials=5_000, alpha=1e-6, jobs=1).verdict is Verdict.NOT_REFUTED
    for mutant in catalogue.mutants_of(masked):
        assert audit(mutant, trials=5_000, alpha=1e-6, jobs=1).verdict is Verdict.REFUTED

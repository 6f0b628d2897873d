"""The programs of docs/protocol.md, taken from the page and run."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from auditor import ApproxDP, Verdict, audit, command
from auditor.sampling.command import Command

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found, language
    return found.group(1)


@pytest.fixture(params=["javascript", "c"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    if request.param == "javascript":
        if shutil.which("node") is None:
            pytest.skip("node is not installed")
        (tmp_path / "noisy_sum.js").write_text(block("javascript"), encoding="utf-8")
        return ["node", str(tmp_path / "noisy_sum.js")]
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    source, binary = tmp_path / "noisy_sum.c", tmp_path / "noisy_sum"
    source.write_text(block("c"), encoding="utf-8")
    subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", binary, source, "-lm"], check=True)
    return [str(binary)]


def release(program: list[str], scale: float) -> Command:
    return command([*program, str(scale)])


def test_the_same_question_has_the_same_answer(program: list[str]) -> None:
    mechanism = release(program, 1.0)
    first, again, other = (mechanism.sample([1, 2], 5, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == 5


def test_the_noise_is_laplace(program: list[str]) -> None:
    """Of 20,000 outputs; the median of |noise| is scale ln 2. False alarm below 1e-6 (over 5 standard deviations)."""
    outputs = np.array(release(program, 2.0).sample([0.5, 7, -3], 20_000, np.random.default_rng(0)))
    assert np.median(outputs) == pytest.approx(1.5, abs=0.08)
    assert np.median(abs(outputs - 1.5)) == pytest.approx(2 * np.log(2), abs=0.08)


def test_a_program_is_audited_like_any_mechanism(program: list[str]) -> None:
    """False alarm at most 0.001; half the noise is epsilon 2."""
    options = {"claim": ApproxDP(1.0), "pairs": [([1, 2], [1])], "trials": 20_000, "alpha": 1e-3, "views": ("values",)}
    assert audit(release(program, 0.5), **options).verdict is Verdict.REFUTED
    assert audit(release(program, 1.0), **options).verdict is Verdict.NOT_REFUTED


def test_a_question_that_makes_no_sense_is_told(program: list[str]) -> None:
    answer = subprocess.run(program, input='{"question": 1}\n', capture_output=True, text=True, check=True).stdout
    assert answer.startswith('{"error":')

"""Programs through the whole audit: the engine, workers, audits.toml, a replay, a time limit."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from auditor import ApproxDP, MechanismError, UsageError, audit, command
from auditor.doors.cli import main

PROGRAM = """
import json, math, random, sys
scale = float(sys.argv[1])
for line in sys.stdin:
    q = json.loads(line)
    rng = random.Random(q["seed"])
    noise = [rng.choice((-1, 1)) * rng.expovariate(1 / scale) for _ in range(q["n"])]
    print(json.dumps({"outputs": [len(q["dataset"]) + z for z in noise]}), flush=True)
"""
HANGS = "import sys, time\nopen(sys.argv[1], 'w').write('started')\ntime.sleep(600)"
OPTIONS = {"claim": ApproxDP(1.0), "pairs": [([1, 2], [1])], "trials": 20_000, "alpha": 1e-3, "views": ("values",)}


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "count.py").write_text(PROGRAM, encoding="utf-8")
    return str(tmp_path / "count.py")


def test_half_the_noise_is_refuted_and_explained(program: str) -> None:
    """False alarm at most 0.001."""
    assert audit(command([sys.executable, program, "0.5"]), **OPTIONS).refuted
    assert not audit(command([sys.executable, program, "1"]), **OPTIONS).refuted


def test_the_result_does_not_depend_on_the_workers(program: str) -> None:
    mechanism = command([sys.executable, program, "1"])
    options = {**OPTIONS, "trials": 150_000}
    one, two = (audit(mechanism, jobs=jobs, **options) for jobs in (1, 2))
    assert one.without_timings().to_json() == two.without_timings().to_json()


def test_the_wrong_number_of_outputs_is_a_sentence() -> None:
    short = "import sys\nfor _ in sys.stdin: print('{\"outputs\": [1, 2]}', flush=True)"
    with pytest.raises(MechanismError, match="must return 32 outputs for n=32, got 2"):
        audit(command([sys.executable, "-c", short]), **OPTIONS)


def test_an_error_names_the_program_once_and_the_dataset() -> None:
    with pytest.raises(MechanismError) as error:
        audit(command(["no-such-program-here"]), **OPTIONS)
    assert str(error.value).count("no-such-program-here") == 1
    assert str(error.value).endswith("(on the left dataset of pair 1)")


def test_a_dataset_that_is_no_json_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="must be JSON to be sent to a command"):
        audit(command([sys.executable, "-c", "pass"]), **{**OPTIONS, "pairs": [(object(), 1)]})


def test_a_program_that_hangs_is_ended_by_the_time_limit(tmp_path: Path) -> None:
    with pytest.raises(MechanismError, match="must finish within the time limit"):
        audit(command([sys.executable, "-c", HANGS, str(tmp_path / "seen")]), time_limit=3.0, **OPTIONS)
    assert (tmp_path / "seen").exists()


def test_a_command_of_a_toml_file_is_audited_and_replayed(
    project: Callable[[str, str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    project("below/count.py", PROGRAM)
    argv = json.dumps([sys.executable, "count.py", "0.5"])
    project("below/audits.toml", f"[[audit]]\ncommand = {argv}\nepsilon = 1\npairs = [[[1, 2], [1]]]\ntrials = 20_000")
    assert main(["run", "below/audits.toml", "--out", "out"]) == 1
    (entry,) = json.loads(Path("out/results.json").read_text(encoding="utf-8"))["entries"]
    assert entry["source"] == "below/audits.toml:1"
    assert main(["replay", "out/results.json", entry["id"]]) == 0
    assert "the same again" in capsys.readouterr().out

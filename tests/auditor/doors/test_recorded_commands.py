"""dp-audit samples and dp-audit one-run: exit codes, stored results, replay, sentences for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from auditor.doors.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rng = np.random.default_rng(0)
    x, y = rng.laplace(1, 0.5, 6000), rng.laplace(0, 0.5, 6000)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    for name, values in (("x", x), ("y", y)):
        (tmp_path / f"{name}.csv").write_text("id,value\n" + "".join(f"a,{v!r}\n" for v in values.tolist()))
    coins = rng.random(2000) < 0.5
    scores = (rng.normal(size=2000) + 1.5 * coins).tolist()
    rows = "".join(f"{score!r},{coin}\n" for score, coin in zip(scores, coins.tolist(), strict=True))
    (tmp_path / "scores.csv").write_text("score,included\n" + rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "claim", [["--epsilon", "1"], ["--epsilon", "1", "--delta", "1e-3"], ["--mu", "0.5"], ["--rho", "0.1"]]
)
def test_exit_1_where_a_claim_is_refuted(claim: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["samples", "x.npy", "y.npy", *claim]) == 1
    assert "refuted" in capsys.readouterr().out


def test_exit_0_where_it_is_not(folder: Path) -> None:
    assert main(["samples", "x.npy", "y.npy", "--epsilon", "2.2"]) == 0
    assert main(["samples", "x.csv", "y.csv", "--column", "value", "--epsilon", "2.2"]) == 0
    assert main(["one-run", "scores.csv", "--epsilon", "8", "--delta", "1e-5"]) == 0


def test_a_stored_audit_is_replayed_from_its_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["samples", "x.csv", "y.csv", "--column", "value", "--mu", "0.5", "--seed", "4", "--out", "out"]) == 1
    stored = json.loads((folder / "out" / "results.json").read_text())["entries"][0]
    assert stored["location"]["digests"][0].startswith("sha256:")
    assert main(["replay", "out/results.json", "x.csv and y.csv"]) == 0
    assert "the same again" in capsys.readouterr().out
    (folder / "x.csv").write_text((folder / "x.csv").read_text() + "a,0.5\n")
    assert main(["replay", "out/results.json", "x.csv and y.csv"]) == 2
    assert "hash differs" in capsys.readouterr().err


def test_a_stored_run_is_replayed_and_rendered(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["one-run", "scores.csv", "--mu", "0.2", "--name", "run 7", "--out", "out"]) == 1
    assert "if its privacy loss is Gaussian" in " ".join(capsys.readouterr().out.split())
    assert main(["replay", "out/results.json", "run 7"]) == 0
    for kind in ("html", "markdown", "junit", "sarif", "json"):
        assert main(["report", "out/results.json", "--format", kind]) == 0
    assert "at most 0.05" in (folder / "out" / "report.md").read_text()


def test_json_is_all_that_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["one-run", "scores.csv", "--epsilon", "1", "--delta", "1e-5", "--json"])
    entry = json.loads(capsys.readouterr().out)["entries"][0]
    assert entry["certified"] == entry["location"]["one_run"]["epsilon_lower_any"]
    assert entry["trials_used"] == 2000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["samples", "x.npy", "none.npy", "--epsilon", "1"], "must exist, got none.npy"),
        (["samples", "x.npy", "y.npy"], "one of --epsilon, --mu, --rho, got none"),
        (["samples", "x.npy", "y.npy", "--epsilon", "1", "--mu", "1"], "got --epsilon and --mu"),
        (["samples", "x.npy", "y.npy", "--mu", "1", "--delta", "0.1"], "--delta must come with --epsilon"),
        (["samples", "x.npy", "y.npy", "--epsilon", "-1"], "a number of at least 0"),
        (["samples", "x.npy", "y.npy", "--mu", "0"], "mu must be"),
        (["samples", "x.csv", "y.csv", "--epsilon", "1", "--column", "v"], "a column must be one of id, value"),
        (["samples", "x.npy", "y.npy", "--epsilon", "1", "--format", "pdf"], "--format must be one of"),
        (["one-run", "x.csv", "--epsilon", "1"], "a column must be one of id, value, got --column score"),
        (["one-run", "x.npy", "--epsilon", "1"], "has no column names"),
    ],
)
def test_bad_commands_are_sentences(
    arguments: list[str], words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error


@pytest.mark.parametrize("flags", ["true/false", "1/0", "in/out", "Yes/No"])
def test_included_may_be_written_in_several_ways(flags: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    yes, no = flags.split("/")
    text = (folder / "scores.csv").read_text().replace("True", yes).replace("False", no)
    (folder / "other.csv").write_text(text)
    assert main(["one-run", "other.csv", "--mu", "0.2"]) == 1
    (folder / "other.csv").write_text(text.replace(f",{no}\n", ",perhaps\n"))
    assert main(["one-run", "other.csv", "--mu", "0.2"]) == 2
    assert "must be 1 or 0, true or false" in capsys.readouterr().err

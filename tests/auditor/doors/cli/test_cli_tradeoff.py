"""dp-audit tradeoff: the table, JSON, the files, and one sentence for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditor import TradeOff
from auditor.doors.cli import main

QUICK = ("--trials", "20000", "--jobs", "1")


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tradeoff", "laplace", *QUICK, "--delta", "0", "--delta", "1e-3"]) == 0
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert lines[0] == "Trade-off curve of laplace."
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 80
    shown = " ".join(text.split())
    assert "certified at 95 %, from " in shown
    assert " draws a side, seed 0 epsilon at least " in shown
    assert " at delta 0.001 mu at least " in shown
    assert ", of Gaussian DP claim 1-DP, not refuted by this curve blind spot " in shown
    assert shown.endswith("a lower bound is no proof of privacy")


def test_a_false_claim_is_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tradeoff", "laplace/half-scale", *QUICK]) == 0
    assert "claim      1-DP, refuted by this curve\n" in capsys.readouterr().out


def test_what_is_composed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tradeoff", "laplace", *QUICK, "--json", "--times", "100", "--rate", "0.1", "--delta", "1e-5"]) == 0
    data = json.loads(capsys.readouterr().out)
    curve = TradeOff.from_dict(data["curve"])
    assert data["epsilons"] == [{"delta": 1e-5, "epsilon": curve.epsilon_at(1e-5)}]
    assert data["mu"] == curve.mu
    assert len(curve.assumed) == 2


def test_mu_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tradeoff", "laplace", *QUICK, "--mu"]) == 0
    text = capsys.readouterr().out
    assert ", of Gaussian DP" in text
    assert "epsilon" not in text


def test_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tradeoff", "laplace", *QUICK, "--out", str(tmp_path / "o")]) == 0
    folder = tmp_path / "o"
    assert TradeOff.from_json((folder / "tradeoff.json").read_text()).alpha == 0.05
    assert "<svg" in (folder / "tradeoff.svg").read_text()
    assert "claimed at most" in (folder / "tradeoff.svg").read_text()
    page = (folder / "tradeoff.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert "Not refuted: it may be 1-DP." in page
    assert page.count("<svg") == 2
    assert "ε ≥" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert str(folder / "tradeoff.html") in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tradeoff", "laplace", "--pair", "9"], "--pair must be one of the 2 pairs of laplace, got 9"),
        (["tradeoff", "laplace", "--pair", "0"], "must be the number of a pair, from 1, or '[left, right]' as JSON"),
        (["tradeoff", "laplace", "--pair", "[1]"], "must be the number of a pair, from 1, or '[left, right]' as JSON"),
        (["tradeoff", "laplace", "--pair", "[1, "], "must be the number of a pair, from 1, or '[left, right]' as JSON"),
        (["tradeoff", "laplace", "--times", "0"], "must be a whole number of at least 1"),
        (["tradeoff", "laplace", "--rate", "2"], "must be a probability"),
        (["tradeoff", "laplace", "--delta", "1"], "must be a probability of at least 0 and below 1"),
        (["tradeoff", "no-such-mechanism"], "a target must be"),
        (["tradeoff"], "TARGET"),
    ],
)
def test_one_sentence_for_what_is_wrong(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_plain_function_on_a_pair_that_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # the streams depend on the name, which is then the same everywhere
    file = Path("step.py")
    file.write_text("def noisy_sum(records, n, rng):\n    return sum(records) + rng.laplace(0, 1, n)\n")
    target = ["tradeoff", f"{file}::noisy_sum", *QUICK, "--views", "values", "--json"]
    assert main([*target, "--pair", "[[2.0], []]"]) == 0
    curve = TradeOff.from_dict(json.loads(capsys.readouterr().out)["curve"])
    assert curve.certificates[0].pair == "[2.0] and []"
    assert 1 < curve.epsilon_at(0.0) <= 2  # a wider pair than that of the scale: wrong with probability .05
    assert main(target) == 2
    assert "a mechanism without its own pairs needs --pair '[left, right]'" in capsys.readouterr().err


def test_several_mechanisms_are_too_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.py"
    file.write_text("from mechanisms.laplace import Laplace\na, b = Laplace(), Laplace()\n")
    assert main(["tradeoff", str(file)]) == 2
    assert "is of one mechanism" in capsys.readouterr().err

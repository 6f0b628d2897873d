"""audit_samples: recorded outputs through the same engine, each used once."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from auditor import samples
from auditor.errors import UsageError
from auditor.samples import audit_samples
from auditor.sampling import recorded, shuffle
from auditor.sampling.files import Recording
from auditor.sampling.recorded import Tape, tape_of_rows, trials_for
from auditor.sampling.shuffle import permuted
from mechanisms.core.claims import ZCDP, ApproxDP, GaussianDP

VALUES = ("values",)


def laplace(n: int, epsilon: float, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.laplace(1, 1 / epsilon, n), rng.laplace(0, 1 / epsilon, n)


def response(n: int, epsilon: float, seed: int) -> tuple[Any, Any]:
    rng, keep = np.random.default_rng(seed), 1 / (1 + math.exp(-epsilon))
    return (rng.random(n) < keep).astype(float), (rng.random(n) < 1 - keep).astype(float)


def test_a_false_claim_is_refuted_and_a_true_one_is_not() -> None:
    left, right = laplace(20_000, 2.0)
    found = audit_samples(left, right, ApproxDP(1.0), views=VALUES)
    assert found.refuted
    assert 1.0 < found.epsilon_lower <= 2.0
    true = audit_samples(left, right, ApproxDP(2.0), views=VALUES)
    assert not true.refuted
    assert 1.8 < true.epsilon_lower <= 2.0
    assert true.trials_used <= true.trials < 20_000
    assert "20,000 outputs of left" in str(true.witness)


@pytest.mark.parametrize("claim", [GaussianDP(0.5), ZCDP(0.1)])
def test_curves_are_refuted_too(claim: Any) -> None:
    rng = np.random.default_rng(0)
    assert audit_samples(rng.normal(1, 1, 20_000), rng.normal(0, 1, 20_000), claim, views=VALUES).refuted


def as_texts(values: Any) -> Any:
    return ["yes" if value else "no" for value in values]


def as_pairs(values: Any) -> Any:
    return [(float(value), "a") for value in values]


def as_frame(values: Any) -> Any:
    return pytest.importorskip("pandas").DataFrame({"a": values, "b": values * 0})


def as_series(values: Any) -> Any:
    return pytest.importorskip("pandas").Series(values)


@pytest.mark.parametrize("kind", [as_texts, as_pairs, as_frame, as_series, list, tuple])
def test_outputs_may_be_anything_that_a_mechanism_may_return(kind: Any) -> None:
    left, right = response(8000, 2.0, 1)
    assert audit_samples(kind(left), kind(right), ApproxDP(1.0)).refuted
    assert not audit_samples(kind(left), kind(right), ApproxDP(2.2)).refuted


def test_the_seed_fixes_the_result_and_nothing_else_does() -> None:
    left, right = laplace(3000, 1.5)
    one, two, other = (audit_samples(left, right, ApproxDP(1.0), seed=seed) for seed in (3, 3, 4))
    assert one.without_timings().to_json() == two.without_timings().to_json()
    assert one.without_timings().to_json() != other.without_timings().to_json()
    assert one.replayable


def test_lengths_may_differ() -> None:
    left, right = laplace(20_000, 2.0)
    found = audit_samples(left, right[:4000], ApproxDP(1.0), views=VALUES)
    assert found.refuted
    assert found.trials < 4000


def test_a_sorted_list_is_as_good_as_any() -> None:
    left, right = laplace(20_000, 1.0)
    found = audit_samples(np.sort(left), np.sort(right), ApproxDP(1.0), views=VALUES)
    assert not found.refuted
    assert found.epsilon_lower > 0.8
    assert found.warnings == ()


def test_every_output_is_handed_out_once() -> None:
    tape = tape_of_rows(np.arange(1000.0), "x", seed=5, side="left")
    pilot = tape.first(32)
    assert np.array_equal(pilot, tape.first(32))
    remaining = np.concatenate([tape.take(n) for n in (1, 500, 467)])
    assert sorted([*pilot, *remaining]) == list(range(1000))
    with pytest.raises(UsageError, match="use another seed"):
        tape.take(1)


@pytest.mark.parametrize("most", [40, 68, 500, 10_000, 1_000_000])
def test_neither_side_runs_out_but_once_in_a_million(most: int) -> None:
    flips = 2 * trials_for(most, 3 * most)
    assert 2 * binom.sf(most, flips, 0.5) <= 1.2e-6
    assert 2 * binom.sf(most, flips + 4 + flips // 50, 0.5) > 1e-6  # and not many are left unused


def test_used_again_outputs_would_refute_what_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin hands out the same outputs again and again, as if there were twenty times as many.

    40 audits of exactly tight randomized response at alpha = .05: ten or more refuted by the real one has
    probability below 1e-4.
    """

    def refuted() -> int:
        return sum(
            audit_samples(*response(300, 1.0, s), ApproxDP(1.0), alpha=0.05, seed=s, views=VALUES).refuted
            for s in range(40)
        )

    assert refuted() < 10
    once = recorded.tape_of_rows

    def again(rows: Any, name: str, seed: int, side: str, *_: object) -> Tape:
        copies = [np.concatenate([permuted(rows, seed, f"{side} {k}") for k in range(20)])]
        return Tape(name, iter(copies), 20 * len(rows))

    monkeypatch.setattr(samples, "tape_of_rows", again)
    assert refuted() >= 10
    assert once is recorded.tape_of_rows


def test_files_are_read_and_large_ones_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = laplace(20_000, 2.0)
    np.save(tmp_path / "x.npy", left)
    np.save(tmp_path / "y.npy", right)
    whole = audit_samples(tmp_path / "x.npy", str(tmp_path / "y.npy"), ApproxDP(1.0), views=VALUES)
    assert whole.refuted
    assert whole.epsilon_lower == audit_samples(left, right, ApproxDP(1.0), views=VALUES).epsilon_lower
    monkeypatch.setattr(shuffle, "MOST", 2**11)  # the piles are dealt again
    monkeypatch.setattr("auditor.sampling.formats.BLOCK", 1000)
    blocks = audit_samples(Recording(tmp_path / "x.npy"), tmp_path / "y.npy", ApproxDP(1.0), views=VALUES)
    assert blocks.refuted
    assert blocks.trials == whole.trials
    assert not audit_samples(tmp_path / "x.npy", tmp_path / "y.npy", ApproxDP(2.0), views=VALUES).refuted


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        ([], [], "at least 100 outputs, got 0 on the left"),
        (np.zeros(1000), np.zeros(50), "at least 100 outputs, got 50 on the right"),
        (np.zeros((500, 2)), np.zeros((500, 3)), "2 numbers a row on the left and 3 numbers a row on the right"),
        (np.zeros(500), ["a"] * 500, "of one kind, got one number a row on the left"),
        (np.array(3.0), np.zeros(500), "one row for each"),
        (7, np.zeros(500), "got a int on the left"),
        ({"a": 1}, np.zeros(500), "got a dict"),
        ("none.csv", "none.csv", "must exist"),
    ],
)
def test_bad_input_is_a_sentence(left: Any, right: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        audit_samples(left, right, ApproxDP(1.0))


@pytest.mark.parametrize(
    ("options", "words"),
    [({"alpha": 2.0}, "alpha"), ({"seed": -1}, "seed"), ({"views": ("eyes",)}, "view"), ({"name": 3}, "name")],
)
def test_bad_options_are_sentences(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        audit_samples(np.zeros(500), np.zeros(500), ApproxDP(1.0), **options)
    with pytest.raises(UsageError, match="a claim must be"):
        audit_samples(np.zeros(500), np.zeros(500), 1.0)  # type: ignore[arg-type]


def test_the_same_columns_in_another_order_are_a_sentence_and_no_refutation(tmp_path: Path) -> None:
    """Taken as they stand, the two would be told apart at once."""
    rows = [(x, 5.0) for x in range(300)]
    frame = pd.DataFrame(rows, columns=["a", "b"])
    frame.to_csv(tmp_path / "left.csv", index=False)
    frame[["b", "a"]].to_csv(tmp_path / "right.csv", index=False)
    for left, right in (
        (tmp_path / "left.csv", tmp_path / "right.csv"),
        (frame, frame[["b", "a"]]),
        (frame, frame.rename(columns={"b": "c"})),
    ):
        with pytest.raises(UsageError, match="the same columns in the same order, got a, b on the left"):
            audit_samples(left, right, ApproxDP(1.0))
    chosen = [Recording(tmp_path / name, ("a", "b")) for name in ("left.csv", "right.csv")]
    assert not audit_samples(*chosen, ApproxDP(1.0)).refuted

"""Rows in random order through piles on disk: every order is equally likely, nothing is lost, sorted files are fine."""

from __future__ import annotations

import gc
import itertools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from auditor import ApproxDP, audit_samples
from auditor.errors import UsageError
from auditor.sampling import formats, recorded, shuffle


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little memory that ten rows are dealt onto three piles, and a pile of more than three again."""
    monkeypatch.setattr(shuffle, "MOST", 16)
    monkeypatch.setattr(shuffle, "PILES", 3)


def blocks(rows: Any, size: int = 4) -> list[Any]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def order(rows: Any, seed: int, size: int = 4) -> list[Any]:
    found = shuffle.shuffle(blocks(rows, size), "x", seed, "left")
    flat = [row for block in found.blocks for row in block]
    assert len(flat) == found.length
    return flat


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("rows", [np.arange(50.0), [("a", k) for k in range(50)], np.arange(100).reshape(50, 2)])
def test_every_row_comes_once_in_an_order_of_the_seed(rows: Any) -> None:
    found = order(rows, 1)
    assert sorted(map(str, found)) == sorted(map(str, rows))
    assert list(map(str, found)) == list(map(str, order(rows, 1))) != list(map(str, order(rows, 2)))
    assert type(found[0]) is type(rows[0])


@pytest.mark.usefixtures("small")
def test_every_order_is_equally_likely() -> None:
    """2,400 orders of four rows, 24 kinds: fails by chance with probability 1e-4. Dealing alone is far from uniform."""
    rows = np.arange(4.0)
    counts = Counter(tuple(order(rows, seed, 2)) for seed in range(2400))
    assert chisquare([counts[one] for one in itertools.permutations(rows)]).pvalue > 1e-4
    dealt = Counter(
        tuple(row for pile in shuffle.dealt(iter(blocks(rows, 2)), "x", seed) for part in pile.taken() for row in part)
        for seed in range(1200)
    )
    assert chisquare([dealt[one] for one in itertools.permutations(rows)]).pvalue < 1e-12


def test_rows_that_fit_are_permuted_at_once_however_they_were_read() -> None:
    rows = np.arange(100.0)
    assert order(rows, 3, 7) == order(rows, 3, 100) == shuffle.permuted(rows, 3, "left").tolist()


@pytest.mark.usefixtures("small")
def test_numbers_and_texts_are_noticed_while_dealing() -> None:
    with pytest.raises(UsageError, match="x must have outputs of one kind"):
        shuffle.shuffle([np.arange(8.0), ["a", "b"]], "x", 0)


def test_a_full_disk_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    np.save(tmp_path / "x.npy", np.arange(1000.0))
    monkeypatch.setattr(shuffle, "MOST", 16)
    monkeypatch.setattr(shuffle.Pile, "add", full)
    with pytest.raises(UsageError, match=r"x.npy is too large .*TMPDIR .* No space left") as raised:
        recorded.tape_of_file(recorded.Recording(tmp_path / "x.npy"), 0, "left")
    assert "\n" not in str(raised.value)


def test_piles_that_are_not_read_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite makes an error of a file that is left open."""
    monkeypatch.setattr(shuffle, "MOST", 16)
    found = shuffle.shuffle(blocks(np.arange(500.0)), "x", 0)
    next(found.blocks)
    del found
    gc.collect()


@pytest.mark.parametrize(("kind", "audits"), [("npy", 10), ("jsonl", 4)])
def test_sorted_files_that_do_not_fit_refute_nothing_that_is_true(
    kind: str, audits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fair coins on both sides, one file rising and one falling. The broken twin takes them in their own order.

    At most ten audits at alpha = .01: the real one refutes one or more with probability below .1; the seeds are fixed.
    """
    monkeypatch.setattr(shuffle, "MOST", 2**12)
    monkeypatch.setattr(formats, "BLOCK", 512)

    def refuted(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        sides = np.sort(rng.integers(0, 2, 4000)), -np.sort(-rng.integers(0, 2, 4000))
        paths = []
        for name, side in zip(("left", "right"), sides, strict=True):
            path = tmp_path / f"{name}.{kind}"
            if kind == "npy":
                np.save(path, side)
            else:
                path.write_text("".join(json.dumps(["a", x]) + "\n" for x in side.tolist()))
            paths.append(path)
        return audit_samples(*paths, ApproxDP(0.1), alpha=0.01, seed=seed).refuted

    assert sum(map(refuted, range(audits))) == 0

    def in_turn(rows: Any, name: str, *_: object) -> shuffle.Shuffled:
        held = list(rows)
        return shuffle.Shuffled(sum(map(len, held)), iter(held))

    monkeypatch.setattr(recorded, "shuffle", in_turn)
    assert refuted(0)

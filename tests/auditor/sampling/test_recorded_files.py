"""Recorded outputs in files: every format, compressed or not, and a sentence for what cannot be read."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from auditor.errors import UsageError
from auditor.sampling import files, formats
from auditor.sampling.files import Recording

X = np.random.default_rng(0).normal(size=300)
Y = np.arange(300.0)


def write(path: Path, values: Any) -> Path:
    """The columns `a` and `b` in the format that the suffix asks for."""
    plain = path.with_name(path.name.removesuffix(".gz"))
    if plain.suffix == ".npy":
        np.save(plain, np.column_stack(values))
    elif plain.suffix == ".npz":
        np.savez(plain, a=values[0], b=values[1])
    elif plain.suffix == ".csv":
        rows = "".join(f"{a!r},{b!r}\n" for a, b in zip(*(v.tolist() for v in values), strict=True))
        plain.write_text("a,b\n" + rows)
    elif plain.suffix == ".jsonl":
        rows = "".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in zip(*(v.tolist() for v in values), strict=True))
        plain.write_text(rows)
    else:
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pa.table({"a": values[0], "b": values[1]}), plain, row_group_size=70)
    if path != plain:
        path.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    return path


@pytest.mark.parametrize("zipped", ["", ".gz"])
@pytest.mark.parametrize("suffix", files.SUFFIXES)
def test_every_format_gives_the_same_numbers(
    suffix: str, zipped: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "BLOCK", 128)
    path = write(tmp_path / f"x{suffix}{zipped}", (X, Y))
    if suffix != ".npy":
        assert np.array_equal(Recording(path, ("a",)).rows(), X)
    found = Recording(path, () if suffix == ".npy" else ("a", "b")).rows()
    assert np.array_equal(np.asarray(found, dtype=float), np.column_stack([X, Y]))
    blocks = list(Recording(path, () if suffix == ".npy" else ("b",)).blocks())
    assert [len(block) for block in blocks] == [128, 128, 44]


def test_a_column_of_numbers_needs_no_header(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("".join(f"{x!r}\n" for x in X.tolist()))
    assert np.array_equal(Recording(path).rows(), X)
    assert np.array_equal(Recording(path, ("1",)).rows(), X)


def test_texts_stay_texts_and_nothing_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("answer,count\nyes,1\n,2\nno,\n")
    assert Recording(path, ("answer",)).rows() == ["yes", None, "no"]
    numbers = Recording(path, ("count",)).rows()
    assert np.array_equal(numbers, [1, 2, np.nan], equal_nan=True)
    path = tmp_path / "x.jsonl"
    path.write_text('"yes"\nnull\n[1, "a"]\n')
    assert Recording(path).rows() == ["yes", None, (1, "a")]


def test_whole_numbers_and_columns_in_memory_order(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.asfortranarray(np.arange(12).reshape(6, 2)))
    assert np.array_equal(Recording(tmp_path / "x.npy").rows(), np.arange(12).reshape(6, 2))


def test_a_hash_tells_files_apart(tmp_path: Path) -> None:
    one, two = write(tmp_path / "x.csv", (X, Y)), write(tmp_path / "y.csv", (Y, X))
    assert Recording(one).digest() == Recording(one).digest() != Recording(two).digest()
    assert Recording(one).digest().startswith("sha256:")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.txt", b"1\n", "must be one of .npy"),
        ("x.csv", b"", "at least one row"),
        ("x.csv", b"a,b\n1,2\n3\n", "every row must have 2 fields"),
        ("x.csv", b"\xff\xfe1\n", "cannot be read as .csv"),
        ("x.jsonl", b"{oops\n", "cannot be read as .jsonl"),
        ("x.jsonl", b"[" * 100_000, "cannot be read as .jsonl"),
        ("x.npy", b"not numpy", "cannot be read as .npy"),
        ("x.npz", b"PK not a zip", "cannot be read as .npz"),
        ("x.parquet", b"PAR1", "cannot be read as .parquet"),
        ("x.csv.gz", b"not gzip", "cannot be read as .csv"),
        ("x.csv.gz", gzip.compress(b"1\n2\n", mtime=0)[:-9], "cannot be read as .csv"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    if "parquet" in name:
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=words) as raised:
        Recording(tmp_path / name).rows()
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_missing_file_and_a_missing_column_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must exist"):
        Recording(tmp_path / "none.npy").rows()
    path = write(tmp_path / "x.csv", (X, Y))
    with pytest.raises(UsageError, match="a column must be one of a, b, got --column c"):
        Recording(path, ("c",)).rows()
    with pytest.raises(UsageError, match="several arrays"):
        Recording(write(tmp_path / "x.npz", (X, Y))).rows()


class Bomb:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path("exploded"),))


@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_pickles_are_not_loaded(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    array = np.array([Bomb(), Bomb()], dtype=object)
    (np.save if suffix == ".npy" else np.savez)(tmp_path / f"x{suffix}", array)
    assert pickle.dumps(Bomb())
    with pytest.raises(UsageError, match=r"Python objects|cannot be read|pickle"):
        Recording(tmp_path / f"x{suffix}").rows()
    assert not (tmp_path / "exploded").exists()


def test_a_cut_array_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "x.npy", (X, Y))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UsageError, match="must hold 300 rows"):
        Recording(path).rows()


def test_numbers_and_texts_in_one_column_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "BLOCK", 2)
    (tmp_path / "x.csv").write_text("a\n1\n2\nyes\nno\n")
    with pytest.raises(UsageError, match="of one kind"):
        Recording(tmp_path / "x.csv").rows()

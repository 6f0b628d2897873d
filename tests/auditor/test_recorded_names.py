"""The columns of recorded data keep their names in the witness."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from auditor import ApproxDP, AuditResult, audit_samples


def rows(shift: float) -> np.ndarray:
    rng = np.random.default_rng(int(shift))
    return np.column_stack([rng.normal(0, 100, 2000), shift + rng.laplace(size=2000)])


def csv(path: Path, shift: float, header: str) -> Path:
    np.savetxt(path, rows(shift), delimiter=",", header=header, comments="")
    return path


def words(left: object, right: object) -> str:
    result = audit_samples(left, right, ApproxDP(1.0))
    assert AuditResult.from_json(result.to_json()) == result
    return str(result.witness)


def test_of_frames() -> None:
    pandas = pytest.importorskip("pandas")
    left, right = (pandas.DataFrame(rows(shift), columns=["age", "pay"]) for shift in (0.0, 3.0))
    assert ", pay <= " in words(left, right)
    assert ", pay <= " in words(left[["pay"]], right[["pay"]])


def test_of_csv_files(tmp_path: Path) -> None:
    left, right = (csv(tmp_path / f"{shift}.csv", shift, "age,pay") for shift in (0.0, 3.0))
    assert ", pay <= " in words(left, right)


def test_of_a_file_without_a_header(tmp_path: Path) -> None:
    left, right = (csv(tmp_path / f"{shift}.csv", shift, "1,2") for shift in (0.0, 3.0))
    assert ", x[1] <= " in words(left, right)


def test_of_arrays() -> None:
    assert ", x[1] <= " in words(rows(0.0), rows(3.0))

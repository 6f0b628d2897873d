"""Several results: a line each, a table that escapes, a row each."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditor import ApproxDP, AuditResult, Results, audit
from auditor.errors import UsageError


@pytest.fixture(scope="module")
def results() -> Results:
    def one(scale: float, name: str) -> AuditResult:
        return audit(
            lambda data, n, rng: data + rng.laplace(0, scale, n),
            ApproxDP(1.0),
            [(0, 1)],
            trials=400,
            views=("values",),
            jobs=1,
            name=name,
        )

    return Results([one(0.2, "narrow"), one(1.0, "right")])


def test_each_result_has_a_line_of_at_most_80_columns(results: Results) -> None:
    first, *lines = str(results).splitlines()
    assert first == "1 of 2 claims refuted. Not refuted is not proof."
    assert [line.split()[0] for line in lines] == ["REFUTED", "NOT"]
    long = Results(replace(result, name="\x1b[31m" + "x" * 200) for result in results)
    assert all(len(line) <= 80 for line in str(long).splitlines())
    assert "\x1b" not in str(long)


def test_the_refuted_ones_are_results_again(results: Results) -> None:
    assert [result.name for result in results.refuted] == ["narrow"]
    assert isinstance(results.refuted, Results)
    assert str(Results()) == "0 of 0 claims refuted. Not refuted is not proof."


def test_a_notebook_shows_a_table_and_runs_nothing(results: Results) -> None:
    hostile = Results([replace(results[0], name="<script>alert(1)</script>")])
    html = hostile._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert results._repr_html_().count("<tr>") == 3


def test_a_frame_has_a_row_each(results: Results) -> None:
    pytest.importorskip("pandas")
    assert list(results.to_frame()["name"]) == ["narrow", "right"]
    with pytest.raises(UsageError, match="at least one result"):
        Results().to_frame()

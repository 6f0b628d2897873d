"""Every part of `python -m benchmarks` runs with tiny settings; nothing here asserts a time."""

import json
import math
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from auditor import ApproxDP, GaussianDP, audit
from benchmarks import (
    __main__,
    backends,
    cases,
    catalogue,
    false_alarms,
    growth,
    memory,
    power,
    samplers,
    speed,
    tables,
    tightness,
)
from benchmarks.runs import draws, spread
from mechanisms.core.catalogue import find


def by_name(table):
    return {next(iter(row.values())): row for row in table.rows}


# What the tables are compared with.


def ptr_delta(epsilon):
    """The profile of the propose-test-release case: a ratio of e, and e^clip(2v - 1, -1, 1)."""
    passed = [0.5 * math.exp(distance - math.log(1000)) for distance in (5, 6)]
    cut = epsilon / 2  # the total log-ratio, 1 + (2v - 1), passes epsilon there
    return passed[1] * (1 - 0.5 * math.exp(cut - 1)) - math.exp(epsilon) * passed[0] * 0.5 * math.exp(-cut)


def test_exact_epsilons_of_the_tightness_cases():
    exact = {case.sample: case.exact for case in tightness.CASES}
    sigma = GaussianDP(1 / cases.CLASSIC_SIGMA)
    assert exact[cases.gaussian] == pytest.approx(sigma.epsilon_at(1e-3), abs=1e-6)
    assert exact[cases.subsampled] == pytest.approx(math.log1p(0.1 * math.expm1(1)), abs=1e-6)
    assert ptr_delta(1.995) < 1e-3 < ptr_delta(1.985)  # 1.99, to the digits given


@pytest.mark.parametrize("case", tightness.CASES, ids=lambda case: case.name)
def test_the_wanted_shares_are_ordered(case):
    assert case.least < case.aim < case.ceiling < 1


@pytest.mark.parametrize("row", false_alarms.ROWS, ids=lambda row: row.name)
def test_rows_of_the_false_alarms_attain_their_claims(row):
    mechanism = getattr(row.sample, "__self__", None)
    if mechanism is not None:
        epsilon, delta = row.claim.epsilon, row.claim.delta
        profile = mechanism.exact()
        assert profile.delta_at(epsilon) == pytest.approx(delta, abs=1e-12)
        assert profile.delta_at(epsilon - 1e-6) > delta + 1e-9
        left, right = row.pairs[0]
        assert sum(a != b for a, b in zip(left, right, strict=True)) == 1
    elif isinstance(row.sample, partial) and "sigma" in row.sample.keywords:
        attained = GaussianDP(1 / row.sample.keywords["sigma"])
        for epsilon, delta in row.claim.points():
            assert attained.delta_at(epsilon) == pytest.approx(delta, rel=1e-9)
    else:  # the functions' default parameters: epsilon 1, or delta beside 0
        keywords = getattr(row.sample, "keywords", {})
        shamed = ApproxDP(0.0, keywords.get("delta", 0.01))
        assert row.claim == (shamed if "shame" in row.name else ApproxDP(1.0))


def test_case_functions_have_the_laws_they_say():
    # Binomial shares within 5 standard errors: a fresh seed fails one of the six with probability below 4e-6.
    rng, n = np.random.default_rng(0), 100_000
    for found, exact in (
        ((cases.laplace(1, n, rng, scale=0.5) > 2).mean(), math.exp(-2) / 2),
        ((cases.response(0, n, rng, epsilon=2.0) == 0).mean(), 1 / (1 + math.exp(-2))),
        ((cases.geometric(1, n, rng) == 1).mean(), math.tanh(0.5)),
        ((cases.subsampled(100.0, n, rng) > 50).mean(), 0.1),
        (1 - np.isnan(cases.propose_test_release(5, n, rng)).mean(), 0.5 * math.exp(5 - math.log(1000))),
        ((cases.shamed(31.0, n, rng, delta=0.2) == 31.0).mean(), 0.2),
    ):
        assert abs(found - exact) < 5 * math.sqrt(exact * (1 - exact) / n)


# The parts.


def test_tightness():
    table = tightness.table(seeds=1, trials=1_000, jobs=1)
    assert len(table.rows) == 7
    assert all(0 <= row["median"] < 1.3 for row in table.rows)
    assert "stands" not in table.columns  # what is wanted is wanted at a million trials


def test_tightness_says_where_it_stands(monkeypatch):
    monkeypatch.setattr(tightness, "CASES", tightness.CASES[:1])
    monkeypatch.setattr(tightness, "TRIALS", 1_000)
    (row,) = tightness.table(seeds=2, trials=1_000, jobs=1).rows
    assert row["stands"] == "SHORT"
    assert row["min"] <= row["median"] <= row["max"]


def test_power():
    rows = by_name(power.table(seeds=2, jobs=1, most=1_000))
    assert rows["Laplace, truly 2"]["90th"] <= 1_000
    assert rows["Gaussian for (1, 1e-3), sigma halved"]["missed"] == 2
    assert rows["Gaussian for (1, 1e-3), sigma halved"]["stands"] == "SHORT"


def test_false_alarms_move_on_together():
    rows = false_alarms.ROWS[:3]
    parts = [Counter(found) for found in false_alarms.count(rows, 6, jobs=1, blocks=2)]
    assert [sum(n for (_, _, what), n in found.items() if what == "audits") for found in parts] == [9, 18]
    table = false_alarms.table(rows, parts[-1])
    assert [row["audits"] for row in table.rows] == [6, 6, 6]
    assert all(budget["audits"] == 2 for budget in table.rows[0]["by budget"].values())


def test_false_alarms_catch_a_false_claim():
    broken = replace(false_alarms.ROWS[1], claim=ApproxDP(0.5))
    *_, found = false_alarms.count([broken], 6, jobs=1, blocks=1)
    (row,) = false_alarms.table([broken], found).rows
    assert row["fine"] == "TOO MANY"
    assert row["refuted"][0] == 1
    assert row["above"][0] > 0.5


def test_exact_intervals():
    # Clopper–Pearson in closed form at the ends: 1 - (0.005)^(1/n) and its mirror image.
    assert false_alarms.interval(0, 20) == pytest.approx((0, 1 - 0.005 ** (1 / 20)))
    assert false_alarms.interval(20, 20) == pytest.approx((0.005 ** (1 / 20), 1))


def test_false_alarms_as_a_program(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(false_alarms, "ROWS", false_alarms.ROWS[:2])
    assert false_alarms.main(["--repeats", "3", "--jobs", "1", "--out", str(tmp_path)]) == 0
    assert "randomized response" in capsys.readouterr().out
    assert "| Laplace | 1-DP | 3 |" in (tmp_path / "false_alarms.md").read_text()


def test_speed():
    rates = by_name(speed.rates(2_000, repeats=1))
    assert all(row["M draws/s"] > 0 for row in rates.values())
    assert rates["audit, jobs=1"]["stands"] in ("SHORT", "met", "aim met")
    assert len(speed.small_audits(repeats=1, trials=300).rows) == 4
    for row in speed.per_draw_loss(trials=300, repeats=1).rows:
        assert row["calls"] == 600
        assert row["lost"] < 1


def test_backends(monkeypatch):
    absent = ("no-such-distribution", backends.BACKENDS["ray"][1])
    monkeypatch.setitem(backends.BACKENDS, "ray", absent)
    monkeypatch.setitem(backends.BACKENDS, "dask", ("joblib", lambda: 1 / 0))
    rows = by_name(backends.table(2_000, ("threading", "dask", "ray")))
    assert rows["threading"]["result"] == "same bytes"
    assert rows["dask"]["why"] == "ZeroDivisionError: division by zero"
    assert rows["ray"] == {"backend": "ray", "result": "not installed"}


def test_memory():
    threads, processes = memory.table([1_000]).rows
    assert min(threads["parent MiB"], processes["parent MiB"], processes["worker MiB"]) > 10
    assert threads["worker MiB"] is None
    assert threads["growth"] == processes["growth"] == 1


def test_growth():
    rows = growth.table(100_000).rows
    assert [row["draws"] for row in rows[:2]] == [20_000, 200_000]
    assert rows[-1]["draws"] == 100 * rows[-3]["draws"]
    assert all(row["s"] > 0 for row in rows)


def test_memory_of_workers():
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor

    Parallel(n_jobs=2)(delayed(abs)(value) for value in range(2))
    assert memory.workers_peak() > 1
    get_reusable_executor().shutdown(wait=True)


def test_samplers_replay_what_was_asked():
    recorded = samplers.calls_of(find("laplace"), 100)
    assert [name for name, _, _ in recorded] == ["standard_exponential", "integers"]
    rng = samplers.Recorder(1)
    assert rng.random(3).tolist() == np.random.Generator(np.random.SFC64(1)).random(3).tolist()
    row = samplers.measure(find("laplace"), 1_000, 1)
    assert row["generator"] > 0


def test_catalogue():
    chosen = [find("laplace"), find("laplace/half-scale"), find("randomized-response-debiased/no-debias")]
    rows = by_name(catalogue.table(chosen, 1_000, jobs=1))
    assert [row["as expected"] for row in rows.values()] == ["yes"] * 3
    assert rows["laplace/half-scale"]["exact"] == pytest.approx(2)
    assert rows["laplace/half-scale"]["draws"] < rows["laplace"]["draws"]
    wrong = replace(find("laplace"), epsilon=1.0)
    object.__setattr__(wrong, "breaks", "privacy")
    object.__setattr__(wrong, "of", "laplace")
    assert catalogue.measure(wrong, 500, 0.01, 1)["as expected"] == "NO"


def test_the_program(tmp_path, capsys):
    __main__.main(["samplers", "--quick", "--out", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "lattice-laplace" in printed
    assert "Short of what is wanted: nothing." in printed
    stored = json.loads((tmp_path / "samplers.json").read_text())
    assert stored["command"] == "python -m benchmarks samplers --quick"
    assert {"date", "cores", "python", "dp-audit", "numpy"} <= set(stored)
    assert len(stored["tables"][0]["rows"]) == (tmp_path / "samplers.md").read_text().count("\n| ") - 1


def test_an_unknown_part_is_named(capsys):
    with pytest.raises(SystemExit) as stopped:
        __main__.main(["sped"])
    assert stopped.value.code == 2
    assert "got sped" in capsys.readouterr().err


@pytest.mark.parametrize("part", __main__.PARTS)
def test_every_part_has_a_title_and_tables(part):
    module = __import__(f"benchmarks.{part}", fromlist=["TITLE"])
    assert isinstance(module.TITLE, str)
    assert callable(module.tables)


# What they share.


def test_tables_as_markdown_and_json():
    shown = {"what": str, "rate": tables.number, "n": tables.whole}
    rows = [{"what": "a", "rate": math.inf, "n": 1200, "more": np.float64(math.nan)}, {"what": "b"}]
    table = tables.Table("Title", shown, rows, "Note.")
    assert table.markdown() == (
        "## Title\n\n| what | rate | n |\n|---|---|---|\n| a | inf | 1,200 |\n| b |  |  |\n\nNote.\n"
    )
    assert table.to_dict()["rows"] == [{"what": "a", "rate": "inf", "n": 1200, "more": None}, {"what": "b"}]


def test_where_a_figure_stands():
    assert [tables.at_least(v, 0.9, 0.95) for v in (0.89, 0.9, 0.95)] == ["SHORT", "met", "aim met"]
    assert [tables.at_most(v, 20, 10) for v in (21, 20, 10, math.inf)] == ["SHORT", "met", "aim met", "SHORT"]
    assert [tables.at_most(v, 20) for v in (21, 20, 1)] == ["SHORT", "met", "met"]
    assert tables.at_least(math.nan, 0.9) == "SHORT"


def test_shortfalls_are_collected():
    rows = [{"a": "x", "s": "SHORT"}, {"a": "y", "s": "met"}, {"a": "z", "s": "DIFFERENT"}]
    assert __main__.shortfalls([tables.Table("", {}, rows)]) == ["x", "z"]


def test_percentile():
    assert tables.ninetieth(range(1, 101)) == 90
    assert tables.ninetieth([3, 1]) == 3


def test_spread_keeps_the_order():
    assert list(spread(pow, [(2, 3), (3, 2)], 1, "powers")) == [8, 9]


def test_all_draws_of_an_audit_are_counted():
    one = audit(cases.laplace, ApproxDP(1.0), [(0, 1)], trials=2_000, jobs=1, views=("values",))
    assert draws(one) == pytest.approx(2 * 2_000, abs=2 * len(one.evidence))
    pairs = [(0, 1), (1, 2), (2, 3)]
    three = audit(cases.laplace, ApproxDP(1.0), pairs, trials=2_000, jobs=1, views=("values",))
    assert draws(three) > draws(one)

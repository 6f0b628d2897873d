import argparse
import math

import numpy as np
import pytest
from scipy import stats

from benchmarks.peers import __main__ as peers
from benchmarks.peers.cases import CASES, Case
from benchmarks.peers.theirs import PEERS, threshold
from mechanisms.core.claims import GaussianDP


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_exact_epsilon_of_a_case(case):
    if case.noise == "gaussian":
        assert GaussianDP(1 / case.scale).epsilon_at(case.delta) == pytest.approx(case.exact, abs=1e-5)
    else:
        assert case.exact == pytest.approx(1 / case.scale)
        # The share above 0.5 (above 0 for the lattice) on 1 and on 0; each at 1e-6 under a fixed seed.
        n, rng = 100_000, np.random.default_rng(3)
        for side in (0.0, 1.0):
            high = int((case.sample(side, n, rng) > 0.5).sum())
            ratio = math.exp(-case.exact)
            below_one = {
                "laplace": math.exp(-case.exact / 2) / 2,
                "geometric": ratio / (1 + ratio),
                "response": ratio / (1 + ratio),
            }[case.noise]
            assert stats.binomtest(high, n, 1 - below_one if side else below_one).pvalue > 1e-6


def test_an_unknown_noise_is_named():
    with pytest.raises(ValueError, match="got 'cauchy'"):
        Case("x", "cauchy", 1.0, 0.0, 1.0).sample(0.0, 5, np.random.default_rng())


def test_the_threshold_for_peers_that_take_counts_is_a_good_one():
    rng = np.random.default_rng(5)
    left, right = (side + rng.laplace(0, 1, 50_000) for side in (0.0, 1.0))
    cut = threshold(left, right, 0.0)
    assert cut <= 0.3 or cut >= 0.7  # a tail, where the ratio is e
    for high in ((left >= cut).mean(), (left < cut).mean()):
        assert high > 0.01


def test_medians_failures_and_alarms():
    jobs = [peers.Job(CASES[0], 100, seed, ("jax-privacy, split",)) for seed in range(3)]
    found = {
        job.id: {"jax-privacy, split": (value, 0.1), peers.US: (0.9, 0.2)}
        for job, value in zip(jobs, (0.5, None, 1.7), strict=True)
    }
    row = peers.row(CASES[0], 100, jobs, found)
    assert row["draws"] == 200
    assert row["jax-privacy, split"] == {"bound": 1.1, "failed": 1, "runs": 3, "seconds": 0.1}
    assert row["privacy-estimates, beta"]["runs"] == 0
    alarms = peers.false_alarms(jobs, found)
    assert alarms["jax-privacy, split"] == {"runs": 3, CASES[0].name: 1}
    assert alarms[peers.US][CASES[0].name] == 0


def test_the_page_shows_every_case_and_peer():
    jobs = [peers.Job(case, 100, 0, tuple(PEERS)) for case in CASES]
    found = {job.id: {peer: (None, 0.1) for peer in (peers.US, *PEERS)} for job in jobs}
    rows = [peers.row(case, 100, jobs, found) for case in CASES]
    options = argparse.Namespace(sizes=[100, 10_000], repeats=80, alarms=1)
    page = peers.markdown(rows, peers.false_alarms(jobs, found), options, {"cores": 2}, "2026-01-01")
    assert page.count("fails") == len(CASES) * (len(PEERS) + 1)
    assert all(case.name in page for case in CASES)
    assert "medians of 80, 8 runs" in page

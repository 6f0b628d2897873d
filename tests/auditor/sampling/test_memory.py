"""Memory does not grow with the number of trials, and a call's outputs stay small whatever their width."""

import subprocess
import sys

import pytest

from auditor.events.outputs import Form
from auditor.sampling.batch import Batch
from auditor.sampling.source import Source
from auditor.tuning import TUNING

pytest.importorskip("resource")

CODE = """
import resource, sys
from auditor import ApproxDP, audit

def numbers(dataset, n, rng):
    return dataset + rng.laplace(0, 1, n)

if __name__ == "__main__":
    trials, jobs = int(sys.argv[1]), int(sys.argv[2])
    audit(numbers, ApproxDP(1.0), [(0, 1)], trials=trials, jobs=jobs, views=("values",), seed=1)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(tmp_path, trials, jobs):
    """Of a whole process, in whatever unit this machine has."""
    file = tmp_path / "audited_for_memory.py"
    file.write_text(CODE)
    command = [sys.executable, str(file), str(trials), str(jobs)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("jobs", [1, 2])
def test_ten_times_the_trials_in_the_same_memory(tmp_path, jobs):
    """From where the past is full; benchmarks/memory.py measures up to 1e8."""
    assert peak(tmp_path, 10_000_000, jobs) < 1.25 * peak(tmp_path, 1_000_000, jobs)


@pytest.mark.parametrize("width", [1, 2, 7, 64, 400])
def test_wide_outputs_come_in_smaller_calls(width):
    """Coins within nine standard deviations: fails by chance with probability below 1e-18."""
    source = Source(lambda d, n, rng: rng.random((n, width)), 0, 1, 0, "m", 0, Form("vectors", width, True))
    calls = Batch(source, None, False, ("last", 0), 3 * TUNING.sharing.chunk).calls()
    assert sum(n for *_, n in calls) == 3 * TUNING.sharing.chunk
    most = max(n for *_, n in calls)
    assert most * width <= max(TUNING.sharing.chunk / 2, 512 * width) + 9 * width * most**0.5

"""`dp-audit run --history DIR`, as a nightly job calls it."""

import json

from auditor.doors.cli import main

TARGET = """
import math
import numpy as np
from auditor import ApproxDP, NeighbourPair

class Response:
    claim = ApproxDP(1.0)
    trials = 100

    def sample(self, d, n, rng):
        return np.where(rng.random(n) < 1 / (1 + math.exp(-1.0)), d, 1 - d)

    def neighbours(self):
        return [NeighbourPair(0, 1)]

response = Response()
"""


def test_nights_have_their_own_seeds_and_a_broken_history_is_exit_2(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "release.py").write_text(TARGET)
    seeds = []
    for _ in range(2):
        assert main(["run", "release.py::response", "--history", "kept", "--json"]) == 0
        (entry,) = json.loads(capsys.readouterr().out)["entries"]
        seeds.append(entry["seed"])
    assert seeds == [0, 1]
    assert entry["audit"]["history"]["night"] == 2
    assert "Night 2 of its history" in entry["explanation"]
    (book,) = (tmp_path / "kept").glob("*/*.json")
    book.write_text("[]")
    assert main(["run", "release.py::response", "--history", "kept"]) == 2
    assert "must be an object with the nights of a history" in capsys.readouterr().err

"""What a checkpoint is recognised by: a hash of all that an audit depends on, the same in every process."""

import functools
import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from auditor.sampling.identity import UnwritableError, digest, mechanism_digest, versions

LONG = "x" * 100
DIFFERENT = [
    0,
    0.0,
    -0.0,
    False,
    None,
    "",
    "0",
    b"0",
    LONG + "a",
    LONG + "b",
    [],
    (),
    {},
    set(),
    [1, 2],
    (1, 2),
    {1: 2},
    {1, 2},
    [[1], 2],
    [1, [2]],
    ["ab", "c"],
    ["a", "bc"],
    np.array([1, 2]),
    np.array([1.0, 2.0]),
    np.array([[1, 2]]),
    np.float64(1.0),
    np.float32(1.0),
    np.array([1, "a"], dtype=object),
    Path("a"),
    range(3),
]


def test_datasets_that_differ_have_different_hashes():
    found = [digest(data) for data in DIFFERENT]
    assert len(set(found)) == len(DIFFERENT)
    assert found == [digest(data) for data in DIFFERENT]


def test_frames_are_told_apart_by_their_names():
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame({name: [1, 2]}) for name in ("a", "b")]
    assert digest(frames[0]) != digest(frames[1])
    assert digest(frames[0]) == digest(pandas.DataFrame({"a": [1, 2]}))


def circle():
    found: list = []
    found.append(found)
    return found


@pytest.mark.parametrize("data", [lambda: 0, circle(), (x for x in "a")], ids=["function", "circle", "generator"])
def test_what_cannot_be_written_down_has_none(data):
    with pytest.raises(UnwritableError):
        digest(data)


def scaled(scale):
    return lambda dataset, n, rng: dataset + rng.laplace(0, scale, n)


def helper(n):
    return n + 1


def uses_helper(dataset, n, rng):
    return rng.random(helper(n))[1:]


class Scaled:
    def __init__(self, scale):
        self.scale = scale

    def noise(self, n, rng):
        return rng.laplace(0, self.scale, n)

    def sample(self, dataset, n, rng):
        return dataset + self.noise(n, rng)


class Doubled(Scaled):
    def noise(self, n, rng):
        return 2 * super().noise(n, rng)


def with_default(dataset, n, rng, scale=1.0):
    return dataset + rng.laplace(0, scale, n)


MECHANISMS = {
    "closure": scaled(1.0),
    "another value in the closure": scaled(2.0),
    "the code": lambda dataset, n, rng: dataset + rng.laplace(0, 1.0, n),
    "a constant in the code": lambda dataset, n, rng: dataset + rng.laplace(0, 2.0, n),
    "a name in the code": lambda dataset, n, rng: dataset + rng.normal(0, 2.0, n),
    "object": Scaled(1.0).sample,
    "another parameter": Scaled(2.0).sample,
    "another method": Doubled(1.0).sample,
    "default": with_default,
    "partial": functools.partial(with_default, scale=2.0),
    "another partial": functools.partial(with_default, scale=3.0),
    "a builtin": max,
}


def test_mechanisms_that_differ_have_different_hashes():
    found = {kind: mechanism_digest(mechanism) for kind, mechanism in MECHANISMS.items()}
    assert len(set(found.values())) == len(MECHANISMS)
    assert mechanism_digest(scaled(1.0)) == found["closure"]
    assert mechanism_digest(Scaled(1.0).sample) == found["object"]


def test_a_helper_that_changes_is_noticed(monkeypatch):
    before = mechanism_digest(uses_helper)
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda n: n + 2)
    assert mechanism_digest(uses_helper) != before


def test_circles_and_what_cannot_be_written_down_do_no_harm():
    class Odd:
        def __init__(self):
            self.me, self.lock, self.more = self, itertools.count(), (x for x in "a")

        def sample(self, dataset, n, rng):
            return rng.random(n)

    assert mechanism_digest(Odd().sample) == mechanism_digest(Odd().sample)


SCRIPT = """
from auditor.sampling.identity import digest, mechanism_digest

class Words:
    def __init__(self):
        self.words = {"a", "b", "c", "d"}

    def sample(self, dataset, n, rng):
        return [word if word in {"x", "y", "z"} else None for word in self.words]

print(mechanism_digest(Words().sample), digest({"a", "b", "c"}), mechanism_digest(lambda d, n, rng: Words()))
"""


def test_the_hash_is_the_same_in_every_process():
    """Whatever the order of sets there, and without a file to read the code from."""
    found = {
        subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
        for _ in range(3)
    }
    assert len(found) == 1


def test_another_file_is_another_mechanism(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    hashes = []
    for scale in (1, 2):
        (tmp_path / "other_module.py").write_text(f"def noise(rng, n): return rng.laplace(0, {scale}, n)\n")
        (tmp_path / "named_module.py").write_text(
            "import other_module\ndef m(d, n, rng): return other_module.noise(rng, n)\n"
        )
        for name in ("other_module", "named_module"):
            sys.modules.pop(name, None)
        import named_module

        hashes.append(mechanism_digest(named_module.m))
    assert hashes[0] != hashes[1]


def test_versions_are_named():
    assert versions()["numpy"] == np.__version__
    assert set(versions()) == {"dp-audit", "numpy", "python"}

"""An audit that was interrupted goes on where it stopped, and nothing that was written is lost."""

import errno
import functools
import json
import os
import random
import re
import signal
import sys
import time

import joblib
import numpy as np
import pytest

from auditor import ApproxDP, AuditResult, MechanismError, UsageError, audit, per_draw
from auditor.doors.cli import main
from auditor.sampling import checkpoint, lock

TRIALS = 40_000


class Counted:
    """A mechanism that knows how many outputs it has drawn."""

    def __init__(self, sample):
        self.inner = sample
        self.drawn = 0

    def sample(self, dataset, n, rng):
        self.drawn += n
        return self.inner(dataset, n, rng)


def laplace(dataset, n, rng):
    return dataset + rng.laplace(0, 1, n)


def labels(dataset, n, rng):
    words = np.array(["yes", "no", None], dtype=object)
    return words[(rng.random(n) < 0.6 + 0.1 * dataset).astype(int) + (rng.random(n) < 0.1)].tolist()


def vectors(dataset, n, rng):
    return dataset + rng.laplace(0, 2, (n, 2))


def run(mechanism, **options):
    return audit(
        mechanism,
        ApproxDP(1.0),
        [(0, 1)],
        **{"trials": TRIALS, "seed": 3, "views": ("values",), "jobs": 1, "name": "m", **options},
    )


def stable(result: AuditResult) -> str:
    return result.without_timings().to_json()


class Stop(Exception):  # noqa: N818
    """An interruption from outside."""


def stop_after(calls):
    left = iter(range(calls))

    def progress(done, total):
        if next(left, None) is None:
            raise Stop

    return progress


@pytest.fixture
def path(tmp_path):
    return tmp_path / "audit.checkpoint"


MECHANISMS = {"numbers": laplace, "labels": labels, "vectors": vectors}


@functools.cache
def undisturbed(kind):
    """The result of an audit that nobody interrupts, and how many outputs it drew."""
    mechanism = Counted(MECHANISMS[kind])
    return run(mechanism), mechanism.drawn


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("seed", range(4))
def test_an_audit_interrupted_at_a_random_round_gives_the_same_bytes(path, kind, seed):
    expected, drawn = undisturbed(kind)
    rounds = len(expected.evidence)
    first, second = Counted(MECHANISMS[kind]), Counted(MECHANISMS[kind])
    with pytest.raises(Stop):
        run(first, checkpoint=path, progress=stop_after(random.Random(seed).randrange(1, rounds)))
    assert stable(run(second, checkpoint=path)) == stable(expected)
    pilot = 2 * 32 + 2 * 1024
    assert first.drawn + second.drawn == drawn + pilot  # nothing but the first look is drawn again
    assert second.drawn < drawn


def test_an_audit_interrupted_again_and_again_comes_to_its_end(path):
    expected = run(laplace)
    for _ in range(len(expected.evidence)):
        try:
            result = run(laplace, checkpoint=path, progress=stop_after(3))
            break
        except Stop:
            pass
    assert stable(result) == stable(expected)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_long_round_is_kept_in_parts_and_continued_elsewhere(path, backend, tuned, monkeypatch):
    """Interrupted while workers draw, continued without them."""
    monkeypatch.setattr(checkpoint, "WRITE_EVERY", 0.0)
    monkeypatch.setattr(checkpoint, "WRITING_SHARE", float("inf"))
    tuned(task=1e-9, last_task=1e-9, chunk=1024)  # a task for each call
    expected = stable(run(laplace))

    def progress(done, total):
        if done > 1.3 * TRIALS:  # in the middle of a round
            raise Stop

    with joblib.parallel_config(backend=backend), pytest.raises(Stop):
        run(Counted(laplace), checkpoint=path, jobs=2, progress=progress)
    stored = json.loads(path.read_text())["audits"].popitem()[1]["batches"]
    assert any(batch["left"] for batch in stored.values())  # a round of which a part is left
    second = Counted(laplace)
    assert stable(run(second, checkpoint=path)) == expected
    assert second.drawn < 2 * TRIALS


def test_a_finished_audit_is_not_drawn_again(path):
    expected = run(Counted(laplace), checkpoint=path)
    never = Counted(laplace)
    assert run(never, checkpoint=path) == expected
    assert never.drawn == 0
    assert path.stat().st_size < 20_000  # its draws are gone, its result is there


def test_a_refuted_audit_is_kept_too_and_not_taken_for_another(path):
    def broken(dataset, n, rng):
        return dataset + rng.laplace(0, 0.5, n)

    assert run(broken, checkpoint=path).refuted
    assert run(broken, checkpoint=path).refuted
    assert not run(laplace, checkpoint=path).refuted  # the same name and the same claim, and another mechanism
    assert len(json.loads(path.read_text())["audits"]) == 2


def test_datasets_that_begin_alike_are_not_taken_for_each_other(path):
    """A path of 70 characters: the audit of (A, C) must not get the verdict of (A, B)."""
    start = "x" * 70

    def sample(dataset, n, rng):
        return float(dataset.endswith("C")) + rng.laplace(0, 0.3, n)

    same, other = ((start + "A", start + end) for end in "BC")
    results = [
        audit(sample, ApproxDP(1.0), [pair], trials=2000, jobs=1, name="m", checkpoint=path) for pair in (same, other)
    ]
    assert [result.refuted for result in results] == [False, True]


def test_a_dataset_that_cannot_be_written_down_is_refused_before_anything_is_drawn(path):
    never = Counted(laplace)
    with pytest.raises(UsageError, match=r"datasets that can be written down in full, got a right dataset of pair 1"):
        audit(never, ApproxDP(1.0), [(0, lambda: 0)], checkpoint=path)
    assert never.drawn == 0
    assert not path.exists()


@pytest.mark.parametrize("key", ["trials_used", "trials", "seed", "alpha"])
def test_a_result_that_this_audit_cannot_have_had_is_refused(path, key):
    run(laplace, checkpoint=path)
    data = json.loads(path.read_text())
    next(iter(data["audits"].values()))["result"][key] = 0
    path.write_text(json.dumps(data))
    with pytest.raises(UsageError, match="is damaged; remove it"):
        run(laplace, checkpoint=path)


def test_a_round_that_is_finished_with_zero_trials_is_refused(path):
    with pytest.raises(Stop):
        run(laplace, checkpoint=path, progress=stop_after(10))
    data = json.loads(path.read_text())
    for batch in next(iter(data["audits"].values()))["batches"].values():
        batch.update(left=0, trials=[0, 0], guesses=[0, 0, 0, 0])
        if "outputs" in batch:
            batch["outputs"] = [None, None]
    path.write_text(json.dumps(data))
    with pytest.raises(UsageError, match="counts do not fit"):
        run(laplace, checkpoint=path)


# Several processes


def test_two_that_share_a_file_lose_nothing(path):
    """The second begins while the first draws, and ends before it: both results are there."""
    inner = []

    def progress(done, total):
        if done > TRIALS and not inner:
            inner.append(run(laplace, checkpoint=path, name="second"))

    first = run(laplace, checkpoint=path, progress=progress)
    never = Counted(laplace)
    assert run(laplace, checkpoint=path) == first
    assert run(laplace, checkpoint=path, name="second") == inner[0]
    assert len(json.loads(path.read_text())["audits"]) == 2
    assert never.drawn == 0


SHARING = """
import sys
from auditor import ApproxDP, audit
from auditor.sampling import checkpoint

checkpoint.WRITE_EVERY, checkpoint.WRITING_SHARE = 0.0, float("inf")

def sample(dataset, n, rng):
    return dataset + rng.laplace(0, 1, n)

for number in range(5):
    name = f"{sys.argv[2]} {number}"
    audit(sample, ApproxDP(1.0), [(0, 1)], trials=500, jobs=1, name=name, views=("values",), checkpoint=sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="locks of folders")
def test_processes_that_share_a_file_lose_nothing(prepared, path):
    running = [prepared.start(str(path), name, code=SHARING) for name in "abc"]
    assert [process.wait() for process in running] == [0, 0, 0]
    stored = json.loads(path.read_text())["audits"].values()
    assert len([own for own in stored if "result" in own]) == 15


def test_a_lock_that_is_never_given_back_is_an_error(path, monkeypatch):
    monkeypatch.setattr(lock, "PATIENCE", 0.05)
    with lock.writing(path), pytest.raises(UsageError, match="got a lock of another process"):
        run(laplace, checkpoint=path)


def test_a_generator_of_its_own_begins_anew(path):
    """Another process would draw the numbers again that are counted already."""

    class Own:
        def __init__(self):
            self.rng = np.random.default_rng(0)

        def sample(self, dataset, n, rng):
            return dataset + self.rng.laplace(0, 1, n)

    with pytest.raises(Stop):
        run(Own(), checkpoint=path, progress=stop_after(10))
    assert json.loads(path.read_text())["audits"].popitem()[1]["batches"] == {}
    assert stable(run(Own(), checkpoint=path)) == stable(run(Own()))


def test_audits_share_a_file_and_do_not_mix(path):
    for options in ({}, {"seed": 4}, {"name": "other"}, {"trials": TRIALS + 1}, {"alpha": 0.02}):
        assert stable(run(laplace, checkpoint=path, **options)) == stable(run(laplace, **options))
    assert len(json.loads(path.read_text())["audits"]) == 5


def test_what_draws_its_own_randomness_goes_on_with_what_it_has(path):
    def sample(dataset, n, rng):
        return dataset + np.random.default_rng().laplace(0, 1, n)

    with pytest.raises(Stop):
        run(sample, checkpoint=path, progress=stop_after(10), alpha=1e-6)
    result = run(sample, checkpoint=path, alpha=1e-6)
    assert not result.refuted  # by chance in one of a million runs
    assert not result.replayable
    assert result.trials_used == TRIALS


def test_a_mechanism_that_fails_keeps_what_was_drawn(path):
    there = path.with_name("there")

    class Fails(Counted):
        def sample(self, dataset, n, rng):
            if self.drawn > TRIALS and not there.exists():
                raise ConnectionError("gone")
            return super().sample(dataset, n, rng)

    with pytest.raises(MechanismError, match="gone"):
        run(Fails(laplace), checkpoint=path)
    there.touch()
    second = Fails(laplace)
    assert stable(run(second, checkpoint=path)) == stable(run(laplace))
    assert second.drawn < 1.2 * TRIALS


def test_an_interrupt_from_the_keyboard_keeps_what_was_drawn(path):
    def progress(done, total):
        if done > TRIALS:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Counted(laplace), checkpoint=path, progress=progress)
    second = Counted(laplace)
    assert stable(run(second, checkpoint=path)) == stable(run(laplace))
    assert second.drawn < 1.2 * TRIALS


# Writing


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_is_an_error_and_leaves_the_old_file(path, monkeypatch, step):
    with pytest.raises(Stop):
        run(laplace, checkpoint=path, progress=stop_after(10))
    old = path.read_bytes()
    monkeypatch.setattr(os, step, full)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        run(laplace, checkpoint=path)
    monkeypatch.undo()
    assert path.read_bytes() == old
    assert [file.name for file in path.parent.iterdir()] == [path.name]  # no half-written file stays behind
    assert stable(run(laplace, checkpoint=path)) == stable(run(laplace))


def test_a_disk_that_fills_up_on_the_way_is_an_error_and_leaves_the_old_file(path, monkeypatch):
    monkeypatch.setattr(checkpoint, "WRITE_EVERY", 0.0)
    monkeypatch.setattr(checkpoint, "WRITING_SHARE", float("inf"))
    sizes = iter(range(20))
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: full() if next(sizes, None) is None else real(fd))
    with pytest.raises(UsageError, match="No space left on device"):
        run(laplace, checkpoint=path)
    stored = json.loads(path.read_text())["audits"].popitem()[1]["batches"]
    assert len(stored) == 19  # twenty writes, the first before anything was drawn


@pytest.mark.parametrize("place", ["folder", "below a file", "nowhere"])
def test_a_place_that_cannot_be_written_is_known_before_anything_is_drawn(tmp_path, place):
    (tmp_path / "file").write_text("old")
    target = {"folder": tmp_path, "below a file": tmp_path / "file" / "x", "nowhere": "/proc/nowhere/x"}[place]
    never = Counted(laplace)
    with pytest.raises(UsageError, match="cannot be"):
        run(never, checkpoint=target)
    assert never.drawn == 0
    assert (tmp_path / "file").read_text() == "old"


def damaged(text):
    data = json.loads(text)
    (own,) = data["audits"].values()
    batches = list(own["batches"].values())
    kept = next(batch for batch in batches if "outputs" in batch)

    def put(where, key, value):
        old, where[key] = where[key], value
        text = json.dumps(data)
        where[key] = old
        return text

    yield put(kept, "left", -1)
    yield put(kept, "left", True)
    yield put(kept, "trials", [10**9, 0])
    yield put(kept, "trials", [1])
    yield put(kept, "trials", "12")
    yield put(kept, "guesses", [1, 2, 3])
    yield put(kept, "guesses", [10**6, 0, 0, 0])
    yield put(kept, "guesses", None)
    yield put(kept, "outputs", [])
    yield put(kept, "outputs", [None])
    yield put(kept["outputs"][0], "numbers", "not base64!")
    yield put(kept["outputs"][0], "numbers", "AAAA")
    yield put(kept["outputs"][0], "numbers", 7)
    yield put(kept["outputs"][0], "labels", ["one"])
    yield put(data, "schema", "dp-audit-checkpoint/9")
    yield put(data, "audits", [])
    yield put(data, "audits", {"x": None})
    yield put(data, "audits", {"x": {}})
    yield from ("", "[]", "null", "{}", "not json", text[:-5], text[: len(text) // 2], "[" * 100_000, "\x00")


def test_a_damaged_checkpoint_is_an_error_and_stays_as_it_is(path):
    with pytest.raises(Stop):
        run(laplace, checkpoint=path, progress=stop_after(3))
    for text in damaged(path.read_text()):
        path.write_text(text)
        with pytest.raises(UsageError, match="checkpoint"):
            run(laplace, checkpoint=path)
        assert kept(path.read_text()) == kept(text), "a file that could not be read was replaced"


def kept(text):
    """What a checkpoint holds, without the number of its last write."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return {key: part for key, part in data.items() if key != "written"} if isinstance(data, dict) else data


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("left", -1, "left of a batch of the checkpoint {path!r} must be a whole number, 0 or more, got left=-1"),
        ("trials", "12", "trials of a batch of the checkpoint {path!r} must be two whole numbers, 0 or more, got"),
        ("guesses", [1, 2, 3], "guesses of a batch of the checkpoint {path!r} must be four whole numbers, 0 or more"),
        ("outputs", [7, None], "outputs[0] of a batch of the checkpoint {path!r} must be an object with the numbers"),
        ("warnings", {"a": 1}, "warnings.a of a batch of the checkpoint {path!r} must be a text, got warnings.a=1"),
    ],
)
def test_a_bad_field_of_a_checkpoint_is_named_with_its_rule_and_value(path, key, value, said):
    with pytest.raises(Stop):
        run(laplace, checkpoint=path, progress=stop_after(3))
    data = json.loads(path.read_text())
    (own,) = data["audits"].values()
    next(batch for batch in own["batches"].values() if "outputs" in batch)[key] = value
    path.write_text(json.dumps(data))
    with pytest.raises(UsageError, match=re.escape(said.format(path=str(path)))) as error:
        run(laplace, checkpoint=path)
    assert str(error.value).endswith("; it is damaged; remove it")


def test_a_stored_result_that_is_none_is_an_error(path):
    run(laplace, checkpoint=path)
    data = json.loads(path.read_text())
    next(iter(data["audits"].values()))["result"] = {"name": "m"}
    path.write_text(json.dumps(data))
    with pytest.raises(UsageError, match="result"):
        run(laplace, checkpoint=path)


def test_one_draw_a_call_can_be_resumed(path):
    mechanism = per_draw(lambda dataset, rng: dataset + rng.laplace())
    with pytest.raises(Stop):
        run(mechanism, checkpoint=path, trials=3000, progress=stop_after(8))
    assert stable(run(mechanism, checkpoint=path, trials=3000)) == stable(run(mechanism, trials=3000))


def test_the_command_goes_on_from_its_checkpoint(project, mechanisms_file, capsys):
    arguments = ["run", "audited.py", "--trials", "5000", "--json", "--jobs", "1"]
    assert main(arguments) == 1
    expected = capsys.readouterr().out
    assert main([*arguments, "--checkpoint", "c"]) == 1
    assert main([*arguments, "--checkpoint", "c"]) == 1
    again = capsys.readouterr().out.split('"schema": "dp-audit/1"')[2]

    def lines(text):
        return [line for line in text.splitlines() if "seconds" not in line]

    assert lines(again) == lines(expected.split('"schema": "dp-audit/1"')[1])


def test_the_command_does_not_draw_when_its_checkpoint_cannot_be_written(project, mechanisms_file, capsys):
    assert main(["run", "audited.py", "--checkpoint", "audited.py/x"]) == 2
    said = capsys.readouterr()
    assert "cannot be" in said.err
    assert "Traceback" not in said.err
    assert said.out == ""


# The real thing: a process that is killed, and a kernel that refuses to write

SCRIPT = """
import sys, time
from auditor import ApproxDP, audit
from auditor.sampling import checkpoint

checkpoint.WRITE_EVERY, checkpoint.WRITING_SHARE = 0.0, float("inf")  # after every round

def sample(dataset, n, rng):
    time.sleep(float(sys.argv[2]))
    return dataset + rng.laplace(0, 1, n)

limit = int(sys.argv[3])
if limit:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    asked = {"trials": 20_000, "seed": 3, "views": ("values",), "jobs": 1, "name": "m"}
    result = audit(sample, ApproxDP(1.0), [(0, 1)], checkpoint=sys.argv[1], **asked)
    print(result.without_timings().to_json())
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.fixture
def script(prepared):
    """Starts the program of above."""
    return lambda path, pause, limit=0: prepared.start(str(path), str(pause), str(limit), code=SCRIPT)


def said(process):
    assert process.wait() == 0, process.err
    return process.out


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_process_killed_at_random_moments_comes_to_the_same_bytes(script, path):
    expected = said(script(path.with_name("undisturbed"), 0))
    assert '"verdict"' in expected
    moments = random.Random(7)
    for _ in range(2):
        before = path.stat().st_mtime_ns if path.exists() else 0
        process = script(path, 0.02)
        while not (path.exists() and path.stat().st_mtime_ns > before):
            assert process.alive, process.err
            time.sleep(0.005)  # it has started, and has gone on from what there was
        time.sleep(moments.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        json.loads(path.read_text())  # whole, whenever it was killed
    assert said(script(path, 0)) == expected


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
def test_a_kernel_that_refuses_to_write_leaves_the_old_file(script, path):
    """The file of a finished round is larger than this process may write."""
    refused = said(script(path, 0, 20_000))
    assert refused.startswith("UsageError")
    assert "cannot be written: File too large" in refused
    assert json.loads(path.read_text())["audits"].popitem()[1]["batches"]  # the rounds that did fit
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert said(script(path, 0)) == said(script(path.with_name("undisturbed"), 0))

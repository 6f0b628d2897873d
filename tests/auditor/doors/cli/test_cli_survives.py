"""Audited code, pipes, disks and terminals do their worst: no result is lost, and no exit code lies.

These run the real command, `dp-audit`, in a process of its own: from a shell where its start matters, and `prepared`
elsewhere, which is the same without the imports. Seeds are fixed: a result repeats itself.
"""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from auditor.results.document import read

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes, signals and devices as POSIX has them")
PROGRAM = str(Path(sys.executable).parent / "dp-audit")
HEAD = "import asyncio, atexit, os, sys, time\nimport numpy as np\nfrom audited import Counter\n"


@pytest.fixture(scope="module")
def dp_audit(prepared):
    """Exit code, standard output and standard error of a command; a stream that is given has no text."""

    def run(*arguments, **options):
        code, out, err = prepared.run(*arguments, **options)
        assert "Traceback" not in out + err
        return code, out, err

    return run


def broken(body, then="first = Counter(1.0)\nbad = Bad(1.0)\nlast = Counter(2.0)\n"):
    """A file with a mechanism that does something odd when it draws, between two that do not."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return f"{HEAD}class Bad(Counter):\n    def sample(self, dataset, n, rng):\n{lines}{then}"


def outcomes(folder="rep"):
    return [entry.outcome for entry in read(f"{folder}/results.json").entries]


@pytest.fixture(scope="module")
def refuted(dp_audit, tmp_path_factory, mechanisms_text):
    """A results file with one refuted audit, as text: made once, for the tests of what reads it."""
    folder = tmp_path_factory.mktemp("refuted")
    (folder / "audited.py").write_text(mechanisms_text, encoding="utf-8")
    code, out, _ = dp_audit("run", "audited.py::wrong", "--json", cwd=folder)
    assert code == 1
    return out


@pytest.fixture
def gone():
    """The writing end of a pipe whose reader has left."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize(("target", "code"), [("audited.py::right", 0), ("audited.py::wrong", 1)])
def test_a_closed_pipe_is_no_verdict_of_its_own(dp_audit, mechanisms_file, gone, target, code):
    found, _, err = dp_audit("run", target, "--out", "rep", streams=(None, gone, None))
    assert (found, outcomes()) == (code, [["not refuted", "refuted"][code]])
    assert "dp-audit:" not in err


def test_what_audited_code_prints_into_a_closed_pipe_is_no_error(dp_audit, mechanisms_file, project, gone):
    project("talks.py", broken("print('x' * 100_000)\nreturn super().sample(dataset, n, rng)", "bad = Bad(1.0)\n"))
    assert dp_audit("run", "talks.py", streams=(None, gone, gone))[0] == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a disk that is always full")
def test_a_full_disk_behind_standard_output(dp_audit, mechanisms_file):
    with open("/dev/full", "wb") as disk:
        full = (None, disk.fileno(), None)
        code, _, err = dp_audit("run", "audited.py::right", "--out", "rep", streams=full)
        assert (code, outcomes()) == (0, ["not refuted"])  # the results are elsewhere
        assert "dp-audit: standard output cannot be written: No space left on device" in err
        assert dp_audit("run", "audited.py::right", "--json", streams=full)[0] == 2  # nobody has the results
        assert dp_audit("run", "audited.py::wrong", "--json", streams=full)[0] == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_unicode(dp_audit, mechanisms_file, encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    targets = ("audited.py::wrong", "audited.py::right")
    code, out, err = dp_audit("run", *targets, "--trials", "5000", "--out", "rep", env=environment)
    assert (code, outcomes(), "dp-audit:" in err) == (1, ["refuted", "not refuted"], False)
    assert "alpha for 2 audits" in " ".join(out.split())
    code, out, _ = dp_audit("report", "rep/results.json", "--format", "html", env=environment)
    assert (code, "–" in out) == (0, True)  # a page says itself that it is UTF-8


def test_closed_standard_streams(mechanisms_file):
    shell = f"{PROGRAM} run audited.py::wrong --out rep >&- 2>&- <&-"
    assert subprocess.run(["sh", "-c", shell], check=False, timeout=100).returncode == 1
    assert outcomes() == ["refuted"]
    for words in ("report rep/results.json --format json", "run audited.py::right --json"):
        done = subprocess.run(["sh", "-c", f"{PROGRAM} {words} >&-"], check=False, capture_output=True, timeout=100)
        assert (done.returncode, b"dp-audit:" in done.stderr) == (0, False)


ENDS = {
    "cancelled": ("raise asyncio.CancelledError", "raised CancelledError on the left dataset"),
    "generator": ("raise GeneratorExit", "raised GeneratorExit"),
    "leaves": ("sys.exit(0)", "raised SystemExit"),
    "ends": ("os._exit(0)", "must leave its process running, got an exit with code 0"),
    "crashes": ("os.abort()", "must leave its process running, got a crash (SIGABRT)"),
    "replaces": (
        "np.log = None\nreturn super().sample(dataset, n, rng)",
        "must leave numpy as it is, got another numpy.log",
    ),
}


def test_a_mechanism_that_ends_the_process_ends_its_own_audit_only(dp_audit, mechanisms_file, project):
    parts = [
        broken(body, "").replace("Bad", name.title()) + f"{name} = {name.title()}(1.0)\n"
        for name, (body, _) in ENDS.items()
    ]
    project("bad.py", f"{HEAD}first = Counter(1.0)\n{''.join(parts)}last = Counter(2.0)\n")
    code, out, err = dp_audit("run", "bad.py", "--json", "--jobs=1")
    first, *errors, last = json.loads(out)["entries"]
    assert (code, first["outcome"], last["outcome"]) == (2, "not refuted", "refuted")
    for entry, (name, (_, words)) in zip(errors, ENDS.items(), strict=True):
        assert (entry["id"], entry["outcome"]) == (f"bad.py::{name}", "error")
        assert words in entry["reason"]
        assert f"dp-audit: bad.py::{name} {words}" in err
    alone = json.loads(dp_audit("run", "bad.py::last", "--json", "--alpha", repr(0.01 / 8))[1])["entries"][0]
    assert last["certified"] == alone["certified"]  # another process went on as if nothing had happened


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("import os; os._exit(0)", 2, "importing 'odd.py' must leave its process running, got an exit with code 0"),
        ("import asyncio\nraise asyncio.CancelledError", 2, "importing 'odd.py' must work, got CancelledError"),
        (f"{HEAD}atexit.register(os._exit, 0)\nx = Counter(2.0)", 1, ": refuted, "),
        (f"{HEAD}atexit.register(os._exit, 1)\nx = Counter(1.0)", 0, ": not refuted, "),
        (f"{HEAD}np.seterr(all='raise')\nx = Counter(1.0)", 0, ": not refuted, "),
        (f"{HEAD}np.exp = np.log\nx = Counter(1.0)", 2, "odd.py must leave numpy as it is, got another numpy.exp"),
        ("class M:\n    sample = claim = 1\n    neighbours = print\n    @property\n"
         "    def title(self): raise GeneratorExit\nm = M()", 2, "could not be audited, got GeneratorExit"),
    ],
    ids=["os._exit", "cancelled", "atexit, refuted", "atexit", "errors", "numpy", "title"],
)  # fmt: skip
def test_what_a_target_does_at_import(dp_audit, mechanisms_file, project, text, code, words):
    project("odd.py", text)
    found, _, err = dp_audit("run", "odd.py")
    assert (found, words in err) == (code, True), err


def test_the_folder_and_the_umask_stay_ours(dp_audit, mechanisms_file, project, tmp_path):
    """The target goes elsewhere, where it finds its own files; the reports do not."""
    away = tmp_path / "away"
    away.mkdir()
    (away / "strength").write_text("1.0")
    body = "os.umask(0o777)\nassert open('strength').read() == '1.0'\nreturn super().sample(dataset, n, rng)"
    project("bad.py", broken(body, f"os.umask(0o777)\nos.chdir({str(away)!r})\nbad = Bad(1.0)\n"))
    options = ("--out", "rep/deep", "--checkpoint", "saved.json", "--jobs=1")
    before = os.umask(0o022)
    try:
        code, _, err = dp_audit("run", "bad.py", "audited.py::right", *options)
    finally:
        os.umask(before)
    assert (code, outcomes("rep/deep")) == (0, ["not refuted"] * 2), err
    assert [path.name for path in away.iterdir()] == ["strength"]
    for path in (Path("saved.json"), *Path("rep/deep").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert read("rep/deep/results.json").entries[0].location["root"] == "../.."


@pytest.mark.parametrize("where", ["command line", "file"])
def test_a_time_limit_covers_the_import(dp_audit, project, where):
    project("endless.py", "while True: pass\n")
    project("audits.toml", "time_limit = 1\n[[audit]]\ntarget = 'endless.py::f'\nepsilon = 1.0\npairs = [[0, 1]]\n")
    arguments = ["endless.py", "--time-limit", "1"] if where == "command line" else ["audits.toml"]
    code, out, err = dp_audit("run", *arguments)
    assert (code, out) == (2, "")
    assert re.search(r"dp-audit: importing 'endless.py\S* must finish within the time limit, got 1 seconds", err)


def test_two_runs_with_one_folder(dp_audit, prepared, mechanisms_file, project):
    project("slow.py", broken("time.sleep(0.4)\nreturn super().sample(dataset, n, rng)", "bad = Bad(1.0)\n"))
    first = prepared.start("run", "audited.py::right", "slow.py", "--out", "rep", "--jobs", "1")
    while not first.err.startswith("[1/2]"):
        assert first.alive, first.err
        time.sleep(0.02)
    code, _, err = dp_audit("run", "audited.py::wrong", "--out", "rep")
    assert (code, "another run of dp-audit is using" in err) == (2, True)
    first.send_signal(signal.SIGINT)
    assert first.wait() == 130
    assert outcomes() == ["not refuted"]
    assert dp_audit("run", "audited.py::wrong", "--out", "rep")[0] == 1  # one after the other is fine
    assert outcomes() == ["refuted"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nobody_works_on_when_the_command_is_ended(prepared, mechanisms_file, project, tmp_path, number):
    project("slow.py", broken("open('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)", "bad = Bad(1.0)\n"))
    command = prepared.start("run", "slow.py", "--jobs", "1")
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        assert command.alive, command.err
        time.sleep(0.05)
    command.send_signal(number)
    assert command.wait() == (128 + number if number == signal.SIGTERM else -number)
    worker = int((tmp_path / "pid").read_text())
    for _ in range(600):
        try:
            os.kill(worker, 0)
            if Path(f"/proc/{worker}/stat").read_text().split()[2] == "Z":  # ended, and nobody asked for its exit code
                break
        except OSError:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("the process that works goes on")


def test_a_record_in_an_exception_commands_nobody(dp_audit, mechanisms_file, project):
    record = r"'ann\n::stop-commands::x\n##[add-mask]ann\n\x1b]0;title\x07'"
    project("bad.py", broken(f"raise ValueError({record})", "bad = Bad(1.0)\n"))
    environment = {**os.environ, "GITHUB_ACTIONS": "true"}
    for extra in ((), ("--debug",), ("--format", "terminal"), ("--format", "junit"), ("--json",)):
        code, out, err = dp_audit("run", "bad.py", "--jobs=1", *extra, env=environment)
        assert code == 2
        for text in (out, err):
            assert not re.search(r"(?m)^\s*::stop-commands::", text), extra
            assert "##[" not in text
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
        assert sum(row.startswith("::error ") for row in err.splitlines()) == 1


def test_a_hostile_baseline_commands_nobody(dp_audit, mechanisms_file, refuted):
    document = json.loads(refuted)
    Path("rep").mkdir()
    entry = document["entries"][0]
    hostile = "old\n::stop-commands::x\x1b]0;title\x07##[add-mask]y"
    document["entries"] = [
        {**entry, "id": hostile, "title": hostile},
        {**entry, "expected": "refuted", "reason": f"accepted: {hostile}"},
    ]
    Path("rep/results.json").write_text(json.dumps(document))
    code, out, err = dp_audit("run", "audited.py::wrong", "--baseline", "rep/results.json")
    assert code == 0
    assert "worse than the baseline: old : :stop-commands::x" in out
    for name in ("terminal", "markdown", "junit"):
        out += dp_audit("report", "rep/results.json", "--format", name)[1]
    assert not re.search(r"(?m)^\s*::stop-commands::|##\[", out + err)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", out + err)


def test_report_into_a_pipe_and_a_device(dp_audit, mechanisms_file, refuted):
    Path("rep").mkdir()
    Path("rep/results.json").write_text(refuted)
    os.mkfifo("pipe")
    heard = []
    reader = threading.Thread(target=lambda: heard.append(Path("pipe").read_text()))
    reader.start()
    code, _, err = dp_audit("report", "rep/results.json", "--format", "markdown", "--out", "pipe")
    if code == 2 and "pipe" in err:  # the reader was slower than we: nobody was there to read
        pytest.fail(err)
    reader.join()
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    assert "refuted" in heard[0]
    code, _, err = dp_audit("report", "rep/results.json", "--format", "markdown", "--out", "pipe")
    assert (code, "'pipe' cannot be written" in err) == (2, True)  # nobody reads: a sentence, and no wait
    assert dp_audit("report", "rep/results.json", "--format", "junit", "--out", "/dev/null")[0] == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert dp_audit("report", "rep/results.json", "--format", "markdown", "--out", "/dev/stdout")[1] == heard[0]


@pytest.mark.parametrize(("place", "kind"), [("pipe", "a pipe"), ("/dev/null", "a device"), ("folder", "a folder")])
def test_a_checkpoint_must_be_a_regular_file(dp_audit, mechanisms_file, place, kind):
    os.mkfifo("pipe")
    Path("folder").mkdir()
    code, _, err = dp_audit("run", "audited.py::right", "--checkpoint", place, timeout=60)
    assert code == 2
    assert re.search(f"dp-audit: '.*{place}' cannot be a checkpoint: that must be a regular file, got {kind}\n", err)
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)

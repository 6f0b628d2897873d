"""The process that answers for the exit code, and the one that works: each case is a small program of its own."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
HEAD = """
import ctypes, json, os, signal, sys, time
from auditor.doors.cli.supervision import supervised
def lost(journal):
    return [told["lost"] for told in journal.before.entries if "lost" in told]
def work(journal):
"""


def run(body, **options):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    code = f"{HEAD}{lines}sys.exit(supervised(work))\n"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, **options)


@pytest.mark.parametrize("code", [0, 1, 2, 130])
def test_the_code_is_the_one_that_was_told(code):
    done = run(f"print('out')\nreturn {code}")
    assert (done.returncode, done.stdout, done.stderr) == (code, "out\n", "")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("os._exit(0)", "got an exit with code 0 (os._exit?); there is no verdict"),
        ("os._exit(1)", "got an exit with code 1 (os._exit?); there is no verdict"),
        ("sys.exit(0)", "got an exit with code 0"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "got a crash (SIGSEGV); there is no verdict"),
        ("os.closerange(3, 100)\nos._exit(0)", "got an exit with code 0"),
        ("os.execv(sys.executable, [sys.executable, '-c', ''])", "got an exit with code 0"),
        (
            "with journal.within(0.3, 'importing it'):\n    time.sleep(60)",
            "importing it must finish within the time limit",
        ),
        (
            "if os.fork() == 0:\n    journal.tell(code=0)\n    os._exit(0)\nos.wait()\nos._exit(0)",
            "there is no verdict",
        ),
        ("os.write(journal.pipe, b'{\"code\": tru')\nos._exit(0)", "there is no verdict"),
    ],
)
def test_no_word_is_no_verdict(body, words):
    done = run(body)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_word_is_a_verdict_whatever_comes_after_it():
    done = run("import atexit\natexit.register(os._exit, 0)\nreturn 1")
    assert done.returncode == 1
    done = run("os.write(journal.pipe, b'\\xff not ours\\n[1]\\n')\nreturn 1")
    assert (done.returncode, done.stderr) == (1, "")


def test_a_process_that_someone_left_behind_holds_nobody_up():
    body = "if os.fork() == 0:\n    os.close(1); os.close(2)\n    os.read(0, 1)\n    os._exit(0)\nreturn 1"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    code = f"{HEAD}{lines}sys.exit(supervised(work))\n"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as process:
        assert process.wait(timeout=100) == 1  # while the one left behind still reads


@pytest.mark.parametrize("end", ["os._exit(0)", "time.sleep(60)", "ctypes.string_at(0)"], ids=["exit", "hang", "crash"])
def test_a_new_process_goes_on_after_an_audit_in_which_one_ended(end):
    body = (
        "done = {told.get('id') or told['lost'] for told in journal.before.entries}\n"
        "for name in ('a', 'b', 'c'):\n"
        "    if name in done: continue\n"
        "    with journal.audit(name, 0.5):\n"
        f"        if name == 'b': {end}\n"
        "    journal.finished({'id': name})\n"
        "print(json.dumps(journal.before.entries))\n"
        "return 7"
    )
    done = run(body)
    assert done.returncode == 7
    assert '[{"id": "a"}, {"lost": "b", "reason": "b must ' in done.stdout


def test_an_interrupt_is_the_workers_to_handle():
    body = (
        "try:\n    os.kill(os.getppid(), signal.SIGINT)\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    time.sleep(0.5)\n    print('kept')\n    return 130"
    )
    done = run(body, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert (done.returncode, done.stdout) == (130, "kept\n")  # the second of the two signals is the same interrupt

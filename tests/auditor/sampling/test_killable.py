"""The process of a mechanism that has a time limit: it answers, it can be ended, and it never outlives its parent."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from auditor.errors import MechanismError
from auditor.sampling.killable import KillableProcess, ProcessGoneError

LONG = 60.0  # seconds: nothing here waits for them, unless something is broken


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def sleeping_child():
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]).pid


def gone(pid):
    """True once a process has ended, which takes the kernel a moment."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.01)
    return False


def test_it_answers_from_elsewhere_and_is_used_again():
    first, second = KillableProcess(), KillableProcess()
    pid = first.run(LONG, os.getpid)
    assert pid != os.getpid()
    assert first.run(LONG, lambda a, b: a + b, [1], [2]) == [1, 2]
    assert second.run(None, os.getpid) != pid  # it is the first one's until that is closed
    first.close()
    assert KillableProcess().run(None, os.getpid) == pid


class Tape:
    """Remembers how often it was called."""

    def __init__(self):
        self.calls = 0

    def call(self):
        self.calls += 1
        return self.calls


def test_the_mechanism_is_sent_once_and_lives_on():
    tape = Tape()
    call = tape.call
    process = KillableProcess(call)
    assert [process.run(LONG, lambda f: f(), call) for _ in range(3)] == [1, 2, 3]
    assert process.run(LONG, lambda f: f, call) is call  # only named on the way back, too
    assert tape.calls == 0
    process.close()
    with contextlib.closing(KillableProcess(call)) as again:
        assert again.run(LONG, lambda f: f(), call) == 1


def test_a_mechanism_that_cannot_be_sent_is_an_error():
    lock = threading.Lock()
    with pytest.raises(MechanismError, match="can be sent to another process"):
        KillableProcess(lambda: lock).run(LONG, os.getpid)


def test_what_is_raised_there_is_raised_here_and_the_process_stays():
    process = KillableProcess()
    pid = process.run(LONG, os.getpid)

    def fails():
        raise MechanismError("m raised")

    with pytest.raises(MechanismError, match="m raised"):
        process.run(LONG, fails)
    assert process.run(LONG, os.getpid) == pid


def test_an_error_that_cannot_be_sent_is_told_in_words():
    def fails():
        raise OSError(threading.Lock())

    with pytest.raises(RuntimeError, match="OSError: <unlocked"):
        KillableProcess().run(LONG, fails)


def test_an_answer_that_cannot_be_sent_is_an_error():
    with pytest.raises(TypeError, match="pickle"):
        KillableProcess().run(LONG, threading.Lock)


def test_a_crash_is_noticed_and_the_next_call_has_a_new_process():
    process = KillableProcess()
    pid = process.run(LONG, os.getpid)
    with pytest.raises(ProcessGoneError, match="exit code -9"):
        process.run(None, die)
    assert process.run(LONG, os.getpid) != pid


def test_a_process_that_was_killed_while_it_was_idle_is_replaced_without_a_word():
    process = KillableProcess()
    pid = process.run(LONG, os.getpid)
    os.kill(pid, signal.SIGKILL)
    assert gone(pid)
    time.sleep(1)  # its main thread is a zombie before its other threads have ended, and only then it counts as ended
    assert process.run(LONG, os.getpid) != pid


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_crash_is_noticed_even_when_a_child_holds_its_pipes_open(tmp_path):
    def leaves_a_child():
        child = os.fork()
        if child == 0:
            time.sleep(1000)
        (tmp_path / "child").write_text(str(child))
        die()

    try:
        with pytest.raises(ProcessGoneError):
            KillableProcess().run(LONG, leaves_a_child)
    finally:
        os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)


def test_what_hangs_is_ended_with_everything_that_it_started(tmp_path):
    def hangs():
        (tmp_path / "pids").write_text(f"{os.getpid()} {sleeping_child()}")
        time.sleep(1000)

    while not (tmp_path / "pids").exists():  # on a busy machine the time may be over before it is written
        with pytest.raises(TimeoutError):
            KillableProcess().run(1.0, hangs)
    for pid in (tmp_path / "pids").read_text().split():
        assert gone(int(pid))


def test_two_threads_have_a_process_each():
    both = threading.Barrier(2)
    pids = set()

    def one():
        process = KillableProcess()
        both.wait()
        for _ in range(20):
            assert process.run(LONG, lambda x: x, threading.get_ident()) == threading.get_ident()
        pids.add(process.run(LONG, lambda: (time.sleep(0.2), os.getpid())[1]))

    threads = [threading.Thread(target=one) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pids) == 2


SCRIPT = """
import os, sys, time
from auditor.sampling.killable import KillableProcess
process = KillableProcess()
print(os.getpid(), process.run(60, os.getpid), flush=True)
if sys.argv[1] == "wait":
    time.sleep(1000)
if sys.argv[1] == "busy":
    process.run(None, time.sleep, 1000)
"""


@pytest.mark.parametrize("end", ["exit", "wait"])
def test_it_ends_with_its_parent_and_does_not_run_the_script_again(tmp_path, end):
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "script.py"), end]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        own, other = map(int, parent.stdout.readline().split())
        assert own == parent.pid
        if end == "wait":
            parent.kill()
        assert parent.stdout.read() == ""
    assert gone(other)


def test_an_interrupt_from_the_keyboard_ends_it(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "script.py"), "busy"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    ) as parent:
        assert parent.stdout is not None
        _, other = map(int, parent.stdout.readline().split())
        time.sleep(0.3)
        os.killpg(parent.pid, signal.SIGINT)  # as a terminal does: to both
        _, said = parent.communicate(timeout=LONG)
    assert said.count("KeyboardInterrupt") == 1
    assert gone(other)

"""A mechanism that is a program: what it is asked, what it may answer, and what happens when it does neither."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from auditor.errors import MechanismError, UsageError
from auditor.sampling import child
from auditor.sampling.command import Command, command

ECHO = """
import json, os, sys
for line in sys.stdin:
    q = json.loads(line)
    print(json.dumps({"outputs": [[q["n"], q["seed"], os.getpid()]] * q["n"]}), flush=True)
"""


def loop(expression: str) -> str:
    """A program that answers each question `q` with what the expression gives."""
    return f"import json, os, sys, time\nfor line in sys.stdin: q = json.loads(line); print({expression}, flush=True)"


def python(body: str, **options: object) -> Command:
    return command([sys.executable, "-c", body], **options)  # type: ignore[arg-type]


def answering(line: str) -> Command:
    return python(f"import sys\nfor _ in sys.stdin: print({line!r}, flush=True)")


def ask(mechanism: Command, dataset: object = 0, n: int = 1, seed: int = 0) -> object:
    return mechanism.sample(dataset, n, np.random.default_rng(seed))


@pytest.fixture(autouse=True)
def _none_left():
    yield
    while child.IDLE:
        child.IDLE.pop().end()


def test_it_is_asked_for_n_outputs_with_a_seed_of_the_generator() -> None:
    mechanism = python(ECHO)
    (n, seed, _), *_ = rows = ask(mechanism, n=3, seed=5).tolist()  # type: ignore[attr-defined]
    assert len(rows) == n == 3
    assert seed == np.random.default_rng(5).integers(2**53)


def test_the_program_is_started_once_and_only_when_asked() -> None:
    mechanism = python(ECHO)
    assert not child.IDLE
    first, second = ask(mechanism)[0][2], ask(mechanism, seed=1)[0][2]  # type: ignore[index]
    assert first == second != os.getpid()


def test_a_copy_asks_the_same_program() -> None:
    mechanism = python(ECHO)
    copy = pickle.loads(pickle.dumps(mechanism))
    assert copy == mechanism
    assert ask(mechanism)[0][2] == ask(copy)[0][2]  # type: ignore[index]


def test_threads_that_ask_at_once_have_programs_of_their_own() -> None:
    gate = "import sys, time\nfor _ in sys.stdin: time.sleep(.3); print('{\"outputs\": [0]}', flush=True)"
    mechanism = python(gate)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda seed: ask(mechanism, seed=seed), range(2))) == [[0], [0]]
    assert len(child.IDLE) == 2


def test_a_program_that_dies_between_questions_is_started_again() -> None:
    once = "import sys; sys.stdin.readline(); print('{\"outputs\": [1]}', flush=True)"
    mechanism = python(once)
    assert [ask(mechanism, seed=s) for s in range(3)] == [[1]] * 3


def test_a_program_that_was_edited_is_started_again(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    body = "import sys\nfor _ in sys.stdin: print('{{\"outputs\": [{}]}}', flush=True)"
    file.write_text(body.format(1))
    mechanism = command([sys.executable, file])  # type: ignore[list-item]
    assert ask(mechanism) == [1]
    file.write_text(body.format(22))
    assert ask(mechanism) == [22]


def test_cwd_and_env_reach_the_program(tmp_path: Path) -> None:
    body = loop("json.dumps({'outputs': [os.getcwd(), os.environ['COLOUR']]})")
    mechanism = python(body, cwd=tmp_path, env={"COLOUR": "red"})
    assert ask(mechanism, n=2) == [str(tmp_path.resolve()), "red"]


def test_a_worker_in_another_folder_starts_the_program_in_the_one_that_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    sent = pickle.dumps(python(loop("json.dumps({'outputs': [os.getcwd()]})"), cwd="below"))
    monkeypatch.chdir("/")
    assert ask(pickle.loads(sent), n=1) == [str((tmp_path / "below").resolve())]


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ('{"outputs": [1, 2.5, null]}', [1, 2.5, None]),
        ('{"outputs": ["a", null, true]}', ["a", None, True]),
        ('{"outputs": [[1, 2], ["a", 3]]}', [[1, 2], ["a", 3]]),
        ('{"outputs": [[1], [1, 2]]}', [[1], [1, 2]]),
    ],
)
def test_outputs_are_read_as_they_stand(answer: str, read: object) -> None:
    assert ask(answering(answer)) == read


def test_lists_of_as_many_numbers_are_vectors() -> None:
    found = ask(answering('{"outputs": [[1, 2.5], [null, Infinity], null]}'))
    np.testing.assert_array_equal(found, [[1, 2.5], [np.nan, np.inf], [np.nan, np.nan]])


@pytest.mark.parametrize(
    ("dataset", "sent"),
    [
        ([1, (2, "é")], [1, [2, "é"]]),
        (np.arange(4).reshape(2, 2), [[0, 1], [2, 3]]),
        ({"a": np.float64(1.5), "b": {3}}, {"a": 1.5, "b": [3]}),
        (None, None),
    ],
)
def test_datasets_are_sent_as_json(dataset: object, sent: object) -> None:
    back = loop("json.dumps({'outputs': [q['dataset'], 'x']})")
    assert ask(python(back), dataset) == [sent, "x"]


def test_a_frame_is_sent_as_columns() -> None:
    pandas = pytest.importorskip("pandas")
    back = (
        "import json, sys\nfor l in sys.stdin: print(json.dumps({'outputs': [json.loads(l)['dataset']]}), flush=True)"
    )
    assert ask(python(back), pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]})) == [{"a": [1, 2], "b": ["x", "y"]}]


@pytest.mark.parametrize("dataset", [float("nan"), [object()], {(1, 2): 3}])
def test_a_dataset_that_is_no_json_is_a_sentence(dataset: object) -> None:
    with pytest.raises(UsageError, match="a dataset must be JSON to be sent to a command"):
        ask(answering('{"outputs": [1]}'), dataset)


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (["no-such-program-here"], "must name a program that can be started, got 'no-such-program-here'"),
        ([sys.executable, "-c", "import sys; sys.stderr.write('no licence'); sys.exit(3)"], "exit code 3.*no licence"),
        ([sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"], "ended by signal 9"),
        ([sys.executable, "-c", "pass"], "exit code 0; it wrote nothing to stderr"),
    ],
)
def test_a_program_that_does_not_run_is_a_sentence(program: list[str], sentence: str) -> None:
    with pytest.raises(MechanismError, match=f"(?s){sentence}"):
        ask(command(program))


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("hello", "a line that is not JSON: hello"),
        ("", "a line that is not JSON"),
        ("[1]", r"got \[1\]"),
        ('{"output": [1]}', "the keys 'output'"),
        ("{}", r"the keys \(none\)"),
        ('{"outputs": 1}', "outputs that are no list: 1"),
        ('{"error": "no such column"}', "answered with an error: no such column"),
        ('{"outputs": [1]}\nmore', "got more than that: 'more"),
        ("[" * 100_000, "a line that is not JSON"),
    ],
)
def test_an_answer_out_of_the_protocol_is_a_sentence(answer: str, sentence: str) -> None:
    with pytest.raises(MechanismError, match=sentence):
        ask(answering(answer))


def test_what_was_said_unasked_is_not_taken_for_the_next_answer() -> None:
    """Broken twin: without the check the second question gets the first one's late line as its answer."""
    mechanism = python(loop("""'{"outputs": [1]}', flush=True); time.sleep(.1); print('{"outputs": [2]}'"""))
    assert ask(mechanism) == [1]
    threading.Event().wait(0.5)
    with pytest.raises(MechanismError, match="got more than that"):
        ask(mechanism)


def test_a_program_that_babbled_is_not_asked_again() -> None:
    mechanism = python(
        "import sys\nprint('welcome', flush=True)\nfor _ in sys.stdin: print('{\"outputs\": [1]}', flush=True)"
    )
    for _ in range(2):
        with pytest.raises(MechanismError, match="welcome"):
            ask(mechanism)
    assert not child.IDLE


def test_much_on_stderr_does_not_stop_it() -> None:
    body = "import sys\nfor _ in sys.stdin: sys.stderr.write('x' * 10**6); print('{\"outputs\": [1]}', flush=True)"
    mechanism = python(body)
    assert [ask(mechanism) for _ in range(3)] == [[1]] * 3
    assert len(child.IDLE[0].tail) <= child.MOST_SHOWN


def test_only_so_many_programs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MOST_IDLE", 2)
    for number in range(4):
        ask(answering(f'{{"outputs": [{number}]}}'))
    assert len(child.IDLE) == 2


def test_the_program_ends_with_python() -> None:
    """Also one that does not care that its input has ended."""
    script = """
import sys, numpy as np
from auditor.sampling.command import command
print(command([sys.executable, "-c", sys.argv[1]]).sample(0, 1, np.random.default_rng(0))[0])
"""
    body = loop("json.dumps({'outputs': [os.getpid()]})") + "\ntime.sleep(60)"
    ran = subprocess.run([sys.executable, "-c", script, body], capture_output=True, text=True, timeout=100, check=True)
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.stdout), 0)


@pytest.mark.parametrize("argv", ["node a.js", [], [""], [1], None, b"node"])
def test_argv_must_be_a_list_of_texts(argv: object) -> None:
    with pytest.raises(UsageError, match="a command must be a list"):
        command(argv)  # type: ignore[arg-type]


def test_cwd_must_exist_and_env_be_texts(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must be a folder that exists"):
        command(["true"], cwd=tmp_path / "none")
    with pytest.raises(UsageError, match="must map texts to texts"):
        command(["true"], env={"A": 1})  # type: ignore[dict-item]

"""Bad input on the command line: one sentence on stderr and exit 2, nothing on stdout, never a traceback."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor.doors.cli import main

DEEP = "[" * 50_000
FILES = {
    "empty.py": "",
    "broken.py": "def f(:\n",
    "raises.py": "raise RuntimeError('at import')",
    "leaves.py": "import sys; sys.exit(0)",
    "numbers.py": "x = 3\ny = 'text'\n",
    "half.py": "class M:\n    claim = 3\n    def sample(self, d, n, rng): return rng.random(n)\nm = M()\n",
    "odd.py": "class M:\n    claim = 3\n    def neighbours(self): return 5\n    sample = 7\nm = M()\n",
    "null.py": "x = 1\x00",
    "latin.py": b"x = '\xff'\n",
    "fine.py": "def f(dataset, n, rng):\n    return dataset + rng.laplace(0, 1, n)\n",
    "empty.toml": "",
    "broken.toml": "[[audit]\n",
    "list.toml": "audit = 3\n",
    "number.toml": "audit = [5]\n",
    "nested.toml": "audit = [[1], [2]]\n",
    "texts.toml": "audit = ['a']\n",
    "builtin.toml": "[[audit]]\ntarget = 'builtins:print'\nepsilon = 1.0\npairs = [[0, 1]]\n",
    "cancelled.py": "import asyncio\nraise asyncio.CancelledError\n",
    "catalogue.py": "def catalogue():\n    raise GeneratorExit\n",
    "class.py": "class M:\n    def __init__(self):\n        raise GeneratorExit\n",
    "message.py": "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E\n",
    "unknown.toml": "[[audit]]\ntarget = 'fine.py::f'\nepsilom = 1.0\n",
    "no-target.toml": "[[audit]]\nepsilon = 1.0\n",
    "no-pairs.toml": "[[audit]]\ntarget = 'fine.py::f'\nepsilon = 1.0\n",
    "bad-pairs.toml": "[[audit]]\ntarget = 'fine.py::f'\nepsilon = 1.0\npairs = [[1, 2, 3]]\n",
    "bad-pair.toml": "[[audit]]\ntarget = 'fine.py::f'\nepsilon = 1.0\npairs = [{left = 1, reft = 2}]\n",
    "bad-relation.toml": "[[audit]]\ntarget = 'fine.py::f'\nepsilon = 1\npairs = [{left=1, right=2, relation='x'}]\n",
    "bad-epsilon.toml": "[[audit]]\ntarget = 'fine.py::f'\nepsilon = -1.0\npairs = [[0, 1]]\n",
    "nan-epsilon.toml": "[[audit]]\ntarget = 'fine.py::f'\nepsilon = nan\npairs = [[0, 1]]\n",
    "text-epsilon.toml": "[[audit]]\ntarget = 'fine.py::f'\nepsilon = 'one'\npairs = [[0, 1]]\n",
    "two-claims.toml": "[[audit]]\ntarget = 'fine.py::f'\nepsilon = 1.0\nmu = 1.0\npairs = [[0, 1]]\n",
    "bad-alpha.toml": "alpha = 7\n[[audit]]\ntarget = 'fine.py::f'\nepsilon = 1.0\npairs = [[0, 1]]\n",
    "bad-trials.toml": "trials = 1.5\n[[audit]]\ntarget = 'fine.py::f'\nepsilon = 1.0\npairs = [[0, 1]]\n",
    "bad-views.toml": "views = ['colours']\n[[audit]]\ntarget = 'fine.py::f'\nepsilon = 1.0\npairs = [[0, 1]]\n",
    "bad-limit.toml": "time_limit = -3\n[[audit]]\ntarget = 'fine.py::f'\nepsilon = 1.0\npairs = [[0, 1]]\n",
    "gone.toml": "[[audit]]\ntarget = 'gone.py::f'\nepsilon = 1.0\npairs = [[0, 1]]\n",
    "deep.toml": "x = " + "[" * 5000,
    "latin.toml": b"x = '\xff'\n",
    "empty.json": "",
    "null.json": "null",
    "list.json": "[]",
    "other.json": '{"schema": "other/1", "entries": []}',
    "entries.json": '{"schema": "dp-audit/1", "entries": 3}',
    "entry.json": '{"schema": "dp-audit/1", "entries": [{}]}',
    "text.json": '{"schema": "dp-audit/1", "entries": ["text"]}',
    "nan.json": '{"schema": "dp-audit/1", "entries": [], "seconds": NaN}',
    "deep.json": DEEP,
    "cut.json": '{"schema": "dp-audit/1", "entr',
    "latin.json": b'{"schema": "\xff"}',
    "bytes.json": bytes(range(256)),
    "pictures.json": json.dumps(
        {
            "schema": "dp-audit/1",
            "entries": [
                {
                    "id": "m",
                    "kind": "audit",
                    "title": "M",
                    "source": "",
                    "outcome": "refuted",
                    "pictures": [{"type": ["lines"]}],
                }
            ],
        }
    ),
}

COMMANDS = [
    "",
    "nonsense",
    "run",
    "--colour",
    "run gone.py",
    "run fine.py",
    "run fine.py::g",
    "run fine.py::f",
    "run fine.py::",
    "run ::f",
    "run gone.module:f",
    "run 3.5",
    "run ../../..",
    "run .",
    "run no-such-id",
    "run -",
    "run numbers.py::x",
    "run numbers.py::x.y.z",
    "run json:dumps",
    "run os",
    "run builtins:print",
    "run builtins",
    "run class.py::M",
    *(f"run {name}" for name in FILES if name.endswith(".py") and name != "fine.py"),
    *(f"run {name}" for name in FILES if name.endswith(".toml")),
    *(f"run fine.py::f {option}" for option in (
        "--trials 0", "--trials -1", "--trials 1.5", "--trials ten", "--trials nan", "--alpha 0", "--alpha 2",
        "--alpha nan", "--alpha x", "--seed -1", "--seed 1.5", "--seed x", "--jobs 0", "--jobs x", "--views colours",
        "--views ,", "--time-limit 0", "--time-limit -1", "--time-limit inf", "--time-limit x", "--backend spark",
        "--scheduler tcp://x", "--backend dask --scheduler nonsense://x", "--format xml",
        "--format html --format junit", "--out fine.py", "--out fine.py/x",
        "--checkpoint fine.py", "--checkpoint fine.py/x", "--checkpoint .",
        "--baseline gone.json", "--baseline null.json", "--accept f=reason", "--accept f",
    )),
    *(f"report {name} --format html" for name in FILES if name.endswith(".json")),
    *(f"replay {name} x" for name in FILES if name.endswith(".json")),
    "report gone.json",
    "report .",
    "report fine.py",
    "replay gone.json x",
    "replay",
    "report",
    "show",
    "show nothing",
    "show ../laplace",
    "list extra",
    "notes --only nothing --out out",
    "notes --seed x",
    "notes --out fine.py",
    "notes --jobs 0",
]  # fmt: skip


@pytest.fixture
def folder(project):
    for name, text in FILES.items():
        path = project(name, text if isinstance(text, str) else "")
        if isinstance(text, bytes):
            path.write_bytes(text)
    return project


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command or "nothing")
def test_a_bad_command_says_one_sentence_and_leaves_with_2(command, folder, capsys):
    code = main(command.split())
    said = capsys.readouterr()
    assert code == 2, said
    assert "Traceback" not in said.err + said.out
    assert "unexpected" not in said.err, said.err
    lines = [line for line in said.err.splitlines() if line.startswith("dp-audit: ")]
    assert len(lines) == 1, said.err
    assert 20 <= len(lines[0]) <= 1500


def test_there_are_enough_cases():
    assert len(COMMANDS) >= 120


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(words=st.lists(st.sampled_from(["run", "show", "--json", "--out", "-", "x", "é", "\x00", "--", ""])))
def test_any_words_end_without_a_traceback(words, project, capsys):
    assert main(["show", *words]) in (0, 1, 2)
    said = capsys.readouterr()
    assert "Traceback" not in said.err + said.out
    assert "unexpected" not in said.err


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_a_results_file_with_anything_in_it_is_rendered_or_an_error(data, project, capsys):
    tree = json.loads(data.draw(st.sampled_from(RESULTS)))
    spots = list(places(tree))
    parent, key = data.draw(st.sampled_from(spots))
    parent[key] = data.draw(json_values)
    path = project("results.json", json.dumps(tree))
    for arguments in (["report", str(path), "--format", "json"], ["report", str(path), "--format", "markdown"]):
        assert main(arguments) in (0, 2)
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert "unexpected" not in said.err, said.err


def places(tree):
    """Every place in a tree of JSON."""
    items = list(tree.items()) if isinstance(tree, dict) else list(enumerate(tree)) if isinstance(tree, list) else []
    for key, value in items:
        yield tree, key
        yield from places(value)


def results() -> list[str]:
    from auditor import ApproxDP, audit
    from auditor.doors import gate
    from auditor.results.document import Document

    texts = []
    for scale in (1.0, 0.5):
        result = audit(
            lambda d, n, rng, scale=scale: d + rng.laplace(0, scale, n),
            ApproxDP(1.0),
            [(0, 1)],
            trials=400,
            jobs=1,
            views=("values",),
            name="m",
        )
        entry = gate.entry_of(result, "m", "M", {"file": "m.py", "line": 1, "target": "m.py::m"}, "replay")
        texts.append(Document(entries=(entry,), version="0", alpha=0.01, seed=0).to_json())
    return texts


RESULTS = results()

import pytest

from auditor.doors.audits_toml import pair_to_dict, pairs_from, run_plan
from auditor.errors import UsageError
from auditor.sampling.command import command
from mechanisms.core.claims import ZCDP, ApproxDP, GaussianDP

AUDIT = '[[audit]]\ntarget = "audited.py::right_function"\npairs = [[[1, 1], [1]]]\n'


def test_targets_and_files_become_one_plan(mechanisms_file, project):
    project("audits.toml", f"alpha = 0.02\ntrials = 500\n{AUDIT}epsilon = 1.5\nseed = 4\n")
    planned = run_plan(["audited.py", "audits.toml", "audited.py::right"])
    assert [request.id for request in planned.requests] == [
        "audited.py::right",
        "audited.py::wrong",
        "audited.py::right_function",
        "audited.py::right#2",
    ]
    assert planned.alpha == 0.02
    described = planned.requests[2]
    assert described.claim == ApproxDP(1.5)
    assert described.options == {"trials": 500, "seed": 4}
    assert described.location["pairs"] == [
        {"left": [1, 1], "right": [1], "relation": "unspecified", "why": "", "group": 1}
    ]


def test_an_audit_wins_over_its_file_and_the_smallest_alpha_holds(mechanisms_file, project):
    project("a.toml", f"alpha = 0.5\ntrials = 7\n{AUDIT}epsilon = 1\ntrials = 9\n")
    project("b.toml", f"alpha = 0.25\n{AUDIT}epsilon = 1\n")
    planned = run_plan(["a.toml", "b.toml"])
    assert planned.alpha == 0.25
    assert [request.options for request in planned.requests] == [{"trials": 9}, {}]


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("epsilon = 1.0\ndelta = 1e-5", ApproxDP(1.0, 1e-5)),
        ("mu = 0.5", GaussianDP(0.5)),
        ("rho = 0.25", ZCDP(0.25)),
    ],
)
def test_every_kind_of_claim_has_its_keys(mechanisms_file, project, line, claim):
    project("audits.toml", AUDIT + line)
    assert run_plan(["audits.toml"]).requests[0].claim == claim


def test_file_names_start_at_the_folder_of_the_toml(mechanisms_file, project, monkeypatch):
    project("audits.toml", AUDIT + "epsilon = 1.0")
    project("below/here.txt", "")
    monkeypatch.chdir(mechanisms_file.parent / "below")
    assert run_plan(["../audits.toml"]).requests[0].target.mechanism.__name__ == "right_function"


def test_a_command_runs_in_the_folder_of_the_toml(project, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project("below/audits.toml", '[[audit]]\ncommand = ["node", "a.js"]\nepsilon = 1\npairs = [[[1], []]]')
    (request,) = run_plan(["below/audits.toml"]).requests
    assert request.id == "node a.js"
    assert request.target.mechanism == command(["node", "a.js"], cwd="below")
    expected = {"file": "below/audits.toml", "command": ["node", "a.js"], "folder": "below"}
    assert expected.items() <= request.location.items()


def test_pairs_come_back_as_they_were():
    plain = [{"left": [1], "right": [], "relation": "add/remove", "why": "a record", "group": 2}]
    assert [pair_to_dict(pair) for pair in pairs_from(plain)] == plain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (AUDIT + "epsilonn = 1.0", "audit 1 of audits.toml has only the keys target, command, epsilon"),
        ("alpa = 1\n" + AUDIT, "audits.toml has only the keys alpha"),
        (
            "alpha = 2\n" + AUDIT + "epsilon = 1",
            "alpha must be a probability strictly between 0 and 1, got alpha=2",
        ),
        ("", "at least one [[audit]]"),
        ("audit = 3", "at least one [[audit]]"),
        ("[[audit]]\nepsilon = 1.0", "must name its target, a text, or its command, a list of texts, got neither"),
        (AUDIT + 'command = ["a"]', "got target='audited.py::right_function' and command=['a']"),
        ('[[audit]]\ncommand = "node a.js"', "got command='node a.js'"),
        ("[[audit]]\ncommand = []", "audit 1 of audits.toml: a command must be a list of at least one text"),
        ('[[audit]]\ncommand = ["a"]\nepsilon = 1', "without its own neighbours needs pairs"),
        ("not toml", "must be TOML"),
        (
            AUDIT + "epsilon = -1.0",
            "audit 1 of audits.toml: epsilon must be a finite number of at least 0, got epsilon=-1",
        ),
        (AUDIT + "epsilon = 1.0\nrho = 1.0", "got epsilon and rho"),
        (AUDIT + "delta = 0.1", "got delta"),
        (AUDIT, "without its own claim needs epsilon in a TOML file"),
        (
            '[[audit]]\ntarget = "audited.py::right_function"\nepsilon = 1.0',
            "without its own neighbours needs pairs",
        ),
        ('[[audit]]\ntarget = "audited.py::right"\npairs = []', "at least one [left, right]"),
        ('[[audit]]\ntarget = "audited.py::right"\npairs = [[1]]', "a pair must be [left, right]"),
        ('[[audit]]\ntarget = "audited.py::right"\npairs = [{left = 1, right = 2, relation = "odd"}]', "odd"),
        ('[[audit]]\ntarget = "nowhere.py"', "file must exist"),
    ],
)
def test_a_bad_file_is_one_sentence(mechanisms_file, project, text, words):
    project("audits.toml", text)
    with pytest.raises(UsageError) as caught:
        run_plan(["audits.toml"])
    assert words in str(caught.value)


def test_a_missing_file_is_one_sentence(project):
    with pytest.raises(UsageError, match=r"must exist, got 'nowhere.toml'"):
        run_plan(["nowhere.toml"])


def test_a_function_on_the_command_line_needs_a_file_of_audits(mechanisms_file):
    with pytest.raises(UsageError, match=r"needs epsilon in a TOML file of audits, got 'audited.py::right_function'"):
        run_plan(["audited.py::right_function"])

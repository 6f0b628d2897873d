"""The fixture as a stranger's project sees it. Seeds are fixed: a result repeats itself."""

import json
import re

import pytest

import auditor.doors.cli.output
import auditor.engine  # noqa: F401 - imported here once: pytester forgets what a run inside imports
from auditor.doors import gate
from auditor.results.document import read

pytest_plugins = ["pytester"]

MECHANISMS = """
import numpy as np

def counter(strength):
    stop = -np.expm1(-strength)
    return lambda d, n, rng: sum(d) + rng.geometric(stop, n) - rng.geometric(stop, n)

def good(d, n, rng):
    return counter(1.0)(d, n, rng)

def bad(d, n, rng):
    return counter(2.0)(d, n, rng)

PAIRS = [([1, 1], [1])]
"""
GOOD = """
from parts import good, PAIRS
def test_good(dp_audit):
    result = dp_audit(good, epsilon=1.0, pairs=PAIRS)
    assert (result.refuted, result.trials, result.alpha, result.seed) == (False, {trials}, {alpha}, {seed})
"""
BAD = """
from parts import bad, PAIRS
def test_bad(dp_audit):
    dp_audit(bad, epsilon=1.0, pairs=PAIRS)
"""


@pytest.fixture
def project(pytester, monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:cacheprovider")  # quicker
    pytester.makepyfile(parts=MECHANISMS)
    pytester.syspathinsert()
    return pytester


def good(trials=100_000, alpha=1e-3, seed=0):
    return GOOD.format(trials=trials, alpha=alpha, seed=seed)


def test_a_right_mechanism_is_green_and_the_summary_says_what_that_is_worth(project):
    project.makepyfile(good())
    result = project.runpytest("-q")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*= dp-audit =*",
            "1 audit, 0 refuted; not refuted is not proof",
            "weakest blind spot: below epsilon 1.0*, claimed 1, in *::test_good",
            "expected false alarms: at most 0.001 in a run (the same seed repeats itself)",
        ]
    )


def test_a_wrong_mechanism_is_red_and_explains_itself(project):
    project.makepyfile(test_it=BAD)
    result = project.runpytest("-q")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*dp_audit(bad, epsilon=1.0, pairs=PAIRS)",
            "E*AssertionError: 1-DP is refuted: epsilon is *1*",
            "E*On ?1, 1? and ?1?, x * in * of * runs on*",
            "E*Why: With the same random numbers the outputs differ by 1, and the noise*",
            "E*p-value *, with a false-alarm probability of at most 0.001",
            "E*draws * a side of at most 100,000, seed 0",
            "E*replay   pytest test_it.py::test_bad --dp-seed=0 --dp-trials=100000 --dp-alpha=0.001",
            "1 audit, 1 refuted; *",
        ]
    )
    assert "pytest_plugin.py" not in result.stdout.str()  # no internals in the traceback
    assert "pytest_calls.py" not in result.stdout.str()


def test_a_refutation_by_bits_says_so(project):
    project.makepyfile(
        "def test_it(dp_audit):\n"
        "    dp_audit(lambda d, n, rng: d + rng.laplace(0, 1, n), epsilon=1.0, pairs=[(0.0, 1.0)])\n"
    )
    result = project.runpytest("-q")
    result.stdout.fnmatch_lines(["E*bits of floating-point numbers*", "E*lattice-laplace*", 'E*views=("values",).'])


def test_a_run_without_audits_has_no_summary_and_loads_nothing(project):
    project.makepyfile(
        "import sys\n"
        "def test_nothing():\n"
        "    assert not {'auditor.engine', 'numpy', 'scipy', 'mechanisms'} & set(sys.modules)\n"
    )
    result = project.runpytest_subprocess("-q")
    result.assert_outcomes(passed=1)
    assert "dp-audit" not in result.stdout.str()


def test_draws_that_depend_on_each_other_are_noticed_whether_green_or_red(project):
    """One offset for a whole call: the draws share it, and no verdict on them means much."""
    project.makepyfile(
        test_shifting="def shifting(d, n, rng):\n"
        "    return d + 5 * rng.normal() + rng.laplace(0, 1, n)\n"
        "def test_wide(dp_audit):\n"
        "    dp_audit(shifting, epsilon=50.0, pairs=[(0, 1)], views=('values',))\n"
        "def test_narrow(dp_audit):\n"
        "    dp_audit(shifting, epsilon=0.01, pairs=[(0, 1)], views=('values',))\n"
    )
    result = project.runpytest("-q", "--dp-trials=20000")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*But note: The draws of one call on the * input go together*",
            "noticed in test_shifting.py::test_wide: The draws on the left input depend on*",
        ]
    )
    assert "noticed in test_shifting.py::test_narrow" not in result.stdout.str()  # told with its failure


def test_the_command_line_wins_over_the_file_and_the_file_over_the_default(project):
    project.makepyprojecttoml("[tool.dp-audit]\ntrials = 3000\nalpha = 0.02\nseed = 5\n")
    project.makepyfile(good(trials=3000, alpha=0.02, seed=5))
    project.runpytest("-q").assert_outcomes(passed=1)
    project.makepyfile(good(trials=4000, alpha=0.02, seed=6))
    project.runpytest("-q", "--dp-trials=4000", "--dp-seed=6", "--dp-jobs=1").assert_outcomes(passed=1)


def test_an_option_of_the_call_wins_and_quick_limits_all(project):
    text = good(trials=30_000, seed=9).replace("pairs=PAIRS", "pairs=PAIRS, trials=30_000, seed=9")
    project.makepyfile(text)
    project.runpytest("-q", "--dp-trials=10", "--dp-seed=1").assert_outcomes(passed=1)
    project.makepyfile(text.replace("(False, 30000", "(False, 20000"))
    project.runpytest("-q", "--dp-quick").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("trails = 3", "has only the keys trials, alpha, seed, jobs, report, quick, compare, seconds, got 'trails'"),
        ("trials = 0", "tool.dp-audit.trials must be a whole number of at least 1, got 0"),
        ("trials = true", "must be a whole number"),
        ("alpha = 1.0", "tool.dp-audit.alpha must be a probability strictly between 0 and 1, got 1.0"),
        ("seed = -1", "must be a whole number of at least 0, got -1"),
        ("jobs = 0", "must be a whole number other than 0"),
        ("report = 3", "must be the name of a folder, got 3"),
        ("quick = 'yes'", "must be true or false, got 'yes'"),
    ],
)
def test_a_wrong_setting_ends_the_run_before_any_test(project, line, words):
    project.makepyprojecttoml(f"[tool.dp-audit]\n{line}\n")
    project.makepyfile(good())
    result = project.runpytest("-q")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert words in result.stderr.str()


def test_a_wrong_option_ends_the_run_before_any_test(project):
    project.makepyfile(good())
    result = project.runpytest("--dp-alpha=2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--dp-alpha must be a probability strictly between 0 and 1, got 2.0" in result.stderr.str()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("dp_audit(good, epsilon=1.0, pairs=PAIRS, trails=3)", "has only the options trials"),
        ("dp_audit(good, epsilon=1.0, claim=1, pairs=PAIRS)", "and not both"),
        ("dp_audit(good, delta=0.1, pairs=PAIRS)", "delta needs an epsilon"),
        ("dp_audit(good, epsilon=-1.0, pairs=PAIRS)", "epsilon must be a finite number"),
        ("dp_audit(good, pairs=PAIRS)", "a claim must be"),
        ("dp_audit(good, epsilon=1.0)", "pairs"),
        ("dp_audit(lambda d, n, rng: 1 / 0, epsilon=1.0, pairs=PAIRS)", "raised ZeroDivisionError"),
    ],
)
def test_a_wrong_call_fails_its_test_with_one_sentence(project, call, words):
    project.makepyfile(f"from parts import good, PAIRS\ndef test_it(dp_audit):\n    {call}\n")
    result = project.runpytest("-q")
    result.assert_outcomes(failed=1)
    out = result.stdout.str()
    assert words in out
    for room in ("auditor", "mechanisms"):
        assert f"{room}/" not in out.replace(str(project.path), "")  # none of our files
    told = out[out.index("FAILURES") : out.index("short test summary")]
    assert len(told.splitlines()) <= (24 if "ZeroDivision" in words else 14)


def test_a_time_limit_is_one_paragraph(project):
    project.makepyfile(
        "import time\nfrom parts import PAIRS\ndef slow(d, n, rng):\n    time.sleep(60)\n"
        "def test_it(dp_audit):\n    dp_audit(slow, epsilon=1.0, pairs=PAIRS, time_limit=0.5)\n"
    )
    result = project.runpytest("-q", "--dp-report=out")
    result.assert_outcomes(failed=1)
    out = result.stdout.str()
    assert "must finish within the time limit, got time_limit=0.5 seconds" in out
    told = out[out.index("FAILURES") : out.index("dp-audit =")]
    assert len(told.splitlines()) <= 14
    (entry,) = json.loads((project.path / "out/results.json").read_text())["entries"]
    assert entry["seconds"] >= 0.5


def test_what_a_mechanism_raises_is_shown_from_its_own_first_line(project):
    project.makepyfile(
        "from auditor import per_draw\nfrom parts import PAIRS\n"
        "def helper(d):\n    return 1 / 0\n"
        "def one(d, rng):\n    return helper(d)\n"
        "def test_it(dp_audit):\n    dp_audit(per_draw(one), epsilon=1.0, pairs=PAIRS)\n"
    )
    out = project.runpytest("-q").stdout.str()
    assert "return helper(d)" in out
    assert "return 1 / 0" in out
    assert "source.py" not in out


def test_nothing_is_said_to_repeat_itself_that_does_not(project):
    project.makepyfile(
        "import numpy as np\nfrom parts import good, PAIRS\nown = np.random.default_rng()\n"
        "def test_own(dp_audit):\n"
        "    dp_audit(lambda d, n, rng: good(d, n, own), epsilon=9.0, pairs=PAIRS, trials=2000)\n"
    )
    project.runpytest("-q").stdout.fnmatch_lines(
        ["expected false alarms: at most 0.001 in a run (no seed repeats it:*"]
    )


def test_a_mechanism_that_breaks_is_counted(project):
    project.makepyfile(
        "from parts import PAIRS\ndef test_it(dp_audit):\n"
        "    dp_audit(lambda d, n, rng: 1 / 0, epsilon=1.0, pairs=PAIRS)\n"
    )
    result = project.runpytest("-q", "--dp-report=out")
    result.stdout.fnmatch_lines(["1 audit, 0 refuted, 1 without a verdict; *"])
    (entry,) = json.loads((project.path / "out/results.json").read_text())["entries"]
    assert entry["outcome"] == "error"
    assert "ZeroDivisionError" in entry["reason"]


def test_other_claims_and_the_mechanisms_own(project):
    project.makepyfile(
        "from auditor import GaussianDP\nfrom mechanisms.laplace import Laplace\n"
        "def test_claim(dp_audit):\n"
        "    def gauss(d, n, rng): return d + rng.normal(0, 1, n)\n"
        "    options = {'trials': 5_000, 'views': ('values',)}\n"
        "    result = dp_audit(gauss, claim=GaussianDP(1.0), pairs=[(0, 1)], **options)\n"
        "    assert result.claim == GaussianDP(1.0)\n"
        "def test_own(dp_audit):\n"
        "    assert dp_audit(Laplace(), trials=5_000).claim == Laplace().claim\n"
    )
    project.runpytest("-q").assert_outcomes(passed=2)


def test_the_report_has_every_audit_and_where_it_stands(project):
    project.makepyfile(test_it=good() + BAD + "    dp_audit(bad, epsilon=9.0, pairs=PAIRS)\n")
    result = project.runpytest("-q", "--dp-report=out")
    result.stdout.fnmatch_lines(
        ["E*replay   dp-audit replay out/results.json test_it.py::test_bad", "report: out/index.html"]
    )
    for name in ("results.json", "report.md", "index.html"):
        assert (project.path / "out" / name).stat().st_size
    document = json.loads((project.path / "out/results.json").read_text())
    assert [entry["id"] for entry in document["entries"]] == ["test_it.py::test_bad", "test_it.py::test_good"]
    bad = document["entries"][0]
    assert (bad["kind"], bad["outcome"], bad["expected"], bad["claimed"]) == ("audit", "refuted", None, 1.0)
    line = (project.path / "parts.py").read_text().splitlines().index("def bad(d, n, rng):") + 1
    assert bad["location"] == {
        "file": "parts.py",
        "line": line,
        "target": "test_it.py::test_bad",
        "door": "pytest",
        "quick": False,
        "root": "..",
    }


def test_a_second_audit_of_a_test_has_its_own_id(project):
    project.makepyfile(
        test_it=BAD.replace("dp_audit(bad, epsilon=1.0", "dp_audit(bad, epsilon=9.0")
        + "    dp_audit(bad, epsilon=9.0, pairs=PAIRS)\n"
    )
    project.runpytest("-q", "--dp-report=out", "--dp-trials=2000").assert_outcomes(passed=1)
    entries = json.loads((project.path / "out/results.json").read_text())["entries"]
    assert [entry["id"] for entry in entries] == ["test_it.py::test_bad", "test_it.py::test_bad#2"]


def test_workers_of_xdist_report_together(project):
    project.makepyfile(test_one=good(), test_two=BAD, test_three=good().replace("test_good", "test_third"))
    result = project.runpytest_subprocess("-q", "-n2", "--dp-report=out/all.json")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["3 audits, 1 refuted; *", "expected false alarms: at most 0.003 in a run *"])
    entries = json.loads((project.path / "out/all.json").read_text())["entries"]
    assert [(entry["id"], entry["outcome"]) for entry in entries] == [
        ("test_one.py::test_good", "not refuted"),
        ("test_three.py::test_third", "not refuted"),
        ("test_two.py::test_bad", "refuted"),
    ]


def test_an_interrupt_keeps_what_was_finished(project):
    project.makepyfile(test_it=good() + "\ndef test_stop(dp_audit):\n    raise KeyboardInterrupt\n" + BAD)
    result = project.runpytest("-q", "--dp-report=out", no_reraise_ctrlc=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    document = json.loads((project.path / "out/results.json").read_text())
    assert document["interrupted"] is True
    assert [entry["id"] for entry in document["entries"]] == ["test_it.py::test_good"]


def test_the_replay_line_fails_with_the_same_numbers(project):
    project.makepyfile(test_it=BAD)
    first = project.runpytest("-q", "--dp-seed=3", "--dp-trials=50000").stdout.str()
    line = re.search(r"replay   pytest (.*)", first).group(1)
    again = project.runpytest("-q", *line.split()).stdout.str()
    pattern = r"E .*(?:refuted|p-value|draws).*"
    assert re.findall(pattern, again) == re.findall(pattern, first)
    assert len(re.findall(pattern, first)) == 3


def test_a_module_of_the_project_that_hides_a_package_of_the_auditor_is_named(project):
    project.makepyfile(mechanisms="", test_it="import mechanisms\n" + BAD)
    result = project.runpytest_subprocess("-q")
    result.stdout.fnmatch_lines(["E*dp-audit needs its own package 'mechanisms', got *mechanisms.py; rename that*"])


def test_pairs_are_searched_and_sensitivities_checked(project):
    project.makepyfile(
        "import hypothesis.strategies as st\n"
        "from auditor import neighbouring\n"
        "PAIRS = neighbouring(st.lists(st.floats(0, 50), max_size=3))\n"
        "class Own:\n"
        "    views = ('values',)\n"
        "    def sample(self, d, n, rng): return sum(d) + rng.laplace(0, 1, n)\n"
        "    def neighbours(self): return PAIRS\n"
        "def test_found(dp_audit):\n"
        "    dp_audit(lambda d, n, rng: sum(d) + rng.laplace(0, 1, n), epsilon=1.0, pairs=PAIRS, trials=5000)\n"
        "def test_own(dp_audit):\n"
        "    dp_audit(Own(), epsilon=1.0, trials=5000)\n"
        "def test_bounded(dp_sensitivity):\n"
        "    assert dp_sensitivity(sum, at_most=50, pairs=PAIRS, examples=60).value == 50\n"
        "def test_unbounded(dp_sensitivity):\n"
        "    dp_sensitivity(lambda d: 2 * sum(d), at_most=50, pairs=PAIRS, norm='linf', examples=60)\n"
        "def test_bad(dp_sensitivity):\n"
        "    dp_sensitivity(sum, at_most=-1, pairs=PAIRS)\n"
    )
    ran = project.runpytest("-q")
    ran.assert_outcomes(passed=1, failed=4)
    ran.stdout.fnmatch_lines(["*test_found*", "*refuted: epsilon is at least*", "*On [[]*] and [[]] (add/remove)*"])
    ran.stdout.fnmatch_lines(["*must be at most 50. The linf sensitivity is at least 100, on [[]50.0] and*"])
    ran.stdout.fnmatch_lines(["*at_most must be a finite number of at least 0, got at_most=-1*"])


@pytest.mark.parametrize(("option", "flags"), [("seconds=0.2, trials=10**9", []), ("", ["--dp-seconds=0.2"])])
def test_an_audit_with_a_budget_of_time_is_repeated_with_its_trials(project, option, flags):
    project.makepyfile(test_it=BAD.replace("pairs=PAIRS", f"pairs=PAIRS, stop_early=False, {option}"))
    first = project.runpytest("-q", *flags).stdout.str()
    line = re.search(r"replay   pytest (.*)", first).group(1)
    assert line.endswith(" --dp-seconds=0")
    again = project.runpytest("-q", *line.split()).stdout.str()
    pattern = r"E .*(?:refuted|p-value|draws).*"
    assert re.findall(pattern, again) == re.findall(pattern, first)
    used, most = re.search(r"draws +([\d,]+) a side of at most ([\d,]+), seed", first).groups()
    assert used == most != "1,000,000,000"


def test_what_a_time_limit_cuts_off_is_a_result_that_can_be_replayed(project):
    """The second audit of the test: its clock ends it, and the replay ends it after the same round."""
    project.makepyfile(
        "import os\nfrom auditor.errors import TimeLimitError\nfrom parts import good, PAIRS\n"
        "def slow(d, n, rng):\n"
        "    if n > 150 and 'CALM' not in os.environ:\n        raise TimeLimitError('the time is over')\n"
        "    return good(d, n, rng)\n"
        "def test_it(dp_audit):\n    dp_audit(good, epsilon=1.0, pairs=PAIRS, trials=500)\n"
        "    dp_audit(slow, epsilon=1.0, pairs=PAIRS, trials=1000)\n"
    )
    result = project.runpytest("-q", "--dp-report=out")
    result.assert_outcomes(passed=1)
    out = " ".join(result.stdout.str().split())
    assert "ended this audit after" in out
    assert "the same seed repeats itself, but for 1 of 2: a time limit cut it off" in out
    stored = read(project.path / "out/results.json").entries[1]
    arguments = gate.pytest_arguments("x", stored.audit_result, False, call="#2")
    assert arguments[-1].endswith("#2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CALM", "1")
        project.runpytest("-q", "--dp-report=again", *arguments[1:]).assert_outcomes(passed=1)
    again = read(project.path / "again/results.json").entries[1]
    assert again.audit_result.without_timings() == stored.audit_result.without_timings()

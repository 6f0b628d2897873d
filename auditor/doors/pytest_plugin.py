"""pytest plugin: the fixture `dp_audit` fails a test when the claimed privacy is refuted.

    def test_release(dp_audit):
        dp_audit(release, epsilon=1.0, pairs=[([1, 1], [1])])

Nothing heavy is imported before the first audit: a test run without audits pays nothing for the plugin.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import textwrap
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor import __version__
from auditor.doors.pytest_settings import QUICK_TRIALS, Settings, add_options, read_settings

if TYPE_CHECKING:
    from auditor.results.baseline import Change
    from auditor.results.document import Document
    from auditor.results.entry import Entry
    from auditor.results.result import AuditResult
    from auditor.search.pairs.sensitivity import Sensitivity
    from mechanisms.core.claims import Claim

_CALL_OPTIONS = ("trials", "alpha", "seed", "jobs", "views", "time_limit", "raises", "stop_early", "seconds")


def pytest_addoption(parser: pytest.Parser) -> None:
    """--dp-trials and its siblings."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Reads the settings once; a wrong one ends the run before any test."""
    config.stash[_GATE] = Gate(config, read_settings(config))
    config.pluginmanager.register(config.stash[_GATE], "dp-audit-gate")


class Gate:
    """Collects the audits of a test run, over all xdist workers, and reports them at its end."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self.config = config
        self.settings = settings
        self.entries: list[Entry] = []
        self.alphas = 0.0
        self.changes: tuple[Change, ...] = ()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Audits travel as text on the test's report: xdist carries that to the controller."""
        report = yield
        finished = item.stash.get(_FINISHED, None)
        if finished:
            report.dp_audit = json.dumps(finished)  # type: ignore[attr-defined]
            finished.clear()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Runs where the reports come together."""
        carried = getattr(report, "dp_audit", None)
        if carried is None:
            return
        from auditor.results.entry import entry_from_dict

        for alpha, data in json.loads(carried):
            self.alphas += alpha
            self.entries.append(entry_from_dict(data))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Compares, writes the report of what was audited, also after an interrupt, and tells GitHub."""
        if hasattr(self.config, "workerinput") or not (self.entries or self.settings.report):
            return
        from auditor.doors import gate
        from auditor.doors.cli import output
        from auditor.errors import AuditError
        from auditor.results.files import write_text

        document = self.document(interrupted=int(exitstatus) == int(pytest.ExitCode.INTERRUPTED))
        if self.settings.compare is not None:
            self._compare(document, self.config.invocation_params.dir / self.settings.compare)
            if int(exitstatus) == int(pytest.ExitCode.OK) and any(c.worse or c.blind for c in self.changes):
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.settings.results is not None:
            path = self.config.invocation_params.dir / self.settings.results
            document = gate.rooted(document, self.config.rootpath, path.parent)
            try:
                if self.settings.page is None:
                    write_text(path, document.to_json())
                else:
                    output.write(document, path.parent)
            except AuditError as error:
                pytest.exit(f"the dp-audit report: {error}", returncode=pytest.ExitCode.USAGE_ERROR)
        output.tell_github(document)

    def _compare(self, document: Document, path: Path) -> None:
        """What changed since stored results. Tests that were not run this time are no news."""
        from auditor.errors import AuditError
        from auditor.results.baseline import compare
        from auditor.results.document import read

        try:
            self.changes = compare(read(path), document, whole=False)
        except AuditError as error:
            pytest.exit(f"--dp-compare: {error}", returncode=pytest.ExitCode.USAGE_ERROR)

    def document(self, interrupted: bool) -> Document:
        """The audits in the order of their tests' names: xdist finishes them in any order."""
        from auditor.results.document import Document

        return Document(
            entries=tuple(sorted(self.entries, key=lambda entry: entry.id)),
            version=__version__,
            title="Privacy audits of the test suite",
            alpha=self.alphas or None,
            seed=self.settings.seed,
            command="pytest",
            seconds=sum(entry.seconds for entry in self.entries),
            interrupted=interrupted,
        )

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """What was audited, how blind the audits were, and what flake rate to expect."""
        if not self.entries:
            return
        terminalreporter.section("dp-audit")
        for line in summary(self.entries, self.alphas):
            terminalreporter.line(line)
        from auditor.escaping import logged

        for change in self.changes:
            kind = "worse" if change.worse else "blind" if change.blind else "other"
            terminalreporter.line(logged(f"{kind}, since {self.settings.compare}: {change}"))
        if self.settings.results is not None:
            terminalreporter.line(f"report: {self.settings.page or self.settings.results}")


def summary(entries: Sequence[Entry], alphas: float) -> list[str]:
    """The lines under the heading "dp-audit"."""
    from auditor.doors import gate
    from auditor.escaping import logged

    refuted = sum(entry.outcome == "refuted" for entry in entries)
    errors = sum(entry.outcome == "error" for entry in entries)
    broken = f", {errors} without a verdict" if errors else ""
    audits = "1 audit" if len(entries) == 1 else f"{len(entries)} audits"
    lines = [f"{audits}, {refuted} refuted{broken}; not refuted is not proof"]
    blind = gate.weakest(entries)
    if blind is not None:
        spot = f"below epsilon {blind.detectable:.4g}, claimed {blind.claimed:.4g}"
        lines.append(f"weakest blind spot: {spot}, in {blind.id}")
    for entry in entries:
        for warning in () if entry.audit is None or entry.outcome == "refuted" else entry.audit["warnings"]:
            text = logged(f"noticed in {entry.id}: {warning}")
            lines += textwrap.wrap(text, 79, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    if alphas:
        lines.append(f"expected false alarms: at most {alphas:.3g} in a run ({_repeats(entries)})")
    return lines


def _repeats(entries: Sequence[Entry]) -> str:
    """Whether another run with the same seed comes out the same, and why not."""
    judged = [entry for entry in entries if entry.audit is not None]
    why = [reason for entry in judged if (reason := _not_again(entry)) is not None]
    if not why:
        return "the same seed repeats itself"
    reasons = ", ".join(dict.fromkeys(why))
    if len(why) == len(judged):
        return f"no seed repeats it: {reasons}"
    return f"the same seed repeats itself, but for {len(why)} of {len(judged)}: {reasons}"


def _not_again(entry: Entry) -> str | None:
    """Why the same seed need not repeat an audit; None where it does."""
    audit = entry.audit or {}
    if not audit["replayable"]:
        return "the mechanism draws its own randomness"
    if "cut_off" in audit:
        return "a time limit cut it off"
    return "the seconds set its trials" if "seconds" in (entry.location or {}) else None


def _theirs(cause: BaseException | None) -> BaseException | None:
    """What the mechanism itself raised, from its own first line on; None where there is no line but ours."""
    home = Path(__file__).resolve().parents[2]
    ours = tuple(f"{home / name}{os.sep}" for name in ("auditor", "mechanisms", "reports"))
    trace = None if cause is None else cause.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(ours):
        trace = trace.tb_next
    return None if cause is None or trace is None else cause.with_traceback(trace)


class Told:
    """What an audit tells while it runs: nothing, unless it would take very long."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def __call__(self, done: int, total: int) -> None:
        """pytest has its own progress."""

    def slow(self, sentence: str) -> None:
        """At once, though pytest captures what tests print; xdist's workers have no terminal."""
        from auditor.escaping import logged

        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.ensure_newline()
            reporter.line(logged(f"dp-audit: {sentence}"))


class Auditor:
    """What the fixture `dp_audit` gives: call it with a mechanism and what is claimed of it."""

    def __init__(self, node: pytest.Item, settings: Settings) -> None:
        self._node = node
        self._settings = settings
        self._calls = 0

    def __call__(
        self,
        mechanism: Any,
        epsilon: float | None = None,
        delta: float | None = None,
        pairs: Any = None,
        claim: Claim | None = None,
        **options: Any,
    ) -> AuditResult:
        """Audits; fails the test when the claim is refuted, else returns the result.

        The claim is (epsilon, delta), or `claim=` for any other, or the mechanism's own. `pairs` are a list of pairs
        or a strategy from `neighbouring`, which is searched, or the mechanism's own. Options of this call
        (trials, alpha, seed, jobs, views, time_limit, raises, stop_early, seconds) win over the command line and
        pyproject.toml. `--dp-seconds=0` alone wins over a call: at most `--dp-trials` draws stand for its seconds.
        """
        __tracebackhide__ = True
        _not_hidden()
        from auditor.doors import gate
        from auditor.errors import AuditError, UsageError

        start = time.perf_counter()
        try:
            wanted = _claim(epsilon, delta, claim)
            chosen = self._options(options)
        except ValueError as error:
            raise UsageError(str(error)) from None  # the sentence alone, at the line of the call
        self._calls += 1
        identifier = self._node.nodeid + (f"#{self._calls}" if self._calls > 1 else "")
        timed = chosen["seconds"] is not None or self._settings.seconds == 0
        location = self._location(mechanism) | ({"timed": True} if timed else {})
        location |= {} if chosen["seconds"] is None else {"seconds": chosen["seconds"]}
        title = f"{self._node.name}: {gate.title_of(mechanism)}"
        try:
            result = self._audited(mechanism, wanted, pairs, identifier, chosen)
        except AuditError as error:
            seconds = time.perf_counter() - start
            self._keep(0.0, gate.error_entry(error, identifier, title, location, seconds))
            raise error.with_traceback(None) from _theirs(error.__cause__)
        replay = self._replay_line(identifier, result, timed)
        self._keep(result.alpha, gate.entry_of(result, identifier, title, location, replay))
        if result.refuted:
            raise AssertionError(gate.explain(result, replay))
        return result

    def _audited(
        self, mechanism: Any, claim: Claim | None, pairs: Any, identifier: str, chosen: dict[str, Any]
    ) -> AuditResult:
        """The audit; where a replay names this call, cut off after the rounds that its time limit had left."""
        from auditor.cut_off import CutOff
        from auditor.engine import audit, replayed

        named, _, call = (self._settings.cut_off or "").partition("#")
        if not named or int(call or 1) != self._calls:
            told = Told(self._node.config)
            return audit(mechanism, claim=claim, pairs=pairs, name=identifier, progress=told, **chosen)
        rounds, _, seconds = named.partition(":")
        return replayed(mechanism, claim, pairs, identifier, chosen, CutOff(float(seconds), int(rounds)))

    def __repr__(self) -> str:
        return f"<dp_audit of {self._node.name}>"

    def _options(self, given: dict[str, Any]) -> dict[str, Any]:
        from auditor.errors import UsageError

        unknown = sorted(set(given) - set(_CALL_OPTIONS))
        if unknown:
            raise UsageError(f"dp_audit has only the options {', '.join(_CALL_OPTIONS)}, got {unknown[0]!r}")
        settings = self._settings
        chosen = {key: getattr(settings, key) for key in ("trials", "alpha", "seed", "jobs", "seconds")} | given
        if settings.seconds == 0:
            if given.get("seconds") is not None and isinstance(chosen["trials"], int):
                chosen["trials"] = min(chosen["trials"], settings.trials)
            chosen["seconds"] = None
        if settings.quick and isinstance(chosen["trials"], int):
            chosen["trials"] = min(chosen["trials"], QUICK_TRIALS)
        return chosen

    def _location(self, mechanism: Any) -> dict[str, Any]:
        """Where the mechanism stands (the test, if that is someone else's code), and how to run it again."""
        from auditor.doors import gate

        root = self._node.config.rootpath
        found = gate.source_line(mechanism)
        file = gate.relative(found[0], root) if found else None
        line = found[1] if found else None
        if file is None:
            test_file, test_line, _ = self._node.location
            file, line = Path(test_file).as_posix(), (test_line or 0) + 1
        return {
            "file": file,
            "line": line,
            "target": self._node.nodeid,
            "door": "pytest",
            "quick": self._settings.quick,
        }

    def _replay_line(self, identifier: str, result: AuditResult, timed: bool) -> str:
        from auditor.doors import gate

        if self._settings.results is None and result.cut_off is not None:
            return "run with --dp-report DIR, then dp-audit replay DIR/results.json " + shlex.quote(identifier)
        if self._settings.results is None:
            flags = gate.pytest_arguments(self._node.nodeid, result, self._settings.quick, timed)
            return shlex.join(["pytest", *flags])
        return shlex.join(["dp-audit", "replay", self._settings.results.as_posix(), identifier])

    def _keep(self, alpha: float, entry: Entry) -> None:
        self._node.stash.setdefault(_FINISHED, []).append((alpha, entry.to_dict()))


def _not_hidden() -> None:
    """dp-audit's packages have plain names; a module of the project may have taken one."""
    __tracebackhide__ = True
    home = Path(__file__).resolve().parents[2]
    for name in ("mechanisms", "reports"):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None or Path(spec.origin).resolve().parent.parent != home:
            found = spec.origin if spec is not None else None
            raise ImportError(f"dp-audit needs its own package {name!r}, got {found}; rename that module")


def _claim(epsilon: float | None, delta: float | None, claim: Claim | None) -> Claim | None:
    """The claim of a call; None leaves it to the mechanism."""
    from auditor.errors import UsageError
    from mechanisms.core.claims import ApproxDP

    if claim is not None and (epsilon is not None or delta is not None):
        raise UsageError("a call names epsilon and delta, or a claim, and not both; leave one out")
    if epsilon is not None:
        return ApproxDP(epsilon=epsilon, delta=0.0 if delta is None else delta)
    if delta is not None:
        raise UsageError(f"delta needs an epsilon beside it, got delta={delta!r} alone")
    return claim


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Auditor:
    """Audits a mechanism: dp_audit(mechanism, epsilon=1.0, delta=0.0, pairs=[(left, right)])."""
    return Auditor(request.node, request.config.stash[_GATE].settings)


@pytest.fixture
def dp_sensitivity() -> Callable[..., Sensitivity]:
    """Fails where a function is more sensitive: dp_sensitivity(function, at_most=1.0, pairs=…, norm="l1")."""
    return _at_most


def _at_most(
    function: Callable[[Any], Any], at_most: float, pairs: Any, norm: Any = "l1", **options: Any
) -> Sensitivity:
    """The sensitivity that was found (`auditor.sensitivity`); a failure that names the pair where it is larger.

    `at_most` is a bound that was computed in doubles as well, so an excess of one part in a billion is let pass.
    """
    __tracebackhide__ = True
    _not_hidden()
    from auditor.search.pairs.sensitivity import sensitivity
    from mechanisms.core import checks

    bound = checks.non_negative("at_most", at_most)
    found = sensitivity(function, pairs, norm, **options)
    if found.value > bound + 1e-9 * abs(bound):
        raise AssertionError(f"The sensitivity must be at most {bound:.6g}. {found}")
    return found


_GATE = pytest.StashKey[Gate]()
_FINISHED = pytest.StashKey[list[tuple[float, dict[str, Any]]]]()

"""pytest plugin: the fixture `dp_audit` fails a test when the claimed privacy is refuted.

    def test_release(dp_audit):
        dp_audit(release, epsilon=1.0, pairs=[([1, 1], [1])])

Nothing heavy is imported before the first audit: a test run without audits pays nothing for the plugin.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from auditor import __version__
from auditor.doors.pytest_calls import FINISHED, Auditor, check_sensitivity
from auditor.doors.pytest_settings import Settings, add_options, read_settings
from auditor.doors.pytest_summary import summary

if TYPE_CHECKING:
    from auditor.results.baseline import Change
    from auditor.results.document import Document
    from auditor.results.entry import Entry
    from auditor.search.pairs.sensitivity import Sensitivity


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds --dp-trials and the other options."""
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
        finished = item.stash.get(FINISHED, None)
        if finished:
            report.dp_audit = json.dumps(finished)  # type: ignore[attr-defined]
            finished.clear()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collects the audits of a test, in the process where the reports come together."""
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


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Auditor:
    """Audits a mechanism: dp_audit(mechanism, epsilon=1.0, delta=0.0, pairs=[(left, right)])."""
    return Auditor(request.node, request.config.stash[_GATE].settings)


@pytest.fixture
def dp_sensitivity() -> Callable[..., Sensitivity]:
    """Fails where a function is more sensitive: dp_sensitivity(function, at_most=1.0, pairs=…, norm="l1")."""
    return check_sensitivity


_GATE = pytest.StashKey[Gate]()

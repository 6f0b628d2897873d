"""What a test calls: the values of the fixtures `dp_audit` and `dp_sensitivity`.

Nothing heavy is imported before the first call.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor.doors.pytest_settings import QUICK_TRIALS, Settings

if TYPE_CHECKING:
    from auditor.results.entry import Entry
    from auditor.results.result import AuditResult
    from auditor.search.pairs.sensitivity import Sensitivity
    from mechanisms.core.claims import Claim

FINISHED = pytest.StashKey[list[tuple[float, dict[str, Any]]]]()  # a test's audits, each with its alpha
_CALL_OPTIONS = ("trials", "alpha", "seed", "jobs", "views", "time_limit", "raises", "stop_early", "seconds")


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
        """Shows nothing: pytest has its own progress."""

    def slow(self, sentence: str) -> None:
        """Prints the sentence at once, though pytest captures what tests print; workers of xdist have no terminal."""
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
        self._node.stash.setdefault(FINISHED, []).append((alpha, entry.to_dict()))


def _not_hidden() -> None:
    """A UsageError where a module of the project has the name of one of dp-audit's packages, and so hides it."""
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


def check_sensitivity(
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

"""Audits your own code, which it imports and executes.

A target is a file (every object in it with sample, claim and neighbours is audited),
file.py::name, package.module:name, an id of `dp-audit list`, or a TOML file of audits.
Several targets share one alpha: each of m audits gets alpha / m (Bonferroni), because an audit needs its level
before it draws: the level decides when it stops.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor import __version__
from auditor.doors.cli import arguments as kinds
from auditor.doors.cli.journal import Journal
from auditor.doors.cli.progress import Progress
from auditor.doors.cli.streams import say_traceback
from auditor.errors import AuditError, UsageError
from auditor.escaping import described
from auditor.rules import BACKENDS

if TYPE_CHECKING:
    from auditor.doors.audits_toml import Planned
    from auditor.doors.surroundings import Surroundings
    from auditor.results.document import Document
    from auditor.results.entry import Entry
    from auditor.results.result import AuditResult

NAME = "run"
HELP = "audit your own code"
EXECUTES = True
TRIALS = 1_000_000
ALPHA = 0.01
_USUAL = (("raises", "error"), ("stop_early", True))  # a replay stores these options where they are not the usual ones
_NO_DEFAULT = ("views", "time_limit", "raises", "stop_early", "seconds")
MEASURED = 2.0  # seconds for which a refutation is measured on, to say how wrong a claim is
_BEYOND = 150.0  # seconds past its time limit after which an audit is ended: processes start, and events are learned


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command line wins over a TOML file, the file over the mechanism, the mechanism over the default."""
    add = parser.add_argument
    add("targets", nargs="+", metavar="TARGET")
    add("--trials", type=kinds.whole, metavar="N", help=f"draws a side and pair at the most ({TRIALS})")
    add(
        "--alpha",
        type=kinds.probability,
        metavar="P",
        help=f"false-alarm probability of the whole run ({ALPHA})",
    )
    add("--seed", type=kinds.seed, metavar="S", help="the same seed gives the same result (0)")
    add("--views", type=kinds.views, metavar="VIEWS", help="values, bits, or values,bits")
    add(
        "--raises", choices=("error", "output"), help="what an exception is: the end of its audit, or an output (error)"
    )
    add(
        "--measure",
        dest="stop_early",
        action="store_const",
        const=False,
        help="go on after a refutation, through all trials: certifies a larger epsilon",
    )
    add("--seconds", type=kinds.seconds, metavar="S", help="as many trials as one worker draws in about S, each audit")
    add("--time-limit", type=kinds.seconds, metavar="SECONDS", help="of each audit, which then ends with what it has")
    add("--checkpoint", type=Path, metavar="FILE", help="write what is drawn there, and go on from there")
    add("--history", type=Path, metavar="DIR", help="keep the evidence there from one nightly run to the next")
    add("--backend", metavar="|".join(BACKENDS), help="joblib backend that draws")
    add("--scheduler", metavar="ADDRESS", help="of the dask or ray cluster")
    add("--out", type=Path, metavar="DIR", help="write results.json, report.md and index.html there")
    add(
        "--format",
        action="append",
        default=[],
        metavar=kinds.FORMATS,
        help="print this format instead of the table; with --out, write it there too (repeatable)",
    )
    add("--baseline", type=Path, metavar="RESULTS", help="report what became worse since these results")
    add(
        "--accept",
        action="append",
        default=[],
        metavar="ID=REASON",
        help="accept a refutation of the baseline",
    )
    kinds.add_sampling(parser)


def command(options: argparse.Namespace) -> int:
    """0 not refuted, 1 refuted, 2 when an audit ended without a verdict, 130 after an interrupt."""
    from auditor.doors.cli import output
    from auditor.doors.surroundings import surroundings
    from auditor.results import baseline

    for format_name in options.format:
        output.check_format(format_name)
    if len(options.format) > 1 and options.out is None:
        raise UsageError("several formats need --out DIR to go to, got no --out")
    old = _baseline(options)
    printed = options.format[0] if options.format and options.out is None else None
    aside = sys.stderr if options.json or printed else sys.stdout  # what audited code prints is no part of a document
    own = surroundings()
    with output.folder(options.out) as out:
        with contextlib.redirect_stdout(aside):
            planned, document = _audited(options, own)
        changes: tuple[baseline.Change, ...] = ()
        if old is not None:
            document = baseline.carry(old, document)
            changes = baseline.compare(old, document)
        output.deliver(document, out, options, printed, changes)
    if document.interrupted:
        return output.interrupted(document, options.out, planned)
    return _exit_code(document)


def _audited(options: argparse.Namespace, own: Surroundings) -> tuple[int, Document]:
    """How many audits were asked for, and what came of them."""
    from auditor.doors import gate
    from auditor.doors.audits_toml import run_plan
    from auditor.doors.surroundings import kept
    from auditor.sampling import backends, checkpoint

    @contextlib.contextmanager
    def importing(spec: str, seconds: Any) -> Iterator[None]:
        limit = seconds if options.time_limit is None and isinstance(seconds, int | float) else options.time_limit
        with options.journal.within(limit, f"importing {spec!r}"), kept(own, spec):
            yield

    planned = run_plan(options.targets, importing)
    if options.checkpoint is not None:
        options.checkpoint = options.checkpoint.absolute()
        checkpoint.prepare(options.checkpoint)
    if options.history is not None:
        options.history = options.history.absolute()
    with backends.backend(options.backend, options.scheduler):
        document = _audit_all(planned.requests, options.alpha or planned.alpha or ALPHA, options, own)
    if options.out is not None:
        document = gate.rooted(document, Path(own.folder), Path(own.folder, options.out))
    return len(planned.requests), document


def _baseline(options: argparse.Namespace) -> Document | None:
    from auditor.results import baseline
    from auditor.results.document import read

    reasons = {}
    for text in options.accept:
        identifier, equals, reason = text.partition("=")
        if not equals:
            raise UsageError(f"--accept must be ID=REASON, got {text!r}")
        reasons[identifier] = reason
    if options.baseline is None:
        if reasons:
            raise UsageError("--accept must come with the --baseline whose finding it accepts, got no --baseline")
        return None
    return baseline.accept(read(options.baseline), reasons)


def _audit_all(requests: tuple[Planned, ...], alpha: float, options: argparse.Namespace, own: Surroundings) -> Document:
    """One audit after the other; an interrupt keeps what is finished."""
    from auditor.results.document import Document

    entries: list[Entry] = []
    start = time.perf_counter()
    interrupted = False
    with Progress(quiet=options.json) as progress:
        try:
            for number, request in enumerate(requests, 1):
                entry = _earlier(request, options.journal) or _audit_one(
                    request, alpha / len(requests), options, progress, own
                )
                progress.line(f"[{number}/{len(requests)}] {entry.id}: {_came_out(entry)}")
                entries.append(entry)
        except KeyboardInterrupt:
            interrupted = True
    return Document(
        entries=tuple(entries),
        version=__version__,
        title="Privacy audit of " + ", ".join(options.targets),
        alpha=alpha,
        seed=options.seed or 0,
        command=shlex.join(["dp-audit", "run", *options.targets]),
        seconds=time.perf_counter() - start,
        interrupted=interrupted,
    )


def _came_out(entry: Entry) -> str:
    if entry.outcome != "error":
        cut = ", cut off by its time limit" if entry.audit is not None and "cut_off" in entry.audit else ""
        return f"{entry.outcome}, {entry.seconds:.1f} s{cut}"
    return "no verdict" + (f" after {entry.seconds:.1f} s" if entry.seconds >= 0.05 else "")


def _earlier(request: Planned, journal: Journal) -> Entry | None:
    """What a process before this one has finished; the audit in which it ended has no verdict."""
    from auditor.doors import gate
    from auditor.errors import MechanismError
    from auditor.results.entry import entry_from_dict

    for told in journal.before.entries:
        if told.get("lost") == request.id:
            return gate.error_entry(MechanismError(told["reason"]), request.id, request.id, request.location)
        if told.get("id") == request.id:
            return entry_from_dict(told)
    return None


def _audit_one(
    request: Planned, alpha: float, options: argparse.Namespace, progress: Progress, own: Surroundings
) -> Entry:
    """A mechanism that fails ends its own audit only."""
    from auditor.doors import gate

    title, start = request.id, time.perf_counter()
    try:
        title = gate.title_of(request.target.mechanism)
        chosen = choose(request, alpha, options)
        result = _result(request, chosen, options, progress, own)
        location = request.location | {key: chosen[key] for key, usual in _USUAL if chosen.get(key, usual) != usual}
        entry = gate.entry_of(result, request.id, title, location, _replay_line(request, result, options, chosen))
    except AuditError as error:
        entry = gate.error_entry(error, request.id, title, request.location, time.perf_counter() - start)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if getattr(options, "debug", False):
            say_traceback(error)
        unexpected = AuditError(f"{request.id} could not be audited, got {described(error)}")
        entry = gate.error_entry(unexpected, request.id, title, request.location, time.perf_counter() - start)
    options.journal.finished(entry.to_dict())
    return entry


def _result(
    request: Planned, chosen: dict[str, Any], options: argparse.Namespace, progress: Progress, own: Surroundings
) -> AuditResult:
    from auditor.doors.surroundings import kept
    from auditor.engine import audit
    from auditor.sampling import backends

    if options.backend in backends.CLUSTERS:
        backends.send_along(request.target.mechanism)
    limit = chosen.get("time_limit")
    seconds = limit + _BEYOND if isinstance(limit, int | float) else None
    with options.journal.audit(request.id, seconds), kept(own, request.id):
        os.chdir(request.folder or own.folder)
        return audit(
            request.target.mechanism,
            claim=request.claim,
            pairs=request.pairs,
            name=request.id,
            progress=progress.of(request.id),
            checkpoint=options.checkpoint,
            history=options.history,
            measure_seconds=MEASURED,
            **chosen,
        )


def choose(request: Planned, alpha: float, options: argparse.Namespace) -> dict[str, Any]:
    """Command line over file over mechanism over default."""
    own = {"trials": getattr(request.target.mechanism, "trials", None), **request.options}
    chosen: dict[str, Any] = {"alpha": alpha, "jobs": options.jobs}
    defaults: dict[str, Any] = {"trials": TRIALS, "seed": 0} | dict.fromkeys(_NO_DEFAULT)
    for key, default in defaults.items():
        given = getattr(options, key)
        value = own.get(key) if given is None else given
        if value is not None or default is not None:
            chosen[key] = default if value is None else value
    return chosen


def _replay_line(request: Planned, result: Any, options: argparse.Namespace, chosen: dict[str, Any]) -> str:
    if options.out is not None:
        return shlex.join(["dp-audit", "replay", (options.out / "results.json").as_posix(), request.id])
    if request.claim is not None or request.pairs is not None or result.cut_off is not None or result.history:
        return "run with --out DIR, then dp-audit replay DIR/results.json " + shlex.quote(request.id)
    flags = ["--trials", str(result.trials), "--alpha", repr(result.alpha), "--seed", str(result.seed)]
    flags += ["--views", ",".join(result.views)]
    flags += [] if chosen.get("stop_early", True) else ["--measure"]
    return shlex.join(["dp-audit", "run", request.target.spec, *flags])


def _exit_code(document: Document) -> int:
    if any(entry.outcome == "error" for entry in document.entries):
        return 2
    return 1 if any(entry.failed for entry in document.entries) else 0

"""Audits your own code, which it imports and executes.

A target is a file (every object in it with sample, claim and neighbours is audited),
file.py::name, package.module:name, an id of `dp-audit list`, or a TOML file of audits.
Several targets share one alpha: each of m audits gets alpha / m.
"""

from __future__ import annotations

import argparse
import contextlib
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.doors.cli import arguments as kinds
from auditor.doors.cli.progress import Progress
from auditor.errors import AuditError, UsageError

if TYPE_CHECKING:
    from auditor.doors.audits_toml import Planned
    from auditor.results.document import Document, Entry

NAME = "run"
HELP = "audit your own code"
TRIALS = 1_000_000
ALPHA = 0.01


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
    add("--time-limit", type=kinds.seconds, metavar="SECONDS", help="of each audit")
    add("--checkpoint", type=Path, metavar="FILE", help="write what is drawn there, and go on from there")
    add("--backend", metavar=kinds.BACKENDS, help="joblib backend that draws")
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
    from auditor.doors.audits_toml import plan
    from auditor.doors.cli import output
    from auditor.results import baseline
    from auditor.sampling import backends, checkpoint

    for format_name in options.format:
        output.check_format(format_name)
    if len(options.format) > 1 and options.out is None:
        raise UsageError("several formats need --out DIR to go to, got no --out")
    old = _baseline(options)
    printed = options.format[0] if options.format and options.out is None else None
    aside = sys.stderr if options.json or printed else sys.stdout  # what audited code prints is no part of a document
    with contextlib.redirect_stdout(aside):
        planned = plan(options.targets)
        if options.out is not None:
            output.prepare(options.out)
        if options.checkpoint is not None:
            checkpoint.prepare(options.checkpoint)
        with backends.backend(options.backend, options.scheduler):
            document = _audit_all(planned.requests, options.alpha or planned.alpha or ALPHA, options)
    changes: tuple[baseline.Change, ...] = ()
    if old is not None:
        document = baseline.carry(old, document)
        changes = baseline.compare(old, document)
    output.show(document, options.json, printed, changes)
    if options.out is not None:
        output.write(document, options.out, extra=options.format)
        output.tell_path(options.out, options.json)
    output.tell_github(document)
    if document.interrupted:
        return output.interrupted(document, options.out, len(planned.requests))
    return _exit_code(document)


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


def _audit_all(requests: tuple[Planned, ...], alpha: float, options: argparse.Namespace) -> Document:
    """One audit after the other; an interrupt keeps what is finished."""
    from auditor.doors import gate
    from auditor.results.document import Document

    entries: list[Entry] = []
    start = time.perf_counter()
    interrupted = False
    with Progress(quiet=options.json) as progress:
        try:
            for number, request in enumerate(requests, 1):
                entry = _audit_one(request, alpha / len(requests), options, progress)
                progress.line(f"[{number}/{len(requests)}] {entry.id}: {entry.outcome}, {entry.seconds:.1f} s")
                entries.append(entry)
        except KeyboardInterrupt:
            interrupted = True
    document = Document(
        entries=tuple(entries),
        version=gate.installed_version(),
        title="Privacy audit of " + ", ".join(options.targets),
        alpha=alpha,
        seed=options.seed or 0,
        command=shlex.join(["dp-audit", "run", *options.targets]),
        seconds=time.perf_counter() - start,
        interrupted=interrupted,
    )
    return document if options.out is None else gate.rooted(document, Path.cwd(), options.out)


def _audit_one(request: Planned, alpha: float, options: argparse.Namespace, progress: Progress) -> Entry:
    """A mechanism that fails ends its own audit only."""
    from auditor.doors import gate
    from auditor.engine import audit
    from auditor.sampling import backends

    title = gate.name_of(request.target.mechanism)
    chosen = choose(request, alpha, options)
    if options.backend in backends.CLUSTERS:
        backends.send_along(request.target.mechanism)
    try:
        result = audit(
            request.target.mechanism,
            claim=request.claim,
            pairs=request.pairs,
            name=request.id,
            progress=lambda done, total: progress.update(request.id, done, total),
            checkpoint=options.checkpoint,
            **chosen,
        )
    except AuditError as error:
        return gate.error_entry(error, request.id, title, request.location)
    except Exception as error:
        if getattr(options, "debug", False):
            raise
        unexpected = AuditError(f"{request.id} could not be audited, got {type(error).__name__}: {error}")
        return gate.error_entry(unexpected, request.id, title, request.location)
    return gate.entry_of(result, request.id, title, request.location, _replay_line(request, result, options))


def choose(request: Planned, alpha: float, options: argparse.Namespace) -> dict[str, Any]:
    """Command line over file over mechanism over default."""
    own = {"trials": getattr(request.target.mechanism, "trials", None), **request.options}
    chosen: dict[str, Any] = {"alpha": alpha, "jobs": options.jobs}
    for key, default in (("trials", TRIALS), ("seed", 0), ("views", None), ("time_limit", None)):
        given = getattr(options, key)
        value = own.get(key) if given is None else given
        if value is not None or default is not None:
            chosen[key] = default if value is None else value
    return chosen


def _replay_line(request: Planned, result: Any, options: argparse.Namespace) -> str:
    if options.out is not None:
        return shlex.join(["dp-audit", "replay", (options.out / "results.json").as_posix(), request.id])
    if request.claim is not None or request.pairs is not None:
        return "run with --out DIR, then dp-audit replay DIR/results.json " + shlex.quote(request.id)
    flags = ["--trials", str(result.trials), "--alpha", repr(result.alpha), "--seed", str(result.seed)]
    flags += ["--views", ",".join(result.views)]
    return shlex.join(["dp-audit", "run", request.target.spec, *flags])


def _exit_code(document: Document) -> int:
    if any(entry.outcome == "error" for entry in document.entries):
        return 2
    return 1 if any(entry.failed for entry in document.entries) else 0

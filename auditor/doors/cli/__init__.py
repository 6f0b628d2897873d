"""The command `dp-audit`: one file a command. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from auditor import __version__
from auditor.doors.cli import (
    catalogue,
    compare,
    completion,
    notes,
    one_run,
    replay,
    report,
    run,
    samples,
    show,
    streams,
    tradeoff,
)
from auditor.doors.cli.arguments import CommandParser, Wrapped, add_debug
from auditor.doors.cli.journal import Journal
from auditor.doors.cli.supervision import supervised
from auditor.errors import AuditError
from auditor.escaping import described

COMMANDS = (notes, run, tradeoff, samples, one_run, catalogue, show, report, replay, compare, completion)
EPILOG = """\
exit codes: 0 as expected or not refuted, 1 refuted or different, 2 wrong usage or a
broken target, 130 interrupted. Not refuted is not proof.
"""


def build_parser() -> argparse.ArgumentParser:
    """Each command's module says its name, its help and its arguments, and whether it EXECUTES someone else's code."""
    parser = CommandParser(
        prog="dp-audit",
        description="An empirical auditor for differential privacy.",
        epilog=EPILOG,
        formatter_class=Wrapped,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and leave")
    add_debug(parser)
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=CommandParser)
    for module in COMMANDS:
        command = commands.add_parser(
            module.NAME,
            help=module.HELP,
            description=module.__doc__,
            formatter_class=Wrapped,
        )
        module.arguments(command)
        add_debug(command)
        command.set_defaults(command=module.command, executes=getattr(module, "EXECUTES", False))
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code. An error is one sentence; `--debug` shows its traceback.

    Without `argv` this is the command itself: standard output may fail, and what executes someone else's code runs in a
    process that we watch over. With `argv` the same is done here, in this process, for programs that call it.
    """
    out = streams.guard() if argv is None else None
    arguments = sys.argv[1:] if argv is None else list(argv)
    try:
        options = build_parser().parse_args(arguments)
    except SystemExit as leaving:  # --help and --version
        return leaving.code if isinstance(leaving.code, int) else 0
    except AuditError as error:
        return _failed(error, "--debug" in arguments)

    def work(journal: Journal) -> int:
        options.journal = journal
        return _delivered(_outcome(options), out, options)

    return supervised(work) if argv is None and options.executes else work(Journal())


def _outcome(options: argparse.Namespace) -> int:
    """The exit code of the command, whatever happens in it."""
    try:
        code: int = options.command(options)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        streams.say("dp-audit: interrupted")
        return 130
    except BaseException as error:
        return _failed(error, getattr(options, "debug", False))


def _failed(error: BaseException, debug: bool) -> int:
    if debug:
        streams.say_traceback(error)
    unexpected = f"unexpected {described(error)}; --debug shows where it came from"
    streams.say(f"dp-audit: {error if isinstance(error, AuditError) else unexpected}")
    return 2


def _delivered(code: int, out: streams.Lossy | None, options: argparse.Namespace) -> int:
    """A reader that has left wanted no more. A full disk is told; it matters where the results are nowhere else."""
    if out is None or out.failure is None or isinstance(out.failure, BrokenPipeError):
        return code
    streams.say(f"dp-audit: standard output cannot be written: {out.failure.strerror}")
    return code if getattr(options, "out", None) is not None else code or 2


class _Version(argparse.Action):
    """Prints the version and leaves."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"dp-audit {__version__}")
        parser.exit()

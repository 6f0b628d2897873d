"""The command `dp-audit`: one file a command. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

from auditor.doors.cli import catalogue, notes, replay, report, run, show, tradeoff
from auditor.doors.cli.arguments import Parser, add_debug
from auditor.errors import AuditError

COMMANDS = (notes, run, tradeoff, catalogue, show, report, replay)
EPILOG = """\
exit codes: 0 as expected or not refuted, 1 refuted or different, 2 wrong usage or a
broken target, 130 interrupted. Not refuted is not proof.
"""


def build_parser() -> argparse.ArgumentParser:
    """Each command's module says its name, its help and its arguments."""
    parser = Parser(
        prog="dp-audit",
        description="An empirical auditor for differential privacy.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and leave")
    add_debug(parser)
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    for module in COMMANDS:
        command = commands.add_parser(
            module.NAME,
            help=module.HELP,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.arguments(command)
        add_debug(command)
        command.set_defaults(command=module.command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code. An error is one sentence; `--debug` shows its traceback."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    debug = "--debug" in arguments
    try:
        options = build_parser().parse_args(arguments)
        code: int = options.command(options)
        sys.stdout.flush()
        return code
    except SystemExit as leaving:  # --help and --version
        return leaving.code if isinstance(leaving.code, int) else 0
    except KeyboardInterrupt:
        print("dp-audit: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe has left; keep the interpreter from flushing into it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if debug:
            traceback.print_exc()
        print(f"dp-audit: {_sentence(error)}", file=sys.stderr)
        return 2


def _sentence(error: Exception) -> str:
    if isinstance(error, AuditError):
        return str(error)
    return f"unexpected {type(error).__name__}: {error}; --debug shows where it came from"


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from auditor.doors.gate import installed_version

        print(f"dp-audit {installed_version()}")
        parser.exit()

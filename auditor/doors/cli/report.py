"""Renders stored results again, in any format."""

from __future__ import annotations

import argparse
from pathlib import Path

from auditor.doors.cli import arguments as kinds
from auditor.doors.cli.streams import emit

NAME = "report"
HELP = "render stored results again"


def arguments(parser: argparse.ArgumentParser) -> None:
    """A results file and a format."""
    parser.add_argument("results", type=Path, metavar="results.json")
    parser.add_argument("--format", metavar=kinds.FORMATS, required=True)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write there instead of to the terminal")


def command(options: argparse.Namespace) -> int:
    """Prints the rendered text."""
    from auditor.results.document import read
    from auditor.results.files import write_text
    from reports import render

    text = render(read(options.results), options.format)
    if options.out is not None:
        write_text(options.out, text)
    else:
        emit(text, options.format)
    return 0

"""Argument types whose errors are one sentence, and the arguments that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from auditor import rules
from auditor.errors import UsageError
from auditor.rules import Rule

FORMATS = "html|markdown|junit|sarif|json|badge"


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are UsageErrors, so that they look like all others."""

    def error(self, message: str) -> NoReturn:
        """Raises one sentence, and says where to read on."""
        raise UsageError(f"{message}; see {self.prog} --help")


class Wrapped(argparse.HelpFormatter):
    """Help whose paragraphs stay apart, each wrapped to the width of the terminal."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """argparse asks this of descriptions and epilogs; its own answer joins all paragraphs."""
        paragraphs = (" ".join(part.split()) for part in text.strip().split("\n\n"))
        return "\n\n".join(super(Wrapped, self)._fill_text(part, width, indent) for part in paragraphs)


def add_debug(parser: argparse.ArgumentParser) -> None:
    """Adds --debug, which every command knows."""
    parser.add_argument(
        "--debug", action="store_true", default=argparse.SUPPRESS, help="show the traceback of an error"
    )


def add_sampling(parser: argparse.ArgumentParser) -> None:
    """Adds the options of sampling that `notes` and `run` share."""
    parser.add_argument("--jobs", type=jobs, default=-1, metavar="N", help="workers; -1, the default, is all cores")
    parser.add_argument("--json", action="store_true", help="print the results file and nothing else")


def add_output(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say where the results go."""
    parser.add_argument("--out", type=Path, metavar="DIR", help="write results.json, report.md and index.html there")
    parser.add_argument("--format", dest="printed", metavar=FORMATS, help="print this format instead of the table")
    parser.add_argument("--json", action="store_true", help="print the results file and nothing else")


def _of(rule: Rule, parse: Callable[[str], Any]) -> Callable[[str], Any]:
    return _rule(rule.words, parse, rule.allows)


def _rule(words: str, parse: Callable[[str], Any], allowed: Callable[[Any], bool]) -> Callable[[str], Any]:
    def check(text: str) -> Any:
        try:
            value = parse(text)
        except ValueError:
            value = None
        if value is None or not allowed(value):
            raise argparse.ArgumentTypeError(f"must be {words}, got {text!r}")
        return value

    return check


whole = _of(rules.TRIALS, lambda text: int(text.replace("_", "")))
seed = _of(rules.SEED, int)
jobs = _of(rules.JOBS, int)
probability = _of(rules.ALPHA, float)
delta = _rule("a probability of at least 0 and below 1", float, lambda p: 0 <= p < 1)
amount = _rule("a number of at least 0", float, lambda x: 0 <= x < float("inf"))
seconds = _of(rules.SECONDS, float)
views = _rule(
    f"one or more of {', '.join(rules.VIEWS)}, with commas between",
    lambda text: tuple(part.strip() for part in text.split(",")),
    lambda names: all(name in rules.VIEWS for name in names),
)

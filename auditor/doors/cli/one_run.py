"""Audits one training run: a file with the score of each canary and whether it was included.

SCORES has the columns `score` (higher means more likely included) and `included` (1 or 0,
true or false): .csv, .npz, .jsonl or .parquet. Each canary must have been included by a
fair coin of its own.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from auditor.doors.cli import arguments as kinds
from auditor.doors.cli.claims import add_claim, claim_of

NAME = "one-run"
HELP = "audit the canaries of one training run"
ALPHA = 0.05


def arguments(parser: argparse.ArgumentParser) -> None:
    """A file and a claim."""
    add = parser.add_argument
    add("scores", type=Path, metavar="SCORES")
    add_claim(parser)
    add("--column", nargs=2, default=["score", "included"], metavar="NAME", help="its two columns (score included)")
    add("--alpha", type=kinds.probability, default=ALPHA, metavar="P", help=f"false-alarm probability ({ALPHA})")
    add("--name", metavar="NAME", help="what the results call it")
    kinds.add_output(parser)


def command(options: argparse.Namespace) -> int:
    """0 not refuted, 1 refuted, 2 usage."""
    from auditor.doors.cli import output
    from auditor.doors.recorded import one_run_entry
    from auditor.sampling.files import Recording

    claim = claim_of(options)
    recording = Recording(options.scores, tuple(options.column))
    if options.printed is not None:
        output.check_format(options.printed)
    entry = one_run_entry(recording, claim, options.name, options.alpha)
    names = ("epsilon", "delta", "mu", "rho", "alpha", "name")
    flags = [f"--{name}={getattr(options, name)}" for name in names if getattr(options, name) is not None]
    command_line = ["dp-audit", NAME, str(options.scores), *flags, "--column", *options.column]
    return output.finish(entry, options, f"Privacy audit of {entry.id}", shlex.join(command_line))

"""Audits recorded outputs: two files, one output a row.

LEFT holds outputs of the mechanism on one dataset, RIGHT on its neighbour: .npy, .npz,
.csv, .jsonl or .parquet, each also compressed (.gz). The two may differ in length.
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.doors.cli import arguments as kinds
from auditor.doors.cli.claims import add_claim, claim_of

if TYPE_CHECKING:
    pass

NAME = "samples"
HELP = "audit recorded outputs: two files"
ALPHA = 0.01


def arguments(parser: argparse.ArgumentParser) -> None:
    """Two files and a claim."""
    add = parser.add_argument
    add("left", type=Path, metavar="LEFT")
    add("right", type=Path, metavar="RIGHT")
    add_claim(parser)
    add("--column", action="extend", nargs="+", default=[], metavar="NAME", help="columns that are the output (all)")
    add("--alpha", type=kinds.probability, default=ALPHA, metavar="P", help=f"false-alarm probability ({ALPHA})")
    add("--seed", type=kinds.seed, default=0, metavar="S", help="fixes the order of the outputs, and the coins (0)")
    add("--views", type=kinds.views, metavar="VIEWS", help="values (the default), bits, or values,bits")
    add("--name", metavar="NAME", help="what the results call it")
    kinds.add_output(parser)


def command(options: argparse.Namespace) -> int:
    """0 not refuted, 1 refuted, 2 usage."""
    from auditor.doors.cli import output
    from auditor.doors.recorded import samples_entry
    from auditor.sampling.files import Recording

    claim = claim_of(options)
    recordings = [Recording(path, tuple(options.column)) for path in (options.left, options.right)]
    if options.printed is not None:
        output.check_format(options.printed)
    entry = samples_entry(recordings[0], recordings[1], claim, options.name, options.alpha, options.seed, options.views)
    command_line = ["dp-audit", NAME, str(options.left), str(options.right), *_flags(options)]
    return output.finish(entry, options, f"Privacy audit of {entry.id}", shlex.join(command_line))


def _flags(options: argparse.Namespace) -> list[str]:
    names = ("epsilon", "delta", "mu", "rho", "alpha", "seed", "name")
    flags = [f"--{name}={getattr(options, name)}" for name in names if getattr(options, name) is not None]
    flags += [f"--views={','.join(options.views)}"] if options.views else []
    return [*flags, *(["--column", *options.column] if options.column else [])]

"""The claim on a command line: --epsilon with --delta, --mu or --rho."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from auditor.doors.cli import arguments as kinds
from auditor.errors import UsageError

if TYPE_CHECKING:
    from mechanisms.core.claims import Claim


def add_claim(parser: argparse.ArgumentParser) -> None:
    """Adds the options that say what is claimed of the mechanism."""
    add = parser.add_argument
    add("--epsilon", type=kinds.amount, metavar="E", help="claim (E, D)-differential privacy")
    add("--delta", type=kinds.amount, metavar="D", help="beside --epsilon; 0 where it is not given")
    add("--mu", type=kinds.amount, metavar="M", help="claim M-Gaussian differential privacy")
    add("--rho", type=kinds.amount, metavar="R", help="claim R-zero-concentrated differential privacy")


def claim_of(options: argparse.Namespace) -> Claim:
    """The one claim that was given."""
    from mechanisms.core.claims import ZCDP, ApproxDP, GaussianDP

    given = [name for name in ("epsilon", "mu", "rho") if getattr(options, name) is not None]
    if len(given) != 1:
        got = " and ".join(f"--{name}" for name in given) or "none"
        raise UsageError(f"a claim must be one of --epsilon, --mu, --rho, got {got}")
    if options.delta is not None and given != ["epsilon"]:
        raise UsageError(f"--delta must come with --epsilon, got it with --{given[0]}")
    try:
        match given[0]:
            case "epsilon":
                return ApproxDP(options.epsilon, options.delta or 0.0)
            case "mu":
                return GaussianDP(options.mu)
            case _:
                return ZCDP(options.rho)
    except ValueError as error:
        raise UsageError(str(error)) from error

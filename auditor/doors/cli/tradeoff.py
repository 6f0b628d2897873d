"""Certifies a trade-off curve of your own code, and what it composes to.

A target is file.py::name, package.module:name or an id of `dp-audit list`; it needs no claim. One pair of neighbours
is drawn on (--pair: the number of one of the mechanism's own, or a pair as JSON), then --rate puts the mechanism on a
Poisson sample, and --times runs it so many times, independently. Everything printed holds together with probability at
least 1 - alpha. It is a lower bound, never a proof of privacy.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.doors.cli import arguments as kinds
from auditor.doors.cli.progress import Progress
from auditor.errors import UsageError

if TYPE_CHECKING:
    from auditor.certify.tradeoff import TradeOff

NAME = "tradeoff"
HELP = "certify a trade-off curve, and what it composes to"
EXECUTES = True
TRIALS = 1_000_000
ALPHA = 0.05


def arguments(parser: argparse.ArgumentParser) -> None:
    """The target, what is composed, and at which deltas epsilon is printed."""
    add = parser.add_argument
    add("target", metavar="TARGET")
    add("--times", type=kinds.whole, default=1, metavar="K", help="independent runs on the same pair (1)")
    add("--rate", type=kinds.probability, metavar="Q", help="each record is sampled with this probability first")
    add("--added", choices=("left", "right"), default="left", help="the side of the pair that has the record (left)")
    add("--delta", type=kinds.delta, action="append", metavar="D", help="print epsilon at this delta (repeatable)")
    add("--mu", action="store_true", help="print mu of Gaussian DP alone")
    add("--pair", type=_pair, default=1, metavar="PAIR", help="number of the mechanism's pair (1), or '[left, right]'")
    add("--trials", type=kinds.whole, default=TRIALS, metavar="N", help=f"draws a side ({TRIALS})")
    add("--alpha", type=kinds.probability, default=ALPHA, metavar="P", help=f"probability of error ({ALPHA})")
    add("--seed", type=kinds.seed, default=0, metavar="S", help="the same seed gives the same curve (0)")
    add("--views", type=kinds.views, metavar="VIEWS", help="values, bits, or values,bits")
    add("--out", type=Path, metavar="DIR", help="write tradeoff.json, tradeoff.svg and tradeoff.html there")
    add("--jobs", type=kinds.jobs, default=-1, metavar="N", help="workers; -1, the default, is all cores")
    add("--json", action="store_true", help="print the curve and its numbers as JSON and nothing else")


def command(options: argparse.Namespace) -> int:
    """0 when a curve was certified, 2 for wrong usage or a broken target."""
    from auditor.doors.cli import output

    with output.folder(options.out) as out:
        return _certify(options, out)


def _certify(options: argparse.Namespace, out: Path | None) -> int:
    from auditor.certify import shown

    with contextlib.redirect_stdout(sys.stderr if options.json else sys.stdout):
        mechanism, name = _mechanism(options.target)
        curve = _curve(mechanism, name, options)
        made = _composed(curve, options)
    deltas = tuple(options.delta) if options.delta else shown.DELTAS
    if out is not None:
        _write(made, mechanism if made is curve else None, out, deltas)
    if options.json:
        print(json.dumps(_numbers(made, deltas, options.mu), ensure_ascii=False, allow_nan=False))
    else:
        _say(made, () if options.mu else deltas, getattr(mechanism, "claim", None) if made is curve else None)
        if out is not None:
            print(f"report: {options.out / 'tradeoff.html'}")
    return 0


def _mechanism(spec: str) -> tuple[Any, str]:
    from auditor.doors.targets import find

    found = find(spec)
    if len(found) != 1:
        names = ", ".join(target.spec for target in found[:4])
        raise UsageError(f"a trade-off curve is of one mechanism, got {len(found)} in {spec!r}: {names}; name one")
    return found[0].mechanism, found[0].spec


def _curve(mechanism: Any, name: str, options: argparse.Namespace) -> TradeOff:
    from auditor.curves import tradeoff

    pair = _chosen(mechanism, name, options.pair)
    with Progress(quiet=options.json) as progress:
        return tradeoff(
            mechanism,
            pair,
            trials=options.trials,
            alpha=options.alpha,
            seed=options.seed,
            jobs=options.jobs,
            views=options.views,
            name=name,
            progress=lambda done, total: progress.update(name, done, total),
        )


def _chosen(mechanism: Any, name: str, wanted: int | list[Any]) -> Any:
    """The pair that is given, or the mechanism's own pair with this number."""
    if isinstance(wanted, list):
        return tuple(wanted)
    if not hasattr(mechanism, "neighbours"):
        raise UsageError(f"a mechanism without its own pairs needs --pair '[left, right]', got {name!r}")
    pairs = list(mechanism.neighbours())
    if wanted > len(pairs):
        raise UsageError(f"--pair must be one of the {len(pairs)} pairs of {name}, got {wanted}")
    return pairs[wanted - 1]


def _pair(text: str) -> int | list[Any]:
    """The number of a pair, from 1, or [left, right] as JSON."""
    with contextlib.suppress(ValueError, RecursionError):
        given = json.loads(text)
        if isinstance(given, list) and len(given) == 2:
            return given
        if type(given) is int and given >= 1:
            return given
    raise argparse.ArgumentTypeError(f"must be the number of a pair, from 1, or '[left, right]' as JSON, got {text!r}")


def _composed(curve: TradeOff, options: argparse.Namespace) -> TradeOff:
    sampled = curve if options.rate is None else curve.subsampled(options.rate, added=options.added)
    return sampled.times(options.times)


def _numbers(curve: TradeOff, deltas: tuple[float, ...], mu_only: bool) -> dict[str, Any]:
    from auditor.results.plain import number

    epsilons = [] if mu_only else [{"delta": delta, "epsilon": number(curve.epsilon_at(delta))} for delta in deltas]
    return {"mu": curve.mu, "epsilons": epsilons, "alpha": curve.alpha, "curve": curve.to_dict()}


def _say(curve: TradeOff, deltas: tuple[float, ...], claim: Any) -> None:
    from auditor.certify import shown
    from auditor.doors.cli import streams
    from mechanisms.core.claims import Claim

    streams.emit(shown.summary(curve, deltas, claim if isinstance(claim, Claim) else None), "terminal")


def _write(curve: TradeOff, mechanism: Any, folder: Path, deltas: tuple[float, ...]) -> None:
    from auditor.certify import shown
    from auditor.results.files import write_text
    from reports.curve import render

    exact = mechanism.exact() if mechanism is not None and hasattr(mechanism, "exact") else None
    claim = getattr(mechanism, "claim", None)
    picture = shown.picture(curve, claim, exact)
    write_text(folder / "tradeoff.json", curve.to_json() + "\n")
    write_text(folder / "tradeoff.svg", picture)
    write_text(folder / "tradeoff.html", render(curve, claim, exact, deltas))

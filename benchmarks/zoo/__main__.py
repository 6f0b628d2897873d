"""`make bench-zoo`: audits the field's zoo, prints the table, writes it to benchmarks/results/."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.tables import RESULTS, count, machine, today
from benchmarks.tables import write as store
from benchmarks.zoo import ZooMechanism, zoo
from benchmarks.zoo.core import tables
from benchmarks.zoo.core.measure import Measured, measure

ALL = 10**9  # trials a side: as many as the row itself asks for
ELSEWHERE = 200_000  # where there is no published figure to meet
REFUTING = 10_000_000  # that the audit of a broken claim may take


def main() -> None:
    """Parses the command line and runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.zoo", description=__doc__)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[0.1, 1.0], help="claimed epsilons")
    parser.add_argument("--alpha", type=float, nargs="+", default=[0.1, 0.01], help="levels of the bounds")
    parser.add_argument("--only", nargs="+", default=[], metavar="ID", help="these mechanisms only")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies every budget")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=-1)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--alarms", type=int, metavar="RUNS", help="instead, count refutations of correct mechanisms")
    options = parser.parse_args()
    if options.alarms:
        raise SystemExit(alarms(options))
    by_epsilon = {epsilon: table(epsilon, options) for epsilon in options.epsilon}
    if not options.only:
        write(by_epsilon, options.out)


def alarms(options: argparse.Namespace) -> int:
    """Counts false alarms at the first alpha on 1,000 trials a side; 1 when there are too many."""
    from benchmarks.zoo.core.alarms import false_alarms

    bad = 0
    alpha = options.alpha[0]
    print(f"refutations of correct mechanisms in {options.alarms} runs of 1,000 trials a side, alpha {alpha:g}")
    for epsilon in options.epsilon:
        rows = tuple(row for row in zoo(epsilon) if not options.only or row.id in options.only)
        for one in false_alarms(rows, options.alarms, 1000, alpha, options.jobs):
            bad += not one.fine
            verdict = "" if one.fine else "  TOO MANY"
            print(f"{one.id:<20} claimed {epsilon:<4g} {one.refuted:>5} (explained: {one.explained}){verdict}")
    return 1 if bad else 0


def table(epsilon: float, options: argparse.Namespace) -> list[Measured]:
    """Audits all rows at one claimed epsilon and prints them as they come."""
    from rich.console import Console

    rows = tuple(row for row in zoo(epsilon) if not options.only or row.id in options.only)
    if not rows:
        raise SystemExit(f"--only must name mechanisms of the zoo: {', '.join(row.id for row in zoo())}")

    def trials(row: ZooMechanism, most: int) -> int:
        return max(1000, round(float(options.scale) * min(row.trials, most)))

    console = Console(width=100, highlight=False)
    console.print(f"[bold]Claimed epsilon {epsilon:g}")
    done: list[Measured] = []
    for row in rows:
        certifying = trials(row, ALL if epsilon == 0.1 and row.published else ELSEWHERE)
        measured = measure(row, tuple(options.alpha), certifying, trials(row, REFUTING), options.seed, options.jobs)
        if not done:
            console.print(line(tables.headings(measured), ""))
        done.append(measured)
        console.print(line(tables.cells(measured), tables.mark(measured)))
    seconds, draws = sum(row.seconds for row in done), sum(row.draws for row in done)
    behind = [row.id for row in done if tables.mark(row) == "-"]
    console.print(f"{seconds:.0f} s, {count(draws)} draws; behind the best published: {behind or 'none'}\n")
    return done


def line(texts: list[str], mark: str) -> str:
    """One line of the table in 100 columns."""
    widths = [18, 8, 10, 8, 10, *[8] * (len(texts) - 8), 6, 8, 14]
    aligned = [
        f"{text:<{w}}" if place == 0 else f"{text:>{w}}"
        for place, (text, w) in enumerate(zip(texts, widths, strict=True))
    ]
    return "".join(aligned) + f" {mark}"


def write(by_epsilon: dict[float, list[Measured]], out: Path) -> None:
    """The markdown page, the JSON and the picture."""
    date, where = today(), machine()
    rows = {str(e): [row.to_dict() for row in rows] for e, rows in by_epsilon.items()}
    store(out, "zoo", tables.markdown(dict(by_epsilon), where, date), {"date": date, **where, "rows": rows})
    published = by_epsilon.get(0.1)
    if published:
        tables.picture(published, out / "zoo.svg")


if __name__ == "__main__":
    main()

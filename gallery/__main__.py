"""`make gallery`: runs the cases, each in its library's environment, and writes docs/gallery."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from auditor.errors import UsageError
from gallery import outcome, pages
from gallery.case import Listed, cases
from gallery.environments import ROOT
from gallery.run import Runner, in_environment, run

PAGES = ROOT / "docs" / "gallery"


def main(
    arguments: Sequence[str] | None = None,
    known: dict[str, Listed] | None = None,
    runner: Runner = in_environment,
) -> int:
    """0 when each verdict is the expected one, 1 otherwise, 2 for a wrong command or when nothing could be run."""
    parser = argparse.ArgumentParser(prog="python -m gallery", description=__doc__)
    parser.add_argument("case", nargs="*", help="names of cases; all where none is given")
    parser.add_argument("--list", action="store_true", help="only name the cases")
    parser.add_argument("--pages", action="store_true", help="only write the pages again, from the stored results")
    parser.add_argument("--out", type=Path, default=PAGES, help="the folder of the pages")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="cases that run side by side; all cores")
    options = parser.parse_args(arguments)
    known = cases() if known is None else known
    if options.list:
        print(*(f"{name}: {one.case.title}" for name, one in known.items()), sep="\n")
        return 0
    try:
        chosen = [] if options.pages else [known[name] for name in options.case or known]
        return carry_out(chosen, known, options.out, runner, max(1, options.jobs))
    except KeyError as error:
        print(f"a case must be one of {', '.join(known)}; got {error}", file=sys.stderr)
    except UsageError as error:
        print(error, file=sys.stderr)
    return 2


def carry_out(
    chosen: Sequence[Listed], known: dict[str, Listed], out: Path, runner: Runner = in_environment, jobs: int = 1
) -> int:
    """Runs what is chosen, stores it beside what was stored before, and writes all pages."""
    start = time.perf_counter()
    found, good = run(chosen, runner, jobs)
    stored = {name: one for name, one in outcome.read(out / "results.json").items() if name in known}
    shown = {name: one for name, one in {**stored, **found}.items() if known[name].case.reported}
    outcome.write(out / "results.json", shown)
    pages.write(out, known, shown)
    if chosen:
        print(f"{len(found)} of {len(chosen)} cases in {time.perf_counter() - start:.0f} s; see {out / pages.INDEX}")
    return 2 if chosen and not found else int(not good)


if __name__ == "__main__":
    sys.exit(main())

"""The settings of the pytest plugin: command line over `[tool.dp-audit]` in pyproject.toml over defaults."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from auditor import rules
from auditor.rules import Rule

QUICK_TRIALS = 20_000


@dataclass(frozen=True)
class Settings:
    """Command line over `[tool.dp-audit]` over these defaults. Alpha is for each audit."""

    trials: int = 100_000
    alpha: float = 1e-3
    seed: int = 0
    jobs: int = 1
    report: str | None = None
    quick: bool = False
    seconds: float | None = None
    compare: str | None = None
    # in a replay: the rounds and seconds of a time limit, and the call of the test that it cut off
    cut_off: str | None = None

    @property
    def results(self) -> Path | None:
        """The results file: in the report's folder, or alone when the report is named *.json."""
        if self.report is None:
            return None
        return Path(self.report) if self.report.endswith(".json") else Path(self.report) / "results.json"

    @property
    def page(self) -> Path | None:
        """The HTML page, where one is written."""
        return None if self.report is None or self.report.endswith(".json") else Path(self.report) / "index.html"


_RULES = {
    "trials": rules.TRIALS,
    "alpha": rules.ALPHA,
    "seed": rules.SEED,
    "jobs": rules.JOBS,
    "report": Rule("the name of a folder", lambda value: isinstance(value, str) and value != "", str),
    "quick": Rule("true or false", lambda value: isinstance(value, bool), bool),
    "compare": Rule("the name of a results file", lambda value: isinstance(value, str) and value != "", str),
    "seconds": Rule(f"{rules.SECONDS.words}, or 0 for no budget", lambda v: rules.SECONDS.allows(v) or _is_zero(v)),
}


def _is_zero(value: Any) -> bool:
    return not isinstance(value, bool) and value == 0


def add_options(parser: pytest.Parser) -> None:
    """The same keys stand under [tool.dp-audit] in pyproject.toml."""
    default = Settings()
    group = parser.getgroup("dp-audit", "auditing differential privacy")
    add = group.addoption
    add("--dp-trials", type=int, metavar="N", help=f"draws a side and pair at the most ({default.trials})")
    add(
        "--dp-alpha",
        type=float,
        metavar="P",
        help=f"false alarms of each audit ({default.alpha:g})",
    )
    add("--dp-seed", type=int, metavar="S", help=f"the same seed gives the same draws ({default.seed})")
    add("--dp-jobs", type=int, metavar="N", help=f"workers of each audit, -1 for all cores ({default.jobs})")
    add(
        "--dp-report",
        metavar="DIR",
        help="write results.json, report.md and index.html there; or FILE.json alone",
    )
    add(
        "--dp-seconds",
        type=float,
        metavar="S",
        help="as many draws as fit in about S seconds, each audit; 0: no such budget, whatever a test asks for",
    )
    add("--dp-compare", metavar="RESULTS", help="fail when an audit became worse or blind since these results")
    add("--dp-cut-off", help=argparse.SUPPRESS)
    add("--dp-quick", action="store_true", default=None, help=f"at most {QUICK_TRIALS} draws a side and pair")


def read_settings(config: pytest.Config) -> Settings:
    """Command line over file over default."""
    values = _from_pyproject(config.rootpath / "pyproject.toml")
    for key in _RULES:
        given = config.getoption(f"dp_{key}")
        if given is not None:
            values[key] = (f"--dp-{key}", given)
    for key, (where, value) in values.items():
        if not _RULES[key].allows(value):
            raise pytest.UsageError(f"{where} must be {_RULES[key].words}, got {value!r}")
    return Settings(**{key: value for key, (_, value) in values.items()}, cut_off=_cut_off(config))


def _cut_off(config: pytest.Config) -> str | None:
    """Where `dp-audit replay` cuts an audit off again: ROUNDS:SECONDS, and "#2" for the test's second call."""
    given = config.getoption("dp_cut_off")
    if given is not None and re.fullmatch(r"\d+:[\d.e+-]+(#\d+)?", given) is None:
        raise pytest.UsageError(f"--dp-cut-off must be as dp-audit replay writes it, got {given!r}")
    return None if given is None else str(given)


def _from_pyproject(path: Path) -> dict[str, tuple[str, Any]]:
    """Each key of [tool.dp-audit] with the place it came from."""
    if not path.is_file():
        return {}
    import tomllib

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("dp-audit", {})
    except (OSError, ValueError) as error:
        raise pytest.UsageError(f"{path.name} cannot be read: {error}") from error
    unknown = sorted(set(table) - set(_RULES))
    if unknown:
        raise pytest.UsageError(
            f"[tool.dp-audit] in {path.name} has only the keys {', '.join(_RULES)}, got {unknown[0]!r}"
        )
    return {key: (f"tool.dp-audit.{key}", value) for key, value in table.items()}

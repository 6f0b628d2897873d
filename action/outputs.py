"""Prints the outputs of action.yml, `name=value` a line: the exit code, and what stands in the results."""

from __future__ import annotations

import sys
from pathlib import Path

from auditor.results.document import Document, read
from auditor.results.plain import number


def outputs(code: int, folder: Path) -> dict[str, str]:
    """Without results there is nothing but the exit code. A verdict is there only where every audit has one."""
    path = folder / "results.json"
    if code not in (0, 1) and not path.is_file():
        return {"code": str(code)}
    document = read(path)
    certified = [entry.certified for entry in document.entries if entry.certified is not None and code in (0, 1)]
    found = {"code": str(code), "verdict": _verdict(code, document), "report": folder.as_posix()}
    found["epsilon-lower"] = str(number(max(certified))) if certified else ""
    found["sarif"] = (folder / "results.sarif").as_posix()
    return found


def _verdict(code: int, document: Document) -> str:
    if code not in (0, 1):
        return ""
    return "REFUTED" if any(entry.outcome == "refuted" for entry in document.entries) else "NOT_REFUTED"


if __name__ == "__main__":
    for name, value in outputs(int(sys.argv[1]), Path(sys.argv[2])).items():
        print(f"{name}={value}")

"""What is released: what the wheel and the source distribution hold, and the types that users see."""

from __future__ import annotations

import email
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest
import yaml
from markdown_it import MarkdownIt

import auditor

ROOT = Path(__file__).parents[2]
PACKAGES = ("auditor", "mechanisms", "reports")
DATA = ("auditor/results/schema.json", "reports/page.html.j2", "reports/page.css", "reports/page.js")
USER = """\
from typing import Any

import numpy as np

from auditor import ApproxDP, AuditResult, NeighbourPair, TradeOff, audit, tradeoff
from mechanisms import Laplace as Missing
from mechanisms.laplace import Laplace
from reports import render


def noisy_count(people: Any, n: int, rng: np.random.Generator) -> Any:
    return len(people) + rng.laplace(0, 1, n)


result: AuditResult = audit(noisy_count, claim=ApproxDP(epsilon=1.0), pairs=[NeighbourPair([1], [])])
curve: TradeOff = tradeoff(Laplace(), (0, 1))
wrong: int = result.epsilon_lower
audit(noisy_count, claims=ApproxDP(epsilon=1.0))
reveal_type(result.verdict)
"""
MISSING = "[mypy]\n" + "".join(
    f"[mypy-{library}.*]\nignore_missing_imports = True\n"  # not installed there
    for library in (
        "numpy",
        "scipy",
        "joblib",
        "rich",
        "jinja2",
        "matplotlib",
        "dp_accounting",
        "sklearn",
        "statsmodels",
    )
)


def test_a_wheel_has_the_three_packages_their_data_and_nothing_else(distributions):
    with zipfile.ZipFile(next(distributions.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    info = f"dp_audit-{auditor.__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {*PACKAGES, info}
    assert {f"{package}/py.typed" for package in PACKAGES} <= names
    assert set(DATA) <= names
    assert f"{info}/licenses/LICENSE" in names
    kept = {path.relative_to(ROOT).as_posix() for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert kept == {name for name in names if name.endswith(".py")}


def test_a_source_distribution_can_be_built_from_and_has_no_tests(distributions):
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        names = {PurePosixPath(*PurePosixPath(name).parts[1:]) for name in archive.getnames()}
    tops = {name.parts[0] for name in names}
    assert tops >= {*PACKAGES, "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "SECURITY.md"}
    assert not tops & {"tests", "benchmarks", "docs", "examples"}


def test_the_version_is_written_once_and_repeated_truly(unpacked):
    metadata = email.message_from_string(next(unpacked.glob("*.dist-info/METADATA")).read_text(encoding="utf-8"))
    assert metadata["Version"] == auditor.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == auditor.__version__
    heading = re.search(r"^## (\d\S*) - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert heading is not None
    assert heading.groups() == (auditor.__version__, str(citation["date-released"]))


def test_the_page_of_a_package_index_has_no_link_that_leads_nowhere(unpacked):
    metadata = email.message_from_string(next(unpacked.glob("*.dist-info/METADATA")).read_text(encoding="utf-8"))
    page, readme = str(metadata.get_payload()), (ROOT / "README.md").read_text(encoding="utf-8")
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert set(links(page)) == {target for target in links(readme) if "://" in target}
    assert len(links(page)) < len(links(readme))
    for text in ("[Gate your code in CI](docs/tutorials/ci.md)", "[examples/](examples/README.md)"):
        assert text in readme
        assert text not in page
        assert text[1:].partition("]")[0] in page


def links(text: str) -> list[str]:
    """The targets of all links of a Markdown document."""
    return [
        str(child.attrs["href"])
        for token in MarkdownIt("commonmark").enable("table").parse(text)
        for child in token.children or ()
        if child.type == "link_open"
    ]


def test_the_extras_of_the_documents_exist(unpacked):
    metadata = email.message_from_string(next(unpacked.glob("*.dist-info/METADATA")).read_text(encoding="utf-8"))
    offered = set(metadata.get_all("Provides-Extra"))
    texts = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "auditor").rglob("*.py")]
    named = {
        extra
        for path in texts
        for group in re.findall(r"dp-audit\[([\w,]+)\]", path.read_text(encoding="utf-8"))
        for extra in group.split(",")
    }
    assert "search" in named
    assert named <= offered


def mypy_of(site: Path, folder: Path, text: str = USER) -> list[str]:
    """What mypy says of a user's file, where the packages of `site` are installed."""
    (folder / "user.py").write_text(text, encoding="utf-8")
    (folder / "mypy.ini").write_text(MISSING, encoding="utf-8")
    python = site.parents[2] / "bin" / "python"
    argv = [sys.executable, "-m", "mypy", "--python-executable", str(python), "--cache-dir", str(folder / "cache")]
    done = subprocess.run([*argv, "user.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return [line.partition("  [")[0] for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_the_types_of_the_wheel_reach_a_users_type_checker(unpacked, tmp_path):
    found = mypy_of(unpacked, tmp_path)
    assert found[0] == 'user.py:6: error: Module "mechanisms" has no attribute "Laplace"'
    assert found[1].startswith("user.py:17: error: Incompatible types in assignment")
    assert found[2].startswith('user.py:18: error: Unexpected keyword argument "claims"')
    assert found[-2] == 'user.py:19: note: Revealed type is "auditor.results.result.Verdict"'


@pytest.mark.slow
def test_without_its_marker_a_package_is_untyped(unpacked, tmp_path):
    """The broken twin of the test above, package by package."""
    environment = tmp_path / "environment"
    shutil.copytree(unpacked.parents[2], environment, symlinks=True)
    site = environment / unpacked.relative_to(unpacked.parents[2])
    for package in PACKAGES:
        (site / package / "py.typed").unlink()
    found = mypy_of(site, tmp_path, "import auditor\nimport mechanisms\nimport reports\n")
    assert [line.partition(": module")[0] for line in found if "py.typed" in line] == [
        f'user.py:{number}: error: Skipping analyzing "{package}"' for number, package in enumerate(PACKAGES, 1)
    ]

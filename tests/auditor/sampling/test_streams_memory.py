"""A file that is larger than what is held of it streams: its audit takes no more memory than that of a small file.

Each audit runs in a process of its own, whose peak is measured: the fork of one that has imported everything, as its
peak begins with what that one holds. The real limit is lowered so that files of a few megabytes are large; the broken
twin raises it, so that the file is loaded whole, and is caught by the same measure.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.auditor.sampling.test_recorded_files import write

if not Path("/proc/self/status").exists():
    pytest.skip("a process's own peak is read from /proc", allow_module_level=True)

FEW, MANY = 2**16, 2**19  # rows of two columns: 1 and 8 MiB as numbers
HELD = 2**20  # bytes
ALLOWED = 8 * 2**10  # KiB by which the peak may grow; loaded whole, the larger file is held more than twice

TAPE = """
tape = tape_of_file(Recording(Path(arguments[0]), tuple(arguments[1:])), 0, "left")
taken = 0
while taken < tape.length:
    taken += len(tape.take(min(4096, tape.length - taken)))
"""
AUDIT = "assert not audit_samples(*arguments, ApproxDP(1.0)).refuted"
FORKS = """
import json, os, sys
from pathlib import Path
import auditor.engine, scipy.stats
from auditor import ApproxDP, audit_samples
from auditor.sampling import formats, shuffle
from auditor.sampling.files import Recording
from auditor.sampling.recorded import tape_of_file

for line in sys.stdin:
    if not os.fork():
        work, held, arguments = json.loads(line)
        formats.BLOCK, shuffle.MOST = 4096, held
        exec(work)
        with open("/proc/self/status") as status:
            print(next(row.split()[1] for row in status if row.startswith("VmHWM")), flush=True)
        sys.exit()
    if os.wait()[1]:
        print("it failed", flush=True)
"""
Peak = Callable[..., int]


@pytest.fixture(scope="module")
def peak() -> Iterator[Peak]:
    """KiB of a new process that does some work. (Its ru_maxrss would begin with the peak of this one.)"""
    with subprocess.Popen(
        [sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, told = process.stdin, process.stdout

        def measured(work: str, held: int, *arguments: object) -> int:
            print(json.dumps([work, held, [str(part) for part in arguments]]), file=asked)
            return int(told.readline())

        yield measured
        asked.close()


def stored(folder: Path, suffix: str, rows: int) -> Path:
    """Two columns of few different values, which are quick to write and compress."""
    values = np.arange(rows) % 97 / 4
    plain = suffix.removesuffix(".gz")
    path = folder / f"{rows}{plain}"
    if plain == ".npz":
        np.savez_compressed(path, a=values, b=values)
    elif plain == ".f.npy":
        np.save(path, np.asfortranarray(np.column_stack([values, values])))
    elif plain == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"a": values, "b": values}), path, row_group_size=2**16)
    else:
        write(path, (values, values))
    if suffix.endswith(".gz"):
        zipped = path.with_name(path.name + ".gz")
        zipped.write_bytes(gzip.compress(path.read_bytes(), 1))
        return zipped
    return path


@pytest.mark.parametrize("suffix", [".npy", ".f.npy", ".npy.gz", ".npz.gz", ".parquet.gz"])
def test_a_file_streams_in_the_memory_of_a_small_one(suffix: str, peak: Peak, tmp_path: Path) -> None:
    columns = () if "npy" in suffix else ("a", "b")
    few, many = stored(tmp_path, suffix, FEW), stored(tmp_path, suffix, MANY)
    least = peak(TAPE, HELD, few, *columns)
    assert peak(TAPE, HELD, many, *columns) - least < ALLOWED
    if suffix == ".npy":
        assert peak(TAPE, 2**40, many) - least > ALLOWED


@pytest.mark.parametrize(("suffix", "rows"), [(".csv", 2**17), (".jsonl.gz", 2**16)])
def test_files_of_text_stream_too(suffix: str, rows: int, peak: Peak, tmp_path: Path) -> None:
    """Fewer rows, as they are slow to read: 2 MiB as numbers at the most."""
    few, many = stored(tmp_path, suffix, 2**13), stored(tmp_path, suffix, rows)
    least = peak(TAPE, 2**16, few, "a", "b")
    assert peak(TAPE, 2**16, many, "a", "b") - least < 4 * 2**10
    assert peak(TAPE, 2**40, many, "a", "b") - least > 4 * 2**10


def test_an_audit_of_large_files_takes_the_memory_of_small_ones(peak: Peak, tmp_path: Path) -> None:
    """The whole audit: two files of 12 MB beside two of 4, by when the audit's own memory is full."""

    def sides(rows: int) -> list[Path]:
        paths = [tmp_path / f"{side}-{rows}.npy" for side in ("left", "right")]
        for side, path in enumerate(paths):
            np.save(path, np.random.default_rng(side).laplace(side, 1.01, rows))
        return paths

    few, many = sides(2**19), sides(1_500_000)
    least = peak(AUDIT, HELD, *few)
    assert peak(AUDIT, HELD, *many) - least < 16 * 2**10
    assert peak(AUDIT, 2**40, *many) - least > 16 * 2**10

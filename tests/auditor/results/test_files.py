"""Files on disk: only regular ones are replaced."""

import os
import stat
import threading
from pathlib import Path

import pytest

from auditor.errors import UsageError
from auditor.results.files import check_regular, held, write_text

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, pipes and devices as POSIX has them")


def test_a_link_stays_a_link_and_its_file_is_written(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real" / "file")
    for text in ("new", "again"):  # first it points to nothing
        write_text(link, text)
        assert link.is_symlink()
        assert (tmp_path / "real" / "file").read_text() == text
    assert [path.name for path in (tmp_path / "real").iterdir()] == ["file"]


def test_a_pipe_is_written_into_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="cannot be written"):
        write_text(pipe, "nobody reads")
    heard = []
    handle = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(handle, True)

    def listen():
        with open(handle, encoding="utf-8") as file:
            heard.append(file.read())

    reader = threading.Thread(target=listen)
    write_text(pipe, "short")  # fits into the pipe
    reader.start()
    reader.join()
    assert heard == ["short"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_into_through_a_link_too(tmp_path):
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    write_text(link, "text")
    assert link.is_symlink()
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_folder_and_a_loop_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"must be written to a regular file, got .* a folder"):
        write_text(tmp_path, "text")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(UsageError, match="cannot be written"):
        write_text(loop, "text")


def test_permissions_are_the_old_files_or_what_the_umask_allows(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "new", "text")
        (tmp_path / "old").touch()
        (tmp_path / "old").chmod(0o604)
        write_text(tmp_path / "old", "text")
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("new", "old")] == [0o640, 0o604]


@pytest.mark.parametrize("name", ["/dev/null", "."])
def test_what_must_be_regular(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="cannot be a thing: that must be a regular file, got a "):
        check_regular(name, "a thing")
    check_regular(Path("nothing"), "a thing")


def test_a_folder_is_held_by_one_and_left_without_a_trace(tmp_path):
    with held(tmp_path), pytest.raises(UsageError, match="another run of dp-audit is using"), held(tmp_path):
        pass
    with held(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []

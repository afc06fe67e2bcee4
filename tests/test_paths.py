"""Paths as users give them, and files that are written whole."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

import pytest

from vedette.errors import ConfigError
from vedette.paths import may_never_end, path_from_user, write_whole


def test_what_need_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file, nothing, something below a file, and the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "file").touch()
    for text in (tmp_path / "file", tmp_path / "none", tmp_path / "file" / "below"):
        assert path_from_user(text) == text
        assert path_from_user(str(text)) == text
    assert path_from_user("~/none") == tmp_path / "none"


@pytest.mark.parametrize(
    ("text", "message"),
    [("~nobody-of-this-name/x", "home directory"), ("x" * 5000, "too long"), ("a\0b", "null byte")],
)
def test_what_no_system_has(text: str, message: str) -> None:
    """One error, which quotes no more than the beginning."""
    with pytest.raises(ConfigError, match=message) as caught:
        path_from_user(text)
    assert len(str(caught.value)) < 400


def test_what_may_never_end(tmp_path: Path) -> None:
    """A pipe that nobody writes into, a device that goes on; also behind a link."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    kinds = {name: may_never_end(tmp_path / name) for name in ("pipe", "link", "file", ".", "none")}
    assert kinds == {"pipe": True, "link": True, "file": False, ".": False, "none": False}
    assert may_never_end(Path("/dev/zero"))


def test_a_file_is_written_over_as_a_whole(tmp_path: Path) -> None:
    """And nothing else is left."""
    for content in (b"long before", b"now"):
        write_whole(tmp_path / "file", content)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"now")]


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    """And names the file, which the system's error does not."""
    (tmp_path / "file").write_bytes(b"before")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, limit[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            write_whole(tmp_path / "file", b"x" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, handler)
    assert caught.value.filename == str(tmp_path / "file")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"before")]

"""Folders that are there only when they are whole."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.kitti.files import read_image
from vedette.datasets.writing import append_text, new_folder, write_image
from vedette.errors import ConfigError


def test_gets_its_name_at_the_end(tmp_path: Path) -> None:
    """Until then it is in a folder whose name says so."""
    out = tmp_path / "some" / "out"
    with new_folder(out) as folder:
        (folder / "a.txt").write_text("a")
        (folder / "b").mkdir()
        assert [path.name for path in out.iterdir()] == ["unfinished"]
    assert sorted(path.name for path in out.iterdir()) == ["a.txt", "b"]
    assert (out / "a.txt").read_text() == "a"


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    """Made beforehand by a careful user."""
    (tmp_path / "out").mkdir()
    with new_folder(tmp_path / "out") as folder:
        (folder / "a.txt").write_text("a")
    assert (tmp_path / "out" / "a.txt").is_file()


def test_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell that is there stays there."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with new_folder(Path()) as folder:
        (folder / "a.txt").write_text("a")
    assert Path("a.txt").is_file()


def test_interrupted(tmp_path: Path) -> None:
    """What is there stays, under its telling name, and the next run says what to do."""

    def interrupted() -> None:
        with new_folder(tmp_path / "out") as folder:
            (folder / "a.txt").write_text("a")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (tmp_path / "out" / "unfinished" / "a.txt").is_file()
    with pytest.raises(ConfigError, match=r"out/unfinished is there, .* remove it"), new_folder(tmp_path / "out"):
        pass


@pytest.mark.parametrize("is_file", [True, False])
def test_something_is_there(tmp_path: Path, is_file: bool) -> None:
    """A file, or a folder with something in it: nothing is overwritten."""
    path = tmp_path / "out"
    if is_file:
        path.write_text("mine")
    else:
        (path / "mine").mkdir(parents=True)
    with pytest.raises(ConfigError, match="is no folder" if is_file else "is not empty"), new_folder(path):
        pass
    assert path.exists()


def test_disk_full(tmp_path: Path) -> None:
    """The system's error has no path then; ours has."""
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(ConfigError, match=r"cannot write .*out: No space left on device"), new_folder(tmp_path / "out"):
        raise full


def test_below_a_file(tmp_path: Path) -> None:
    """One clear line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="file is no folder"), new_folder(tmp_path / "file" / "a" / "b"):
        pass


def test_disk_that_takes_nothing() -> None:
    """Of the system's own folders, even for its administrator."""
    with pytest.raises(ConfigError, match="cannot write"), new_folder(Path("/proc/vedette/out")):
        pass


def test_image_is_lossless(tmp_path: Path) -> None:
    """PNG."""
    pixels = np.random.default_rng(0).integers(0, 255, (30, 50, 3)).astype(np.uint8)
    write_image(tmp_path / "a.png", pixels)
    np.testing.assert_array_equal(read_image(tmp_path / "a.png"), pixels)


def test_append(tmp_path: Path) -> None:
    """Line by line."""
    for line in ("a\n", "b\n"):
        append_text(tmp_path / "a.txt", line)
    assert (tmp_path / "a.txt").read_text() == "a\nb\n"

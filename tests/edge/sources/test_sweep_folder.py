"""A growing folder of sweeps, with the time told by the test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vedette.edge.sources.sweep_folder import SweepFolder
from vedette.errors import MissingDataError

MS = 1_000_000


def write(path: Path, points: int, *, tail: int = 0, modified_s: int = 1000) -> None:
    """A file of whole points and a tail of further bytes, modified at a given time."""
    path.write_bytes(b"\0" * (16 * points + tail))
    os.utime(path, (modified_s, modified_s))


def arrived(folder: SweepFolder, *times_ms: int) -> list[str]:
    """Names of what the looks at these times deliver."""
    return [sweep.path.name for time_ms in times_ms for sweep in folder.poll(time_ms * MS)]


def test_what_is_there_already_is_old(tmp_path: Path) -> None:
    """Files from before the start are never delivered, new ones are, once."""
    write(tmp_path / "000.bin", 5)
    folder = SweepFolder(tmp_path)
    write(tmp_path / "001.bin", 5)
    assert arrived(folder, 0, 60, 120, 5000) == ["001.bin"]


def test_growing_file_is_left_alone_until_it_is_quiet(tmp_path: Path) -> None:
    """The file is delivered 50 ms after it last grew, stamped with the time of its last growth."""
    folder = SweepFolder(tmp_path)
    write(tmp_path / "a.bin", 5)
    assert folder.poll(0) == []
    write(tmp_path / "a.bin", 9)
    assert folder.poll(40 * MS) == []
    assert folder.poll(80 * MS) == []
    (sweep,) = folder.poll(90 * MS)
    assert (sweep.path.name, sweep.stamp_ns) == ("a.bin", 40 * MS)


@pytest.mark.parametrize(("points", "tail"), [(0, 0), (5, 7)])
def test_partial_file_gets_longer(tmp_path: Path, points: int, tail: int) -> None:
    """An empty file, or one that ends in the middle of a point, is waited for, and given up after a second."""
    folder = SweepFolder(tmp_path)
    write(tmp_path / "a.bin", points, tail=tail)
    assert arrived(folder, 0, 60, 500, 999) == []
    assert arrived(folder, 1000) == ["a.bin"]


def test_order_of_arrival(tmp_path: Path) -> None:
    """Files seen in one look come in order of modification, then of name, not of name alone."""
    folder = SweepFolder(tmp_path)
    write(tmp_path / "z.bin", 5, modified_s=1)
    write(tmp_path / "b.bin", 5, modified_s=2)
    write(tmp_path / "a.bin", 5, modified_s=2)
    assert arrived(folder, 0, 60) == ["z.bin", "a.bin", "b.bin"]


def test_other_files_are_ignored(tmp_path: Path) -> None:
    """A driver may write under another name and rename when done."""
    folder = SweepFolder(tmp_path)
    write(tmp_path / "a.bin.part", 5)
    assert arrived(folder, 0, 60) == []
    (tmp_path / "a.bin.part").rename(tmp_path / "a.bin")
    assert arrived(folder, 100, 160) == ["a.bin"]


def test_name_that_comes_again_after_removal(tmp_path: Path) -> None:
    """A ring of file names works: a removed file is forgotten, and so takes no memory."""
    folder = SweepFolder(tmp_path)
    for lap in range(3):
        write(tmp_path / "a.bin", 5)
        start_ms = 1000 * lap
        assert arrived(folder, start_ms, start_ms + 60) == ["a.bin"]
        (tmp_path / "a.bin").unlink()
        assert arrived(folder, start_ms + 100) == []


def test_folder_that_is_not_there(tmp_path: Path) -> None:
    """An absent folder, or a file in its place, is refused with its name, also when it vanishes later."""
    with pytest.raises(MissingDataError, match="nowhere"):
        SweepFolder(tmp_path / "nowhere")
    write(tmp_path / "file.bin", 1)
    with pytest.raises(MissingDataError, match=r"file\.bin"):
        SweepFolder(tmp_path / "file.bin")
    (tmp_path / "sweeps").mkdir()
    folder = SweepFolder(tmp_path / "sweeps")
    (tmp_path / "sweeps").rmdir()
    with pytest.raises(MissingDataError, match="sweeps"):
        folder.poll(0)

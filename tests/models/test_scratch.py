"""Folders for work in hand."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from vedette.models import scratch
from vedette.models.scratch import scratch_folder

HOLDING = """
import sys, time
from pathlib import Path
from vedette.models.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that works in a folder of its own; gives it with that folder, which looks old."""
    process = subprocess.Popen([sys.executable, "-c", HOLDING, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    folder = process.stdout.readline().strip()
    os.utime(folder, (0, 0))
    yield process, Path(folder)
    process.kill()
    process.communicate()


def test_it_is_gone_afterwards(tmp_path):
    """Also after a failure, with all that is in it."""
    with pytest.raises(RuntimeError), scratch_folder(tmp_path / "models") as folder:  # noqa: PT012 two are one
        (folder / "file").touch()
        assert folder.parent == tmp_path / "models"
        raise RuntimeError
    assert list((tmp_path / "models").iterdir()) == []


def test_what_another_process_has_in_hand_stays_however_old(holder, tmp_path):
    """A download over a slow line takes hours."""
    _, held = holder
    with scratch_folder(tmp_path) as folder:
        assert sorted(tmp_path.iterdir()) == sorted([held, folder])


def test_what_a_killed_process_left_behind_goes(holder, tmp_path):
    """At once, and not when it has become old."""
    process, held = holder
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.utime(held, (tmp_path.stat().st_mtime - 60,) * 2)
    with scratch_folder(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]


def test_what_is_about_to_be_locked_stays(tmp_path):
    """Between being made and being locked."""
    (tmp_path / ".pending-fresh").mkdir()
    with scratch_folder(tmp_path) as folder:
        assert sorted(tmp_path.iterdir()) == sorted([tmp_path / ".pending-fresh", folder])


def test_looking_for_what_was_left_behind_does_not_keep_others_from_tidying_up(tmp_path, monkeypatch):
    """Here another process looks when the first has removed its files, and not yet its folder."""
    monkeypatch.setattr(scratch.shutil, "rmtree", lambda *_, **__: None)  # it is about to
    leaving = tmp_path / ".pending-leaving"
    leaving.mkdir()
    os.utime(leaving, (0, 0))
    with scratch_folder(tmp_path):
        leaving.rmdir()  # refused where a file was put in

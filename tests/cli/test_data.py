"""`vedette data info`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from vedette.cli.main import app
from vedette.errors import MissingDataError


@pytest.fixture
def source(tmp_path: Path) -> str:
    """Two frames of the object layout, one of them truncated."""
    for name in ("velodyne", "calib"):
        (tmp_path / name).mkdir()
    point = np.array([10.0, 0.0, 0.0, 0.5], "<f4").tobytes()
    for index, data in enumerate((point, point[:7])):
        (tmp_path / "velodyne" / f"{index:06d}.bin").write_bytes(data)
        (tmp_path / "calib" / f"{index:06d}.txt").write_text(
            "P2: 700 0 20 42 0 700 10 0 0 0 1 0\nR0_rect: 1 0 0 0 1 0 0 0 1\n"
            "Tr_velo_to_cam: 0 -1 0 0 0 0 -1 0 1 0 0 0\n"
        )
    return f"kitti-object:{tmp_path}"


def test_table(source: str) -> None:
    """Figures, then problems in plain words."""
    result = CliRunner().invoke(app, ["data", "info", source])
    assert result.exit_code == 0
    assert "2, numbered 0 to 1, 1 bad" in result.stdout
    assert "assumed 10 Hz" in result.stdout
    assert "problem: 2 of 2 frames have no image" in result.stdout
    assert "7 bytes; expected a multiple of 16" in result.stdout


def test_json(source: str, tmp_path: Path) -> None:
    """The one shape of every command's result, and nothing else on standard output."""
    result = CliRunner().invoke(app, ["data", "info", source, "--json", "-"])
    document = json.loads(result.stdout)
    assert document["command"] == "data info"
    assert document["config"] == {"source": source}
    (run,) = document["runs"]
    assert (run["frames"], run["bad_frames"], run["sweeps"], run["labels"]) == (2, 1, 1, {})


def test_missing_folder(tmp_path: Path) -> None:
    """Our error, which the program prints in one line."""
    result = CliRunner().invoke(app, ["data", "info", f"kitti-object:{tmp_path}/absent"])
    assert isinstance(result.exception, MissingDataError)

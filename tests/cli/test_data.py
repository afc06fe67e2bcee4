"""`vedette data`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from vedette.cli.main import app
from vedette.datasets.synth import write
from vedette.datasets.synth.layouts import Layout
from vedette.datasets.synth.write import WriteRequest
from vedette.errors import ConfigError, MissingDataError


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


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[tuple[WriteRequest, Path]]:
    """What would have been written, instead of writing it."""
    asked: list[tuple[WriteRequest, Path]] = []

    def fake(request: WriteRequest, folder: Path, on_frame: Callable[[], None]) -> str:
        asked.append((request, folder))
        for _ in range(request.frame_count):
            on_frame()
        return f"{request.layout}:{folder}:0000"

    monkeypatch.setattr(write, "write_synth", fake)
    return asked


def test_synth_says_what_to_do_next(requests: list[tuple[WriteRequest, Path]], tmp_path: Path) -> None:
    """The default is the tracking layout, seed 0, ten seconds."""
    result = CliRunner().invoke(app, ["data", "synth", "town", "--out", f"{tmp_path}/out"])
    assert result.exit_code == 0
    assert requests == [(WriteRequest("town", 0, 100, Layout.KITTI_TRACKING), tmp_path / "out")]
    assert f"Wrote 100 frames of town, seed 0, to {tmp_path}/out" in result.stdout
    assert f"vedette data info kitti-tracking:{tmp_path}/out:0000" in result.stdout


def test_synth_options(requests: list[tuple[WriteRequest, Path]], tmp_path: Path) -> None:
    """All of them reach the writer."""
    options = ["--seed", "7", "--frames", "3", "--layout", "opv2v", "--vehicles", "2", "--out", str(tmp_path)]
    assert CliRunner().invoke(app, ["data", "synth", "convoy", *options]).exit_code == 0
    assert requests == [(WriteRequest("convoy", 7, 3, Layout.OPV2V, 2), tmp_path)]


def test_synth_of_an_unknown_scenario(tmp_path: Path) -> None:
    """Our error, which the program prints in one line."""
    result = CliRunner().invoke(app, ["data", "synth", "nowhere", "--out", f"{tmp_path}/out"])
    assert isinstance(result.exception, ConfigError)
    assert "expected one of town" in str(result.exception)


def test_synth_of_an_unknown_layout(tmp_path: Path) -> None:
    """The message lists those there are."""
    result = CliRunner().invoke(app, ["data", "synth", "town", "--out", str(tmp_path), "--layout", "nuscenes"])
    assert result.exit_code == 2
    assert "kitti-tracking" in result.output

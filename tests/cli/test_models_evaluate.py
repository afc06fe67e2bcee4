"""`vedette models evaluate`, on a recording made here with a detector that is told what to say."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from vedette.classes import ObjectClass
from vedette.cli.models import app
from vedette.detections import Detections3D
from vedette.errors import ConfigError
from vedette.models.registry import ModelRegistry


class Oracle:
    """Finds one car straight ahead in every sweep, and remembers how often it was asked."""

    def __init__(self, name):
        self.name = name
        self.asked = 0
        self.points = []

    def detect(self, sweep, camera):
        self.asked += 1
        self.points.append(len(sweep))
        box = np.array([[15.0, 0.0, -0.98, 4.0, 1.6, 1.5, 0.0]])
        return Detections3D(box, np.array([0.9]), np.array([int(ObjectClass.CAR)]))


@pytest.fixture
def oracles(monkeypatch):
    """Every model is one."""
    loaded = {}
    monkeypatch.setattr(ModelRegistry, "load_detector3d", lambda _, name: loaded.setdefault(name, Oracle(name)))
    return loaded


@pytest.fixture
def tracking(tmp_path):
    """Two frames of KITTI's tracking layout: a car straight ahead; the third sweep is cut short."""
    root = tmp_path / "kitti" / "tracking" / "training"
    for part in ("velodyne/0000", "calib", "label_02"):
        (root / part).mkdir(parents=True)
    cloud = np.random.default_rng(0).uniform(-1, 1, (200, 4)).astype(np.float32)
    cloud[:, :3] = cloud[:, :3] * [1.9, 0.7, 0.7] + [15.0, 0.0, -0.98]
    cloud[:, 3] = 0.5
    for index in range(3):
        (root / f"velodyne/0000/{index:06d}.bin").write_bytes(cloud.tobytes()[: None if index < 2 else 30])
    projection = "700 0 600 0 0 700 180 0 0 0 1 0"
    rows = [f"P{k}: {projection}" for k in range(4)]
    rows += ["R_rect 1 0 0 0 1 0 0 0 1", "Tr_velo_cam 0 -1 0 0 0 0 -1 0 1 0 0 0", "Tr_imu_velo 1 0 0 0 0 1 0 0 0 0 1 0"]
    (root / "calib/0000.txt").write_text("\n".join(rows) + "\n")
    # bottom centre in the camera frame: x right 0, y down 1.73, z ahead 15; along the line of sight
    label = "{0} 1 Car 0 0 -1.57 560 180 640 260 1.5 1.6 4.0 0 1.73 15 -1.5708"
    (root / "label_02/0000.txt").write_text("\n".join(label.format(index) for index in range(3)) + "\n")
    return f"kitti-tracking:{tmp_path / 'kitti'}:0000"


def run(*arguments):
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments), "--resamples", "3"])


def test_figures_counts_and_times_are_written(oracles, tracking, tmp_path):
    """Both whole frames are found; the broken one is set aside and said so."""
    result = run("some", "--data", tracking, "--json", tmp_path / "out.json")
    assert result.exit_code == 0, result.output
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["command"] == "models evaluate"
    (figures,) = document["runs"]
    assert (figures["frames"], figures["frames_set_aside"], figures["drives"]) == (2, 1, 1)
    assert figures["f1.car.3d.0.5.r50"] == 100.0
    assert figures["false_boxes_per_frame"] == 0.0
    assert figures["labels.car.points.100-"] == 2
    assert figures["interval95.f1.car.3d.0.5.r50"] is None  # one drive
    assert figures["detect_ms.p50"] >= 0
    assert "1 set aside" in " ".join(result.output.split())
    assert oracles["some"].asked == 2


def test_sources_are_pooled(oracles, tracking, tmp_path):
    """Twice the same is twice as many frames."""
    run("some", "--data", tracking, "--data", tracking, "--json", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["runs"][0]["frames"] == 4


def test_sweeps_are_joined_where_poses_are_known(oracles, tracking, tmp_path):
    """A vehicle that stands still, in the recording; without its GPS and IMU nothing is joined, and that is said."""
    run("some", "--data", tracking, "--sweeps", "2", "--json", tmp_path / "without.json")
    assert json.loads((tmp_path / "without.json").read_text())["runs"][0]["frames_of_joined_sweeps"] == 0
    (tmp_path / "kitti/tracking/training/oxts").mkdir()
    oxts = " ".join(["49.0", "8.4", "112", *["0"] * 27])
    (tmp_path / "kitti/tracking/training/oxts/0000.txt").write_text(f"{oxts}\n" * 3)
    result = run("some", "--data", tracking, "--sweeps", "2", "--json", tmp_path / "with.json")
    assert result.exit_code == 0, result.output
    document = json.loads((tmp_path / "with.json").read_text())
    assert document["config"]["sweeps"] == 2
    assert document["runs"][0]["frames_of_joined_sweeps"] == 1
    assert oracles["some"].points == [200, 200, 200, 400]
    assert "In 1 of them sweeps were joined" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("some", "--folds", "1;2"), "folds '1;2': expected numbers"),
        (("some-{fold}",), "of no fold"),
    ],
)
def test_what_cannot_be_is_said_so(oracles, tracking, arguments, message):
    """Folds are numbers, and only the object benchmark's frames have one."""
    result = run(*arguments, "--data", tracking)
    assert isinstance(result.exception, ConfigError)
    assert message in str(result.exception)

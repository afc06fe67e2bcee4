"""`vedette replay` as a user runs it, on real frames with the real models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vedette.cli.main import app
from vedette.models.registry import ModelRegistry

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def models(weights_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two models that a replay needs."""
    folder = tmp_path_factory.mktemp("models")
    registry = ModelRegistry(folder)
    registry.import_file(weights_dir / "nanodet_plus_m_1.5x_384x640.onnx")
    registry.import_file(weights_dir / "point_gnn_car_T1.onnx")
    return folder


def replay(*arguments: str | Path):
    return CliRunner().invoke(app, ["replay", *map(str, arguments)], catch_exceptions=False)


def test_simulated_twice_is_the_same_bit_for_bit(kitti_root: Path, models: Path, tmp_path: Path) -> None:
    """Report, page, settings and publications are equal; only the times really taken differ."""
    source = f"kitti-tracking:{kitti_root}:0001:0-5"
    for name in ("a", "b"):
        options = ("--cloud", "simulated", "--network", "fading:1,mean=8mbps,delay=20ms", "--interval", "3")
        result = replay(source, *options, "--models-dir", models, "--out", tmp_path / name)
        assert result.exit_code == 0, result.output
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert names >= {"report.json", "report.html", "config.yaml", "publications-moby.jsonl", "measured_times.json"}
    for name in names - {"measured_times.json"}:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    document = json.loads((tmp_path / "a" / "report.json").read_text())
    assert document["command"] == "replay"
    assert document["config"]["settings"]["edge"]["offload"]["interval"] == 3
    assert document["config"]["capture_times"] == "recorded"
    assert not any(" " in key for key in document["config"])
    moby = document["runs"][2]
    assert moby["policy"] == "moby"
    assert moby["offloaded_frames"] == 1, "the first is lent; a second of six would be more than 15 %"
    assert moby["f1.car.3d.0.5.r50"] > 30
    assert moby["bytes_up"] > 10_000


def test_embedded_server(kitti_root: Path, models: Path, tmp_path: Path) -> None:
    """Two processes in real time; the server is started and stopped by the replay."""
    out = tmp_path / "report.json"
    source = f"kitti-tracking:{kitti_root}:0000:0-9"
    result = replay(source, "--policy", "moby", "--interval", "5", "--models-dir", models, "--json", out)
    assert result.exit_code == 0, result.output
    [run] = json.loads(out.read_text())["runs"]
    assert run["frames"] == 10
    assert run["offloaded_frames"] >= 1
    assert run["answers"] + sum(run["lost"].values()) == run["offered_frames"]
    assert "unavailable" not in run["lost"]
    assert "agent and server share" in " ".join(result.output.split())


def test_bench_profile(kitti_root: Path, models: Path, tmp_path: Path) -> None:
    """A measured profile is one that a simulated replay takes."""
    profile = tmp_path / "board.yaml"
    source = f"kitti-tracking:{kitti_root}:0000:0-9"
    options = ("--frames", "3", "--anchor-interval", "2", "--name", "board", "--models-dir", str(models))
    result = CliRunner().invoke(app, ["bench", "profile", source, "--out", str(profile), *options])
    assert result.exit_code == 0, result.output
    result = replay(
        f"kitti-tracking:{kitti_root}:0000:0-2", "--policy", "moby", "--cloud", "simulated", "--profile", profile,
        "--models-dir", models,
    )  # fmt: skip
    assert result.exit_code == 0, result.output

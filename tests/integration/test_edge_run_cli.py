"""`vedette edge run`, from its arguments to its output."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vedette.cli.main import main
from vedette.detections import Detections2D
from vedette.edge import session
from vedette.frames import CameraImage

FRAMES = 8
SIZE_PX = (124, 38)
CALIBRATION = """P0: 70 0 62 0 0 70 19 0 0 0 1 0
P1: 70 0 62 0 0 70 19 0 0 0 1 0
P2: 70 0 62 0 0 70 19 0 0 0 1 0
P3: 70 0 62 0 0 70 19 0 0 0 1 0
R_rect 1 0 0 0 1 0 0 0 1
Tr_velo_cam 0 -1 0 0 0 0 -1 0 1 0 0 0
Tr_imu_velo 1 0 0 0 0 1 0 0 0 0 1 0
"""


class OneCar:
    """Sees a car in the middle of every image."""

    name = "one-car@1"

    def detect(self, image: CameraImage) -> Detections2D:
        return Detections2D(np.array([[50.0, 10, 74, 30]]), np.array([0.9]), np.array([0]))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A KITTI tracking sequence of a car 10 m ahead on a road, 10 Hz assumed."""
    rng = np.random.default_rng(0)
    road = np.stack([rng.uniform(3, 40, 3000), rng.uniform(-8, 8, 3000), np.full(3000, -1.7)], axis=1)
    rear = np.stack([np.full(400, 10.0), rng.uniform(-0.8, 0.8, 400), rng.uniform(-1.5, -0.2, 400)], axis=1)
    xyz = np.concatenate([road, rear])
    scan = np.concatenate([xyz, np.full((len(xyz), 1), 0.3)], axis=1).astype("<f4")
    for folder in ("velodyne/0000", "image_02/0000", "calib"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "calib" / "0000.txt").write_text(CALIBRATION, encoding="utf-8")
    for index in range(FRAMES):
        (tmp_path / "velodyne" / "0000" / f"{index:06d}.bin").write_bytes(scan.tobytes())
        image = np.full((SIZE_PX[1], SIZE_PX[0], 3), 90, np.uint8)
        cv2.imwrite(str(tmp_path / "image_02" / "0000" / f"{index:06d}.png"), image)
    return tmp_path


def frame_lines(text: str) -> list[dict[str, Any]]:
    """Those lines that speak about a frame, not about the next one to come."""
    return [line for line in map(json.loads, text.splitlines()) if not line["forecast"]]


@pytest.fixture
def vedette(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, list[dict[str, Any]], str]]:
    """Runs the program in this process with a fake 2D detector: status, lines but for forecasts, standard error."""
    monkeypatch.setattr(session, "_load_detector2d", lambda settings: OneCar())

    def run(*arguments: object) -> tuple[int, list[dict[str, Any]], str]:
        monkeypatch.setattr(sys, "argv", ["vedette", *(str(argument) for argument in arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        return int(ended.value.code or 0), frame_lines(out), err

    return run


def test_one_line_for_each_frame(vedette, tree: Path) -> None:
    """On its own, the agent publishes every frame with its own boxes, and says at the end what became of all."""
    status, lines, err = vedette("edge", "run", f"kitti-tracking:{tree}:0000", "--interval", 4)
    assert status == 0
    assert [line["frame"] for line in lines] == list(range(FRAMES))
    assert [line["stamp_ns"] for line in lines] == [index * 100_000_000 for index in range(FRAMES)]
    assert "times: assumed 10 Hz" in err
    assert f"{FRAMES} frames: " in err
    own = [line for line in lines if line["own"]]
    assert own, "no frame was processed"
    for line in own:
        (box,) = line["boxes"]
        assert box["class"] == "car"
        assert 9.5 < box["center_m"][0] < 14
        assert abs(box["center_m"][1]) < 0.5


def test_range_of_frames_to_a_file(vedette, tree: Path, tmp_path: Path) -> None:
    """With --out the lines are in the file, and standard output is empty."""
    out = tmp_path / "boxes.jsonl"
    status, lines, _ = vedette("edge", "run", f"kitti-tracking:{tree}:0000:2-4", "--out", out)
    assert (status, lines) == (0, [])
    text = out.read_text(encoding="utf-8")
    assert [line["frame"] for line in frame_lines(text)] == [2, 3, 4]
    forecasts = [line for line in map(json.loads, text.splitlines()) if line["forecast"]]
    assert forecasts, "nothing was foreseen"
    assert all(line["stamp_ns"] > line["frame"] * 100_000_000 for line in forecasts)


def test_null_sink(vedette, tree: Path) -> None:
    """Nothing is printed but the summary."""
    status, lines, err = vedette("edge", "run", f"kitti-tracking:{tree}:0000:0-1", "--sink", "null")
    assert (status, lines) == (0, [])
    assert "2 frames" in err


def test_bad_frames_do_not_end_the_run(vedette, tree: Path) -> None:
    """A truncated, an empty and a NaN scan and an image of the wrong size are counted; all frames get a line."""
    scans, images = tree / "velodyne" / "0000", tree / "image_02" / "0000"
    (scans / "000001.bin").write_bytes(b"\0" * 17)
    (scans / "000002.bin").write_bytes(b"")
    (scans / "000003.bin").write_bytes(np.full((50, 4), np.nan, "<f4").tobytes())
    cv2.imwrite(str(images / "000004.png"), np.zeros((20, 30, 3), np.uint8))
    (images / "000005.png").unlink()
    status, lines, err = vedette("edge", "run", f"kitti-tracking:{tree}:0000")
    assert status == 0
    assert [line["frame"] for line in lines] == list(range(FRAMES))
    assert [line["frame"] for line in lines if line["frame"] in {1, 2, 3, 4, 5} and line["own"]] == []
    assert "4 bad" in err
    assert "last bad frame: " in err
    assert "frame 4" in err


def test_nothing_but_bad_frames_is_a_failure(vedette, tree: Path) -> None:
    """Every frame still gets its line, and whoever started the run is told."""
    for image in (tree / "image_02" / "0000").iterdir():
        image.write_bytes(b"not an image")
    status, lines, err = vedette("edge", "run", f"kitti-tracking:{tree}:0000:0-2")
    assert status == 1
    assert [line["frame"] for line in lines] == [0, 1, 2]
    assert "vedette: not one of the 3 frames of kitti-tracking/0000:0-2 could be used" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("kitti:{tree}",), "source 'kitti:"),
        (("kitti-tracking:{tree}:0009",), "0009"),
        (("camera:0",), "expected camera:DEV_OR_FILE+lidar:DIR"),
        (("kitti-tracking:{tree}:0000", "--cloud", "nowhere"), "cloud address 'nowhere'; expected HOST:PORT"),
        (("kitti-tracking:{tree}:0000", "--sink", "mcap"), "unknown sink 'mcap'"),
        (("kitti-tracking:{tree}:0000", "--out", "{tree}/none/x"), "cannot write boxes to"),
        (("kitti-tracking:{tree}:0000", "--interval", "0"), "edge.offload.interval"),
    ],
)
def test_wrong_arguments(vedette, tree: Path, arguments: tuple[str, ...], message: str) -> None:
    """Each is one line that says what is wrong, and exit status 2."""
    status, lines, err = vedette("edge", "run", *(argument.format(tree=tree) for argument in arguments))
    assert (status, lines) == (2, [])
    assert message in err
    assert "Traceback" not in err


def test_unknown_model(tree: Path, tmp_path: Path, monkeypatch, capfd) -> None:
    """Without the 2D model nothing runs, and the message names it."""
    monkeypatch.setattr(
        sys, "argv", ["vedette", "edge", "run", f"kitti-tracking:{tree}:0000", "--models-dir", str(tmp_path / "none")]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "nanodet-plus" in capfd.readouterr().err


def test_absent_cloud(vedette, tree: Path) -> None:
    """A cloud that is not there costs the requests, not the run."""
    status, lines, err = vedette(
        "edge", "run", f"kitti-tracking:{tree}:0000", "--cloud", "127.0.0.1:9", "--interval", 1
    )
    assert status == 0
    assert len(lines) == FRAMES
    assert "0 answered" in err
    assert "unavailable" in err


def test_live_sensors(vedette, tree: Path, tmp_path: Path) -> None:
    """A video file and a folder that fills while it plays: lines come until the video ends."""
    video, folder = tmp_path / "video.avi", tmp_path / "arriving"
    folder.mkdir()
    writer = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"MJPG"), 20, SIZE_PX)
    for _ in range(40):
        writer.write(np.full((SIZE_PX[1], SIZE_PX[0], 3), 90, np.uint8))
    writer.release()
    ended = threading.Event()
    scan = (tree / "velodyne" / "0000" / "000000.bin").read_bytes()
    driver = threading.Thread(target=_write_sweeps, args=(folder, scan, ended))
    driver.start()
    spec = f"camera:{video}+lidar:{folder}+calib:{tree / 'calib' / '0000.txt'}"
    status, lines, err = vedette("edge", "run", spec)
    ended.set()
    driver.join()
    assert status == 0, err
    assert lines
    assert "times: wall clock at arrival" in err
    assert f"{len(lines)} frames: " in err
    assert any(box["class"] == "car" for line in lines for box in line["boxes"])


def _write_sweeps(folder: Path, scan: bytes, ended: threading.Event) -> None:
    for index in itertools.count():
        if ended.wait(0.1):
            return
        part = folder / "sweep.part"
        part.write_bytes(scan)
        part.rename(folder / f"{index:06d}.bin")


def test_metrics_endpoint(vedette, tree: Path) -> None:
    """With --metrics-port the run says where its metrics are."""
    status, _, err = vedette("edge", "run", f"kitti-tracking:{tree}:0000:0-1", "--metrics-port", 0)
    assert status == 0
    assert "metrics on http://127.0.0.1:" in err


@pytest.fixture(scope="session")
def models_dir(weights_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder with the default 2D detector."""
    from vedette.models.registry import ModelRegistry

    folder = tmp_path_factory.mktemp("models")
    ModelRegistry(folder).import_file(weights_dir / "nanodet_plus_m_1.5x_384x640.onnx")
    return folder


def start(*arguments: str) -> subprocess.Popen[str]:
    """The program in a process of its own."""
    command = [sys.executable, "-c", "from vedette.cli import main; main()", *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.mark.shared
def test_reader_that_goes_ends_the_run_quietly(kitti_root: Path, models_dir: Path) -> None:
    """As with `head -1`: after one line the pipe is closed; no traceback, and the run ends long before its source."""
    process = start("edge", "run", f"kitti-tracking:{kitti_root}:0000", "--models-dir", str(models_dir))
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline())["frame"] == 0
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(60) == 0, err
    assert "Traceback" not in err
    assert "BrokenPipe" not in err
    assert "frames: " in err


@pytest.mark.shared
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_run_gracefully(kitti_root: Path, models_dir: Path, number: signal.Signals) -> None:
    """The run ends after the frame in hand, with whole lines, its summary and status 0."""
    process = start("edge", "run", f"kitti-tracking:{kitti_root}:0000", "--models-dir", str(models_dir))
    assert process.stdout is not None
    assert process.stderr is not None
    first = process.stdout.readline()
    process.send_signal(number)
    # not communicate(), which passes over what readline() left in the stream's buffer
    rest, err = process.stdout.read(), process.stderr.read()
    assert process.wait(60) == 0, err
    frames = [line["frame"] for line in frame_lines(first + rest)]
    assert frames == list(range(len(frames)))
    assert len(frames) < 44
    assert f"{len(frames)} frames: " in err

"""Live sensors: a video file in place of the camera, a folder that fills while the source runs."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from vedette.clock import WallClock
from vedette.config import LiveConfig
from vedette.edge.sources.live import LiveSource
from vedette.edge.sources.spec import open_source
from vedette.errors import ConfigError, FileFormatError, InvalidFrameError, MissingDataError, SensorSilentError
from vedette.frames import BadFrame, Frame, FrameItem, TimeBase

SIZE_PX = (64, 48)
CALIBRATION = """P2: 70 0 32 0 0 70 24 0 0 0 1 0
R0_rect: 1 0 0 0 1 0 0 0 1
Tr_velo_to_cam: 0 -1 0 0 0 0 -1 0 1 0 0 0
"""
PATIENT = LiveConfig(silence_timeout_s=30)


def write_video(path: Path, *, frames: int, fps: float) -> Path:
    """A video of one grey level per frame."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, SIZE_PX)
    assert writer.isOpened()
    for index in range(frames):
        writer.write(np.full((SIZE_PX[1], SIZE_PX[0], 3), index % 256, np.uint8))
    writer.release()
    return path


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """Twelve seconds at 50 Hz, which no test waits for."""
    return write_video(tmp_path / "video.avi", frames=600, fps=50)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder of sweeps with a calibration beside them."""
    folder = tmp_path / "sweeps"
    folder.mkdir()
    (folder / "calib.txt").write_text(CALIBRATION, encoding="utf-8")
    return folder


class Driver:
    """Writes a sweep every 60 ms until it is stopped: whole, in two halves, or broken."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._write_all)
        self.broken: set[int] = set()

    def __enter__(self) -> Driver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _write_all(self) -> None:
        for index in itertools.count():
            if self._stopping.wait(0.06):
                return
            points = np.full((100 + index, 4), 0.5, "<f4").tobytes()
            path = self._folder / f"{index:06d}.bin"
            if index in self.broken:
                path.write_bytes(np.full((100, 4), np.nan, "<f4").tobytes())
                continue
            with path.open("wb") as file:  # in two steps, so that a reader in between would see half a sweep
                file.write(points[: len(points) // 2])
                file.flush()
                file.write(points[len(points) // 2 :])


def take(source: Iterator[FrameItem], count: int) -> list[FrameItem]:
    return list(itertools.islice(source, count))


def test_frames_of_a_video_and_a_growing_folder(video: Path, folder: Path) -> None:
    """Every frame has a whole sweep and the image nearest to it, in order of time, in the run's clock."""
    clock = WallClock(starts_at_ns=10**18)
    source = open_source(f"camera:{video}+lidar:{folder}", live=PATIENT, clock=clock)
    with Driver(folder):
        frames = take(iter(source), 8)
    source.close()
    assert source.time_base is TimeBase.WALL_CLOCK
    assert source.frame_count is None
    assert source.name == "camera video.avi + lidar sweeps"
    assert all(isinstance(item, Frame) for item in frames)
    stamps_ns = [item.stamp_ns for item in frames]
    assert stamps_ns == sorted(set(stamps_ns))
    assert stamps_ns[0] >= 10**18
    for item in frames:
        assert isinstance(item, Frame)
        assert item.sweep is not None
        assert len(item.sweep) == 100 + item.index, "a sweep was read before it was complete"
        if item.image is not None:
            assert abs(item.image.stamp_ns - item.sweep.end_ns) <= 50_000_000
            assert item.image.stamp_ns == item.stamp_ns
    assert any(isinstance(item, Frame) and item.image is not None for item in frames)


def test_broken_sweep_comes_as_a_bad_frame(video: Path, folder: Path) -> None:
    """A sweep of NaN is delivered as a BadFrame that names the fault, and the source goes on."""
    source = open_source(f"camera:{video}+lidar:{folder}", live=PATIENT, clock=WallClock())
    driver = Driver(folder)
    driver.broken = {1}
    with driver:
        items = take(iter(source), 4)
    source.close()
    (bad,) = [item for item in items if isinstance(item, BadFrame)]
    assert bad.index == 1
    assert isinstance(bad.error, InvalidFrameError)
    assert "not finite" in str(bad.error)
    stamps_ns = [item.stamp_ns for item in items]
    assert stamps_ns == sorted(set(stamps_ns))


def test_source_ends_with_the_video(tmp_path: Path, folder: Path) -> None:
    """A played video ends the source without an error."""
    video = write_video(tmp_path / "short.avi", frames=20, fps=50)
    source = open_source(f"camera:{video}+lidar:{folder}", live=PATIENT, clock=WallClock())
    with Driver(folder):
        items = list(source)
    source.close()
    assert all(isinstance(item, Frame) for item in items)


def test_silent_lidar_stops_the_run_with_its_name(video: Path, folder: Path) -> None:
    """Nothing in the folder for the set time is an error that says which sensor, how long, and the setting."""
    live = LiveConfig(silence_timeout_s=0.1)
    source = open_source(f"camera:{video}+lidar:{folder}", live=live, clock=WallClock())
    with pytest.raises(SensorSilentError, match=r"lidar for 0\.\d s.*0\.1 s .*silence_timeout_s"):
        list(source)
    source.close()


def test_silent_lidar_can_be_waited_for(tmp_path: Path, folder: Path) -> None:
    """With on_silence = wait the source lasts as long as the video, twenty times the time of silence."""
    video = write_video(tmp_path / "short.avi", frames=20, fps=50)
    live = LiveConfig(silence_timeout_s=0.02, on_silence="wait")
    source = open_source(f"camera:{video}+lidar:{folder}", live=live, clock=WallClock())
    assert list(source) == []
    source.close()


def test_close_ends_the_iteration(video: Path, folder: Path) -> None:
    """Closing from another thread ends a source that waits for its sensors."""
    source = open_source(f"camera:{video}+lidar:{folder}", live=PATIENT, clock=WallClock())
    items: list[FrameItem] = []
    thread = threading.Thread(target=lambda: items.extend(source))
    thread.start()
    source.close()
    thread.join(20)
    assert not thread.is_alive()
    assert items == []


def test_calibration_elsewhere(video: Path, folder: Path, tmp_path: Path) -> None:
    """+calib:FILE is used in place of the folder's own."""
    (folder / "calib.txt").rename(tmp_path / "rig.txt")
    spec = f"camera:{video}+lidar:{folder}"
    with pytest.raises(MissingDataError, match=r"calib\.txt is not a file.*\+calib:FILE"):
        open_source(spec, live=PATIENT, clock=WallClock())
    source = open_source(f"{spec}+calib:{tmp_path / 'rig.txt'}", live=PATIENT, clock=WallClock())
    assert isinstance(source, LiveSource)
    source.close()


def test_home_folder(video: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tilde is expanded in each part of a spec, where no shell does it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (folder / "calib.txt").rename(tmp_path / "rig.txt")
    places = [f"~/{path.relative_to(tmp_path)}" for path in (video, folder)]
    source = open_source(f"camera:{places[0]}+lidar:{places[1]}+calib:~/rig.txt", live=PATIENT, clock=WallClock())
    assert isinstance(source, LiveSource)
    source.close()


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("camera:0", ConfigError, r"expected camera:DEV_OR_FILE\+lidar:DIR"),
        ("camera:+lidar:", ConfigError, "expected camera"),
        ("camera:{video}+lidar:{tmp}/none", MissingDataError, "no calibration"),
        ("camera:{tmp}/none.avi+lidar:{folder}", MissingDataError, r"none\.avi: no such file"),
        ("camera:{folder}/calib.txt+lidar:{folder}", MissingDataError, "cannot be opened; expected a video file"),
        ("camera:99+lidar:{folder}", MissingDataError, "camera 99 cannot be opened; expected a camera's number"),
        ("camera:{video}+lidar:{folder}+calib:{video}", FileFormatError, r"video\.avi"),
        ("camera:{video}+lidar:{tmp}/none+calib:{folder}/calib.txt", MissingDataError, "none: no such folder"),
    ],
)
def test_wrong_spec(spec: str, error: type[Exception], message: str, video: Path, folder: Path, tmp_path: Path) -> None:
    """Each part of a spec that is wrong is refused with its name and what would be right."""
    with pytest.raises(error, match=message):
        open_source(spec.format(video=video, folder=folder, tmp=tmp_path), live=PATIENT, clock=WallClock())


def test_image_of_another_size_than_announced(video: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames whose image does not fit the calibrated size are bad frames."""
    monkeypatch.setattr("vedette.edge.sources.camera.CameraCapture.size_px", (640, 480))
    source = open_source(f"camera:{video}+lidar:{folder}", live=PATIENT, clock=WallClock())
    with Driver(folder):
        bad = next(item for item in source if isinstance(item, BadFrame))
    source.close()
    assert "64x48; expected 640x480" in str(bad.error)

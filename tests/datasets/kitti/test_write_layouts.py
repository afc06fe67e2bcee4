"""The three layouts, written and read back by our own readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.attitude import rotation_of
from vedette.datasets.kitti.write_object import write_object
from vedette.datasets.kitti.write_raw import write_raw
from vedette.datasets.kitti.write_tracking import write_tracking
from vedette.datasets.navigation import NavigationFix
from vedette.datasets.recording import Recording
from vedette.datasets.source_spec import open_recording
from vedette.errors import ConfigError, InvalidFrameError
from vedette.evaluation.objects import CameraObjects
from vedette.frames import BadFrame, CameraImage, Frame, FrameItem, Sweep, TimeBase
from vedette.geometry import SE3, PinholeCamera

START_NS = 1_767_268_800_100_000_000
CAMERA = PinholeCamera(
    np.array([[700.0, 0.0, 20.0, 0.0], [0.0, 700.0, 10.0, 0.0], [0.0, 0.0, 1.0, 0.0]]),
    SE3(np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]), np.array([0.0, -0.08, -0.27])),
    40,
    20,
)
VELO_SE3_IMU = SE3(np.eye(3), np.array([-0.81, 0.32, -0.8]))


def objects(*rows: tuple[str, int, float, int, float]) -> CameraObjects:
    """Objects of type, track id, truncation, occlusion and distance ahead; `DontCare` is a region."""
    boxes_cam = [[-1000.0] * 3 + [-1.0] * 3 + [-10.0] if name == "DontCare" else [0.5, 1.65, far, 1.5, 1.8, 4.0, -1.3]
                 for name, _, _, _, far in rows]  # fmt: skip
    return CameraObjects(
        types=tuple(row[0] for row in rows),
        truncation=np.array([row[2] for row in rows], dtype=np.float64),
        occlusion=np.array([row[3] for row in rows], dtype=np.int64),
        alpha=np.array([-10.0 if row[0] == "DontCare" else -1.25 for row in rows]),
        boxes_px=np.tile([3.25, 2.5, 30.75, 18.5], (len(rows), 1)),
        boxes_cam=np.array(boxes_cam, dtype=np.float64).reshape(-1, 7),
        track_ids=np.array([row[1] for row in rows], dtype=np.int64),
    )


class NavigatedFrames:
    """Frames on a bend, numbered from 50, whose values differ from frame to frame.

    Args:
        labels: of each frame.
        bad_position: which of them cannot be used, if any.
    """

    def __init__(self, labels: list[CameraObjects], bad_position: int | None = None) -> None:
        self._labels = labels
        self._bad_position = bad_position
        self.name = "test"
        self.time_base = TimeBase.RECORDED
        self.frame_count = len(labels)
        self.missing_frame_count = 0
        self.problems = ()
        self.velo_SE3_imu = VELO_SE3_IMU

    def __iter__(self) -> Iterator[FrameItem]:
        return (self._item(position) for position in range(len(self._labels)))

    def _item(self, position: int) -> FrameItem:
        stamp_ns = START_NS + position * 100_000_000
        if position == self._bad_position:
            return BadFrame(50 + position, "test", stamp_ns, InvalidFrameError("sweep has 0 points"))
        rng = np.random.default_rng(position)
        points = rng.uniform(-50, 50, (30, 4)).astype(np.float32)
        points[:, 3] = rng.random(30, np.float32)
        sweep = Sweep(points, stamp_ns - 50_000_000, stamp_ns + 50_000_001)
        image = CameraImage(rng.integers(0, 255, (20, 40, 3)).astype(np.uint8), stamp_ns)
        world_SE3_imu = self.navigation(50 + position).world_SE3_imu
        pose = world_SE3_imu.compose(VELO_SE3_IMU.inverse())
        return Frame(50 + position, "test", stamp_ns, CAMERA, sweep, image, pose)

    def labels(self, frame_index: int) -> CameraObjects:
        return self._labels[frame_index - 50]

    def navigation(self, frame_index: int) -> NavigationFix:
        turn = 0.05 * (frame_index - 50)
        rotation = rotation_of(0.01, -0.02, 0.3 + turn)
        return NavigationFix(
            SE3(rotation, np.array([400.0 + 30 * np.sin(turn), -250.0 + 30 * np.cos(turn), 3.0 + turn])),
            np.array([3.0, 4.0, 0.5]),
            np.array([0.1, 0.2, 9.81]),
            np.array([0.0, 0.0, 0.5]),
            0.02,
            0.014,
        )

    def close(self) -> None:
        pass


Write = Callable[[NavigatedFrames, Path, Callable[[], None]], object]
LABELS = [
    objects(("Car", 3, 0.0, 0, 20.0), ("DontCare", -1, -1.0, -1, 0.0), ("Pedestrian", 5, 0.3, 1, 12.345678)),
    objects(),
    objects(("Car", 3, 0.6, 2, 18.0)),
]
LAYOUTS: dict[str, Write] = {
    "kitti-tracking:{}:0000": write_tracking,
    "kitti-object:{}": write_object,
    "kitti-raw:{}:2026_01_01_drive_0000": write_raw,
}


def written(folder: Path, source: str, labels: list[CameraObjects] | None = None) -> tuple[NavigatedFrames, Recording]:
    """A recording, and what is read of it after it was written."""
    recording = NavigatedFrames(LABELS if labels is None else labels)
    LAYOUTS[source](recording, folder / "out", lambda: None)
    return recording, open_recording(source.format(folder / "out"))


@pytest.mark.parametrize("source", LAYOUTS)
def test_sensors(tmp_path: Path, source: str) -> None:
    """Points, pictures and the camera come back as they were; frames are numbered from 0; nothing is wrong with it."""
    recording, read = written(tmp_path, source)
    assert read.problems == ()
    assert [item.index for item in read] == [0, 1, 2]
    for one, other in zip(recording, read, strict=True):
        assert isinstance(one, Frame)
        assert isinstance(other, Frame)
        assert one.sweep is not None
        assert other.sweep is not None
        np.testing.assert_array_equal(other.sweep.points_velo, one.sweep.points_velo)
        assert one.image is not None
        assert other.image is not None
        np.testing.assert_array_equal(other.image.pixels_bgr, one.image.pixels_bgr)
        np.testing.assert_allclose(other.camera.projection_velo, CAMERA.projection_velo, atol=1e-9)


@pytest.mark.parametrize("source", [source for source in LAYOUTS if "object" not in source])
def test_times_and_poses(tmp_path: Path, source: str) -> None:
    """To the nanosecond, and to a tenth of a millimetre, 470 m from the origin; world's origin is the first place."""
    recording, read = written(tmp_path, source)
    assert read.time_base is TimeBase.RECORDED
    frames = [(one, other) for one, other in zip(recording, read, strict=True)]
    (first, _) = frames[0]
    assert isinstance(first, Frame)
    assert first.world_SE3_ego is not None
    for one, other in frames:
        assert isinstance(one, Frame)
        assert isinstance(other, Frame)
        assert other.stamp_ns == one.stamp_ns
        assert one.sweep is not None
        assert other.sweep is not None
        assert (other.sweep.start_ns, other.sweep.end_ns) == (one.sweep.start_ns, one.sweep.end_ns)
        assert one.world_SE3_ego is not None
        assert other.world_SE3_ego is not None
        place = one.world_SE3_ego.translation - first.world_SE3_ego.translation
        np.testing.assert_allclose(other.world_SE3_ego.translation, place, atol=1e-4)
        np.testing.assert_allclose(other.world_SE3_ego.rotation, one.world_SE3_ego.rotation, atol=1e-12)


def test_object_labels(tmp_path: Path) -> None:
    """Two decimals, shares of truncation, regions with them; a frame without objects has an empty file."""
    _, read = written(tmp_path, "kitti-object:{}")
    labels = read.labels(0)
    assert labels is not None
    assert labels.types == ("Car", "DontCare", "Pedestrian")
    assert labels.truncation.tolist() == [0.0, -1.0, 0.3]
    assert labels.occlusion.tolist() == [0, -1, 1]
    np.testing.assert_allclose(labels.boxes_cam[2], [0.5, 1.65, 12.35, 1.5, 1.8, 4, -1.3])
    nothing = read.labels(1)
    assert nothing is not None
    assert len(nothing) == 0
    assert (tmp_path / "out" / "ImageSets" / "all.txt").read_text() == "000000\n000001\n000002\n"


def test_tracking_labels(tmp_path: Path) -> None:
    """Six decimals, track ids, and truncation as a level: beyond 0.15 partly, beyond 0.5 largely."""
    _, read = written(tmp_path, "kitti-tracking:{}:0000")
    first, second, third = read.labels(0), read.labels(1), read.labels(2)
    assert first is not None
    assert third is not None
    assert first.track_ids is not None
    assert first.track_ids.tolist() == [3, -1, 5]
    assert first.truncation.tolist() == [0.0, -1.0, 1.0]
    np.testing.assert_allclose(first.boxes_cam[2], [0.5, 1.65, 12.345678, 1.5, 1.8, 4, -1.3])
    assert second is not None
    assert len(second) == 0
    assert third.truncation.tolist() == [2.0]


def test_raw_labels(tmp_path: Path) -> None:
    """Boxes of tracklets; regions are none. An object that was away for a frame is another tracklet."""
    _, read = written(tmp_path, "kitti-raw:{}:2026_01_01_drive_0000")
    first, third = read.labels(0), read.labels(2)
    assert first is not None
    assert third is not None
    assert first.types == ("Car", "Pedestrian")
    np.testing.assert_allclose(first.boxes_cam[1], [0.5, 1.65, 12.345678, 1.5, 1.8, 4, -1.3], atol=1e-6)
    assert first.occlusion.tolist() == [0, 1]
    assert first.track_ids is not None
    assert third.track_ids is not None
    assert (first.track_ids.tolist(), third.track_ids.tolist()) == ([0, 1], [2])


def test_raw_tracklet_goes_on(tmp_path: Path) -> None:
    """One that is there frame after frame keeps its id."""
    _, read = written(
        tmp_path, "kitti-raw:{}:2026_01_01_drive_0000", [objects(("Car", 9, 0.0, 0, far)) for far in (20.0, 18.0, 16.0)]
    )
    for index, far in enumerate((20.0, 18.0, 16.0)):
        labels = read.labels(index)
        assert labels is not None
        assert labels.track_ids is not None
        assert labels.track_ids.tolist() == [0]
        assert labels.boxes_cam[0, 2] == pytest.approx(far, abs=1e-6)


@pytest.mark.parametrize("source", LAYOUTS)
def test_progress(tmp_path: Path, source: str) -> None:
    """Each frame is told."""
    steps: list[int] = []
    LAYOUTS[source](NavigatedFrames(LABELS), tmp_path / "out", lambda: steps.append(1))
    assert len(steps) == 3


@pytest.mark.parametrize("source", LAYOUTS)
def test_bad_frame(tmp_path: Path, source: str) -> None:
    """Would leave a gap: what there is stays in a folder that says that it is unfinished."""
    with pytest.raises(InvalidFrameError, match="0 points"):
        LAYOUTS[source](NavigatedFrames(LABELS, bad_position=1), tmp_path / "out", lambda: None)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["unfinished"]
    with pytest.raises(ConfigError, match="left by an interrupted run"):
        LAYOUTS[source](NavigatedFrames(LABELS), tmp_path / "out", lambda: None)


def test_calibration_keys_of_the_layouts(tmp_path: Path) -> None:
    """Other people's readers look for the rows of all four cameras by these names."""
    for source in LAYOUTS:
        LAYOUTS[source](NavigatedFrames(LABELS), tmp_path / source[:8], lambda: None)
    tracking = (tmp_path / "kitti-tr" / "calib" / "0000.txt").read_text()
    keys = ["P0:", "P1:", "P2:", "P3:", "R_rect", "Tr_velo_cam", "Tr_imu_velo"]
    assert [line.split()[0] for line in tracking.splitlines()] == keys
    single = (tmp_path / "kitti-ob" / "calib" / "000001.txt").read_text()
    keys = ["P0:", "P1:", "P2:", "P3:", "R0_rect:", "Tr_velo_to_cam:", "Tr_imu_to_velo:"][:6]
    assert [line.split()[0] for line in single.split("\n") if line] == keys
    day = (tmp_path / "kitti-ra" / "2026_01_01" / "calib_cam_to_cam.txt").read_text()
    for camera in range(4):
        for key in ("S", "K", "D", "R", "T", "S_rect", "R_rect", "P_rect"):
            assert f"\n{key}_{camera:02d}: " in day

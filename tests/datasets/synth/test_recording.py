"""A world as a recording."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.attitude import rotation_of
from vedette.datasets.opv2v.scenario import Opv2vScenario
from vedette.datasets.opv2v.write import write_opv2v
from vedette.datasets.synth.actors import Actor, RigidShape, Still
from vedette.datasets.synth.firing import evenly_spread
from vedette.datasets.synth.instants import synth_instants
from vedette.datasets.synth.lidar import LidarModel
from vedette.datasets.synth.mesh import cuboid
from vedette.datasets.synth.navigation import PERFECT, RTK_INS, VELO_SE3_IMU
from vedette.datasets.synth.recording import SensorSetup, SynthRecording, WorldSensors, frame_time_s, open_synth
from vedette.datasets.synth.rig import KITTI_RIG, SensorRig, world_SE3_velo
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.world import World
from vedette.errors import ConfigError, InvalidFrameError, MissingDataError, MissingPackageError
from vedette.frames import BadFrame, Frame, TimeBase
from vedette.geometry import SE3, PinholeCamera, boxes_velo_from_cam

MakeWorld = Callable[..., World]
NOON_NS = 1_767_268_800_000_000_000
"""2026-01-01 12:00:00 UTC."""
SMALL = SensorSetup(
    SensorRig(
        KITTI_RIG.actor_SE3_velo,
        PinholeCamera(
            np.array([[72.0, 0, 62, 0], [0, 72.0, 18, 0], [0, 0, 1, 0]]), KITTI_RIG.camera.cam_SE3_velo, 124, 37
        ),
    ),
    LidarModel("small", evenly_spread(8, -15.0, 1.0, columns=128)),
)
"""A tenth of the pixels along each side, and a hundredth of the points."""


@dataclass(frozen=True)
class Straight:
    """Constant velocity along x."""

    start: SE3
    speed_m_s: float
    is_still: bool = False

    def pose(self, t_s: float) -> SE3:
        return SE3(self.start.rotation, self.start.translation + self.speed_m_s * t_s * np.array([1.0, 0.0, 0.0]))


def car(actor_id: int, x: float, y: float, *, speed_m_s: float = 0.0, kind: ObjectClass = ObjectClass.CAR) -> Actor:
    shape = RigidShape(cuboid((4.0, 1.8, 1.5), Surface.CAR_PAINT, (128, 128, 128)), (4.0, 1.8, 1.5))
    start = SE3.from_yaw(0.0, [x, y, 0.0])
    return Actor(actor_id, kind, shape, Straight(start, speed_m_s) if speed_m_s else Still(start))


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    """Two connected vehicles, 1 and 5, a parked car and a pedestrian's box; ten seconds."""
    everyone = [
        car(1, 0.0, 0.0, speed_m_s=5.0),
        car(5, 12.0, 3.0, speed_m_s=5.0),
        car(6, 10.0, -4.0),
        car(7, 25.0, -4.0, kind=ObjectClass.PEDESTRIAN),
    ]
    return replace(make_world(everyone), connected_ids=(1, 5))


def small(
    world: World,
    frames: range,
    *,
    seed: int = 0,
    actor_id: int | None = None,
    with_images: bool = False,
    setup: SensorSetup = SMALL,
) -> SynthRecording:
    """A recording of few points and pixels."""
    return SynthRecording(world, frames, seed, actor_id, with_images, sensors=WorldSensors(world, setup))


def frames_of(recording: SynthRecording) -> list[Frame]:
    frames = [item for item in recording if isinstance(item, Frame)]
    assert len(frames) == recording.frame_count
    return frames


def test_times(world: World) -> None:
    """Frame i is taken 0.1 + i/10 s after noon, to the nanosecond; the sweep runs 50 ms to either side."""
    recording = small(world, range(3, 6))
    frames = frames_of(recording)
    assert [frame.index for frame in frames] == [3, 4, 5]
    assert [frame.stamp_ns - NOON_NS for frame in frames] == [400_000_000, 500_000_000, 600_000_000]
    assert recording.time_base is TimeBase.RECORDED
    for frame in frames:
        assert frame.sweep is not None
        assert frame.sweep.start_ns - frame.stamp_ns == -50_000_000
        assert frame.sweep.end_ns - frame.stamp_ns == 50_000_000
        assert frame.image is None


def test_same_bytes_again(world: World) -> None:
    """Iterating again, asking for a frame alone, or beginning later gives the same bytes; another seed does not."""
    recording = small(world, range(3), with_images=True)
    first, again = frames_of(recording), frames_of(recording)
    later = frames_of(small(world, range(2, 3), with_images=True))
    for one, other in (*zip(first, again, strict=True), (first[2], later[0])):
        assert one.sweep is not None
        assert other.sweep is not None
        np.testing.assert_array_equal(one.sweep.points_velo, other.sweep.points_velo)
        assert one.image is not None
        assert other.image is not None
        np.testing.assert_array_equal(one.image.pixels_bgr, other.image.pixels_bgr)
        assert one.world_SE3_ego is not None
        assert other.world_SE3_ego is not None
        np.testing.assert_array_equal(one.world_SE3_ego.matrix, other.world_SE3_ego.matrix)
    other_seed = small(world, range(1), seed=1, with_images=True).frame(0)
    assert isinstance(other_seed, Frame)
    assert other_seed.sweep is not None
    assert first[0].sweep is not None
    assert not np.array_equal(other_seed.sweep.points_velo, first[0].sweep.points_velo)


def test_pose_is_the_navigation_solution(world: World) -> None:
    """Off by centimetres, as a real recording is; exact with a unit free of error."""
    truth = world_SE3_velo(world, 1, KITTI_RIG, 0.1)
    noisy, exact = (
        SynthRecording(
            world, range(1), 0, with_images=False, sensors=WorldSensors(world, replace(SMALL, grade=grade))
        ).frame(0)
        for grade in (RTK_INS, PERFECT)
    )
    assert isinstance(noisy, Frame)
    assert isinstance(exact, Frame)
    assert noisy.world_SE3_ego is not None
    assert exact.world_SE3_ego is not None
    np.testing.assert_allclose(exact.world_SE3_ego.matrix, truth.matrix, atol=1e-12)
    off_m = float(np.linalg.norm(noisy.world_SE3_ego.translation - truth.translation))
    assert 1e-4 < off_m < 0.2


def test_labels_are_exact_and_need_no_frame(world: World) -> None:
    """The parked car, where it stands: 10 m less half a metre driven, seen from a LiDAR 0.1 m behind the middle."""
    recording = small(world, range(3))
    labels = recording.labels(0)
    assert labels.track_ids is not None
    row = labels.track_ids.tolist().index(6)
    box = boxes_velo_from_cam(SMALL.rig.camera.cam_SE3_velo, labels.boxes_cam)[row]
    np.testing.assert_allclose(box, [10 - 0.5 + 0.1, -4, 0.75 - 1.73, 4, 1.8, 1.5, 0], atol=1e-9)
    list(recording)
    assert recording.labels(0) is labels


def test_navigation_goes_with_the_pose(world: World) -> None:
    """The same solution, of the unit instead of the LiDAR; the speed is that of the vehicle."""
    recording = small(world, range(3))
    frame, fix = recording.frame(1), recording.navigation(1)
    assert isinstance(frame, Frame)
    assert frame.world_SE3_ego is not None
    np.testing.assert_allclose(frame.world_SE3_ego.compose(VELO_SE3_IMU).matrix, fix.world_SE3_imu.matrix, atol=1e-12)
    assert float(np.linalg.norm(fix.velocity_world_m_s)) == pytest.approx(5.0, abs=0.1)


def test_another_vehicle(world: World) -> None:
    """Its own eyes, its own name."""
    recording = small(world, range(1), actor_id=5)
    assert recording.name == "synth/test:0:0-0/5"
    frame = recording.frame(0)
    assert isinstance(frame, Frame)
    assert frame.world_SE3_ego is not None
    assert frame.world_SE3_ego.translation[1] == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize("frames", [range(0), range(-1, 2), range(0, 4, 2), range(99, 100), range(100)])
def test_impossible_frames(world: World, frames: range) -> None:
    """A world of ten seconds has frames 0 to 98: the last sweep needs half a turn after its stamp."""
    assert frame_time_s(98) == 9.9
    with pytest.raises(ConfigError, match="expected successive ones within 0-98"):
        SynthRecording(world, frames, 0)


def test_last_frame(world: World) -> None:
    """The last possible one is possible."""
    assert isinstance(small(world, range(98, 99)).frame(98), Frame)


def test_vehicle_without_sensors(world: World) -> None:
    """The message lists those that have some."""
    with pytest.raises(ConfigError, match=r"vehicle 6 has no sensors; expected one of \[1, 5\]"):
        SynthRecording(world, range(1), 0, 6)


def test_labels_of_other_frames(world: World) -> None:
    """None are made up."""
    recording = small(world, range(3, 6))
    with pytest.raises(ConfigError, match="labels of frame 2"):
        recording.labels(2)


def test_closed(world: World) -> None:
    """Reading on is an error."""
    recording = small(world, range(1))
    recording.close()
    with pytest.raises(MissingDataError, match="closed"):
        iter(recording)


def test_sweep_that_meets_nothing(make_world: MakeWorld) -> None:
    """Comes as a bad frame in its place."""
    world = make_world(ground=False)
    recording = small(world, range(1))
    (item,) = recording
    assert isinstance(item, BadFrame)
    assert isinstance(item.error, InvalidFrameError)


def test_without_open3d(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says how to get it."""
    monkeypatch.setitem(sys.modules, "open3d", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'vedette\[world\]'"):
        SynthRecording(world, range(1), 0)


@pytest.mark.parametrize(("first", "last"), [(5, 3), (-1, 3), (0, 100_000)])
def test_impossible_ranges(first: int, last: int) -> None:
    """Refused before anything is built."""
    with pytest.raises(ConfigError, match="expected"):
        open_synth("crossing", 0, first, last)


def test_instants(world: World) -> None:
    """All connected vehicles at one time, with exact poses, and every vehicle around but no pedestrian."""
    (instant,) = synth_instants(world, range(2, 3), 0, with_images=False, setup=SMALL)
    assert (instant.index, instant.stamp_ns - NOON_NS, instant.bad_frames) == (2, 300_000_000, {})
    assert [frame.vehicle_id for frame in instant.frames] == [1, 5]
    first, second = instant.frames
    np.testing.assert_allclose(first.world_SE3_vehicle.translation, [1.5, 0, 0], atol=1e-12)
    assert first.frame.world_SE3_ego is not None
    truth = world_SE3_velo(world, 1, SMALL.rig, 0.3)
    np.testing.assert_allclose(first.frame.world_SE3_ego.matrix, truth.matrix, atol=1e-12)
    assert first.speed_m_s == pytest.approx(5.0)
    assert [vehicle.vehicle_id for vehicle in first.vehicles] == [5, 6]
    assert [vehicle.vehicle_id for vehicle in second.vehicles] == [1, 6]
    other = first.vehicles[0]
    np.testing.assert_allclose(other.world_SE3_box.translation, [13.5, 3, 0.75], atol=1e-12)
    assert (other.size_m, other.speed_m_s) == ((4.0, 1.8, 1.5), pytest.approx(5.0))


def test_instants_estimate_is_off_a_little(world: World) -> None:
    """Each vehicle has errors of its own."""
    (instant,) = synth_instants(world, range(1), 0, with_images=False, setup=SMALL)
    one, other = (
        frame.estimated_SE3_vehicle.translation - frame.world_SE3_vehicle.translation for frame in instant.frames
    )
    assert all(1e-4 < float(np.linalg.norm(offset)) < 0.3 for offset in (one, other))
    assert not np.allclose(one, other)


def test_instants_written_and_read_are_the_worlds_truth(tmp_path: Path, make_world: MakeWorld) -> None:
    """OPV2V: poses and boxes to a micrometre, points bit for bit, on a slope."""
    lean = SE3(rotation_of(0.05, -0.1, 2.0), np.array([15.0, 4.0, 1.0]))
    everyone = [car(1, 0.0, 0.0, speed_m_s=5.0), replace(car(5, 0.0, 0.0), motion=Still(lean)), car(6, 20.0, -4.0)]
    world = replace(make_world(everyone), connected_ids=(1, 5))
    expected = list(synth_instants(world, range(2), 0, setup=SMALL))
    write_opv2v(expected, tmp_path / "out", world=world.name)
    for one, other in zip(expected, Opv2vScenario.find(tmp_path / "out").instants(), strict=True):
        for ours, theirs in zip(one.frames, other.frames, strict=True):
            assert ours.frame.sweep is not None
            assert theirs.frame.sweep is not None
            np.testing.assert_array_equal(theirs.frame.sweep.points_velo, ours.frame.sweep.points_velo)
            truth = world_SE3_velo(world, ours.vehicle_id, SMALL.rig, frame_time_s(one.index))
            assert theirs.frame.world_SE3_ego is not None
            np.testing.assert_allclose(theirs.frame.world_SE3_ego.matrix, truth.matrix, atol=1e-6)
            assert len(theirs.vehicles) == 2
            for vehicle in theirs.vehicles:
                box = [*vehicle.world_SE3_box.translation, *vehicle.size_m, vehicle.world_SE3_box.yaw]
                actual = world.by_id[vehicle.vehicle_id].box_world(frame_time_s(one.index))
                np.testing.assert_allclose(box, actual, atol=1e-6)

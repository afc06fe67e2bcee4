"""A scenario of one instant, every number of which is worked out here by hand.

Left-handed axes of the file: x forward (east), y right (south), z up. Ours: x east, y north = −y, z up.
With c = cos 30° = √3/2 and s = sin 30° = 1/2:

- Vehicle 641 is at (100, 50), its LiDAR 1.9 m up, yaw 90°: from east it turns right, to the south. In our axes it is at
  (100, −50, 1.9) and its heading is −90°: forward (0, −1, 0), left (1, 0, 0).
- Vehicle 650 is at (98, 60), yaw 180°: it faces west. Roll 30° lowers its right side, which faces north: right
  (0, c, −s), so left (0, −c, s).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.instants import ConnectedFrame, boxes_velo
from vedette.datasets.opv2v.recording import open_opv2v
from vedette.datasets.opv2v.scenario import Opv2vScenario
from vedette.frames import Frame, TimeBase

GOLDEN = Path(__file__).parent / "golden"
C, S = np.sqrt(3) / 2, 0.5


@pytest.fixture
def frames() -> dict[int, ConnectedFrame]:
    """The two frames of the one instant, by vehicle."""
    (instant,) = Opv2vScenario.find(GOLDEN).instants()
    assert (instant.index, instant.stamp_ns, instant.bad_frames) == (68, 0, {})
    return {frame.vehicle_id: frame for frame in instant.frames}


def test_poses(frames: dict[int, ConnectedFrame]) -> None:
    """A positive yaw turns right and a positive roll lowers the right side."""
    first, second = frames[641].frame.world_SE3_ego, frames[650].frame.world_SE3_ego
    assert first is not None
    assert second is not None
    np.testing.assert_allclose(first.translation, [100, -50, 1.9], atol=1e-12)
    np.testing.assert_allclose(first.rotation.T, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-12)
    assert first.yaw == pytest.approx(-np.pi / 2)
    np.testing.assert_allclose(second.translation, [98, -60, 1.9], atol=1e-12)
    # rows: forward, left, up; up is forward x left
    np.testing.assert_allclose(second.rotation.T, [[-1, 0, 0], [0, -C, S], [0, S, C]], atol=1e-12)


def test_vehicle_and_its_own_estimate(frames: dict[int, ConnectedFrame]) -> None:
    """36 km/h are 10 m/s; the vehicle thinks it is 0.2 m east and 0.1 m south of where it is."""
    frame = frames[641]
    assert frame.speed_m_s == pytest.approx(10.0)
    np.testing.assert_allclose(frame.world_SE3_vehicle.translation, [100, -50, 0], atol=1e-12)
    np.testing.assert_allclose(frame.estimated_SE3_vehicle.translation, [100.2, -50.1, 0], atol=1e-12)


def test_points(frames: dict[int, ConnectedFrame]) -> None:
    """Right becomes left; red 128 of 255 is the intensity. 10 m ahead and 2 m right of 641 is (98, -60, 0)."""
    frame = frames[641].frame
    assert frame.sweep is not None
    expected = np.array([[10, -2, -1.9, 128 / 255], [-5.5, -0.25, 0, 1]], np.float32)
    np.testing.assert_array_equal(frame.sweep.points_velo, expected)
    assert (frame.sweep.start_ns, frame.sweep.end_ns) == (-50_000_000, 50_000_000)
    assert frame.world_SE3_ego is not None
    world = frame.world_SE3_ego.transform_points(frame.sweep.points_velo[0, :3])
    np.testing.assert_allclose(world, [98, -60, 0], atol=1e-6)


def test_points_of_a_leaning_vehicle(frames: dict[int, ConnectedFrame]) -> None:
    """4 m ahead (west) and 2 m right: right leads 2c north and 2s down."""
    frame = frames[650].frame
    assert frame.sweep is not None
    assert frame.world_SE3_ego is not None
    world = frame.world_SE3_ego.transform_points(frame.sweep.points_velo[0, :3])
    np.testing.assert_allclose(world, [98 - 4, -60 + 2 * C, 1.9 - 2 * S], atol=1e-6)


def test_boxes(frames: dict[int, ConnectedFrame]) -> None:
    """Centre is location + center, size is twice extent, and the id is the key.

    650: centre (98.1, 60.2, 0.8) in the file, (98.1, -60.2, 0.8) in ours: from 641's LiDAR 1.9 m west, 10.2 m south and
    1.1 m down, which is 10.2 m ahead and 1.9 m right. It faces west, 90° to the right of south.
    """
    frame = frames[641]
    assert frame.frame.world_SE3_ego is not None
    assert [vehicle.vehicle_id for vehicle in frame.vehicles] == [650, 700, 701]
    assert frame.vehicles[0].speed_m_s == pytest.approx(5.0)
    assert frame.vehicles[0].object_class is ObjectClass.CAR
    boxes = boxes_velo(frame.vehicles, frame.frame.world_SE3_ego)
    np.testing.assert_allclose(boxes[0], [10.2, -1.9, -1.1, 4, 1.8, 1.5, -np.pi / 2], atol=1e-9)
    np.testing.assert_allclose(boxes[1], [20, 0, 1e-5 + 0.75 - 1.9, 4.5, 2, 1.5, 0], atol=1e-9)


def test_order_of_angles(frames: dict[int, ConnectedFrame]) -> None:
    """Roll, yaw, pitch: 700 has [30, 90, 0], its right (west) side is low; 701 has [0, 90, 30], its nose is high."""
    rolled, pitched = (vehicle.world_SE3_box.rotation.T for vehicle in frames[641].vehicles[1:])
    np.testing.assert_allclose(rolled, [[0, -1, 0], [C, 0, S], [-S, 0, C]], atol=1e-12)
    np.testing.assert_allclose(pitched, [[0, -C, S], [1, 0, 0], [0, S, C]], atol=1e-12)


def test_camera(frames: dict[int, ConnectedFrame]) -> None:
    """Half a metre before the LiDAR, 1.5 m above the road: the first point is 9.5 m ahead, 2 m right, 1.5 m below."""
    frame = frames[641].frame
    assert frame.sweep is not None
    uv, depth_m = frame.camera.project_velo(frame.sweep.points_velo[:1])
    np.testing.assert_allclose(depth_m, [9.5], atol=1e-6)
    np.testing.assert_allclose(uv, [[400 + 335.64 * 2 / 9.5, 300 + 335.64 * 1.5 / 9.5]], atol=1e-4)
    assert (frame.camera.width_px, frame.camera.height_px) == (800, 600)


def test_recording() -> None:
    """The lowest id is taken; roadside units and vehicles without a box are counted."""
    recording = open_opv2v(GOLDEN)
    assert recording.name == "opv2v/2021_08_16_22_26_54/641"
    assert recording.time_base is TimeBase.ASSUMED_10_HZ
    assert recording.problems == (
        "1 roadside units (negative ids) are passed over",
        "2 labels of vehicles have no extent or no center, and are left out",
    )
    (frame,) = recording
    assert isinstance(frame, Frame)
    assert frame.index == 68


def test_labels() -> None:
    """In the camera's frame: 650 is 9.7 m before the camera and 1.9 m right; its bottom is 1.45 m below."""
    labels = open_opv2v(GOLDEN, 641).labels(68)
    assert labels is not None
    assert labels.types == ("Car", "Car", "Car")
    assert labels.track_ids is not None
    assert labels.track_ids.tolist() == [650, 700, 701]
    # bottom centre: 0.8 - 0.75 = 0.05 above the road, the camera 1.5; a box that faces right has rotation_y 0
    np.testing.assert_allclose(labels.boxes_cam[0], [1.9, 1.45, 9.7, 1.5, 1.8, 4, 0], atol=1e-9)

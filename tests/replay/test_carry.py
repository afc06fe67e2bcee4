"""Boxes carried from their capture time to the reader's present."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from vedette.detections import Detections3D
from vedette.geometry import SE3
from vedette.publication import Publication
from vedette.replay.carry import carried_frames, carry
from vedette.replay.truth import read_truth

MS = 1_000_000


def publication_of(x_m: float, y_m: float, yaw_rad: float, velocity_mps: tuple[float, float], stamp_ns: int = 0):
    """One published car."""
    boxes = np.array([[x_m, y_m, -1.0, 4.0, 1.6, 1.5, yaw_rad]])
    detections = Detections3D(boxes, np.array([0.9]), np.array([0], np.int64))
    ids, velocities = np.zeros(1, np.int64), np.array([velocity_mps])
    return Publication(0, stamp_ns, stamp_ns + 60 * MS, stamp_ns, detections, ids, ("two-faces",), velocities)


@pytest.mark.parametrize(
    ("now", "velocity_mps", "expected"),
    [
        # the vehicle has driven 2 m east: a parked car is 2 m nearer
        (SE3.from_yaw(0.0, np.array([2.0, 0.0, 0.0])), (0.0, 0.0), (18.0, 5.0, 0.0)),
        # a car that drives ahead at 10 m/s for 0.1 s
        (SE3.from_yaw(0.0, np.array([2.0, 0.0, 0.0])), (10.0, 0.0), (19.0, 5.0, 0.0)),
        # an unknown velocity counts as standing still
        (SE3.identity(), (math.nan, math.nan), (20.0, 5.0, 0.0)),
        # the vehicle has turned left by 90 degrees: what was ahead is on the right, and points away to the right
        (SE3.from_yaw(math.pi / 2, np.zeros(3)), (0.0, 0.0), (5.0, -20.0, -math.pi / 2)),
    ],
    ids=["parked", "moving", "unknown", "turn"],
)
def test_carry(now: SE3, velocity_mps: tuple[float, float], expected: tuple[float, float, float]) -> None:
    """Worked out by hand, 0.1 s later."""
    carried = carry(publication_of(20.0, 5.0, 0.0, velocity_mps), SE3.identity(), now, 100 * MS)
    assert carried.boxes_velo[0, [0, 1, 6]] == pytest.approx(expected)
    assert carried.boxes_velo[0, 2:6] == pytest.approx([-1.0, 4.0, 1.6, 1.5])


def test_velocities_are_along_the_world_axes() -> None:
    """A vehicle that heads north sees an eastward car move to its right."""
    heading_north = SE3.from_yaw(math.pi / 2, np.zeros(3))
    carried = carry(publication_of(20.0, 0.0, 0.0, (10.0, 0.0)), heading_north, heading_north, 100 * MS)
    assert carried.boxes_velo[0, :2] == pytest.approx([20.0, -1.0])


def test_recordings_without_odometry_have_no_carried_frames(street) -> None:
    """Nothing is made up."""
    truth = [dataclasses.replace(frame, world_SE3_ego=None) for frame in read_truth(street(3))]
    assert carried_frames([publication_of(20.0, 0.0, 0.0, (0.0, 0.0))], truth) == []


def test_each_labelled_frame_gets_what_stood_then(street) -> None:
    """Before the first publication there is nothing; afterwards the parked car comes nearer as the vehicle drives."""
    truth = [
        dataclasses.replace(frame, world_SE3_ego=SE3.from_yaw(0.0, np.array([1.0 * k, 0.0, 0.0])))
        for k, frame in enumerate(read_truth(street(3)))
    ]
    publication = publication_of(20.0, 0.0, 0.0, (0.0, 0.0), truth[0].stamp_ns)
    frames = carried_frames([publication], truth)
    depths_m = [frame.detections.boxes_cam[:, 2].tolist() for frame in frames]
    assert depths_m[0] == []
    assert depths_m[1][0] - depths_m[2][0] == pytest.approx(1.0)


def test_forecasts_are_not_carried(street) -> None:
    """They are moved on already; the boxes of the frame before are what a reader carries."""
    truth = read_truth(street(2))
    own = publication_of(20.0, 0.0, 0.0, (0.0, 0.0), truth[0].stamp_ns)
    foreseen = dataclasses.replace(
        publication_of(30.0, 0.0, 0.0, (0.0, 0.0), truth[1].stamp_ns),
        publish_ns=own.publish_ns,
        basis_stamp_ns=own.stamp_ns,
        forecast=True,
    )
    before, without = (carried_frames(publications, truth) for publications in ([own, foreseen], [own]))
    depths_m = [[frame.detections.boxes_cam[:, 2].tolist() for frame in frames] for frames in (before, without)]
    assert depths_m[0] == depths_m[1]
    assert depths_m[0][1] == pytest.approx([20.0])

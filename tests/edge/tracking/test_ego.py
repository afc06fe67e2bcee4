"""The ego's pose, and gaps in it."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.tracking.ego import EgoMotion
from vedette.geometry import SE3

S = 1_000_000_000


def test_without_odometry_the_ego_stands_still():
    """The world is the ego's own frame."""
    ego = EgoMotion()
    assert ego.pose(0, None).matrix == pytest.approx(np.eye(4))
    assert ego.pose(S, None).matrix == pytest.approx(np.eye(4))


def test_a_gap_is_bridged_at_constant_velocity_and_turn():
    """10 m/s straight on: 10 m farther after another second; turning 0.1 rad/s, turned by another 0.1."""
    ego = EgoMotion()
    ego.pose(0, SE3.identity())
    ego.pose(S, SE3.from_yaw(0.1, [10.0, 0.0, 0.0]))
    bridged = ego.pose(2 * S, None)
    assert bridged.yaw == pytest.approx(0.2)
    # one more second ahead in the direction at its start: 10 m along 0.1 rad
    assert bridged.translation == pytest.approx([10 + 10 * np.cos(0.1), 10 * np.sin(0.1), 0.0])


def test_the_first_pose_after_none_starts_a_new_world():
    """Only the first one, and not when it is the first frame of all."""
    ego = EgoMotion()
    assert not ego.starts_new_world(SE3.identity())
    ego.pose(0, None)
    assert ego.starts_new_world(SE3.identity())
    ego.pose(S, SE3.identity())
    assert not ego.starts_new_world(SE3.identity())


def test_the_same_time_twice_teaches_no_velocity():
    """A frame looked at again, after a failure, does not divide by zero."""
    ego = EgoMotion()
    ego.pose(0, SE3.identity())
    ego.pose(0, SE3.from_yaw(0.0, [1.0, 0.0, 0.0]))
    assert ego.pose(S, None).translation == pytest.approx([1.0, 0.0, 0.0])


def test_velocity_over_ground_is_in_the_worlds_axes():
    """5 m a second ahead while heading along y; nothing is known before the second pose, nor without odometry."""
    ego = EgoMotion()
    ego.pose(0, SE3.from_yaw(np.pi / 2, [7.0, 0.0, 0.0]))
    assert ego.velocity_world_mps.tolist() == [0.0, 0.0]
    ego.pose(S, SE3.from_yaw(np.pi / 2, [7.0, 5.0, 0.0]))
    assert ego.velocity_world_mps == pytest.approx([0.0, 5.0])
    without = EgoMotion()
    without.pose(0, None)
    without.pose(S, None)
    assert without.velocity_world_mps.tolist() == [0.0, 0.0]


def test_foreseeing_changes_nothing():
    """The pose to come is as a gap would be bridged, and is forgotten again."""
    ego = EgoMotion()
    ego.pose(0, SE3.identity())
    now = ego.pose(S, SE3.from_yaw(0.1, [10.0, 0.0, 0.0]))
    foreseen = ego.foreseen(2 * S)
    assert ego.foreseen(S).matrix == pytest.approx(now.matrix)
    assert ego.foreseen(2 * S).matrix == pytest.approx(foreseen.matrix)
    assert ego.pose(2 * S, None).matrix == pytest.approx(foreseen.matrix)

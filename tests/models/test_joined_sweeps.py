"""Sweeps of a world whose points are known, taken from places that are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.errors import InvalidFrameError
from vedette.frames import MAX_RANGE_M, MAX_SWEEP_POINTS, CameraImage, Frame, Sweep
from vedette.geometry import SE3, PinholeCamera
from vedette.models.joined_sweeps import MAX_AGE_NS, PosedSweep, SweepJoiner, join_sweeps

CAMERA = PinholeCamera(np.eye(3, 4) * [[50], [50], [1]], SE3.identity(), 4, 2)
STEP_NS = 100_000_000


def tilted(yaw, pitch, translation):
    """A pose with a pitch too, as on a hill."""
    cos, sin = np.cos(pitch), np.sin(pitch)
    rotation = SE3.from_yaw(yaw).rotation @ np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])
    return SE3(rotation, np.array(translation, float))


def seen_from(points_world, world_SE3_ego, intensity=0.5):
    """A sweep of those points."""
    places = world_SE3_ego.inverse().transform_points(points_world)
    return Sweep(np.column_stack([places, np.full(len(places), intensity)]).astype(np.float32), 0, 1)


def frame(index, sweep, pose, stamp_ns=None):
    image = CameraImage(np.zeros((2, 4, 3), np.uint8), 0)
    return Frame(index, "test", index * STEP_NS if stamp_ns is None else stamp_ns, CAMERA, sweep, image, pose)


@given(seed=st.integers(0, 2**32 - 1))
def test_what_stands_lies_where_it_is_seen_now(seed):
    """From three places, turned and tilted: every point thrice at one place, each with its own intensity."""
    rng = np.random.default_rng(seed)
    world = rng.uniform(-50, 50, (40, 3))
    poses = [tilted(rng.uniform(-3, 3), rng.uniform(-0.1, 0.1), rng.uniform(-30, 30, 3)) for _ in range(3)]
    sweeps = [PosedSweep(seen_from(world, pose, 0.1 * k), pose) for k, pose in enumerate(poses)]
    joined = join_sweeps(sweeps[2], sweeps[:2])
    expected = sweeps[2].sweep.points_velo[:, :3]
    np.testing.assert_array_equal(joined.points_velo[:40], sweeps[2].sweep.points_velo)
    np.testing.assert_allclose(joined.points_velo[40:80, :3], expected, atol=1e-4)
    np.testing.assert_allclose(joined.points_velo[80:, :3], expected, atol=1e-4)
    np.testing.assert_allclose(joined.points_velo[40:80, 3], 0.0)
    np.testing.assert_allclose(joined.points_velo[80:, 3], 0.1)
    assert (joined.start_ns, joined.end_ns) == (0, 1)


def test_what_moves_is_smeared_along_its_way():
    """The ego stands; a car that drove 1.4 m is seen at both ends."""
    here = SE3.identity()
    before, now = (PosedSweep(seen_from(np.array([[x, 2.0, -1.0]]), here), here) for x in (10.0, 11.4))
    joined = join_sweeps(now, [before])
    np.testing.assert_allclose(joined.points_velo[:, 0], [11.4, 10.0], rtol=1e-6)


def test_nothing_earlier_changes_nothing():
    """Bit for bit."""
    sweep = seen_from(np.random.default_rng(0).uniform(-50, 50, (9, 3)), SE3.identity())
    np.testing.assert_array_equal(join_sweeps(PosedSweep(sweep, SE3.identity()), []).points_velo, sweep.points_velo)


def test_points_that_come_to_lie_out_of_range_are_dropped():
    """The ego has gone on by 10 m: what lay 495 m behind is 505 m behind."""
    start, end = SE3.identity(), SE3.from_yaw(0.0, [10.0, 0.0, 0.0])
    before = PosedSweep(seen_from(np.array([[-495.0, 0, 0], [20.0, 0, 0]]), start), start)
    now = PosedSweep(seen_from(np.array([[30.0, 0, 0]]), end), end)
    joined = join_sweeps(now, [before])
    np.testing.assert_allclose(joined.points_velo[:, 0], [20.0, 10.0])
    assert np.abs(joined.points_velo[:, :3]).max() < MAX_RANGE_M


def test_too_many_points_are_refused():
    """Rather than left out in silence."""
    half = Sweep(np.zeros((MAX_SWEEP_POINTS // 2 + 1, 4), np.float32), 0, 0)
    posed = PosedSweep(half, SE3.identity())
    with pytest.raises(InvalidFrameError, match="expected 1 to"):
        join_sweeps(posed, [posed])


@pytest.mark.parametrize(("count", "sizes"), [(1, [1, 1, 1, 1]), (2, [1, 2, 2, 2]), (3, [1, 2, 3, 3])])
def test_every_frame_gets_those_before_it(count, sizes):
    """As many as there are, and as were asked for; the ego drives 1 m a frame past a post."""
    joiner, post = SweepJoiner(count), np.array([[20.0, 1.0, 0.0]])
    for index, size in enumerate(sizes):
        pose = SE3.from_yaw(0.0, [float(index), 0.0, 0.0])
        joined = joiner.join(frame(index, seen_from(post, pose), pose))
        assert len(joined) == size
        np.testing.assert_allclose(joined.points_velo[:, 0], 20.0 - index, atol=1e-5)


def test_nothing_is_joined_over_a_gap():
    """Without a pose, after a second, or back in time; a frame without a sweep is passed over."""
    here = SE3.identity()
    sweep = seen_from(np.array([[20.0, 1.0, 0.0]]), here)

    def sizes(*frames):
        joiner = SweepJoiner(4)
        return [None if (joined := joiner.join(one)) is None else len(joined) for one in frames]

    assert sizes(frame(0, sweep, here), frame(1, sweep, None), frame(2, sweep, here)) == [1, 1, 1]
    assert sizes(frame(0, sweep, here), frame(1, None, here), frame(2, sweep, here)) == [1, None, 2]
    late = [frame(1, sweep, here, MAX_AGE_NS), frame(1, sweep, here, MAX_AGE_NS + 1)]
    assert [sizes(frame(0, sweep, here), one)[1] for one in late] == [2, 1]
    assert sizes(frame(5, sweep, here), frame(4, sweep, here)) == [1, 1]


@pytest.mark.parametrize("count", [0, -1])
def test_no_sweeps_cannot_be_joined(count):
    """One is the least."""
    with pytest.raises(ValueError, match="expected 1 or more"):
        SweepJoiner(count)

"""Several sweeps as one: earlier ones moved by the vehicle's own motion to where the current one was taken.

    an earlier sweep              the current one             joined
    · · ▪▪ · ·       ego moves    · · · ·▪▪ ·                 ········▪▪▪▪     what stands is seen more densely,
      sensor ►      ─────────►       sensor ►                   sensor ►       what moves is smeared along its way

A detector that was trained on single sweeps sees twice the points on what stands, and on what moves a body that is
longer by its way in the meantime: 1.4 m at 50 km/h and 0.1 s. So this serves parked cars and far ones; whoever uses it
should measure first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.frames import MAX_RANGE_M, Frame, Sweep
from vedette.geometry import SE3, NDArrayFloat32

MAX_AGE_NS: Final = 1_000_000_000
"""Older sweeps are not joined: in a second most of what moves has left its place."""


@dataclass(frozen=True)
class PosedSweep:
    """A sweep and where it was taken.

    Args:
        sweep: the points.
        world_SE3_ego: pose of the LiDAR's (velo) frame in a world frame that all sweeps share.
    """

    sweep: Sweep
    world_SE3_ego: SE3


def join_sweeps(current: PosedSweep, earlier: Sequence[PosedSweep]) -> Sweep:
    """The current sweep with the points of earlier ones, those of objects that move smeared along their way.

    Args:
        current: gives frame and times of the result, and its first points.
        earlier: in any order; points that come to lie beyond `MAX_RANGE_M` along an axis are dropped.

    Raises:
        InvalidFrameError: they have more points together than a sweep may have.
    """
    ego_SE3_world = current.world_SE3_ego.inverse()
    moved = [_moved(one.sweep.points_velo, ego_SE3_world.compose(one.world_SE3_ego)) for one in earlier]
    return replace(current.sweep, points_velo=np.concatenate([current.sweep.points_velo, *moved]))


def _moved(points_velo: NDArrayFloat32, current_SE3_earlier: SE3) -> NDArrayFloat32:
    places = current_SE3_earlier.transform_points(points_velo[:, :3]).astype(np.float32)
    in_range = (np.abs(places) <= MAX_RANGE_M).all(axis=1)
    return np.column_stack([places, points_velo[:, 3]])[in_range]


class SweepJoiner:
    """Joins the sweep of every frame with those of the frames before it.

    Args:
        count: sweeps in all, the current one included; 1 joins nothing.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"sweeps to join: expected 1 or more, got {count}")
        self._before: deque[tuple[int, PosedSweep]] = deque(maxlen=count - 1)

    def join(self, frame: Frame) -> Sweep | None:
        """The frame's sweep with those before it, None where the frame has none.

        Nothing is joined over a frame without a pose, over a step back in time, or over more than `MAX_AGE_NS`.

        Args:
            frame: of one and the same recording, in order.

        Raises:
            InvalidFrameError: the sweeps have too many points together.
        """
        if frame.world_SE3_ego is None:
            self._before.clear()
            return frame.sweep
        if frame.sweep is None:
            return None
        current = PosedSweep(frame.sweep, frame.world_SE3_ego)
        earlier = [one for stamp_ns, one in self._before if 0 < frame.stamp_ns - stamp_ns <= MAX_AGE_NS]
        self._before.append((frame.stamp_ns, current))
        return join_sweeps(current, earlier)

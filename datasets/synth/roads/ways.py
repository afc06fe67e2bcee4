"""The line of every lane, in the plan: along streets, through junctions, and round where a street ends.

A way's place on its street is told in the frame of travel: x along the way it goes, y to the left of the street's
middle line. Ranks count from the middle of the street to its right side, from 0.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.plan import Street
from vedette.datasets.synth.roads.curves import half_bend, quarter_bend, smooth_step
from vedette.datasets.synth.roads.junctions import Arm
from vedette.geometry import NDArrayFloat

_BEHIND_TURN_M: Final = 2.0
_WIDE_M: Final = 12.0
_STRAIGHT_STEP_M: Final = 1.0
_BEND_STEP_M: Final = 0.25
_BEND_BEYOND_M: Final = 6.5  # from the crossing of the carriageways: bends begin no earlier, or they cut the corner


def lane_left_m(street: Street, rank: int) -> float:
    """Where the middle of a lane lies, to the left of the street's middle line in the frame of travel.

    Args:
        street: the street.
        rank: of the lane.
    """
    from_middle = (rank + 0.5) * street.lane_width_m
    if street.one_way:
        return street.lanes * street.lane_width_m / 2 - from_middle
    return -street.median_m / 2 - from_middle


def lane_point(street: Street, direction: int, rank: int, along_m: float) -> NDArrayFloat:
    """``(2,)`` plan point in the middle of a lane.

    Args:
        street: the street.
        direction: +1 along its axis, -1 against it.
        rank: of the lane.
        along_m: on the street's axis.
    """
    return street.point(along_m, direction * lane_left_m(street, rank))


def street_way(street: Street, direction: int, rank: int, from_m: float, to_m: float) -> NDArrayFloat:
    """``(N,2)`` plan line of a lane.

    Args:
        street: the street.
        direction: +1 along its axis, -1 against it.
        rank: of the lane.
        from_m: where it begins, along the street's axis.
        to_m: where it ends.
    """
    return _line(lane_point(street, direction, rank, from_m), lane_point(street, direction, rank, to_m))


def straight_way(street: Street, entry: Arm, leaving: Arm, rank: int) -> NDArrayFloat:
    """``(N,2)`` plan line straight through a junction.

    Args:
        street: on which it stays.
        entry: arm that it comes from.
        leaving: arm on the other side.
        rank: of the lane, before and after.
    """
    return street_way(street, -entry.outward, rank, entry.stop_m, leaving.stop_m)


def turning_way(streets: tuple[Street, Street], arms: tuple[Arm, Arm], ranks: tuple[int, int]) -> NDArrayFloat:
    """``(N,2)`` plan line from one street into another.

    Args:
        streets: that it comes from, that it goes to.
        arms: likewise.
        ranks: of the lane before and after.
    """
    start = lane_point(streets[0], -arms[0].outward, ranks[0], arms[0].stop_m)
    end = lane_point(streets[1], arms[1].outward, ranks[1], arms[1].stop_m)
    yaw = travel_yaw(streets[0], -arms[0].outward)
    forward = np.array([np.cos(yaw), np.sin(yaw)])
    left = np.array([-forward[1], forward[0]])
    ahead_m, left_m = float((end - start) @ forward), float((end - start) @ left)
    straight_m = max(arm.setback_m for arm in arms) - _BEND_BEYOND_M
    leg = min(ahead_m, abs(left_m)) - straight_m
    bend = quarter_bend(leg, _BEND_STEP_M, to_left=left_m > 0)
    bend = start + (bend[:, :1] + ahead_m - leg) * forward + bend[:, 1:] * left
    return np.concatenate([_line(start, bend[0])[:-1], bend, _line(bend[-1], end)[1:]])


def round_way(street: Street, outward: int, rank: int, from_m: float, swing_m: float) -> NDArrayFloat:
    """``(N,2)`` plan line at a street's end: swings out to the right, then round to the left and back.

    Args:
        street: the street.
        outward: +1 at its end, -1 at its start.
        rank: of the lane, before and after.
        from_m: where the lane ends, along the street's axis.
        swing_m: how far it swings out.
    """
    lane_m = lane_left_m(street, rank)
    x = np.arange(0.0, swing_length_m(swing_m), 0.5)
    out = np.stack([x, lane_m - swing_m * smooth_step(x / swing_length_m(swing_m))], axis=1)
    apex = np.array([swing_length_m(swing_m), lane_m - swing_m])
    bend = apex + half_bend(2.0 * (swing_m - lane_m), _BEND_STEP_M)
    line = np.concatenate([out, bend, out[::-1] * [1.0, -1.0]])
    return np.array([street.point(from_m + outward * a, outward * b) for a, b in line])


def swing_length_m(swing_m: float) -> float:
    """On which length a way swings out: gently enough for the fronts of lorries to stay on their side coming back.

    Args:
        swing_m: how far.
    """
    return 8.0 * swing_m if swing_m < _WIDE_M else 3.5 * swing_m


def turning_room_m(street: Street, swing_m: float) -> float:
    """How far beyond the end of its lanes traffic gets when it turns round.

    Args:
        street: the street.
        swing_m: how far it swings out.
    """
    return swing_length_m(swing_m) + swing_m + street.side_m[0] + _BEHIND_TURN_M


def has_rails(street: Street) -> bool:
    """Whether traffic cannot leave it sideways, and so turns round beyond its end.

    Args:
        street: the street.
    """
    return street.median_m > 0 or street.shoulder_m > 0


def travel_yaw(street: Street, direction: int) -> float:
    """Heading of a lane in the plan.

    Args:
        street: the street.
        direction: +1 along its axis, -1 against it.
    """
    return street.yaw + (0.0 if direction > 0 else float(np.pi))


def _line(start: NDArrayFloat, end: NDArrayFloat) -> NDArrayFloat:
    count = max(2, int(np.ceil(np.linalg.norm(end - start) / _STRAIGHT_STEP_M)) + 1)
    return start + np.linspace(0.0, 1.0, count)[:, None] * (end - start)

"""Where streets cross, and the arms that lead there.

   :            :
   |    arm     |          SETBACK_M: from the crossing of the carriageways to the stop line
   |            |          CROSSWALK_M: to the middle of the place where people cross
---+            +---
 arm   crossing   arm
---+            +---
   |    arm     |
   :            :
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.datasets.synth.plan import Plan, Street

SETBACK_M: Final = 9.5
"""From the crossing of the carriageways to the stop line: room for the corner, then for people who cross."""

TIGHT_SETBACK_M: Final = 6.5
"""Where the next junction is close, so that nobody can cross between them."""

CROSSWALK_M: Final = 7.0
"""From the crossing of the carriageways to the middle of the strip where people cross."""

_SHORTEST_ARM_M: Final = TIGHT_SETBACK_M + 6.0
_SHORTEST_LANE_M: Final = 16.0  # between two stop lines, or the tight setback is taken


@dataclass(frozen=True)
class Arm:
    """A street's part on one side of a junction.

    Args:
        street: index in the plan.
        edge_m: where the crossing of the carriageways ends, along the street's axis.
        outward: +1 where the arm lies further along the axis, -1 where it lies before.
        setback_m: from there to the stop line.
    """

    street: int
    edge_m: float
    outward: int
    setback_m: float = SETBACK_M

    @property
    def stop_m(self) -> float:
        """The stop line, along the street's axis."""
        return self.edge_m + self.outward * self.setback_m

    @property
    def is_walked(self) -> bool:
        """Whether there is room for people to cross."""
        return self.setback_m == SETBACK_M

    @property
    def crosswalk_m(self) -> float:
        """Middle of the strip where people cross, along the street's axis."""
        return self.edge_m + self.outward * CROSSWALK_M


@dataclass(frozen=True)
class Junction:
    """A crossing of two streets.

    Args:
        u_street: index of the street along u.
        v_street: index of the street along v.
        centre_uv_m: crossing of their middle lines.
        arms: those that are long enough to drive on.
    """

    u_street: int
    v_street: int
    centre_uv_m: tuple[float, float]
    arms: tuple[Arm, ...]


def find_junctions(plan: Plan) -> tuple[Junction, ...]:
    """All junctions, in the order of the streets.

    Args:
        plan: streets that cross.
    """
    streets = list(enumerate(plan.streets))
    found = [
        _junction(i, along_u, j, along_v)
        for i, along_u in streets
        if along_u.axis == "u"
        for j, along_v in streets
        if along_v.axis == "v" and _cross(along_u, along_v)
    ]
    return tuple(replace(junction, arms=tuple(_tightened(arm, found) for arm in junction.arms)) for junction in found)


def _tightened(arm: Arm, junctions: Sequence[Junction]) -> Arm:
    """The arm with its stop line nearer to the crossing, where the next junction leaves too little room."""
    edges = [other.edge_m for junction in junctions for other in junction.arms if other.street == arm.street]
    gaps = [arm.outward * (edge - arm.edge_m) for edge in edges]
    is_tight = any(0.0 < gap < 2.0 * SETBACK_M + _SHORTEST_LANE_M for gap in gaps)
    return replace(arm, setback_m=TIGHT_SETBACK_M) if is_tight else arm


def _cross(along_u: Street, along_v: Street) -> bool:
    # a street that ends on another one's carriageway makes a junction too
    u_low, u_high = along_v.at_m - along_v.side_m[1], along_v.at_m + along_v.side_m[0]
    v_low, v_high = along_u.at_m - along_u.side_m[0], along_u.at_m + along_u.side_m[1]
    reaches_u = along_u.start_m <= u_high and along_u.end_m >= u_low
    return reaches_u and along_v.start_m <= v_high and along_v.end_m >= v_low


def _junction(i: int, along_u: Street, j: int, along_v: Street) -> Junction:
    u_edges = (along_v.at_m - along_v.side_m[1], along_v.at_m + along_v.side_m[0])
    v_edges = (along_u.at_m - along_u.side_m[0], along_u.at_m + along_u.side_m[1])
    arms = [
        Arm(index, edge, outward)
        for index, street, edges in ((i, along_u, u_edges), (j, along_v, v_edges))
        for edge, outward in ((edges[0], -1), (edges[1], 1))
        if _arm_length_m(street, edge, outward) >= _SHORTEST_ARM_M
    ]
    return Junction(i, j, (along_v.at_m, along_u.at_m), tuple(arms))


def _arm_length_m(street: Street, edge_m: float, outward: int) -> float:
    return float(np.subtract(street.end_m, edge_m) if outward > 0 else np.subtract(edge_m, street.start_m))

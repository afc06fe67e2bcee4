"""What the vehicle under a LiDAR takes from its view: roof racks, cables and the roof itself.

The shadows of KITTI's platform are the same in every scan. They were read off drive 0001, as the share of shots in 5
degrees of azimuth and one ring that returned from beyond 3 m: nothing in some places, nearly everything elsewhere.
The lowest rings lose almost half of their shots there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.firing import FiringPattern
from vedette.geometry import NDArrayBool


@dataclass(frozen=True)
class Shadow:
    """Directions in which something of the vehicle is in the way, degrees in the sensor frame.

    Args:
        right_deg: azimuth where it begins.
        left_deg: azimuth where it ends, above `right_deg`.
        top_deg: highest elevation.
        bottom_deg: lowest elevation.
    """

    right_deg: float
    left_deg: float
    top_deg: float
    bottom_deg: float = -90.0


KITTI_ROOF: Final = (
    # the roof's rear edge
    Shadow(-180.0, -158.0, -19.0),
    Shadow(160.0, 180.0, -19.0),
    # posts at its corners, and the rack between them lower down
    Shadow(-164.0, -156.0, -14.0),
    Shadow(157.0, 164.0, -14.0),
    Shadow(-158.0, -152.0, -21.0),
    Shadow(150.0, 160.0, -22.5),
    # struts
    Shadow(-133.0, -126.0, -21.5),
    Shadow(125.0, 132.0, -21.5),
    # what stands at the right side
    Shadow(-80.0, -62.0, -16.4, -24.0),
    # the camera rig before it
    Shadow(-14.0, 10.0, -21.7),
    Shadow(-18.0, 18.0, -23.2),
    Shadow(-40.0, -31.0, -23.2),
    Shadow(29.0, 36.0, -23.7),
)
"""Of KITTI's platform."""


def in_shadow(pattern: FiringPattern, shadows: Iterable[Shadow]) -> NDArrayBool:
    """``(C,B) bool`` which shots of a turn never leave the vehicle.

    Args:
        pattern: of the shots.
        shadows: of the vehicle.
    """
    azimuth = (np.degrees(pattern.column_azimuths[:, None] + pattern.azimuth_offsets) + 180.0) % 360.0 - 180.0
    elevation = np.degrees(pattern.elevations)
    hidden = np.zeros(azimuth.shape, dtype=bool)
    for shadow in shadows:
        beside = (azimuth >= shadow.right_deg) & (azimuth <= shadow.left_deg)
        hidden |= beside & (elevation <= shadow.top_deg) & (elevation >= shadow.bottom_deg)
    return hidden

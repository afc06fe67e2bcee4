"""How fast a thing may be that was seen once: nobody knows, but traffic goes our way, against it, or stands.

A covariance that is too small is worse than one that is too large: on a motorway the car ahead does 30 m/s, and a
filter that expects 4 m/s loses it before it has learned better.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.edge.lifting.priors import Group, prior
from vedette.edge.tracking.motion import Motion
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayFloat

_TRAFFIC_SHARE: Final = 0.7


def newborn(
    xy_world: NDArrayFloat,
    covariance_m2: NDArrayFloat,
    object_class: ObjectClass,
    viewpoint: Viewpoint,
    lag_s: float = 0.0,
) -> Motion:
    """The motion of an object seen for the first time: at rest until shown otherwise.

    Args:
        xy_world: ``(2,)`` metres.
        covariance_m2: ``(2,2)`` of the position, world frame.
        object_class: says how fast its like may be.
        viewpoint: says how fast traffic is here.
        lag_s: how long after the viewpoint's time it was there.
    """
    known = prior(object_class)
    speed_covariance = known.speed_sigma_mps**2 * np.eye(2)
    velocity = viewpoint.velocity_world_mps
    speed_mps = float(np.hypot(*velocity))
    along_mps = _TRAFFIC_SHARE * speed_mps
    if known.group is Group.VEHICLE and along_mps > known.speed_sigma_mps:
        direction = velocity / speed_mps
        speed_covariance += (along_mps**2 - known.speed_sigma_mps**2) * np.outer(direction, direction)
    return Motion.at(xy_world, covariance_m2, speed_covariance, lag_s)

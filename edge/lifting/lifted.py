"""A detection with a place in the world, and the names of the ways to get there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from vedette.edge.tracking.heading import HeadingBelief
from vedette.edge.tracking.size import SizeBelief
from vedette.geometry import NDArrayFloat


class Rung(StrEnum):
    """Steps of the fallback ladder, best first; every published box names the one that made it."""

    RECTANGLE = "rectangle"
    """Box placed behind the faces that its points show."""
    CENTROID = "centroid"
    """Box around the middle of few points, or of an object without flat faces."""
    IMAGE = "image"
    """No point at all: range from the height in the image, for an object without a track."""
    ANCHOR = "anchor"
    """Box of a 3D detector."""
    PREDICTED = "predicted"
    """Box of the track, moved on."""


@dataclass(frozen=True)
class LiftedBox:
    """One detection, lifted.

    Args:
        xy_velo: ``(2,)`` centre seen from above, metres, velo frame.
        bottom_z: of the box, velo frame.
        covariance_m2: ``(2,2)`` of the centre.
        heading: belief in the velo frame, this view taken in.
        size: belief, this view taken in.
        rung: how it was made.
        point_count: points that the object owns.
    """

    xy_velo: NDArrayFloat
    bottom_z: float
    covariance_m2: NDArrayFloat
    heading: HeadingBelief
    size: SizeBelief
    rung: Rung
    point_count: int

    @property
    def box_velo(self) -> NDArrayFloat:
        """``(7,)`` box."""
        size_m = self.size.size_m
        return np.array([*self.xy_velo, self.bottom_z + size_m[2] / 2, *size_m, self.heading.yaw])


def ray_covariance_m2(xy_velo: NDArrayFloat, along_sigma_m: float, across_sigma_m: float) -> NDArrayFloat:
    """Covariance of a position whose error differs along the ray from the sensor and across it.

    Args:
        xy_velo: ``(2,)`` where, metres from the sensor.
        along_sigma_m: spread of the range.
        across_sigma_m: spread across the ray.

    Returns:
        ``(2,2)``.
    """
    x, y = xy_velo.tolist()
    range_m = max(math.hypot(x, y), 1e-6)
    cos, sin = x / range_m, y / range_m
    along, across = along_sigma_m**2, across_sigma_m**2
    shared = (along - across) * cos * sin
    return np.array(
        [
            [along * cos * cos + across * sin * sin, shared],
            [shared, along * sin * sin + across * cos * cos],
        ]
    )

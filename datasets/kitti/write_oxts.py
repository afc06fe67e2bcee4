"""GPS/IMU records: all 30 numbers of a record from what a navigation unit says.

The way to latitude and longitude is that of `oxts`, backwards: a Mercator projection whose scale is true at the
latitude of the first record, so that reading gives the same metres back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.attitude import angles_of, rotation_of
from vedette.datasets.kitti.oxts import EARTH_RADIUS_M
from vedette.datasets.navigation import NavigationFix
from vedette.geometry import NDArrayFloat

_ORIGIN_DEG: Final = (49.0, 8.4)
"""Latitude and longitude of the world's origin: Karlsruhe, where KITTI was recorded."""
_ORIGIN_ALTITUDE_M: Final = 115.0
_STATUS: Final = "4 10 4 4 4"
"""Navigation status (4: all there), satellites, and RTK mode of position, velocity and orientation."""


@dataclass(frozen=True)
class Mercator:
    """The projection of one recording.

    Args:
        first_world_m: (2,) east and north of its first record.
        first_deg: latitude and longitude of its first record.
    """

    first_world_m: tuple[float, float]
    first_deg: tuple[float, float]

    @classmethod
    def starting_at(cls, east_m: float, north_m: float) -> Mercator:
        """Put the world on the globe.

        Args:
            east_m: of the first record, from the world's origin.
            north_m: likewise.
        """
        latitude_deg = _ORIGIN_DEG[0] + float(np.rad2deg(north_m / EARTH_RADIUS_M))
        radius_m = EARTH_RADIUS_M * float(np.cos(np.deg2rad(latitude_deg)))
        longitude_deg = _ORIGIN_DEG[1] + float(np.rad2deg(east_m / radius_m))
        return cls((east_m, north_m), (latitude_deg, longitude_deg))

    def degrees(self, east_m: float, north_m: float) -> tuple[float, float]:
        """Latitude and longitude of a place.

        Args:
            east_m: from the world's origin.
            north_m: likewise.
        """
        latitude, longitude = np.deg2rad(self.first_deg)
        radius_m = EARTH_RADIUS_M * np.cos(latitude)
        height = np.log(np.tan(np.pi / 4 + latitude / 2)) + (north_m - self.first_world_m[1]) / radius_m
        turned = longitude + (east_m - self.first_world_m[0]) / radius_m
        return float(np.rad2deg(2 * np.arctan(np.exp(height)) - np.pi / 2)), float(np.rad2deg(turned))


class OxtsFormatter:
    """Writes the records of one recording, the first one first."""

    def __init__(self) -> None:
        self._mercator: Mercator | None = None

    def record(self, fix: NavigationFix) -> str:
        """One record, a line.

        Args:
            fix: what the unit says; the first one decides the projection.
        """
        east_m, north_m, up_m = fix.world_SE3_imu.translation.tolist()
        if self._mercator is None:
            self._mercator = Mercator.starting_at(east_m, north_m)
        place = (*self._mercator.degrees(east_m, north_m), up_m + _ORIGIN_ALTITUDE_M)
        accuracy = (fix.position_sd_m, fix.velocity_sd_m_s)
        numbers = [*place, *angles_of(fix.world_SE3_imu.rotation), *_motion(fix), *accuracy]
        return " ".join(f"{value:.14g}" for value in numbers) + f" {_STATUS}\n"


def _motion(fix: NavigationFix) -> NDArrayFloat:
    """The 17 numbers of velocity, specific force and turn rates.

    Velocity is north and east, then forward, left and up; force and rates are about the unit's axes, then about level
    ones of the same heading.
    """
    rotation = fix.world_SE3_imu.rotation
    level_R_world = rotation_of(0.0, 0.0, fix.world_SE3_imu.yaw).T
    level_R_imu = level_R_world @ rotation
    velocity, force, rates = fix.velocity_world_m_s, fix.specific_force_imu_m_s2, fix.rates_imu_rad_s
    parts = [velocity[[1, 0]], level_R_world @ velocity, force, level_R_imu @ force, rates, level_R_imu @ rates]
    return np.concatenate(parts)

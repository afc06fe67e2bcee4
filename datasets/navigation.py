"""What a GNSS/INS unit says about a vehicle at one instant, whoever made it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from vedette.datasets.recording import Recording
from vedette.geometry import SE3, NDArrayFloat


@dataclass(frozen=True, eq=False)
class NavigationFix:
    """Where the unit is and how it moves, with its errors.

    Args:
        world_SE3_imu: pose of the unit: x forward, y left, z up; world's x is east, y north, z up.
        velocity_world_m_s: ``(3,) float64``, in world's axes.
        specific_force_imu_m_s2: ``(3,) float64`` what accelerometers measure, in the unit's axes: at rest 9.81 up.
        rates_imu_rad_s: ``(3,) float64`` turn rates about the unit's axes.
        position_sd_m: standard deviation that the unit states for its position.
        velocity_sd_m_s: likewise for its velocity.
    """

    world_SE3_imu: SE3
    velocity_world_m_s: NDArrayFloat
    specific_force_imu_m_s2: NDArrayFloat
    rates_imu_rad_s: NDArrayFloat
    position_sd_m: float
    velocity_sd_m_s: float


class NavigatedRecording(Recording, Protocol):
    """A recording that knows all of what its GNSS/INS unit said, not only the pose that follows from it."""

    @property
    def velo_SE3_imu(self) -> SE3:
        """Where the unit sits, seen from the LiDAR."""
        ...

    def navigation(self, frame_index: int) -> NavigationFix:
        """What the unit said at a frame.

        Args:
            frame_index: `Frame.index`, the number in the recording.
        """
        ...

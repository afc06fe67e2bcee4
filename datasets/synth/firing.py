"""Which way a spinning LiDAR's beams point, and when: the pattern that one device repeats every turn.

The device spins counter-clockwise seen from above, as KITTI's does (Geiger et al., Vision meets Robotics, IJRR 2013,
section 2.1), and a turn is centred on the instant at which it faces forward:

        azimuth     -π (behind)        0 (forward)        +π (behind)
        time      t - period/2            t             t + period/2

All beams fire once in every column. Those of a real HDL-64E point a few degrees to either side of the column (four rows
of diodes in each of two blocks) and leave it at two heights. Elevations, heights and their order are what a straight
line through each ring of KITTI's drive 0001 gives: height against distance, 0.3 mm off. The beams of one column fire
within 50 µs, which is left out: 1 mm at 20 m/s.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt

_BLOCK_BEAMS = 32
_ELEVATION_JITTER = np.radians(0.04)
_DIODE_ROWS = np.radians(np.array([-4.5, 1.5, -1.5, 4.5]))
_DIODE_JITTER = np.radians(0.3)


@dataclass(frozen=True, eq=False)
class FiringPattern:
    """Directions of all shots of a turn.

    Args:
        elevations: ``(B,) float64`` radians above the horizon, from the highest beam down: the order of rings.
        azimuth_offsets: ``(B,) float64`` radians by which a beam points left of its column.
        heights_m: ``(B,) float64`` of the beam's origin above that of the sensor's frame.
        columns: C, firings in a turn.
    """

    elevations: NDArrayFloat
    azimuth_offsets: NDArrayFloat
    heights_m: NDArrayFloat
    columns: int

    @property
    def beams(self) -> int:
        """B, how many beams there are."""
        return len(self.elevations)

    @cached_property
    def rising_elevations(self) -> NDArrayFloat:
        """``(B,)`` from the lowest beam up."""
        return self.elevations[::-1].copy()

    @cached_property
    def widest_offsets(self) -> tuple[float, float]:
        """Least and greatest of `azimuth_offsets`."""
        return float(self.azimuth_offsets.min()), float(self.azimuth_offsets.max())

    @cached_property
    def height_range_m(self) -> tuple[float, float]:
        """Least and greatest of `heights_m`."""
        return float(self.heights_m.min()), float(self.heights_m.max())

    @cached_property
    def column_azimuths(self) -> NDArrayFloat:
        """``(C,)`` radians where each column faces, rising from -π to π."""
        return np.asarray((np.arange(self.columns) + 0.5) * (2 * np.pi / self.columns) - np.pi, dtype=np.float64)

    @cached_property
    def directions(self) -> NDArrayFloat32:
        """``(C,B,3) float32`` unit vectors in the sensor frame."""
        azimuth = self.column_azimuths[:, None] + self.azimuth_offsets
        flat = np.cos(self.elevations)
        up = np.broadcast_to(np.sin(self.elevations), azimuth.shape)
        return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), up], axis=2).astype(np.float32)

    @cached_property
    def file_order(self) -> NDArrayInt:
        """``(C·B,)`` shots, as rows of the flattened ``(C,B)``, in the order in which KITTI's files list them.

        Ring after ring from the highest down, each from straight ahead counter-clockwise: azimuth 0 to 2π.
        """
        azimuth = (self.column_azimuths[:, None] + self.azimuth_offsets) % (2 * np.pi)
        columns = np.argsort(azimuth, axis=0, kind="stable")
        return np.asarray((columns * self.beams + np.arange(self.beams)).T.ravel(), dtype=np.int64)


def hdl_64e(unit: int, columns: int) -> FiringPattern:
    """Velodyne's HDL-64E: 32 beams from +2 to -8.33 degrees, 32 from -8.83 to -24.8, each block with its own height.

    Args:
        unit: which device: each has its own small errors.
        columns: firings in a turn: 2083 at 10 Hz.
    """
    rng = np.random.default_rng([unit, 64])
    upper = np.linspace(2.0, -8.33, _BLOCK_BEAMS)
    lower = np.linspace(-8.83, -24.8, _BLOCK_BEAMS)
    elevations = np.radians(np.concatenate([upper, lower])) + rng.normal(size=64) * _ELEVATION_JITTER
    offsets = np.tile(_DIODE_ROWS, 16) + rng.normal(size=64) * _DIODE_JITTER
    heights = np.concatenate([np.linspace(0.209, 0.198, _BLOCK_BEAMS), np.linspace(0.126, 0.116, _BLOCK_BEAMS)])
    return FiringPattern(np.sort(elevations)[::-1], offsets, heights, columns)


def evenly_spread(beams: int, lowest_deg: float, highest_deg: float, columns: int) -> FiringPattern:
    """The pattern of a simulated device: equal steps from one point, all beams of a column in one plane.

    Args:
        beams: how many.
        lowest_deg: elevation of the last ring, degrees.
        highest_deg: elevation of the first ring, degrees.
        columns: firings in a turn.
    """
    elevations = np.radians(np.linspace(highest_deg, lowest_deg, beams))
    return FiringPattern(elevations, np.zeros(beams), np.zeros(beams), columns)

"""Rigid motions: `dst_SE3_src` takes points from frame src to frame dst."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.geometry.arrays import NDArrayFloat, frozen_array

# Published calibrations are rounded (KITTI's to seven digits), so a rotation is only nearly orthonormal.
_ORTHONORMAL_TOLERANCE = 1e-4
MAX_TRANSLATION_M: Final = 1e9
"""Farther than anything on Earth, and small enough that no product overflows."""


@dataclass(frozen=True, eq=False)
class SE3:
    """A rotation followed by a translation, as `p_dst = rotation @ p_src + translation`.

    The rotation is kept as given, not made orthonormal, so that a calibration can be written back digit for digit.

    Args:
        rotation: (3, 3), orthonormal within 1e-4, determinant positive.
        translation: (3,) metres, in dst, at most `MAX_TRANSLATION_M` along each axis.

    Raises:
        ValueError: wrong shape, not finite, too far, or not a rotation.
    """

    rotation: NDArrayFloat
    translation: NDArrayFloat

    def __post_init__(self) -> None:
        rotation = frozen_array(self.rotation, (3, 3), "SE3 rotation")
        translation = frozen_array(self.translation, (3,), "SE3 translation")
        error = _off_orthonormal(rotation)
        if error > _ORTHONORMAL_TOLERANCE:
            raise ValueError(
                f"SE3 rotation: expected R @ R.T = I within {_ORTHONORMAL_TOLERANCE:g}, "
                f"it is off by {error:.3g}: {rotation.tolist()}"
            )
        if _determinant(rotation) < 0:
            raise ValueError(f"SE3 rotation: expected determinant +1, got a reflection: {rotation.tolist()}")
        if max(map(abs, translation.tolist())) > MAX_TRANSLATION_M:
            raise ValueError(
                f"SE3 translation: expected at most {MAX_TRANSLATION_M:g} m along each axis, got {translation.tolist()}"
            )
        object.__setattr__(self, "rotation", rotation)
        object.__setattr__(self, "translation", translation)

    @classmethod
    def identity(cls) -> SE3:
        """The motion that leaves every point where it is."""
        return cls(np.eye(3), np.zeros(3))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> SE3:
        """Read a motion from a matrix.

        Args:
            matrix: (4, 4) homogeneous with last row 0 0 0 1, (3, 4) without that row, or (3, 3) for a rotation alone.

        Raises:
            ValueError: another shape, another last row, or not a rigid motion.
        """
        values = np.asarray(matrix, dtype=np.float64)
        if values.shape not in {(4, 4), (3, 4), (3, 3)}:
            raise ValueError(f"SE3 matrix: expected shape (4, 4), (3, 4) or (3, 3), got {values.shape}")
        if values.shape[0] == 4 and not np.allclose(values[3], [0, 0, 0, 1], rtol=0.0, atol=1e-9):
            raise ValueError(f"SE3 matrix: expected last row [0, 0, 0, 1], got {values[3].tolist()}")
        translation = values[:3, 3] if values.shape[1] == 4 else np.zeros(3)
        return cls(values[:3, :3], translation)

    @classmethod
    def from_yaw(cls, yaw: float, translation: ArrayLike = (0.0, 0.0, 0.0)) -> SE3:
        """Turn about z, then shift.

        Args:
            yaw: radians, counter-clockwise seen from above.
            translation: (3,) metres, in dst.

        Raises:
            ValueError: not finite, or a translation of another shape.
        """
        cos, sin = np.cos(yaw), np.sin(yaw)
        rotation = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
        return cls(rotation, np.asarray(translation, dtype=np.float64))

    @cached_property
    def matrix(self) -> NDArrayFloat:
        """(4, 4) homogeneous matrix, read-only."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.rotation
        matrix[:3, 3] = self.translation
        matrix.setflags(write=False)
        return matrix

    @property
    def yaw(self) -> float:
        """Heading of src's x axis in dst's xy plane: radians in [-pi, pi]."""
        return float(np.arctan2(self.rotation[1, 0], self.rotation[0, 0]))

    def inverse(self) -> SE3:
        """The motion back, `src_SE3_dst`.

        The rotation is inverted, not transposed: with a rounded calibration the transpose would miss the way back
        by some micrometres at 50 m.
        """
        rotation = np.asarray(np.linalg.inv(self.rotation), dtype=np.float64)
        return SE3(rotation, -rotation @ self.translation)

    def compose(self, other: SE3) -> SE3:
        """Do `other` first: `a_SE3_b.compose(b_SE3_c)` is `a_SE3_c`.

        Args:
            other: the motion into this one's src frame.
        """
        return SE3(self.rotation @ other.rotation, self.rotation @ other.translation + self.translation)

    def transform_points(self, points: ArrayLike) -> NDArrayFloat:
        """Move points.

        Args:
            points: (..., 3) metres, in src.

        Returns:
            (..., 3) float64 metres, in dst.

        Raises:
            ValueError: the last axis is not 3 long.
        """
        moved = self.rotate_vectors(points)
        moved += self.translation
        return moved

    def rotate_vectors(self, vectors: ArrayLike) -> NDArrayFloat:
        """Turn directions, velocities and other differences of points: rotation without translation.

        Args:
            vectors: (..., 3), in src.

        Returns:
            (..., 3) float64, in dst.

        Raises:
            ValueError: the last axis is not 3 long.
        """
        values = np.asarray(vectors, dtype=np.float64)
        if values.ndim == 0 or values.shape[-1] != 3:
            raise ValueError(f"SE3: expected points of shape (..., 3), got {values.shape}")
        turned: NDArrayFloat = values @ self.rotation.T
        return turned


# Motions are made by the thousand for every frame of a generated world: nine plain numbers are checked several times
# faster than an array of nine.


def _off_orthonormal(rotation: NDArrayFloat) -> float:
    """Largest element of ``|R @ R.T - I|``."""
    # no element of a rotation is over 1, and the squares of large ones would overflow
    rows = [[min(max(value, -2.0), 2.0) for value in row] for row in rotation.tolist()]
    (a, b, c), (d, e, f), (g, h, i) = rows
    apart = (
        abs(a * a + b * b + c * c - 1.0),
        abs(d * d + e * e + f * f - 1.0),
        abs(g * g + h * h + i * i - 1.0),
        abs(a * d + b * e + c * f),
        abs(a * g + b * h + c * i),
        abs(d * g + e * h + f * i),
    )
    return float(max(apart))


def _determinant(rotation: NDArrayFloat) -> float:
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    return float(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))

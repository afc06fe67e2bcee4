"""A pose at many times close together: computed at a few knots, interpolated between."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.geometry import SE3, NDArrayFloat

_KNOT_S: Final = 0.0125
"""Between knots a turn of 1 rad/s leaves rotations 20 µrad off, braking at 10 m/s² positions 0.2 mm."""


@dataclass(frozen=True, eq=False)
class Track:
    """`dst_SE3_src` at N times.

    Args:
        rotations: ``(N,3,3) float64``.
        translations: ``(N,3) float64`` metres, in dst.
    """

    rotations: NDArrayFloat
    translations: NDArrayFloat

    def part(self, times: slice) -> Track:
        """Some of the times."""
        return Track(self.rotations[times], self.translations[times])

    def seen_from(self, dst_SE3_other: Track) -> Track:
        """`other_SE3_src` at the same times.

        Args:
            dst_SE3_other: N times.
        """
        back = np.swapaxes(dst_SE3_other.rotations, 1, 2)
        apart = self.translations - dst_SE3_other.translations
        return Track(back @ self.rotations, (back @ apart[:, :, None])[:, :, 0])


def track_of(pose_at: Callable[[float], SE3], times_s: NDArrayFloat) -> Track:
    """Poses at many times.

    Args:
        pose_at: the pose at a time.
        times_s: ``(N,)`` rising evenly, at least one.
    """
    first_s, span_s = float(times_s[0]), float(times_s[-1] - times_s[0])
    steps = math.ceil(span_s / _KNOT_S)
    table = np.empty((steps + 1, 12))
    for knot in range(steps + 1):
        pose = pose_at(first_s + span_s * (knot / max(steps, 1)))
        table[knot, :9], table[knot, 9:] = pose.rotation.ravel(), pose.translation
    place = np.arange(len(times_s)) * (steps / max(len(times_s) - 1, 1))
    left = np.minimum(place.astype(np.int64), max(steps - 1, 0))
    mixed = table[left]
    mixed += (table[np.minimum(left + 1, steps)] - mixed) * (place - left)[:, None]
    return Track(mixed[:, :9].reshape(-1, 3, 3), mixed[:, 9:])

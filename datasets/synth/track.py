"""A pose at many times close together: computed at a few knots, interpolated between."""

from __future__ import annotations

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
    span_s = float(times_s[-1] - times_s[0])
    knots = int(np.ceil(span_s / _KNOT_S)) + 1
    poses = [pose_at(float(t_s)) for t_s in np.linspace(times_s[0], times_s[-1], knots)]
    table = np.array([np.append(pose.rotation, pose.translation) for pose in poses])
    place = np.linspace(0.0, knots - 1, len(times_s))
    left = np.minimum(place.astype(np.int64), max(knots - 2, 0))
    share = (place - left)[:, None]
    mixed = table[left] * (1 - share) + table[np.minimum(left + 1, knots - 1)] * share
    return Track(mixed[:, :9].reshape(-1, 3, 3), mixed[:, 9:])

"""One detection in its image: what it covers, what the image's border cuts, and the rays through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.detections import Detections2D
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, PinholeCamera

_SPILL_PX: Final = 1.0
_BORDER_PX: Final = 4.0


@dataclass(frozen=True)
class DetectionView:
    """A detection and the camera that made it.

    Args:
        box_px: ``(4,)`` x1, y1, x2, y2.
        mask: ``(H,W) bool`` or None for a detector of boxes only.
        camera: of the image.
    """

    box_px: NDArrayFloat
    mask: NDArrayBool | None
    camera: PinholeCamera

    @classmethod
    def of(cls, detections: Detections2D, index: int, camera: PinholeCamera) -> DetectionView:
        """The view of one of the detections."""
        mask = None if detections.masks is None else detections.masks[index]
        return cls(detections.boxes_px[index], mask, camera)

    @property
    def cut_aside(self) -> bool:
        """Whether the left or right border of the image cuts the object."""
        return bool(self.box_px[0] < _BORDER_PX or self.box_px[2] > self.camera.width_px - 1 - _BORDER_PX)

    @property
    def cut_above_or_below(self) -> bool:
        """Whether the upper or lower border cuts it."""
        return bool(self.box_px[1] < _BORDER_PX or self.box_px[3] > self.camera.height_px - 1 - _BORDER_PX)

    def inside(self, pixels: NDArrayFloat32, free: NDArrayBool) -> NDArrayInt:
        """Which free points fall into the box, and into the mask where there is one.

        Args:
            pixels: ``(M,2)`` u, v of points in the image.
            free: ``(M,)`` whether no nearer object owns them.

        Returns:
            Their indices, ascending.
        """
        u, v = pixels[:, 0], pixels[:, 1]
        low_u, low_v = self.box_px[:2] - _SPILL_PX
        high_u, high_v = self.box_px[2:] + _SPILL_PX
        index = np.flatnonzero((u > low_u) & (u < high_u) & (v > low_v) & (v < high_v) & free)
        if self.mask is None:
            return index
        columns, rows = u[index].astype(np.int64), v[index].astype(np.int64)
        return index[self.mask[rows, columns]]

    def expected_depth_m(self, height_m: float) -> float | None:
        """Depth at which an object of this height looks as high as the box; None where the border cuts the height."""
        if self.cut_above_or_below:
            return None
        return self.camera.fy * float(height_m) / max(float(self.box_px[3] - self.box_px[1]), 1.0)

    def centre_at_depth_velo(self, depth_m: float) -> NDArrayFloat:
        """``(2,)`` x, y in the velo frame of the point on the ray through the box's centre."""
        pixel = (self.box_px[:2] + self.box_px[2:]) / 2
        matrix = self.camera.projection_velo
        target = depth_m * np.array([pixel[0], pixel[1], 1.0]) - matrix[:, 3]
        point = np.linalg.solve(matrix[:, :3], target)
        return np.asarray(point[:2], np.float64)

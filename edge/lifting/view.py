"""One detection in its image: what the image's border cuts, and the rays through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.detections import Detections2D
from vedette.geometry import NDArrayFloat, PinholeCamera

_BORDER_PX: Final = 4.0


@dataclass(frozen=True)
class DetectionView:
    """A detection and the camera that made it.

    Args:
        box_px: ``(4,)`` x1, y1, x2, y2.
        camera: of the image.
        velo_from_scaled: ``(3,3)`` inverse of the left part of the camera's projection from the velo frame.
    """

    box_px: NDArrayFloat
    camera: PinholeCamera
    velo_from_scaled: NDArrayFloat

    @classmethod
    def of_all(cls, detections: Detections2D, camera: PinholeCamera) -> list[DetectionView]:
        """The views of all detections of an image."""
        inverse = np.asarray(np.linalg.inv(camera.projection_velo[:, :3]), np.float64)
        return [cls(box_px, camera, inverse) for box_px in detections.boxes_px]

    @property
    def cut_aside(self) -> bool:
        """Whether the left or right border of the image cuts the object."""
        return bool(self.box_px[0] < _BORDER_PX or self.box_px[2] > self.camera.width_px - 1 - _BORDER_PX)

    @property
    def cut_above(self) -> bool:
        """Whether the upper border cuts it."""
        return bool(self.box_px[1] < _BORDER_PX)

    @property
    def cut_above_or_below(self) -> bool:
        """Whether the upper or lower border cuts it."""
        return self.cut_above or bool(self.box_px[3] > self.camera.height_px - 1 - _BORDER_PX)

    @property
    def centre_px(self) -> tuple[float, float]:
        """Middle of the box."""
        x1, y1, x2, y2 = self.box_px.tolist()
        return (x1 + x2) / 2, (y1 + y2) / 2

    @property
    def top_px(self) -> tuple[float, float]:
        """Middle of the upper edge."""
        x1, y1, x2, _ = self.box_px.tolist()
        return (x1 + x2) / 2, y1

    def expected_depth_m(self, height_m: float) -> float:
        """Depth at which an object of this height looks as high as the box; where a border cuts it, an upper bound."""
        focal_px, shown_px = self.camera.projection.item(1, 1), self.box_px.item(3) - self.box_px.item(1)
        return focal_px * height_m / max(shown_px, 1.0)

    def point_velo(self, pixel: tuple[float, float], depth_m: float) -> NDArrayFloat:
        """``(3,)`` point in the velo frame that a pixel shows at a depth."""
        scaled = np.array([depth_m * pixel[0], depth_m * pixel[1], depth_m])
        point: NDArrayFloat = self.velo_from_scaled @ (scaled - self.camera.projection_velo[:, 3])
        return point

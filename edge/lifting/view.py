"""One detection in its image: what the image's border cuts, and the rays through it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.detections import Detections2D
from vedette.geometry import NDArrayFloat, PinholeCamera

BORDER_PX: Final = 4.0
_ROUND_CORNER_M: Final = 0.05
_EDGE_SIGMA_M: Final = 0.06
_EDGE_SIGMA_PX: Final = 2.0
_CUT_SIGMA_M: Final = 100.0
_OUTWARD: Final = np.array([[-1.0], [1.0]])


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

    @classmethod
    def of_nothing(cls, camera: PinholeCamera) -> DetectionView:
        """The view of an object that the image does not show: cut on all sides, so that no edge tells anything."""
        inverse = np.asarray(np.linalg.inv(camera.projection_velo[:, :3]), np.float64)
        return cls(np.array([0.0, 0.0, camera.width_px - 1.0, camera.height_px - 1.0]), camera, inverse)

    @property
    def cut_left(self) -> bool:
        """Whether the left border of the image cuts the object."""
        return self.box_px.item(0) < BORDER_PX

    @property
    def cut_right(self) -> bool:
        """Whether the right border cuts it."""
        return self.box_px.item(2) > self.camera.width_px - 1 - BORDER_PX

    @property
    def cut_aside(self) -> bool:
        """Whether either of them cuts it."""
        return self.cut_left or self.cut_right

    @property
    def cut_above(self) -> bool:
        """Whether the upper border cuts it."""
        return bool(self.box_px[1] < BORDER_PX)

    @property
    def cut_above_or_below(self) -> bool:
        """Whether the upper or lower border cuts it."""
        return self.cut_above or bool(self.box_px[3] > self.camera.height_px - 1 - BORDER_PX)

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

    def points_velo(self, pixels: NDArrayFloat, depths_m: NDArrayFloat) -> NDArrayFloat:
        """Places that pixels of this view's image show at given depths.

        Args:
            pixels: ``(N,2)`` u and v.
            depths_m: ``(N,)``.

        Returns:
            ``(N,3)`` velo frame.
        """
        scaled = np.concatenate([pixels * depths_m[:, None], depths_m[:, None]], axis=1)
        points: NDArrayFloat = (scaled - self.camera.projection_velo[:, 3]) @ self.velo_from_scaled.T
        return points


def side_rays(
    views: Sequence[DetectionView], z_velo: NDArrayFloat, depth_m: NDArrayFloat
) -> tuple[NDArrayFloat, NDArrayFloat, NDArrayFloat]:
    """The upright planes through the left and the right edges of detections.

    Args:
        views: N of them, of one image.
        z_velo: ``(N,)`` heights of the objects' middles, velo frame.
        depth_m: ``(N,)`` of the objects.

    Returns:
        ``(N,2,2)`` horizontal unit normals out of the objects; ``(N,2)`` how far along them the objects reach, metres
        from the sensor; ``(N,2)`` spread of that, very large where the border of the image cuts the object.
    """
    matrix = views[0].camera.projection_velo
    columns_px = np.array([view.box_px for view in views])[:, 0::2]
    planes = matrix[0] - columns_px[..., None] * matrix[2]
    planes *= _OUTWARD / np.hypot(planes[..., 0], planes[..., 1])[..., None]
    reach_m = _ROUND_CORNER_M - planes[..., 3] - planes[..., 2] * z_velo[:, None]
    cut = np.array([(view.cut_left, view.cut_right) for view in views])
    sigma_m = np.where(cut, _CUT_SIGMA_M, _EDGE_SIGMA_M + _EDGE_SIGMA_PX / views[0].camera.fx * depth_m[:, None])
    return planes[..., :2], reach_m, sigma_m

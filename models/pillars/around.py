"""The full circle in views like the camera's: what a network that was trained to look ahead can see all around.

       2 ╲   ╱ 1       Every view is turned to the network's x axis, cut as the image cuts what is ahead, and answered
          ╲ ╱          by itself; the boxes are turned back. Views reach 41 degrees to either side and stand 72 apart:
     ──────●────► 0    of each, the middle 72 degrees are its own.
          ╱ ╲
       3 ╱   ╲ 4

What stands on a seam is seen in two parts, of which a view may make two objects: a car where most of it is, and a
pedestrian of the bumper that another view sees. So a box outside its view's own sector only counts where no view says
anything of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.geometry import SE3, NDArrayBool, NDArrayFloat32, PinholeCamera, bev_iou, transform_boxes
from vedette.models.camera_view import in_view
from vedette.models.pillars.decode import Found

TRAINED_VIEW: Final = PinholeCamera(
    np.array([[721.5377, 0.0, 609.5593, 0.0], [0.0, 721.5377, 172.854, 0.0], [0.0, 0.0, 1.0, 0.0]]),
    SE3(np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]), np.array([0.0, -0.08, -0.27])),
    1242,
    375,
)
"""In which networks of this family learn to see: KITTI's camera on its LiDAR, whatever camera a sweep comes with."""
_COUNT: Final = 5


@dataclass(frozen=True)
class View:
    """One of the views.

    Args:
        velo_SE3_view: turn of the view about the LiDAR's axis.
        camera: that looks there, on the LiDAR as it is.
    """

    velo_SE3_view: SE3
    camera: PinholeCamera

    @classmethod
    def towards(cls, yaw_rad: float) -> View:
        """The view in a direction.

        Args:
            yaw_rad: from x, counter-clockwise.
        """
        velo_SE3_view = SE3.from_yaw(yaw_rad)
        cam_SE3_velo = TRAINED_VIEW.cam_SE3_velo.compose(velo_SE3_view.inverse())
        return cls(velo_SE3_view, replace(TRAINED_VIEW, cam_SE3_velo=cam_SE3_velo))

    def points(self, points_velo_m: NDArrayFloat32) -> NDArrayFloat32:
        """The points that the view sees.

        Args:
            points_velo_m: ``(N,3 or more)`` all around; further columns are dropped.

        Returns:
            ``(M,3) float32`` metres, turned so that the view looks along x.
        """
        seen = points_velo_m.compress(in_view(points_velo_m, self.camera), axis=0)[:, :3]
        turned: NDArrayFloat32 = seen @ self.velo_SE3_view.rotation.astype(np.float32)
        return turned

    def boxes_back(self, found: Found) -> Found:
        """What was found in the view, in the velo frame.

        Args:
            found: in the frame of `points`.
        """
        return replace(found, boxes_velo=transform_boxes(self.velo_SE3_view, found.boxes_velo))


def joined(found: Sequence[Found]) -> Found:
    """What was found in the views; objects on a seam may still be there twice.

    Args:
        found: in each of `VIEWS`, in its frame.

    Returns:
        In the velo frame.
    """
    own = np.concatenate([_in_own_sector(of_view) for of_view in found])
    back = [view.boxes_back(of_view) for view, of_view in zip(VIEWS, found, strict=True)]
    together = Found(
        np.concatenate([of_view.boxes_velo for of_view in back]),
        np.concatenate([of_view.scores for of_view in back]),
        np.concatenate([of_view.channels for of_view in back]),
    )
    known = (bev_iou(together.boxes_velo, together.boxes_velo[own]) > 0).any(axis=1)
    return together.select(own | ~known)


def _in_own_sector(found: Found) -> NDArrayBool:
    """Which boxes have their centre there."""
    azimuth = np.arctan2(found.boxes_velo[:, 1], found.boxes_velo[:, 0])
    own: NDArrayBool = np.abs(azimuth) <= np.pi / _COUNT
    return own


VIEWS: Final = tuple(View.towards(2.0 * np.pi * number / _COUNT) for number in range(_COUNT))

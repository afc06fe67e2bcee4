"""The outline of a mesh in a picture: bounds of its projection, with and without the picture's borders.

Edges are cut at the borders in homogeneous coordinates (u·depth, v·depth, depth), where the projection is linear: a
vertex behind the camera would otherwise appear mirrored, and one beside it far away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.geometry import SE3, NDArrayBool, NDArrayFloat, PinholeCamera

_NEAR_M: Final = 0.1
"""Nothing nearer to the camera's plane is seen."""


@dataclass(frozen=True, eq=False)
class Outline:
    """Bounds of a projected mesh.

    Args:
        box_px: ``(4,)`` x1, y1, x2, y2 around what lies within the image: from 0 to its size less 1.
        truncation: share of the box around the whole projection that lies outside the image, 0 to 1.
    """

    box_px: NDArrayFloat
    truncation: float


def outline(mesh: Mesh, velo_SE3_mesh: SE3, camera: PinholeCamera) -> Outline | None:
    """Where a mesh is in the image, whatever is before it.

    Args:
        mesh: any.
        velo_SE3_mesh: its pose in the camera's velo frame.
        camera: the camera.

    Returns:
        None where no part of it is.
    """
    projection = camera.projection_velo @ velo_SE3_mesh.matrix
    points = mesh.vertices_m @ projection[:, :3].T + projection[:, 3]
    if len(points) == 0 or points[:, 2].max() <= _NEAR_M:
        return None
    limits = np.array([camera.width_px - 1.0, camera.height_px - 1.0])
    if points[:, 2].min() > _NEAR_M:
        whole = _bounds(points)
        if (whole[:2] >= 0).all() and (whole[2:] <= limits).all():
            return Outline(whole, 0.0)
    return _cut_outline(mesh, points, limits)


def _cut_outline(mesh: Mesh, points: NDArrayFloat, limits: NDArrayFloat) -> Outline | None:
    corners = points[mesh.triangles]
    starts, ends = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    starts, ends = _cut(starts, ends, starts[:, 2] - _NEAR_M, ends[:, 2] - _NEAR_M)
    whole = _bounds(np.concatenate([starts, ends]))
    for axis in (0, 1):
        starts, ends = _cut(starts, ends, starts[:, axis], ends[:, axis])
        inside = limits[axis] * starts[:, 2] - starts[:, axis], limits[axis] * ends[:, 2] - ends[:, axis]
        starts, ends = _cut(starts, ends, *inside)
    clipped = np.clip(whole, 0.0, np.tile(limits, 2))
    truncation = float(np.clip(1 - _area(clipped) / _area(whole), 0.0, 1.0))
    if len(starts):
        return Outline(np.clip(_bounds(np.concatenate([starts, ends])), 0.0, np.tile(limits, 2)), truncation)
    # no edge is in the image: what is near enough may fill it all
    fills = (whole[:2] <= 0).all() and (whole[2:] >= limits).all()
    return Outline(clipped, truncation) if fills else None


def _cut(
    starts: NDArrayFloat, ends: NDArrayFloat, start_inside: NDArrayFloat, end_inside: NDArrayFloat
) -> tuple[NDArrayFloat, NDArrayFloat]:
    """The part of each edge where a linear function, given at both ends, is not negative."""
    keep: NDArrayBool = (start_inside >= 0) | (end_inside >= 0)
    starts, ends, a, b = starts[keep], ends[keep], start_inside[keep], end_inside[keep]
    crossing = (a < 0) != (b < 0)
    share = np.where(crossing, a / np.where(crossing, a - b, 1.0), 0.0)[:, None]
    border = starts + share * (ends - starts)
    return np.where((a < 0)[:, None], border, starts), np.where((b < 0)[:, None], border, ends)


def _bounds(points: NDArrayFloat) -> NDArrayFloat:
    pixels = points[:, :2] / points[:, 2:]
    return np.concatenate([pixels.min(axis=0), pixels.max(axis=0)])


def _area(box: NDArrayFloat) -> float:
    width, height = np.maximum(box[2:] - box[:2], 0.0)
    return max(float(width * height), 1e-9)

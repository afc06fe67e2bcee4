"""Image boxes of 3D boxes, right also where a box reaches behind the camera or past the image.

What the image shows of a box is the part of it inside the view frustum: a convex body, whose image is bounded by the
images of its vertices. Such a vertex is an end of a box edge clipped to the frustum, or an end of a frustum edge
clipped to the box (a box that fills the whole image has no edge in it).

```
        ╲   ┌──────┐  ╱
         ╲  │ box  │ ╱    depth
          ╲ └──────┘╱       │
           ╲       ╱        │
            ╲─────╱  near plane
             camera
```

Clipping happens in homogeneous coordinates (u·depth, v·depth, depth), where the projection is linear; after the
division a point behind the camera would appear mirrored.
"""

from __future__ import annotations

import numpy as np

from vedette.geometry.arrays import NDArrayBool, NDArrayFloat
from vedette.geometry.boxes import corners

NEAR_M = 0.1

_EDGE_STARTS = [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3]
_EDGE_ENDS = [1, 2, 3, 0, 5, 6, 7, 4, 4, 5, 6, 7]


def near_bounds(boxes: NDArrayFloat, projection: NDArrayFloat) -> NDArrayFloat:
    """Bounds of what of each box lies before the near plane, wherever the image ends.

    Args:
        boxes: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.
        projection: (3, 4) matrix from the frame of the boxes to (u·depth, v·depth, depth).

    Returns:
        (N, 4) [x1, y1, x2, y2] pixels; NaN where nothing is before the near plane.
    """
    starts, ends = _box_edges(boxes, projection)
    pixels, seen = _clip(starts, ends, starts[..., 2:] - NEAR_M, ends[..., 2:] - NEAR_M)
    return _bounds(pixels, seen)


def frustum_bounds(boxes: NDArrayFloat, projection: NDArrayFloat, limits_px: tuple[float, float]) -> NDArrayFloat:
    """Bounds of what of each box the image shows.

    Args:
        boxes: (N, 7) [x, y, z, length, width, height, yaw], metres and radians.
        projection: (3, 4) matrix from the frame of the boxes to (u·depth, v·depth, depth).
        limits_px: the largest u and v of the image; the smallest are 0.

    Returns:
        (N, 4) [x1, y1, x2, y2] pixels, within the image; NaN where the image shows nothing.
    """
    limits = np.array(limits_px)
    starts, ends = _box_edges(boxes, projection)
    pixels, seen = _clip(starts, ends, _frustum_distances(starts, limits), _frustum_distances(ends, limits))
    far_m = max(float(starts[..., 2].max(initial=0.0)), NEAR_M)
    view_starts, view_ends = _frustum_edges(limits, far_m)
    view_pixels, view_seen = _clip(
        view_starts,
        view_ends,
        _box_distances(boxes, _unproject(projection, view_starts)),
        _box_distances(boxes, _unproject(projection, view_ends)),
    )
    bounds = _bounds(np.concatenate([pixels, view_pixels], axis=1), np.concatenate([seen, view_seen], axis=1))
    return np.clip(bounds, 0.0, np.tile(limits, 2))


def _box_edges(boxes: NDArrayFloat, projection: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat]:
    """Homogeneous (N, 12, 3) starts and ends of the edges."""
    homogeneous = corners(boxes) @ projection[:, :3].T + projection[:, 3]
    return homogeneous[:, _EDGE_STARTS], homogeneous[:, _EDGE_ENDS]


def _frustum_edges(limits: NDArrayFloat, far_m: float) -> tuple[NDArrayFloat, NDArrayFloat]:
    """Homogeneous (8, 3) starts and ends: the four rays through the image's corners, then the near plane's sides."""
    rays = np.array([[0.0, 0.0, 1.0], [limits[0], 0.0, 1.0], [*limits, 1.0], [0.0, limits[1], 1.0]])
    near = NEAR_M * rays
    return np.concatenate([near, near]), np.concatenate([far_m * rays, np.roll(near, -1, axis=0)])


def _unproject(projection: NDArrayFloat, homogeneous: NDArrayFloat) -> NDArrayFloat:
    """Points (..., 3) of the boxes' frame, from homogeneous ones."""
    points: NDArrayFloat = (homogeneous - projection[:, 3]) @ np.linalg.inv(projection[:, :3]).T
    return points


def _frustum_distances(homogeneous: NDArrayFloat, limits: NDArrayFloat) -> NDArrayFloat:
    """(..., 5) how far inside the near plane and the four sides a homogeneous point is; linear, below 0 outside."""
    plane, depth = homogeneous[..., :2], homogeneous[..., 2:]
    return np.concatenate([depth - NEAR_M, plane, limits * depth - plane], axis=-1)


def _box_distances(boxes: NDArrayFloat, points: NDArrayFloat) -> NDArrayFloat:
    """(N, P, 6) how far inside the faces of each box each of (P, 3) points is; below 0 outside."""
    offset = points - boxes[:, None, :3]
    cos, sin = np.cos(boxes[:, 6, None]), np.sin(boxes[:, 6, None])
    along = cos * offset[..., 0] + sin * offset[..., 1]
    across = cos * offset[..., 1] - sin * offset[..., 0]
    local = np.stack([along, across, offset[..., 2]], axis=-1)
    half = boxes[:, None, 3:6] / 2
    return np.concatenate([half - local, half + local], axis=-1)


def _clip(
    starts: NDArrayFloat, ends: NDArrayFloat, start_distances: NDArrayFloat, end_distances: NDArrayFloat
) -> tuple[NDArrayFloat, NDArrayBool]:
    """Clip segments to half-spaces (Liang and Barsky, 1984) and project what is left.

    Args:
        starts: (..., E, 3) homogeneous.
        ends: (..., E, 3) homogeneous.
        start_distances: (N, E, H) how far inside each half-space the starts are, below 0 outside.
        end_distances: (N, E, H) likewise for the ends.

    Returns:
        (N, 2E, 2) pixels of the ends of the clipped segments, and (N, 2E) whether anything of the segment is left.
    """
    span = start_distances - end_distances
    crossing = start_distances / np.where(span == 0.0, 1.0, span)
    enters, leaves = start_distances < 0.0, end_distances < 0.0
    first = np.where(enters, crossing, 0.0).max(axis=-1)
    last = np.where(leaves, crossing, 1.0).min(axis=-1)
    seen = (first <= last) & ~(enters & leaves).any(axis=-1)
    shares = np.where(np.concatenate([seen, seen], axis=-1), np.concatenate([first, last], axis=-1), 0.0)
    points = np.concatenate([starts, starts], axis=-2) + shares[..., None] * np.concatenate(
        [ends - starts] * 2, axis=-2
    )
    kept = np.concatenate([seen, seen], axis=-1)
    depth = np.where(kept, points[..., 2], 1.0)
    return points[..., :2] / depth[..., None], kept


def _bounds(pixels: NDArrayFloat, seen: NDArrayBool) -> NDArrayFloat:
    """(N, 4) bounds of the (N, V, 2) pixels that are seen, NaN where none is."""
    low = np.where(seen[..., None], pixels, np.inf).min(axis=1)
    high = np.where(seen[..., None], pixels, -np.inf).max(axis=1)
    bounds = np.concatenate([low, high], axis=1)
    bounds[~np.any(seen, axis=1)] = np.nan
    return bounds

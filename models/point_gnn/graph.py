r"""The graph that Point-GNN works on: keypoints, the points around each, and each one's neighbours.

    points  . . .. . .          pool pairs: (point, keypoint) within 1 m
             \|/   |/
    keypoints o----o----o       edge pairs: (keypoint, keypoint) within 4 m, each with itself too

Source: WeijingShi/Point-GNN, `models/graph_gen.py`, and the card of the ONNX export.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.spatial import cKDTree

from vedette.errors import ModelInputError
from vedette.geometry import NDArrayFloat32, NDArrayInt

VOXEL_M: Final = 0.8
"""Of each voxel of this side one point is kept as keypoint."""
POOL_RADIUS_M: Final = 1.0
EDGE_RADIUS_M: Final = 4.0
MAX_PAIRS: Final = 1_000_000
"""Of each kind. A 64-beam scan in a camera's view has about 100,000, and time goes with their number: without a limit
a hostile sweep of a million points in one place could keep a server busy for hours."""


@dataclass(frozen=True)
class PointGraph:
    """Indices into the points.

    Args:
        keypoints: ``(K,) int64`` points that are keypoints.
        pool_points: ``(P,) int64`` points, and
        pool_keypoints: ``(P,) int64`` the keypoint (0 to K-1) each is near to.
        edge_sources: ``(E,) int64`` keypoints (0 to K-1), and
        edge_targets: ``(E,) int64`` the keypoint each is near to.
    """

    keypoints: NDArrayInt
    pool_points: NDArrayInt
    pool_keypoints: NDArrayInt
    edge_sources: NDArrayInt
    edge_targets: NDArrayInt


def build_graph(points_m: NDArrayFloat32) -> PointGraph:
    """Build the graph of some points.

    Args:
        points_m: ``(N,3) float32`` positions, N >= 1, any metric frame.

    Raises:
        ModelInputError: so many points so close together that the graph would be too large.
    """
    keypoints = voxel_keypoints(points_m, VOXEL_M)
    all_tree = cKDTree(points_m)
    key_tree = cKDTree(points_m[keypoints])
    pool_points, pool_keypoints = _near_pairs(all_tree, key_tree, POOL_RADIUS_M)
    edge_sources, edge_targets = _near_pairs(key_tree, key_tree, EDGE_RADIUS_M)
    return PointGraph(keypoints, pool_points, pool_keypoints, edge_sources, edge_targets)


def voxel_keypoints(points_m: NDArrayFloat32, voxel_m: float) -> NDArrayInt:
    """In each occupied voxel the point nearest to the mean of the voxel's points.

    Args:
        points_m: ``(N,3) float32``, N >= 1.
        voxel_m: side of the voxels; the grid starts half a voxel below the smallest coordinates.

    Returns:
        ``(K,) int64`` indices of points, ordered by voxel; of equally near points the first.
    """
    points = points_m.astype(np.float64)
    cells = np.floor((points - points.min(axis=0)) / voxel_m + 0.5).astype(np.int64)
    spans = cells.max(axis=0) + 1
    keys = (cells[:, 0] * spans[1] + cells[:, 1]) * spans[2] + cells[:, 2]
    _, voxel, count = np.unique(keys, return_inverse=True, return_counts=True)
    sums = np.stack([np.bincount(voxel, weights=points[:, axis]) for axis in range(3)], axis=1)
    offsets = points - (sums / count[:, None])[voxel]
    order = np.lexsort(((offsets**2).sum(axis=1), voxel))
    firsts: NDArrayInt = order[np.concatenate([[0], np.cumsum(count)[:-1]])]
    return firsts


def _near_pairs(left: cKDTree, right: cKDTree, radius_m: float) -> tuple[NDArrayInt, NDArrayInt]:
    """Every (left, right) pair of points no farther apart than the radius."""
    count = int(left.count_neighbors(right, radius_m))
    if count > MAX_PAIRS:
        raise ModelInputError(
            f"the sweep puts {count} pairs of points within {radius_m:g} m of each other; Point-GNN takes at most"
            f" {MAX_PAIRS}: thin the sweep out"
        )
    pairs = left.sparse_distance_matrix(right, radius_m, output_type="ndarray")
    return pairs["i"].astype(np.int64), pairs["j"].astype(np.int64)

"""The network, run in four parts with the two maxima between them taken here.

    points ──A──► a row per pool pair ──max──► keypoints ──B──► states ──C──► a row per edge ──max──► ──D──► answer

Run whole, ONNX Runtime spends four fifths of the time and most of the memory on those two maxima (`ScatterElements`,
whose indices are spelt out for all 300 channels). Here the pairs are sorted by target, cut into blocks of one size that
stay in the cache, and each block's maximum is one `numpy.maximum.reduceat`. Blocks of one size also keep memory flat.
The numbers are the same: a maximum does not depend on the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vedette.geometry import NDArrayFloat32, NDArrayInt
from vedette.models.point_gnn.graph import PointGraph
from vedette.models.sessions import OnnxModel, OnnxPart

BLOCK_PAIRS: Final = 1024
"""1.2 MB a block, which stays in the cache: 0.6 s a scan, against 1.0 s in blocks of 8192 and 5 s whole."""

_POOL_ROWS: Final = "/pf/Relu_3_output_0"
_POOLED: Final = "/If_1_output_0"
_STATE: Final = "/po/Relu_1_output_0"
_SOURCE_STATE: Final = "/Add_1_output_0"
_TARGET_STATE: Final = "/MatMul_1_output_0"
_EDGE_ROWS: Final = "/Relu_1_output_0"
_GATHERED: Final = "/If_3_output_0"


class PointGnnNetwork:
    """Class probabilities and box encodings of keypoints.

    Args:
        model: the published export.

    Raises:
        ModelLoadError: it has not that export's tensors.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._pool = model.part(("reflectance", "xyz", "keypoint", "pool_src", "pool_dst"), (_POOL_ROWS,))
        self._states = model.part((_POOLED, "xyz", "keypoint"), (_STATE, _SOURCE_STATE, _TARGET_STATE))
        self._edges = model.part((_SOURCE_STATE, _TARGET_STATE, "edge_src", "edge_dst"), (_EDGE_ROWS,))
        self._heads = model.part((_GATHERED, _STATE), ("prob", "enc"))

    def run(self, points_cam: NDArrayFloat32, graph: PointGraph) -> tuple[NDArrayFloat32, NDArrayFloat32]:
        """Run the network.

        Args:
            points_cam: ``(N,4) float32`` x, y, z in the rectified camera frame, intensity in [0, 1].
            graph: of these points.

        Returns:
            Probabilities ``(K,4)`` and encodings ``(K,4,7)`` of the keypoints.

        Raises:
            ModelError: the model failed on this input.
        """
        points: dict[str, NDArray[Any]] = {
            "reflectance": np.ascontiguousarray(points_cam[:, 3:]),
            "xyz": np.ascontiguousarray(points_cam[:, :3]),
            "keypoint": graph.keypoints,
        }
        key_count = len(graph.keypoints)
        pool_rows = _rows_of(self._pool, points, ("pool_src", "pool_dst"))
        pooled = maximum_by_target(pool_rows, graph.pool_points, graph.pool_keypoints, key_count)
        placed: dict[str, NDArray[Any]] = {"xyz": points["xyz"], "keypoint": graph.keypoints}
        state, source_state, target_state = self._states.run({_POOLED: pooled, **placed})
        states = {_SOURCE_STATE: source_state, _TARGET_STATE: target_state}
        edge_rows = _rows_of(self._edges, states, ("edge_src", "edge_dst"))
        gathered = maximum_by_target(edge_rows, graph.edge_sources, graph.edge_targets, key_count)
        probabilities, encodings = self._heads.run({_GATHERED: gathered, _STATE: state})
        return probabilities, encodings


def maximum_by_target(
    rows_of: Callable[[NDArrayInt, NDArrayInt], NDArrayFloat32],
    sources: NDArrayInt,
    targets: NDArrayInt,
    target_count: int,
) -> NDArrayFloat32:
    """The largest row of each target's pairs, channel by channel.

    Args:
        rows_of: from sources and targets of `BLOCK_PAIRS` pairs to ``(BLOCK_PAIRS,C) float32``, all at least 0.
        sources: ``(P,) int64``, P >= 1.
        targets: ``(P,) int64`` in [0, `target_count`).
        target_count: T.

    Returns:
        ``(T,C) float32``; 0 where a target has no pair.
    """
    largest = np.zeros((target_count, 0), dtype=np.float32)
    for block in _blocks(np.argsort(targets, kind="stable")):
        rows, met = rows_of(sources[block], targets[block]), targets[block]
        if largest.shape[1] == 0:
            largest = np.zeros((target_count, rows.shape[1]), dtype=np.float32)
        firsts = np.flatnonzero(np.diff(met, prepend=-1))
        largest[met[firsts]] = np.maximum(largest[met[firsts]], np.maximum.reduceat(rows, firsts, axis=0))
    return largest


def _blocks(order: NDArrayInt) -> Iterator[NDArrayInt]:
    """Blocks of one size; the last is filled up with its last pair again, which changes no maximum."""
    for start in range(0, len(order), BLOCK_PAIRS):
        block = order[start : start + BLOCK_PAIRS]
        yield np.pad(block, (0, BLOCK_PAIRS - len(block)), mode="edge")


def _rows_of(
    part: OnnxPart, constant: dict[str, NDArray[Any]], names: tuple[str, str]
) -> Callable[[NDArrayInt, NDArrayInt], NDArrayFloat32]:
    """A part of the network as a function of pairs."""

    def rows_of(sources: NDArrayInt, targets: NDArrayInt) -> NDArrayFloat32:
        rows: NDArrayFloat32 = part.run({**constant, names[0]: sources, names[1]: targets})[0]
        return rows

    return rows_of

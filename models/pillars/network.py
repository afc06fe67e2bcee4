"""The network, run in two parts with the maximum between them taken here.

    points ─linear─► a row per point ─max─► a row per quarter, four to a pillar ─► seen from above ─► heat, boxes

Run whole, a fifth of the time goes into that maximum (`ScatterElements`, whose indices are spelt out for all 32
channels; `ScatterND` would be quicker, but with a maximum and more than one thread ONNX Runtime loses updates). Points
come sorted by quarter, so here they are runs of rows. The numbers are the same: a maximum does not depend on the order.
Inputs are padded to a few sizes, since the runtime's memory grows with every new one.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.geometry import NDArrayFloat32, NDArrayInt
from vedette.models.pillars.features import Pillars
from vedette.models.pillars.grid import QUARTERS
from vedette.models.pillars.mirror import mean_with_mirrored, mirrored
from vedette.models.sessions import OnnxModel

POINT_BLOCK: Final = 8192
"""Points are run in blocks of this many."""
PILLAR_STEP: Final = 1024
"""Pillars are padded to a multiple of this many."""
POINT_ROWS: Final = "point_rows"
PILLAR_ROWS: Final = "pillar_rows"
"""Tensors of the graph between which the maximum lies."""
_TOGETHER: Final = 8
"""Rows of a run that are taken together with those of all others; half of the quarters have one or two points, and few
have more than this."""


class PillarsNetwork:
    """Heat maps and boxes in code, of a scene in pillars.

    Args:
        model: an export of ours. Where its card says `mirrored`, the mirrored scene is looked at too, in twice the
            time, and what is said of both is averaged.

    Raises:
        ModelLoadError: it has not that export's tensors.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._mirrored = model.card.mirrored
        self._points = model.part(("features",), (POINT_ROWS,))
        self._scene = model.part((PILLAR_ROWS, "cells"), ("heat", "regression"))

    def run(self, pillars: Pillars) -> tuple[NDArrayFloat32, NDArrayFloat32]:
        """Run the network.

        Args:
            pillars: at least one.

        Returns:
            Heat ``(K,R,C)`` in [0, 1] and regression ``(10,R,C)``.

        Raises:
            ModelError: the model failed on this input.
        """
        said = self._run_once(pillars)
        return mean_with_mirrored(*said, *self._run_once(mirrored(pillars))) if self._mirrored else said

    def _run_once(self, pillars: Pillars) -> tuple[NDArrayFloat32, NDArrayFloat32]:
        rows = self._point_rows(pillars.features)
        starts = np.flatnonzero(np.diff(pillars.slots, prepend=-1))
        quarter_rows = np.zeros((len(pillars.cells) * QUARTERS, rows.shape[1]), np.float32)
        quarter_rows[pillars.slots[starts]] = _largest(rows, starts)
        pillar_rows = quarter_rows.reshape(len(pillars.cells), -1)
        missing = -len(pillars.cells) % PILLAR_STEP  # filled with the last pillar again, which changes nothing
        heat, regression = self._scene.run(
            {
                PILLAR_ROWS: np.pad(pillar_rows, ((0, missing), (0, 0)), mode="edge"),
                "cells": np.pad(pillars.cells, (0, missing), mode="edge"),
            }
        )
        return heat[0], regression[0]

    def _point_rows(self, features: NDArrayFloat32) -> NDArrayFloat32:
        padded = np.pad(features, ((0, -len(features) % POINT_BLOCK), (0, 0)))
        blocks = [
            self._points.run({"features": padded[start : start + POINT_BLOCK]})[0]
            for start in range(0, len(padded), POINT_BLOCK)
        ]
        rows: NDArrayFloat32 = np.concatenate(blocks)[: len(features)]
        return rows


def _largest(rows: NDArrayFloat32, starts: NDArrayInt) -> NDArrayFloat32:
    """The largest of each run of rows.

    The same as `numpy.maximum.reduceat`, which takes one row after another, in a quarter of the time: the first rows of
    all runs together, then their second ones, and so on; only the ends of long runs one by one.
    """
    counts = np.diff(starts, append=len(rows))
    largest = rows[starts]
    for rank in range(1, _TOGETHER):
        longer = np.flatnonzero(counts > rank)
        largest[longer] = np.maximum(largest[longer], rows[starts[longer] + rank])
    longest = np.flatnonzero(counts > _TOGETHER)
    if len(longest):
        left = counts[longest] - _TOGETHER
        firsts = np.cumsum(left) - left
        ends = rows[np.arange(left.sum()) + np.repeat(starts[longest] + _TOGETHER - firsts, left)]
        largest[longest] = np.maximum(largest[longest], np.maximum.reduceat(ends, firsts, axis=0))
    return largest

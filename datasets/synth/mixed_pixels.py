"""Ranges between two things, where a beam straddles the edge of the nearer one.

beam        ____|____          the beam is wide: at an edge, part of it goes on
thing   ===========
echoes           near, far     less than a pulse apart they merge into one between; else the beam's middle decides
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.geometry import NDArrayBool, NDArrayFloat32

_LEAST_STEP_M: Final = 0.1
"""Smaller steps between neighbouring shots are roughness, not edges."""


def mix_edges(
    range_m: NDArrayFloat32, divergence_rad: float, pulse_m: float, step_rad: float, rng: np.random.Generator
) -> NDArrayFloat32:
    """Draw shots at the edges of things towards what lies beside them, less than half way.

    Args:
        range_m: ``(C,B)`` of shots in neighbouring columns; infinite where nothing was met.
        divergence_rad: width of a beam; 0 mixes nothing.
        pulse_m: echoes nearer together than this merge.
        step_rad: angle between neighbouring columns.
        rng: where between two shots an edge lies.

    Returns:
        ``(C,B)`` ranges; the input itself where nothing is mixed.
    """
    if divergence_rad == 0.0:
        return range_m
    mixed = range_m.copy()
    columns, beams = np.nonzero(_edges(range_m, pulse_m))
    # within half a width of the left beam's middle, of the right one's, or of neither
    place = rng.random(len(columns)) * step_rad
    for offset, own, other in ((place, 0, 1), (step_rad - place, 1, 0)):
        straddles = offset < divergence_rad / 2
        share = (0.5 - offset[straddles] / divergence_rad).astype(np.float32)
        column, beam = columns[straddles], beams[straddles]
        at, beside = range_m[column + own, beam], range_m[column + other, beam]
        mixed[column + own, beam] = at + share * (beside - at)
    return mixed


def _edges(range_m: NDArrayFloat32, pulse_m: float) -> NDArrayBool:
    """(C-1,B) whether a shot and the next lie on two things: a slanted surface has the like gap on either side."""
    with np.errstate(invalid="ignore"):  # both may be infinite
        gap = np.abs(np.diff(range_m, axis=0))
    around = np.full((len(gap) + 2, gap.shape[1]), np.inf, dtype=np.float32)
    around[1:-1] = gap
    slope = np.fmin(around[:-2], around[2:])
    return np.asarray((gap > _LEAST_STEP_M + 2 * slope) & (gap < pulse_m))

"""Which of many rectangles along a front lie on ground that nobody has taken: asked together, since asking is dear."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.scenery.lots import Front
from vedette.datasets.synth.scenery.site import Site
from vedette.geometry import NDArrayFloat, NDArrayInt

_SPINE_STEP: Final = 0.65  # between the circles that cover a rectangle, as a share of its width
_THINNEST_M: Final = 0.3


def take_vacant(site: Site, front: Front, rectangles: NDArrayFloat) -> NDArrayInt:
    """Claim rectangles that are free of everything and of one another; whoever comes first has the ground.

    Args:
        site: whose ground it is.
        front: in whose frame the rectangles are.
        rectangles: (N, 4) x and y of the middle, length along x, width along y.

    Returns:
        ``(M,)`` rows of those that were free; they are taken now.
    """
    candidates = _likely(site, front, rectangles)
    if not len(candidates):
        return candidates
    circles, starts = _covers(front, rectangles[candidates])
    is_free = np.logical_and.reduceat(site.are_free(circles), starts)
    chosen: list[int] = []
    taken = np.zeros((0, 3))
    for row, cover in zip(range(len(candidates)), np.split(circles, starts[1:]), strict=True):
        if is_free[row] and _are_apart(taken, cover):
            chosen.append(row)
            taken = np.concatenate([taken, cover])
    site.claim(taken)
    return np.asarray(candidates[chosen])


def _likely(site: Site, front: Front, rectangles: NDArrayFloat) -> NDArrayInt:
    """Rows of those whose middle and both ends are free: most are sorted out by this."""
    half = rectangles[:, 2:] / 2
    radii = half.min(axis=1)
    reach = np.where((half[:, :1] >= half[:, 1:]), [1.0, 0.0], [0.0, 1.0]) * (half - radii[:, None])
    middles = rectangles[:, None, :2] + np.array([-1.0, 0.0, 1.0])[:, None] * reach[:, None]
    probes = np.concatenate([front.uv_m(middles), np.broadcast_to(radii[:, None, None], (len(radii), 3, 1))], axis=-1)
    return np.flatnonzero(site.are_free(probes.reshape(-1, 3)).reshape(-1, 3).all(axis=1))


def _covers(front: Front, rectangles: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayInt]:
    """Circles in the plan that cover rectangles and reach little beyond their longer sides; where each one's begin."""
    lengths, widths = rectangles[:, 2], rectangles[:, 3]
    longer, shorter = np.maximum(lengths, widths), np.maximum(np.minimum(lengths, widths), _THINNEST_M)
    counts = np.maximum(1, np.round(longer / (_SPINE_STEP * shorter))).astype(np.int64)
    starts = np.cumsum(counts) - counts
    owner = np.repeat(np.arange(len(counts)), counts)
    along = ((np.arange(len(owner)) - starts[owner] + 0.5) / counts[owner] - 0.5) * longer[owner]
    is_along_x = (lengths >= widths)[owner]
    spine = rectangles[owner, :2] + np.stack([along * is_along_x, along * ~is_along_x], axis=1)
    return np.column_stack([front.uv_m(spine), (np.hypot(longer / counts, shorter) / 2)[owner]]), starts


def _are_apart(taken: NDArrayFloat, cover: NDArrayFloat) -> bool:
    du, dv = (taken[:, None, axis] - cover[None, :, axis] for axis in (0, 1))
    reach = taken[:, None, 2] + cover[None, :, 2]
    return bool((du * du + dv * dv >= reach * reach).all())

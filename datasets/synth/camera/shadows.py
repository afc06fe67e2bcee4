"""What keeps light away: hard shadows of the sun, and how much of the surroundings' light reaches into corners."""

from __future__ import annotations

import numpy as np

from vedette.datasets.synth.camera.checkers import Board
from vedette.datasets.synth.camera.moment import Moment, off_surface
from vedette.datasets.synth.camera.rays import Rays
from vedette.datasets.synth.raycast import Hits
from vedette.geometry import NDArrayBool, NDArrayFloat32, NDArrayInt

_AMBIENT_REACH_M = 1.6
"""What is nearer than this keeps the surroundings' light away; about the height of a car."""
_AMBIENT_RAYS = 1
_STRIDE = 3
_TILE = 4
"""Each pixel of a tile of this side sends its rays in other directions; a tile's pixels are then averaged."""


def in_sun(
    moment: Moment, points_m: NDArrayFloat32, towards_sun: NDArrayFloat32, board: Board | None = None
) -> NDArrayBool:
    """``(N,) bool`` whether the sun shines on each point.

    Args:
        moment: what can be in the way.
        points_m: ``(N,3) float32`` already off their surface, on the side of the sun.
        towards_sun: ``(3,) float32`` unit vector.
        board: where the points show in a picture: where those around one agree, it needs no ray.
    """
    if board is None:
        return ~moment.blocked(points_m, np.broadcast_to(towards_sun, points_m.shape))
    first = board.first_half()
    lit = np.zeros(len(points_m), dtype=bool)
    lit[first] = in_sun(moment, points_m.compress(first, axis=0), towards_sun)
    agreed = np.flatnonzero(board.agreed(lit, first))
    # whoever lies between others in one row follows the one on the left in the list as well
    lit[agreed] = lit[agreed - 1]
    rest = ~first
    rest[agreed] = False
    lit[rest] = in_sun(moment, points_m.compress(rest, axis=0), towards_sun)
    return lit


def open_shares(moment: Moment, rays: Rays, hits: Hits, size: tuple[int, int]) -> NDArrayFloat32:
    """``(H,W) float32`` share of the surroundings that is further away than a car is high: 1 in the open.

    Worked out for every third pixel of every third row, and drawn up to all.

    Args:
        moment: what can be in the way.
        rays: through all pixels, row by row.
        hits: theirs.
        size: H and W.
    """
    rows = np.arange(size[0] * size[1]).reshape(size)[::_STRIDE, ::_STRIDE]
    met = hits.met[rows]
    share = np.ones(rows.shape, dtype=np.float32)
    share[met] = _free_share(moment, rays, hits, rows[met], _tile_index(rows.shape)[met])
    share = _tile_mean(share, hits.range_m[rows])
    return np.repeat(np.repeat(share, _STRIDE, axis=0), _STRIDE, axis=1)[: size[0], : size[1]]


def _free_share(moment: Moment, rays: Rays, hits: Hits, rows: NDArrayInt, tile_index: NDArrayInt) -> NDArrayFloat32:
    """(N,) share of a fan of short rays that meets nothing, for some of the rays."""
    directions = rays.directions.take(rows, axis=0)
    points = rays.origin_m + directions * hits.range_m[rows, None]
    normals = moment.look.normals.take(hits.triangles[rows], axis=0)
    normals *= -np.sign(np.einsum("ij,ij->i", normals, directions))[:, None]
    points = off_surface(points, normals, hits.range_m[rows])
    axes = (moment.look.along.take(hits.triangles[rows], axis=0), moment.look.up.take(hits.triangles[rows], axis=0))
    free = np.zeros(len(rows), dtype=np.float32)
    for fan in _fans():
        local = fan.take(tile_index, axis=0)
        direction = local[:, :1] * axes[0] + local[:, 1:2] * axes[1] + local[:, 2:] * normals
        free += ~moment.blocked(points, direction, _AMBIENT_REACH_M)
    return free / np.float32(_AMBIENT_RAYS)


def _tile_index(shape: tuple[int, ...]) -> NDArrayInt:
    rows, columns = np.indices(shape)
    return np.asarray((rows % _TILE) * _TILE + columns % _TILE)


def _fans() -> NDArrayFloat32:
    """(rays,tile,3) unit vectors for each index in a tile: two parts along a surface, one out of it.

    Cosine-weighted: the square of the sine to the normal is spread evenly, as are the turns around it.
    """
    index = np.arange(_TILE**2)
    turn = ((index * 7 % _TILE**2) + 0.5) / _TILE**2 + np.arange(_AMBIENT_RAYS)[:, None]
    angle = turn * 2 * np.pi / _AMBIENT_RAYS
    sine = np.broadcast_to(np.sqrt(((index * 5 % _TILE**2) + 0.5) / _TILE**2), angle.shape)
    fans = np.stack([sine * np.cos(angle), sine * np.sin(angle), np.sqrt(1 - sine**2)], axis=2)
    return np.asarray(fans, dtype=np.float32)


def _tile_mean(share: NDArrayFloat32, range_m: NDArrayFloat32) -> NDArrayFloat32:
    """Mean over the tile around each pixel, of what is about as far away."""
    height, width = share.shape
    padded = np.pad(share, _TILE // 2, mode="edge")
    padded_range = np.pad(np.where(np.isfinite(range_m), range_m, np.float32(1e6)), _TILE // 2, mode="edge")
    total, weight = np.zeros_like(share), np.zeros_like(share)
    for row in range(_TILE):
        for column in range(_TILE):
            part = np.s_[row : row + height, column : column + width]
            near = np.abs(padded_range[part] - padded_range[2 : 2 + height, 2 : 2 + width]) < 0.08 * range_m
            total += np.where(near, padded[part], 0.0)
            weight += near
    return np.asarray(np.where(weight > 0, total / np.maximum(weight, 1.0), share), dtype=np.float32)

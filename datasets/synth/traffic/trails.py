"""From the lanes that a vehicle has used to the line that it follows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vedette.datasets.synth.roads.curves import smooth_step, smooth_step_slope
from vedette.datasets.synth.roads.network import Network
from vedette.datasets.synth.traffic.motion import Trail
from vedette.datasets.synth.traffic.vehicles import Piece
from vedette.geometry import NDArrayFloat


def lane_trail(network: Network, pieces: Sequence[Piece], ahead: Sequence[int], side_m: float = 0.0) -> Trail:
    """The line along lanes, with a smooth passage where a vehicle has changed from one to the one beside it.

    Args:
        network: of all lanes.
        pieces: used so far, in order.
        ahead: ids of the lanes that come next.
        side_m: how far the vehicle keeps to the left of the lanes' middle.
    """
    last = pieces[-1]
    start = last.distance_m + network.lanes[last.lane].length_m - last.from_m
    following = []
    for lane in ahead:
        following.append(Piece(lane, 0.0, start))
        start += network.lanes[lane].length_m
    everything = [*pieces, *following]
    ends = [piece.distance_m for piece in everything[1:]] + [start]
    parts = [_part(network, piece, end) for piece, end in zip(everything, ends, strict=True)]
    distance, xy, yaw = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    yaw = np.unwrap(yaw)
    xy = xy + side_m * np.stack([-np.sin(yaw), np.cos(yaw)], axis=1)
    return Trail(distance, xy, yaw, np.zeros(len(yaw)))


def _part(network: Network, piece: Piece, end_distance_m: float) -> tuple[NDArrayFloat, NDArrayFloat, NDArrayFloat]:
    """Distance, place and yaw of the points from a piece's beginning to just before its end."""
    path = network.lanes[piece.lane].path
    end = piece.from_m + end_distance_m - piece.distance_m
    inner = path.distance_m[(path.distance_m > piece.from_m + 1e-6) & (path.distance_m < end - 1e-6)]
    at = np.concatenate([[piece.from_m], inner])
    xy = np.stack([np.interp(at, path.distance_m, path.xy_m[:, k]) for k in (0, 1)], axis=1)
    yaw = np.interp(at, path.distance_m, path.yaw)
    if piece.shift_m != (0.0, 0.0):
        xy, yaw = _fade(piece, at, xy, yaw)
    return piece.distance_m + at - piece.from_m, xy, yaw


def _fade(piece: Piece, at: NDArrayFloat, xy: NDArrayFloat, yaw: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat]:
    share = (at - piece.from_m) / piece.over_m
    shift = np.array(piece.shift_m)
    drift = -smooth_step_slope(share)[:, None] / piece.over_m * shift
    tangent, normal = (np.cos(yaw), np.sin(yaw)), (-np.sin(yaw), np.cos(yaw))
    across = drift[:, 0] * normal[0] + drift[:, 1] * normal[1]
    along = 1.0 + drift[:, 0] * tangent[0] + drift[:, 1] * tangent[1]
    left = 1.0 - smooth_step(share)
    return xy + left[:, None] * shift, yaw + left * piece.turned + np.arctan2(across, along)

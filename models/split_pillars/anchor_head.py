"""Boxes from anchors: boxes of fixed sizes at every cell, to each of which the network gives scores and corrections.

Anchors of a cell come in the order of the card's classes, then of a class' sizes, then of the rotations; the channels
of the network's answers are in blocks, an anchor each.

The correction of an anchor (xa, ya, za, la, wa, ha, ra), za its centre, d the diagonal of la and wa:

    x = xa + d·t0      length = la·exp(t3)
    y = ya + d·t1      width  = wa·exp(t4)      (or t3 and t4 the other way round)
    z = za + ha·t2     height = ha·exp(t5)      yaw = ra + t6

Older versions of OpenPCDet, SECOND and mmdetection3d before 1.0 name the underside instead of z, but only after this:
the centre is the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.pillar_keys import AnchorHead, Direction, PillarGrid
from vedette.models.split_pillars.candidates import MAX_LOG_SIZE, Candidates, best, boxes_from, probabilities


def channels_of(head: AnchorHead, class_count: int) -> dict[str, tuple[int, ...]]:
    """How many channels each answer must have.

    Args:
        head: names and anchors.
        class_count: of the card.
    """
    channels: dict[str, tuple[int, ...]] = {
        head.class_tensor: (head.anchor_count * class_count,),
        head.box_tensor: (head.anchor_count * head.code_length,),
    }
    if head.direction is not None:
        channels[head.direction.tensor] = (head.anchor_count * head.direction.bins,)
    return channels


def decode_anchors(
    maps: Mapping[str, NDArrayFloat32], head: AnchorHead, grid: PillarGrid, class_count: int
) -> Candidates:
    """The boxes of all anchors with a good score, each of the class whose score is best.

    Args:
        maps: ``(channels,rows,columns) float32`` by name, finite.
        head: how to read them.
        grid: where their cells lie.
        class_count: of the card.

    Raises:
        ModelError: scores that are no probabilities although the card says so.
    """
    scores = probabilities(_rows(maps[head.class_tensor], class_count), head)
    places = best(scores.max(axis=1), head)
    channels = scores[places].argmax(axis=1)
    codes = _rows(maps[head.box_tensor], head.code_length)[places].astype(np.float64)
    anchors = _anchors(places, maps[head.class_tensor].shape[1:], head, grid)
    centres, sizes, yaws = _corrected(anchors, codes)
    if head.direction is not None:
        bins = _rows(maps[head.direction.tensor], head.direction.bins)[places].argmax(axis=1)
        yaws = _directed(yaws, bins, head.direction)
    boxes = boxes_from(centres, sizes, yaws, head)
    return Candidates(boxes, scores[places, channels].astype(np.float64), channels)


def _rows(answer: NDArrayFloat32, length: int) -> NDArrayFloat32:
    """A row for every anchor of every cell, from ``(anchors*length,rows,columns)``."""
    return np.moveaxis(answer, 0, -1).reshape(-1, length)


def _anchors(places: NDArrayInt, size: tuple[int, ...], head: AnchorHead, grid: PillarGrid) -> NDArrayFloat:
    """``(N,7)`` the anchors at some places of all rows: centre, sizes in the head's order, rotation."""
    cells, kinds = np.divmod(places, head.anchor_count)
    row, column = np.divmod(cells, size[1])
    across, up = _shares(column, size[1], head), _shares(row, size[0], head)
    x = grid.range_m[0] + across * (grid.range_m[3] - grid.range_m[0])
    y = grid.range_m[1] + up * (grid.range_m[4] - grid.range_m[1])
    return np.column_stack([x, y, _kinds(head)[kinds]])


def _shares(index: NDArrayInt, count: int, head: AnchorHead) -> NDArrayFloat:
    """How far along the range the anchors of a cell stand, from 0 to 1."""
    if head.align_centre:
        return (index + 0.5) / count
    return index / max(count - 1, 1)


def _kinds(head: AnchorHead) -> NDArrayFloat:
    """``(A,5)`` height of the centre, sizes in the head's order, and rotation of each anchor of a cell."""
    order = [0, 1, 2] if head.size_order == "length_width_height" else [1, 0, 2]
    return np.array(
        [
            [one.bottom_m + size[2] / 2, *(size[axis] for axis in order), rotation]
            for one in head.anchors
            for size in one.sizes_m
            for rotation in one.rotations_rad
        ]
    )


def _corrected(anchors: NDArrayFloat, codes: NDArrayFloat) -> tuple[NDArrayFloat, NDArrayFloat, NDArrayFloat]:
    """Centres, sizes in the head's order, and yaws in its sense."""
    diagonals = np.hypot(anchors[:, 3], anchors[:, 4])
    centres = anchors[:, :3] + codes[:, :3] * np.column_stack([diagonals, diagonals, anchors[:, 5]])
    sizes = anchors[:, 3:6] * np.exp(np.clip(codes[:, 3:6], -MAX_LOG_SIZE, MAX_LOG_SIZE))
    return centres, sizes, anchors[:, 6] + codes[:, 6]


def _directed(yaws: NDArrayFloat, bins: NDArrayInt, direction: Direction) -> NDArrayFloat:
    """Yaws brought into one period from the offset, then moved on by as many periods as the bin says."""
    period = 2 * np.pi / direction.bins
    from_offset = yaws - direction.offset_rad
    within = from_offset - np.floor(from_offset / period + direction.limit_offset) * period
    directed: NDArrayFloat = within + direction.offset_rad + period * bins
    return directed

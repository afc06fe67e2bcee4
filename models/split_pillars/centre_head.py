"""Boxes from heat maps: where a class is hot, the other maps tell the box.

Every hot cell is a candidate, not only peaks: the cells of one object tell nearly the same box, of which suppression
leaves the hottest. That is also how the projects' own runtimes do it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from vedette.errors import ModelError
from vedette.geometry import NDArrayFloat, NDArrayFloat32, NDArrayInt
from vedette.models.pillar_keys import CentreHead, CentreMaps, PillarGrid
from vedette.models.split_pillars.candidates import MAX_LOG_SIZE, Candidates, best, boxes_from, probabilities

_MIN_SIZE_M: Final = 0.01  # sizes must be positive whatever a broken output says


def channels_of(head: CentreHead, class_count: int) -> dict[str, tuple[int, ...]]:
    """How many channels each map may have.

    Twice as many as are read are right, too: networks that also tell variances have them behind.

    Args:
        head: names of the maps.
        class_count: of the card.
    """
    alone = len(head.maps) == 1
    channels = {}
    for maps in head.maps:
        channels[maps.heat] = (class_count,) if alone else tuple(range(1, class_count))
        channels[maps.offset] = (2, 4)
        channels[maps.z] = (1, 2)
        channels[maps.size] = (3, 6)
        channels[maps.rotation] = (2, 4)
    return channels


def decode_centres(
    maps: Mapping[str, NDArrayFloat32], head: CentreHead, grid: PillarGrid, class_count: int
) -> Candidates:
    """The boxes of all hot cells.

    Args:
        maps: ``(channels,rows,columns) float32`` by name, finite.
        head: how to read them.
        grid: where their cells lie.
        class_count: of the card.

    Raises:
        ModelError: heat that is no probability although the card says so, or maps for another number of classes.
    """
    heat_channels = [len(maps[names.heat]) for names in head.maps]
    if sum(heat_channels) != class_count:
        raise ModelError(f"heat maps {heat_channels} are for {sum(heat_channels)} classes; the card has {class_count}")
    firsts = np.cumsum([0, *heat_channels[:-1]])
    groups = [_group(maps, names, first, head, grid) for names, first in zip(head.maps, firsts, strict=True)]
    return Candidates.joined(groups)


def _group(
    maps: Mapping[str, NDArrayFloat32], names: CentreMaps, first_channel: int, head: CentreHead, grid: PillarGrid
) -> Candidates:
    """Candidates of one group of maps."""
    heat = probabilities(maps[names.heat], head)
    flat = heat.reshape(-1)
    places = best(flat, head)
    own_channels, cells = np.divmod(places, heat.shape[1] * heat.shape[2])
    channels = own_channels + first_channel
    told = {name: maps[name].reshape(len(maps[name]), -1)[:, cells].T.astype(np.float64) for name in _box_maps(names)}
    columns = np.column_stack([cells % heat.shape[2], cells // heat.shape[2]])
    centres = np.column_stack([_ground(columns + told[names.offset][:, :2], head, grid), told[names.z][:, 0]])
    first, second = told[names.rotation][:, 0], told[names.rotation][:, 1]
    sine, cosine = (first, second) if head.rotation_order == "sine_cosine" else (second, first)
    boxes = boxes_from(centres, _sizes(told[names.size][:, :3], head), np.arctan2(sine, cosine), head)
    found = Candidates(boxes, flat[places].astype(np.float64), channels)
    return found.select(np.hypot(sine, cosine) >= _least_norms(channels, head))


def _box_maps(names: CentreMaps) -> tuple[str, ...]:
    return names.offset, names.z, names.size, names.rotation


def _ground(cells: NDArrayFloat, head: CentreHead, grid: PillarGrid) -> NDArrayFloat:
    """``(N,2)`` x and y in metres of places in cells of the maps."""
    ground: NDArrayFloat = cells * head.stride * grid.pillar_m[:2] + grid.range_m[:2]
    return ground


def _sizes(told: NDArrayFloat, head: CentreHead) -> NDArrayFloat:
    """``(N,3)`` metres, positive."""
    if head.sizes == "logarithms":
        return np.exp(np.clip(told, -MAX_LOG_SIZE, MAX_LOG_SIZE))
    return np.maximum(told, _MIN_SIZE_M)


def _least_norms(channels: NDArrayInt, head: CentreHead) -> NDArrayFloat:
    """``(N,)`` how long sine and cosine must be for each candidate."""
    if not head.min_rotation_norm:
        return np.zeros(len(channels))
    norms: NDArrayFloat = np.array(head.min_rotation_norm)[channels]
    return norms

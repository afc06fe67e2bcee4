"""Wheels: a tyre of ten sides and the rim's lighter disc."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.shapes.parts import part
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat, NDArrayInt, NDArrayUInt8

_SIDES: Final = 10
_RIM_SIDES: Final = 6
_RIM_SHARE: Final = 0.62


def left_wheels(
    axles_m: NDArrayFloat, outer_y_m: float, radius_m: float, width_m: float, palette: NDArrayUInt8
) -> Mesh:
    """Wheels of the left side, standing on z = 0.

    Args:
        axles_m: ``(A,)`` positions along the vehicle.
        outer_y_m: of the tyres' outer sides.
        radius_m: of the tyres.
        width_m: of the tyres.
        palette: ``(surfaces,3) uint8``.
    """
    scale = np.array([radius_m, 1.0, radius_m])
    vertices = _VERTICES * scale
    vertices[:, 1] = outer_y_m + np.where(_VERTICES[:, 1] > 0, _VERTICES[:, 1] * 0.012, _VERTICES[:, 1] * width_m)
    vertices[:, 2] += radius_m
    places = np.zeros((len(axles_m), 1, 3))
    places[:, 0, 0] = axles_m
    triangles = np.arange(len(axles_m))[:, None, None] * len(vertices) + _TRIANGLES
    return part(vertices + places, triangles, np.tile(_SURFACES, len(axles_m)), palette)


def _ring(sides: int, radius: float, y: float) -> NDArrayFloat:
    """``(sides,3)`` regular polygon across y with a corner straight down."""
    angle = np.arange(sides) * 2 * np.pi / sides - np.pi / 2
    return np.stack([np.cos(angle) * radius, np.full(sides, y), np.sin(angle) * radius], axis=1)


def _fan(start: int, sides: int) -> NDArrayInt:
    i = np.arange(1, sides - 1)
    return np.stack([np.full(sides - 2, start), start + i, start + i + 1], axis=1)


def _tread() -> NDArrayInt:
    """The sides that are seen: those in the top of the wheel well are left out."""
    i = np.arange(_SIDES)
    j = (i + 1) % _SIDES
    middle_height = np.sin((i + 0.5) * 2 * np.pi / _SIDES - np.pi / 2)
    i, j = i[middle_height < 0.5], j[middle_height < 0.5]
    return np.concatenate([np.stack([i, j, j + _SIDES], 1), np.stack([i, j + _SIDES, i + _SIDES], 1)])


_VERTICES: Final = np.concatenate([_ring(_SIDES, 1.0, 0.0), _ring(_SIDES, 1.0, -1.0), _ring(_RIM_SIDES, _RIM_SHARE, 1)])
_RUBBER_TRIANGLES: Final = np.concatenate([_fan(0, _SIDES), _tread()])
_RIM_TRIANGLES: Final = _fan(2 * _SIDES, _RIM_SIDES)
_TRIANGLES: Final = np.concatenate([_RUBBER_TRIANGLES, _RIM_TRIANGLES])
_SURFACES: Final = np.repeat(
    np.array([Surface.RUBBER, Surface.METAL], dtype=np.uint8), [len(_RUBBER_TRIANGLES), len(_RIM_TRIANGLES)]
)

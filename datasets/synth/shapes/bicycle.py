"""A bicycle: frame, tyres, spokes and cranks, in the frame of the one who rides it."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh, cuboid
from vedette.datasets.synth.shapes import riding
from vedette.datasets.synth.shapes.figure import bars
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_RING_SIDES: Final = 10
_BLACK: Final[Colour] = (32, 32, 34)


def frame(hips_m: NDArrayFloat, hands_m: NDArrayFloat, colour: Colour) -> Mesh:
    """Tubes, fork, stays, saddle and handlebar, made to the rider's measure.

    Args:
        hips_m: ``(2,)`` x and z of the rider's hips.
        hands_m: ``(2,)`` x and z of the rider's hands.
        colour: of the tubes.
    """
    (rear_x, hub_z), (front_x, _) = riding.HUBS_M
    bracket = [riding.BRACKET_M[0], 0.0, riding.BRACKET_M[1]]
    seat = [hips_m[0], 0.0, hips_m[1] - 0.09]
    steer, rear, front = [hands_m[0], 0.0, hands_m[1] - 0.02], [rear_x, 0.0, hub_z], [front_x, 0.0, hub_z]
    top = [0.7 * steer[0] + 0.3 * front_x, 0.0, 0.7 * steer[2] + 0.3 * hub_z]
    middle = [0.75 * seat[0], 0.0, 0.25 * bracket[2] + 0.75 * seat[2]]
    tubes = [[bracket, seat], [bracket, top], [middle, top], [steer, front], [bracket, rear], [middle, rear]]
    grips = [[[hands_m[0], 0.26, hands_m[1]], [hands_m[0], -0.26, hands_m[1]]]]
    saddle = cuboid((0.26, 0.14, 0.06), Surface.CAR_TRIM, _BLACK, (seat[0] + 0.02, 0.0, seat[2]))
    return Mesh.merge(
        [
            bars(tubes, 0.02, Surface.METAL, colour),
            bars(grips, 0.016, Surface.CAR_TRIM, _BLACK),
            saddle,
        ]
    )


def cranks() -> Mesh:
    """Both cranks with their pedals, the left one pointing forward at rest."""
    arms = [[[0.0, side * 0.06, 0.0], [side * riding.CRANK_M, side * 0.09, 0.0]] for side in (1, -1)]
    return bars(arms, 0.014, Surface.METAL, (70, 70, 72))


def tyre(hub_m: tuple[float, float]) -> Mesh:
    """A ring of bars with three edges: round, so that it need not turn.

    Args:
        hub_m: x and z of its hub.
    """
    angle = (np.arange(_RING_SIDES) + 0.5) * 2 * np.pi / _RING_SIDES
    circle = np.stack([np.cos(angle), np.zeros(_RING_SIDES), np.sin(angle)], axis=1)
    outer, inner = riding.WHEEL_RADIUS_M * circle, (riding.WHEEL_RADIUS_M - 0.05) * circle
    half = np.array([0.0, 0.02, 0.0])
    rings = np.concatenate([outer, inner + half, inner - half]) + np.array([hub_m[0], 0.0, hub_m[1]])
    i = np.arange(_RING_SIDES)
    j = (i + 1) % _RING_SIDES
    bands = [
        np.concatenate([np.stack([i, j, j + inner_ring], 1), np.stack([i, j + inner_ring, i + inner_ring], 1)])
        for inner_ring in (_RING_SIDES, 2 * _RING_SIDES)
    ]
    return Mesh.of(rings, np.concatenate(bands), Surface.RUBBER, _BLACK)


def spokes() -> Mesh:
    """Two flat strips from rim to rim through the hub, which show that the wheel turns."""
    reach, half = riding.WHEEL_RADIUS_M - 0.06, 0.006
    strip = np.array([[reach, 0.0, half], [reach, 0.0, -half], [-reach, 0.0, -half], [-reach, 0.0, half]])
    corners = np.concatenate([strip, strip[:, ::-1]])
    return Mesh.of(corners, [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]], Surface.METAL, (150, 150, 150))

"""Lorries: a lofted cab, a frame on its axles, and what it carries."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.actors import RigidShape
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.shapes.bodies import running_wheels
from vedette.datasets.synth.shapes.loft import body_panels, draw_lines
from vedette.datasets.synth.shapes.parts import blocks, fitted, part, plates, with_mirror_image
from vedette.datasets.synth.shapes.profiles import CAB
from vedette.datasets.synth.shapes.wheels import left_wheels
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import SE3, NDArrayFloat, NDArrayUInt8

_DECK_M: Final = 1.05
_WHEEL_RADIUS_M: Final = 0.48
_ARTICULATED_FROM_M: Final = 9.5
_TIPPERS: Final = 0.35


def truck(
    size_m: tuple[float, float, float], palette: NDArrayUInt8, box_palette: NDArrayUInt8, rng: np.random.Generator
) -> RigidShape:
    """A whole lorry: boxed or a tipper, articulated when long.

    Args:
        size_m: length, width and height; filled exactly by a boxed one, while a tipper is as high as its cab.
        palette: ``(surfaces,3) uint8`` colours of cab and frame.
        box_palette: ``(surfaces,3) uint8`` colours of what is behind the cab.
        rng: draws what varies.
    """
    length_m, width_m, height_m = size_m
    articulated = length_m > _ARTICULATED_FROM_M
    tipper = not articulated and rng.uniform() < _TIPPERS
    cab_m = (rng.uniform(1.75, 2.2), 0.97 * width_m, min(rng.uniform(2.6, 3.2), height_m - 0.05))
    if tipper:
        size_m = (length_m, width_m, cab_m[2])
    behind_cab_m = length_m / 2 - cab_m[0] - (0.45 if articulated else 0.12)
    pieces = [
        _cab(length_m, cab_m, palette, rng),
        _frame(size_m, articulated, palette),
        (_tipper if tipper else _box)(size_m, behind_cab_m, box_palette, rng),
        _rear_lights(size_m, palette),
    ]
    return fitted(Mesh.merge(pieces), size_m)


def _cab(length_m: float, size_m: tuple[float, float, float], palette: NDArrayUInt8, rng: np.random.Generator) -> Mesh:
    lines = draw_lines(CAB, size_m, rng)
    belt, rail = lines.upper_m[1:3]
    half_m = 0.85 * belt[CAB.screen, 1]
    inside = [
        [[0.30 * size_m[0], -half_m, 0.9], [0.42 * size_m[0], half_m, belt[CAB.screen, 2] - 0.05]],
        [[-0.30 * size_m[0], -half_m, 0.9], [-0.22 * size_m[0], half_m, 0.4 * belt[2, 2] + 0.6 * rail[2, 2]]],
    ]
    pieces = [
        body_panels(CAB, lines, palette),
        running_wheels(CAB, size_m, palette),
        blocks(inside, Surface.CAR_TRIM, palette),
        plates(
            [[[lines.front_m + 0.006, -0.26, 0.45], [lines.front_m + 0.006, 0.26, 0.56]]], Surface.NUMBER_PLATE, palette
        ),
    ]
    return Mesh.merge(pieces).moved(SE3.from_yaw(0.0, [(length_m - size_m[0]) / 2, 0.0, 0.0]))


def _frame(size_m: tuple[float, float, float], articulated: bool, palette: NDArrayUInt8) -> Mesh:
    """The ladder frame, the guards between the axles, and the rear axles."""
    length_m, width_m, _ = size_m
    rear_m = -length_m / 2
    axles = rear_m + np.array([1.6, 2.9, length_m - 4.6] if articulated else [0.26 * length_m])
    beam = [[rear_m + 0.3, -0.42, 0.62], [length_m / 2 - 1.0, 0.42, _DECK_M]]
    guard_x = axles[-1] + 0.75, (axles[1] + 0.75 if articulated else axles[-1] + 0.75)
    front_m = length_m / 2 - (5.4 if articulated else 2.7)
    guards = [[[guard_x[1], side * 0.40 * width_m, 0.50], [front_m, side * 0.46 * width_m, 0.92]] for side in (1, -1)]
    bumper = [[rear_m + 0.10, -0.42 * width_m, 0.50], [rear_m + 0.22, 0.42 * width_m, 0.62]]
    metal = blocks(np.sort(np.array([beam, *guards, bumper]), axis=1), Surface.CAR_TRIM, palette, closed_below=True)
    wheels = left_wheels(axles, 0.485 * width_m, _WHEEL_RADIUS_M, 0.55, palette)
    return Mesh.merge([metal, with_mirror_image(wheels)])


def _box(size_m: tuple[float, float, float], front_m: float, palette: NDArrayUInt8, rng: np.random.Generator) -> Mesh:
    """A closed box or a curtain-sided one."""
    length_m, width_m, height_m = size_m
    surface = Surface.CANVAS if rng.uniform() < 0.5 else Surface.CAR_PAINT
    bounds = [[[-length_m / 2, -width_m / 2, _DECK_M], [front_m, width_m / 2, height_m]]]
    return blocks(bounds, surface, palette, closed_below=True)


def _tipper(
    size_m: tuple[float, float, float], front_m: float, palette: NDArrayUInt8, rng: np.random.Generator
) -> Mesh:
    """An open body with sloping ends and a load."""
    length_m, width_m, height_m = size_m
    rear_m, side_m, rim_m = -length_m / 2, width_m / 2, min(_DECK_M + rng.uniform(0.9, 1.4), height_m - 0.1)
    load_m = _DECK_M + rng.uniform(0.1, 0.9) * (rim_m - _DECK_M)
    rings = [
        _rectangle(rear_m + 0.25, front_m - 0.1, 0.90 * side_m, _DECK_M),
        _rectangle(rear_m, front_m, side_m, rim_m),
        _rectangle(rear_m + 0.12, front_m - 0.05, 0.95 * side_m, load_m),
    ]
    i = np.arange(4)
    j = (i + 1) % 4
    walls = np.concatenate([np.stack([i, j, j + 4], 1), np.stack([i, j + 4, i + 4], 1)])
    flat = np.array([[0, 1, 2], [0, 2, 3]])
    surfaces = np.repeat([Surface.CAR_PAINT, Surface.SOIL], [10, 2])
    return part(np.concatenate(rings), np.concatenate([walls, flat, flat + 8]), surfaces, palette)


def _rectangle(rear_m: float, front_m: float, half_m: float, height_m: float) -> NDArrayFloat:
    """``(4,3)`` its corners in order."""
    return np.array(
        [[x, y, height_m] for x, y in ((rear_m, -half_m), (front_m, -half_m), (front_m, half_m), (rear_m, half_m))]
    )


def _rear_lights(size_m: tuple[float, float, float], palette: NDArrayUInt8) -> Mesh:
    rear_m, half_m = -size_m[0] / 2 + 0.09, size_m[1] / 2
    lamps = [[[rear_m, side * 0.95 * half_m, 0.70], [rear_m, side * 0.62 * half_m, 0.86]] for side in (1, -1)]
    plate = [[[rear_m, -0.26, 0.72], [rear_m, 0.26, 0.84]]]
    return Mesh.merge([plates(lamps, Surface.TAIL_LAMP, palette), plates(plate, Surface.NUMBER_PLATE, palette)])

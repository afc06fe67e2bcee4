"""Bicycles, motor scooters and motorcycles that stand without riders, alone and in rows.

Each row is made to a size, about the origin on the ground, its length along x and its street towards -y.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh, frustum, limb
from vedette.datasets.synth.scenery.buildings import pick
from vedette.datasets.synth.scenery.solids import cuboids
from vedette.datasets.synth.shapes import bicycle, riding
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_PAINTS: Final[tuple[Colour, ...]] = (
    (150, 30, 30), (30, 40, 90), (200, 200, 196), (40, 42, 44), (60, 90, 70), (190, 150, 40), (120, 170, 190),
)  # fmt: skip
_DARK: Final[Colour] = (36, 36, 38)
_STEEL: Final[Colour] = (140, 144, 146)
_COVER: Final[Colour] = (90, 92, 96)
_ACROSS_M: Final = 1.6  # ground as deep as this has its bicycles and scooters side by side, else behind one another
_ON_STAND: Final = 0.12  # scooters lean to their left, radians
_BICYCLE_M: Final = (1.85, 0.62)  # room for one along and across
_SCOOTER_M: Final = (2.0, 0.85)


def bicycle_row(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """Bicycles of many sizes at stands or leaning on one another, with gaps.

    Args:
        rng: of their number and form.
        length_m: along x.
        width_m: along y; if it is a bicycle's length they stand side by side.
    """
    places, yaw = _places(length_m, width_m, _BICYCLE_M)
    taken = [place for place in places if rng.random() < 0.85] or places[:1]
    parts = [_put(_bicycle(rng), yaw + rng.normal(0.0, 0.08), place, rng.normal(0.0, 0.07)) for place in taken]
    if width_m >= _ACROSS_M and rng.random() < 0.6:
        hoops = np.array([[x + 0.2, y, 0.0] for x, _ in places for y in (-0.35, 0.35)])
        parts.append(cuboids(hoops, [0.05, 0.05, 0.8], Surface.METAL, _STEEL))
        parts.append(cuboids(hoops[::2] + np.array([0.0, 0.35, 0.75]), [0.05, 0.75, 0.05], Surface.METAL, _STEEL))
    return Mesh.merge(parts)


def scooter_row(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """Motor scooters and motorcycles.

    Args:
        rng: of their number and form.
        length_m: along x.
        width_m: along y; if it is a scooter's length they stand side by side.
    """
    places, yaw = _places(length_m, width_m, _SCOOTER_M)
    aslant = rng.uniform(-0.2, 0.2) if width_m >= _ACROSS_M else 0.0
    taken = [place for place in places if rng.random() < 0.85] or places[:1]
    makers = (_scooter, _motorcycle)
    return Mesh.merge(
        [
            _put(makers[int(rng.random() < 0.4)](rng), yaw + aslant + rng.normal(0.0, 0.05), place, _ON_STAND)
            for place in taken
        ]
    )


def _places(length_m: float, width_m: float, room_m: tuple[float, float]) -> tuple[list[tuple[float, float]], float]:
    """Where they stand, and their direction."""
    is_across = width_m >= _ACROSS_M
    count = max(1, int(length_m / room_m[1 if is_across else 0]))
    x = (np.arange(count) + 0.5) * length_m / count - length_m / 2
    return [(at, 0.0) for at in x.tolist()], float(np.pi / 2) if is_across else 0.0


def _bicycle(rng: np.random.Generator) -> Mesh:
    """Along x, between its hubs' middle; from a child's to a tall person's."""
    size = rng.uniform(0.62, 0.85) if rng.random() < 0.2 else rng.uniform(0.92, 1.08)
    hips = np.array([rng.uniform(-0.25, -0.15), rng.uniform(0.9, 1.05)])
    hands = np.array([rng.uniform(0.3, 0.45), rng.uniform(0.9, 1.12)])
    parts = [bicycle.frame(hips, hands, pick(rng, _PAINTS)), *(bicycle.tyre(hub) for hub in riding.HUBS_M)]
    (rear_x, hub_z), (front_x, _) = riding.HUBS_M
    if rng.random() < 0.35:
        parts.append(cuboids([front_x, 0.0, hub_z + 0.42], [0.3, 0.36, 0.25], Surface.METAL, _DARK))  # a basket
    if rng.random() < 0.2:
        parts.append(cuboids([rear_x, 0.0, hub_z + 0.4], [0.3, 0.3, 0.5], Surface.CANVAS, pick(rng, _PAINTS)))  # a seat
    whole = Mesh.merge(parts)
    middle = np.array([(rear_x + front_x) / 2, 0.0, 0.0])
    return _with_vertices(whole, (whole.vertices_m - middle) * size)


def _wheels(length_m: float, radius_m: float) -> Mesh:
    """Two thick discs along x."""
    disc = frustum((radius_m, radius_m), 0.13, Surface.RUBBER, _DARK, (0.0, 0.0, -0.065), sides=10)
    x, y, z = disc.vertices_m.T
    lying = np.stack([x, z, y + radius_m], axis=1)
    at = length_m / 2 - radius_m
    return Mesh.merge([_with_vertices(disc, lying + np.array([side * at, 0.0, 0.0])) for side in (-1.0, 1.0)])


def _scooter(rng: np.random.Generator) -> Mesh:
    """Along x: a shield before the feet, a seat over the engine, some with a box behind or a screen."""
    length, tall, paint = rng.uniform(1.65, 1.95), rng.uniform(0.74, 0.86), pick(rng, _PAINTS)
    bar = [0.25 * length, tall + 0.2]
    parts = [
        _wheels(length, rng.uniform(0.2, 0.27)),
        cuboids([-0.23 * length, 0.0, 0.32], [0.46 * length, 0.3, tall - 0.42], Surface.CAR_PAINT, paint),
        cuboids([-0.18 * length, 0.0, tall - 0.1], [0.4 * length, 0.26, 0.1], Surface.CAR_TRIM, _DARK),
        cuboids([0.1 * length, 0.0, 0.22], [0.24 * length, 0.3, 0.12], Surface.CAR_TRIM, _DARK),
        limb([0.38 * length, 0.0, 0.25], [bar[0], 0.0, bar[1]], 0.06, Surface.CAR_PAINT, paint),
        cuboids([0.25 * length, 0.0, 0.3], [0.1, 0.4, tall - 0.32], Surface.CAR_PAINT, paint),
        *_handlebar(bar[0], bar[1]),
    ]
    if rng.random() < 0.4:
        parts.append(cuboids([-0.42 * length, 0.0, tall], [0.36, 0.38, 0.32], Surface.CAR_TRIM, _DARK))
    if rng.random() < 0.25:
        parts.append(cuboids([0.27 * length, 0.0, tall + 0.2], [0.03, 0.4, 0.4], Surface.CAR_GLASS, (120, 130, 134)))
    return Mesh.merge(parts)


def _motorcycle(rng: np.random.Generator) -> Mesh:
    """Along x: larger wheels, a tank before the seat, an engine below, some under a cover."""
    length, tall, paint = rng.uniform(1.95, 2.2), rng.uniform(0.78, 0.9), pick(rng, _PAINTS)
    if rng.random() < 0.15:
        low, high = [0.0, 0.0, 0.1], [0.1 * length, 0.0, tall]
        sizes = [[0.95 * length, 0.7, tall - 0.1], [0.45 * length, 0.6, 0.3]]
        return cuboids([low, high], sizes, Surface.CANVAS, _COVER)
    bar = [0.2 * length, tall + 0.25]
    return Mesh.merge(
        [
            _wheels(length, rng.uniform(0.29, 0.33)),
            cuboids([-0.02 * length, 0.0, 0.25], [0.3 * length, 0.34, tall - 0.5], Surface.METAL, _DARK),
            cuboids([0.08 * length, 0.0, tall - 0.26], [0.26 * length, 0.3, 0.3], Surface.CAR_PAINT, paint),
            cuboids([-0.2 * length, 0.0, tall - 0.16], [0.36 * length, 0.28, 0.14], Surface.CAR_TRIM, _DARK),
            cuboids([-0.4 * length, 0.0, tall - 0.12], [0.16 * length, 0.2, 0.16], Surface.CAR_PAINT, paint),
            limb([0.36 * length, 0.0, 0.3], [bar[0], 0.0, bar[1]], 0.07, Surface.METAL, _STEEL),
            cuboids([0.27 * length, 0.0, tall - 0.02], [0.16, 0.2, 0.2], Surface.HEADLAMP, (220, 220, 214)),
            *_handlebar(bar[0], bar[1]),
        ]
    )


def _handlebar(x_m: float, z_m: float) -> list[Mesh]:
    """Grips and two mirrors."""
    mirrors = cuboids([[x_m, side * 0.34, z_m + 0.1] for side in (-1, 1)], [0.03, 0.14, 0.1], Surface.CAR_TRIM, _DARK)
    return [cuboids([x_m, 0.0, z_m], [0.06, 0.7, 0.06], Surface.CAR_TRIM, _DARK), mirrors]


def _put(mesh: Mesh, yaw: float, xy_m: tuple[float, float], lean: float) -> Mesh:
    """Tilted to its side by some radians, turned about the upright axis, and moved."""
    cos, sin = np.cos(yaw), np.sin(yaw)
    x, y, z = mesh.vertices_m.astype(np.float64).T
    y = y + np.tan(lean) * z
    return _with_vertices(mesh, np.column_stack([cos * x - sin * y + xy_m[0], sin * x + cos * y + xy_m[1], z]))


def _with_vertices(mesh: Mesh, vertices_m: NDArrayFloat) -> Mesh:
    return Mesh(vertices_m.astype(np.float32), mesh.triangles, mesh.surfaces, mesh.colours_rgb)

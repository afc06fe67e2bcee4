"""Planted ground along streets: beds behind kerbs, troughs, low hedges before walls, grass banks.

Each is made to a size, about the origin on the ground, its length along x and its street towards -y.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh, frustum
from vedette.datasets.synth.scenery.buildings import pick
from vedette.datasets.synth.scenery.plants import hedge, overgrown, shrubs, tufts
from vedette.datasets.synth.scenery.solids import cuboids, quads, upright
from vedette.datasets.synth.shapes.parts import grid_triangles
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_KERB_STONES: Final[tuple[Colour, ...]] = ((150, 148, 142), (128, 124, 118), (176, 170, 158))
_SOIL: Final[Colour] = (92, 78, 60)
_GRASS: Final[Colour] = (98, 118, 58)
_GREEN: Final[Colour] = (58, 82, 36)
_STEEL: Final[Colour] = (88, 94, 92)
_CORNERS: Final = 14
_STONE_M: Final = 0.12
_WITHIN_M: Final = 0.15  # shrubs stay within the outline by this, and lean over it with their leaves
_SHRUBS_PER_M2: Final = 1.6
_MOST_SHRUBS: Final = 24
_BANK_CELLS: Final = (9, 5)
_THICKET_CHANCE: Final = 0.6
_THICKET: Final = ((1.0, 0.1), (0.97, 0.7), (0.75, 0.95), (0.4, 1.0), (0.0, 1.0))
"""Rings of a thicket from its edge to its middle: shares of the outline, and of the height."""
_THICKET_LEAVES_PER_M2: Final = 8.0
_BAR_PITCH_M: Final = 0.16


def planted_bed(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """Shrubs or ground cover of about one height behind a kerb, its corners rounded, its plants with or without gaps.

    Args:
        rng: of its form.
        length_m: along x.
        width_m: along y.
    """
    outline = _outline(rng, length_m, width_m)
    stone_m = rng.uniform(0.06, 0.16)
    inside = outline * (1.0 - 2.0 * _STONE_M / np.array([length_m, width_m]))
    height_m = float(rng.uniform(0.3, 1.05))
    cover = _thicket if rng.random() < _THICKET_CHANCE else _planted
    parts = [
        _kerbed(outline, inside, stone_m, pick(rng, _KERB_STONES)),
        cover(rng, inside, 0.8 * stone_m, height_m),
    ]
    if rng.random() < 0.2:
        parts.append(frustum((0.05, 0.04), rng.uniform(1.2, 3.0), Surface.METAL, _STEEL, sides=6))  # a sign's post
    return Mesh.merge(parts)


def planter(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """A trough of concrete or wood with shrubs in it.

    Args:
        rng: of its form.
        length_m: along x.
        width_m: along y.
    """
    height = float(rng.uniform(0.35, 0.8))
    surface = Surface.CONCRETE if rng.random() < 0.7 else Surface.WOOD
    trough = cuboids([0.0, 0.0, 0.0], [length_m, width_m, height], surface, pick(rng, _KERB_STONES))
    outline = _outline(rng, 0.85 * length_m, 0.85 * width_m)
    return Mesh.merge([trough, _planted(rng, outline, height - 0.02, float(rng.uniform(0.2, 0.7)))])


def wall_hedge(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """A low hedge as it grows before a house, alone, on a low wall, or behind a fence.

    Args:
        rng: of its form.
        length_m: along x.
        width_m: along y.
    """
    foot_m = float(rng.uniform(0.2, 0.55)) if rng.random() < 0.4 else 0.0
    height_m = float(rng.uniform(0.5, 1.2)) - 0.5 * foot_m
    line = np.linspace(-length_m / 2, length_m / 2, 1 + max(1, round(length_m / 1.6)))
    pieces = np.stack([np.stack([line[:-1], line[1:]], axis=1), np.zeros((len(line) - 1, 2))], axis=-1)
    parts = [hedge(rng, pieces, np.full(len(pieces), foot_m), (height_m, 0.8 * width_m), leaves_per_m=14.0)]
    if foot_m > 0.0:
        stone = pick(rng, _KERB_STONES)
        parts.append(cuboids([0.0, 0.0, -0.1], [length_m, width_m, foot_m + 0.1], Surface.CONCRETE, stone))
    if rng.random() < 0.5:
        parts.append(_fence(length_m, -0.47 * width_m, foot_m + height_m * rng.uniform(0.8, 1.5)))
    return Mesh.merge(parts)


def bank(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """A grass bank, some with shrubs on it.

    Args:
        rng: of its form.
        length_m: along x.
        width_m: along y.
    """
    rows, columns = _BANK_CELLS
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, rows + 1), np.linspace(-1.0, 1.0, columns + 1), indexing="ij")
    height_m = rng.uniform(0.4, 1.4)
    bumps = rng.uniform(0.75, 1.15, x.shape)
    z = height_m * bumps * np.minimum(1.0, 1.6 * (1.0 - x**4)) * np.clip(1.5 * (1.0 - y**2), 0.0, 1.0)
    points = np.stack([x * length_m / 2, y * width_m / 2, z - 0.03], axis=-1)
    cells = np.stack([points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]], axis=2)
    seeds = points[1:-1, 1:-1].reshape(-1, 3) + rng.normal(0.0, [0.3, 0.2, 0.0], ((rows - 1) * (columns - 1), 3))
    parts = [quads(cells, Surface.GRASS, _GRASS), tufts(rng, seeds, rng.uniform(0.05, 0.35, len(seeds)))]
    grown = seeds[rng.random(len(seeds)) < rng.choice([0.0, 0.12, 0.3])]
    if len(grown):
        radii = rng.uniform(0.3, 0.7, len(grown))
        parts.append(shrubs(rng, grown - [0.0, 0.0, 0.1], radii, rng.uniform(0.4, 1.0, len(grown))))
    return Mesh.merge(parts)


def _outline(rng: np.random.Generator, length_m: float, width_m: float) -> NDArrayFloat:
    """``(_CORNERS,2)`` from an ellipse to a rectangle, a little uneven, within a rectangle."""
    angle = (np.arange(_CORNERS) + 0.5) * 2.0 * np.pi / _CORNERS
    unit = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    power = rng.uniform(2.2, 9.0)  # a superellipse's: 2 is an ellipse
    radius = (np.abs(unit) ** power).sum(axis=1) ** (-1.0 / power) * rng.uniform(0.9, 1.0, _CORNERS)
    return np.asarray(unit * radius[:, None] * [length_m / 2, width_m / 2])


def _kerbed(outline_m: NDArrayFloat, inside_m: NDArrayFloat, stone_m: float, colour: Colour) -> Mesh:
    """Kerb stones round soil."""
    ahead = np.roll(np.arange(_CORNERS), -1)
    low, high = (np.column_stack([outline_m, np.full(_CORNERS, z)]) for z in (-0.15, stone_m))
    inner = np.column_stack([inside_m, np.full(_CORNERS, stone_m)])
    stones = [[edge, edge[ahead], other[ahead], other] for edge, other in ((low, high), (high, inner))]
    kerb = quads(np.concatenate([np.stack(faces, axis=1) for faces in stones]), Surface.KERB, colour)
    fan = np.stack([np.full(_CORNERS - 2, 0), np.arange(1, _CORNERS - 1), np.arange(2, _CORNERS)], axis=1)
    return Mesh.merge([kerb, Mesh.of(inner - [0.0, 0.0, 0.02], fan, Surface.SOIL, _SOIL)])


def _planted(rng: np.random.Generator, outline_m: NDArrayFloat, low_m: float, height_m: float) -> Mesh:
    """Shrubs of about one height within an outline."""
    size = np.ptp(outline_m, axis=0)
    scale = min(1.0, float(size.min()) / 1.1)
    count = min(_MOST_SHRUBS, max(2, int(_SHRUBS_PER_M2 * size.prod() / scale**2 * rng.uniform(0.5, 1.3))))
    radii = scale * rng.uniform(0.3, 0.65, count)
    corner = rng.integers(_CORNERS, size=count)
    share = np.sqrt(rng.random((count, 1)))
    reach = np.maximum(1.0 - (radii[:, None] + _WITHIN_M) / (size / 2 + 0.05), 0.0)
    places = np.column_stack([outline_m[corner] * share * reach, np.full(count, low_m)])
    return shrubs(rng, places, radii, height_m * rng.uniform(0.65, 1.15, count))


def _thicket(rng: np.random.Generator, outline_m: NDArrayFloat, low_m: float, height_m: float) -> Mesh:
    """Shrubs that have grown together to one uneven mass with steep sides."""
    share, tall = np.array(_THICKET).T
    aside = 1.0 + rng.normal(0.0, 0.04, (len(share), _CORNERS + 1))
    uneven = rng.uniform(0.7, 1.15, (len(share), _CORNERS + 1))
    aside[:, -1], uneven[:, -1], uneven[-1] = aside[:, 0], uneven[:, 0], 1.0
    ring = np.concatenate([outline_m, outline_m[:1]])
    flat = ring * (share[:, None] * aside)[..., None]
    points = np.concatenate([flat, (low_m + height_m * tall[:, None] * uneven)[..., None]], axis=-1)
    triangles = grid_triangles(len(share), _CORNERS + 1)
    mass = Mesh.of(points.reshape(-1, 3), triangles, Surface.FOLIAGE, _GREEN)
    corners = mass.vertices_m[triangles].astype(np.float64)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    count = int(_THICKET_LEAVES_PER_M2 * area.sum())
    weights = rng.dirichlet(np.ones(3), count)
    middle = (corners[rng.choice(len(area), count, p=area / area.sum())] * weights[..., None]).sum(axis=1)
    return overgrown(rng, mass, middle)


def _fence(length_m: float, y_m: float, height_m: float) -> Mesh:
    """Flat bars between two rails, every tenth of them a post."""
    x = np.linspace(-length_m / 2, length_m / 2, 2 + round(length_m / _BAR_PITCH_M))
    half = np.where(np.arange(len(x)) % 10 == 0, 0.03, 0.01)
    start, end = (np.column_stack([x + side * half, np.full(len(x), y_m)]) for side in (-1.0, 1.0))
    bars = upright(start, end, np.zeros(len(x)), np.full(len(x), height_m))
    rails = cuboids([[0.0, y_m, z * height_m] for z in (0.12, 0.93)], [length_m, 0.04, 0.05], Surface.METAL, _STEEL)
    return Mesh.merge([quads(bars, Surface.METAL, _STEEL), rails])

"""What stands upright and is as wide as a person: old trunks, pillars, posts in rows, signs that hang low.

Each is made to a size, about the origin on the ground, its length along x and its street towards -y.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh, frustum, leaves, limb
from vedette.datasets.synth.scenery.buildings import pick
from vedette.datasets.synth.scenery.solids import cuboids
from vedette.datasets.synth.shapes.parts import grid_triangles
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_BARKS: Final[tuple[Colour, ...]] = ((88, 76, 62), (110, 100, 86), (70, 62, 54), (150, 146, 134))
_STONES: Final[tuple[Colour, ...]] = ((176, 168, 154), (150, 96, 74), (206, 200, 188), (120, 116, 110))
_STEELS: Final[tuple[Colour, ...]] = ((140, 144, 146), (54, 58, 58), (60, 70, 66), (150, 40, 36))
_PLATES: Final[tuple[Colour, ...]] = ((40, 80, 180), (210, 40, 40), (240, 240, 240), (240, 200, 40))
_TRUNK_SIDES: Final = 10
_FLARE: Final = ((-0.03, 1.75), (0.03, 1.4), (0.09, 1.15), (0.2, 1.0), (0.5, 0.95), (1.0, 0.78))
"""Heights of a trunk's rings as shares of its own, and their radii as shares of its usual one."""
_BOLLARD_CHANCE: Final = 0.4
_CLEARANCE_M: Final = 2.6
_CROWN_LEAVES: Final = 70
_CROWN_LEAF_M: Final = 0.42


def old_trunk(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """An old tree's trunk, its crown high above: it leans, widens to its roots, has stubs; some have a bollard beside.

    Args:
        rng: of its form.
        length_m: along x, up to which the bollard may stand.
        width_m: along y; of the trunk's foot.
    """
    radius, height = 0.5 * width_m / _FLARE[0][1] * rng.uniform(1.0, 1.25), rng.uniform(4.8, 6.5)
    lean = rng.normal(0.0, 0.035, 2) * height
    bark = pick(rng, _BARKS)
    share, wide = np.array(_FLARE).T
    lobes = rng.uniform(0.88, 1.08, _TRUNK_SIDES) * rng.uniform(0.94, 1.04, (len(_FLARE), _TRUNK_SIDES))
    angle = np.arange(_TRUNK_SIDES + 1) * 2.0 * np.pi / _TRUNK_SIDES
    reach = radius * wide[:, None] * np.concatenate([lobes, lobes[:, :1]], axis=1)
    bend = np.sign(share) * np.abs(share) ** rng.uniform(0.7, 1.4)
    rings = np.stack([reach * np.cos(angle), reach * np.sin(angle), np.zeros_like(reach)], axis=-1)
    rings += np.column_stack([bend[:, None] * lean, share * height])[:, None]
    stem = Mesh.of(rings.reshape(-1, 3), grid_triangles(len(_FLARE), _TRUNK_SIDES + 1), Surface.BARK, bark)
    parts = [stem, _crown(rng, lean, height), *_stubs(rng, lean, height, radius, bark)]
    if length_m > width_m + 0.5 and rng.random() < _BOLLARD_CHANCE:
        at = float(rng.choice([-1.0, 1.0])) * (length_m / 2 - 0.1)
        parts.append(frustum((0.07, 0.06), rng.uniform(0.7, 1.1), Surface.METAL, pick(rng, _STEELS), (at, 0.0, 0.0)))
    return Mesh.merge(parts)


def _crown(rng: np.random.Generator, lean_m: NDArrayFloat, height_m: float) -> Mesh:
    """The lower part of a crown: few leaves, and large, since it is far above everything that matters here."""
    around = leaves(rng, [*lean_m, height_m + 1.9], [2.3, 2.3, 2.2], _CROWN_LEAVES, _CROWN_LEAF_M)
    vertices = np.maximum(around.vertices_m, np.array([-np.inf, -np.inf, height_m - 0.4], np.float32))
    return Mesh(vertices.astype(np.float32), around.triangles, around.surfaces, around.colours_rgb)


def _stubs(
    rng: np.random.Generator, lean_m: NDArrayFloat, height_m: float, radius_m: float, bark: Colour
) -> list[Mesh]:
    """Up to three branches that were sawn off, quite short where people and vehicles pass."""
    found = []
    for _ in range(int(rng.integers(0, 4))):
        share, angle = rng.uniform(0.2, 0.8), rng.uniform(0.0, 2.0 * np.pi)
        foot = np.array([*(share * lean_m), share * height_m])
        reach = rng.uniform(0.1, 0.35) if foot[2] > _CLEARANCE_M else rng.uniform(0.0, 0.08)
        out = (radius_m + reach) * np.array([np.cos(angle), np.sin(angle), 0.8])
        found.append(limb(foot, foot + out, 0.3 * radius_m, Surface.BARK, bark))
    return found


def arcade(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """Pillars under a beam or a slab, as before entrances and shops.

    Args:
        rng: of its form.
        length_m: along x.
        width_m: along y; of the slab.
    """
    thick = min(float(rng.uniform(0.28, 0.75)), width_m)
    count = max(1, round(length_m / rng.uniform(2.2, 3.4)))
    x = np.linspace(-(length_m - thick) / 2, (length_m - thick) / 2, count) if count > 1 else np.zeros(1)
    height, stone = rng.uniform(2.5, 3.3), pick(rng, _STONES)
    foot = cuboids(
        np.column_stack([x, np.zeros(count), np.full(count, -0.05)]), [thick, thick, 0.4], Surface.CONCRETE, stone
    )
    is_round = rng.random() < 0.5
    shafts = [_shaft(at, 0.42 * thick, height, stone, sides=10 if is_round else 4) for at in x.tolist()]
    slab = cuboids([0.0, 0.0, height], [length_m, width_m, rng.uniform(0.25, 0.5)], Surface.CONCRETE, stone)
    return Mesh.merge([foot, *shafts, slab])


def _shaft(x_m: float, radius_m: float, height_m: float, colour: Colour, *, sides: int) -> Mesh:
    return frustum((radius_m, 0.9 * radius_m), height_m, Surface.CONCRETE, colour, (x_m, 0.0, 0.0), sides=sides)


def post_row(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """Bollards or posts about a metre high, some with a chain or a rail between them.

    Args:
        rng: of their number and form.
        length_m: along x.
        width_m: along y; of the thickest.
    """
    radius, height = width_m * rng.uniform(0.2, 0.5), rng.uniform(0.7, 1.15)
    count = max(2, 1 + round((length_m - 2 * radius) / rng.uniform(0.9, 1.8)))
    x = np.linspace(-length_m / 2 + radius, length_m / 2 - radius, count)
    surface = Surface.METAL if rng.random() < 0.7 else Surface.CONCRETE
    colour = pick(rng, _STEELS)
    row = [frustum((radius, 0.9 * radius), height, surface, colour, (at, 0.0, 0.0), sides=7) for at in x.tolist()]
    if rng.random() < 0.4:
        bands = np.column_stack([x, np.zeros(count), np.full(count, 0.75 * height)])
        row.append(cuboids(bands, [2.1 * radius, 2.1 * radius, 0.12], Surface.SIGN, _PLATES[2]))
    if rng.random() < 0.25:
        row.append(cuboids([0.0, 0.0, 0.8 * height], [length_m - 2 * radius, 0.03, 0.04], Surface.METAL, colour))
    return Mesh.merge(row)


def low_sign(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """A post with a plate, a bin or a box at the height of a person, and often a second post beside it.

    Args:
        rng: of its form.
        length_m: along x.
        width_m: along y; of the plate.
    """
    radius, height = rng.uniform(0.03, 0.09), rng.uniform(1.1, 3.2)
    post = frustum((radius, radius), height, Surface.METAL, pick(rng, _STEELS), (0.0, 0.0, -0.05), sides=7)
    parts = [post]
    low, tall = rng.uniform(0.25, 0.9), rng.uniform(0.4, 0.8)
    if rng.random() < 0.5:
        plate = cuboids([-radius - 0.02, 0.0, low], [0.03, width_m, tall], Surface.SIGN, pick(rng, _PLATES))
    else:
        plate = frustum((0.3 * width_m, 0.42 * width_m), tall, Surface.METAL, pick(rng, _STEELS), (0.0, 0.0, low))
    parts.append(plate)
    if rng.random() < 0.4:
        at = (length_m / 2 - 0.05) * float(rng.choice([-1.0, 1.0]))
        parts.append(frustum((0.05, 0.05), rng.uniform(0.8, 2.6), Surface.METAL, pick(rng, _STEELS), (at, 0.0, 0.0)))
    return Mesh.merge(parts)

"""Things along streets that a LiDAR sees as it sees cars or people: what fools detectors on real streets.

Planted beds end at a corner as a car's tail does; an old tree's trunk, or a post with a bollard before it, is as wide
as a person; a scooter is a short cyclist without a rider. They are set out last, from a random stream of their own, so
that what else stands in a world of a seed does not depend on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh, frustum, leaves, limb
from vedette.datasets.synth.plan import BlockUse
from vedette.datasets.synth.scenery import clutter
from vedette.datasets.synth.scenery.buildings import pick
from vedette.datasets.synth.scenery.lots import Front, Lot
from vedette.datasets.synth.scenery.plants import bush
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import cuboids
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_KERB_STONE: Final[Colour] = (150, 148, 142)
_SOIL: Final[Colour] = (92, 78, 60)
_BARK: Final[Colour] = (88, 76, 62)
_RUBBER: Final[Colour] = (30, 30, 32)
_PAINTS: Final[tuple[Colour, ...]] = ((150, 30, 30), (30, 40, 90), (190, 190, 186), (40, 42, 44), (60, 90, 70))
_BOARDS: Final[tuple[Colour, ...]] = ((180, 180, 176), (90, 110, 130), (120, 60, 50), (70, 74, 72))
_WALKWAY_M: Final = 0.9  # left free on a pavement
_LEAST_PAVEMENT_M: Final = 1.2
_KERB_SIDE_M: Final = 0.35
_TRIES_PER_M: Final = 1.2  # of a front; most find the ground taken
_WHERE: Final = (0.35, 0.2, 0.45)  # shares of the tries at the kerb, at the back of the pavement, behind it
_PROBE_M: Final = 0.3
_BOLLARD_CHANCE: Final = 0.4
_BUSHES_PER_M2: Final = 0.85


@dataclass(frozen=True)
class Lookalike:
    """One thing, in a frame of its own, along x.

    Args:
        mesh: the origin on the ground.
        length_m: of the ground that it takes, along x.
        width_m: along y.
    """

    mesh: Mesh
    length_m: float
    width_m: float


def planted_bed(rng: np.random.Generator) -> Lookalike:
    """Low shrubs behind a kerb, as high as a bonnet at most, in clumps or over all of it.

    Args:
        rng: of its form.
    """
    length, width = rng.uniform(1.6, 6.5), rng.uniform(0.9, 2.3)
    edges = [[0.0, -width / 2, 0.0], [0.0, width / 2, 0.0], [-length / 2, 0.0, 0.0], [length / 2, 0.0, 0.0]]
    sizes = [[length + 0.12, 0.12, 0.14]] * 2 + [[0.12, width, 0.14]] * 2
    stones = cuboids(edges, sizes, Surface.KERB, _KERB_STONE)
    soil = cuboids([0.0, 0.0, 0.0], [length, width, 0.1], Surface.SOIL, _SOIL)
    half_height = rng.uniform(0.16, 0.6)
    count = max(2, round(_BUSHES_PER_M2 * length * width * rng.uniform(0.6, 1.4)))
    return Lookalike(
        Mesh.merge([stones, soil, _shrubs(rng, (length, width), half_height, count)]), length + 0.2, width + 0.2
    )


def planter(rng: np.random.Generator) -> Lookalike:
    """A tub or a trough of concrete with a shrub in it.

    Args:
        rng: of its form.
    """
    length, width, height = rng.uniform(0.8, 2.4), rng.uniform(0.5, 0.9), rng.uniform(0.4, 0.8)
    trough = cuboids([0.0, 0.0, 0.0], [length, width, height], Surface.CONCRETE, _KERB_STONE)
    shrubs = _shrubs(rng, (length, width), rng.uniform(0.15, 0.4), max(1, round(2 * length)))
    raised = Mesh(
        shrubs.vertices_m + np.array([0, 0, height], np.float32), shrubs.triangles, shrubs.surfaces, shrubs.colours_rgb
    )
    return Lookalike(Mesh.merge([trough, raised]), length + 0.2, width + 0.2)


def old_trunk(rng: np.random.Generator) -> Lookalike:
    """The lower part of an old tree, its crown high above: as wide as a person, sometimes with a bollard before it.

    Args:
        rng: of its form.
    """
    radius, height = rng.uniform(0.17, 0.45), rng.uniform(4.8, 6.5)
    lean = rng.normal(0.0, 0.03, 2) * height
    flare = frustum((1.6 * radius, radius), rng.uniform(0.3, 0.7), Surface.BARK, _BARK, (0.0, 0.0, -0.1), sides=9)
    stem = limb([0.0, 0.0, 0.0], [*lean, height], radius, Surface.BARK, _BARK)
    crown = leaves(rng, [*lean, height + 1.2], [2.2, 2.2, 1.0], 120, 0.25)
    parts, length = [flare, stem, crown], 1.1
    if rng.random() < _BOLLARD_CHANCE:
        at, tall = rng.uniform(0.6, 1.1), rng.uniform(0.8, 1.1)
        parts.append(frustum((0.08, 0.07), tall, Surface.METAL, pick(rng, _PAINTS), (at, 0.1, 0.0), sides=6))
        length = 2 * (at + 0.2)
    return Lookalike(Mesh.merge(parts), length, 1.1)


def posts(rng: np.random.Generator) -> Lookalike:
    """A row of posts about a metre high, one of them with a sign or a bin on it.

    Args:
        rng: of their number and form.
    """
    count, pitch = int(rng.integers(2, 7)), rng.uniform(0.7, 1.6)
    radius, height = rng.uniform(0.04, 0.13), rng.uniform(0.7, 1.2)
    x = (np.arange(count) - (count - 1) / 2) * pitch
    colour = pick(rng, _PAINTS)
    row = [frustum((radius, radius), height, Surface.METAL, colour, (at, 0.0, 0.0), sides=7) for at in x.tolist()]
    size = [rng.uniform(0.25, 0.6), rng.uniform(0.1, 0.4), rng.uniform(0.4, 0.9)]
    row.append(cuboids([x[0], 0.0, rng.uniform(0.3, 1.2)], size, Surface.SIGN, pick(rng, _BOARDS)))
    return Lookalike(Mesh.merge(row), count * pitch + 0.3, 0.5)


def board(rng: np.random.Generator) -> Lookalike:
    """A poster, a shop's board, a low wall or a concrete barrier: upright and flat.

    Args:
        rng: of its form.
    """
    length, thick = rng.uniform(0.6, 4.5), rng.uniform(0.06, 0.5)
    low, height = (0.0, rng.uniform(0.5, 1.3)) if rng.random() < 0.6 else (0.4, rng.uniform(0.8, 1.8))
    slab = cuboids([0.0, 0.0, low], [length, thick, height], Surface.CONCRETE, pick(rng, _BOARDS))
    feet = cuboids(
        [[x, 0.0, 0.0] for x in (-0.4 * length, 0.4 * length)], [0.1, 0.1, low + 0.1], Surface.METAL, _RUBBER
    )
    return Lookalike(Mesh.merge([slab, feet]), length + 0.2, thick + 0.2)


def scooters(rng: np.random.Generator) -> Lookalike:
    """One to five motor scooters or motorcycles side by side, without riders.

    Args:
        rng: of their number and form.
    """
    count = int(rng.integers(1, 6))
    pitch = rng.uniform(0.7, 1.1)
    x = (np.arange(count) - (count - 1) / 2) * pitch
    turn = rng.uniform(-0.3, 0.3)
    parked = [_turned(_scooter(rng), np.pi / 2 + turn + rng.normal(0.0, 0.06), (at, 0.0)) for at in x.tolist()]
    return Lookalike(Mesh.merge(parked), count * pitch + 0.6, 2.1)


def _scooter(rng: np.random.Generator) -> Mesh:
    """Along x, its front ahead."""
    length, tall, paint = rng.uniform(1.6, 2.1), rng.uniform(0.75, 0.9), pick(rng, _PAINTS)
    wheel = rng.uniform(0.42, 0.62)
    wheels = [[side * (length - wheel) / 2, 0.0, 0.0] for side in (-1.0, 1.0)]
    parts = [
        cuboids(wheels, [wheel, 0.12, wheel], Surface.RUBBER, _RUBBER),
        cuboids([-0.18 * length, 0.0, 0.35], [0.5 * length, 0.3, tall - 0.35], Surface.CAR_PAINT, paint),
        cuboids([0.1 * length, 0.0, 0.25], [0.3 * length, 0.28, 0.15], Surface.CAR_TRIM, _RUBBER),
        cuboids([0.36 * length, 0.0, 0.4], [0.12, 0.34, tall - 0.2], Surface.CAR_PAINT, paint),
        cuboids([0.33 * length, 0.0, tall + 0.12], [0.12, 0.7, 0.08], Surface.CAR_TRIM, _RUBBER),
    ]
    if rng.random() < 0.4:
        parts.append(cuboids([-0.42 * length, 0.0, tall], [0.36, 0.38, 0.34], Surface.CAR_TRIM, _RUBBER))
    return Mesh.merge(parts)


_KINDS: Final[tuple[tuple[Callable[[np.random.Generator], Lookalike], float], ...]] = (
    (planted_bed, 0.34),
    (old_trunk, 0.17),
    (posts, 0.12),
    (planter, 0.1),
    (board, 0.09),
    (scooters, 0.1),
    (lambda rng: Lookalike(clutter.cabinet(rng), 1.6, 0.5), 0.04),
    (lambda rng: Lookalike(clutter.bicycles(rng), 2.0, 0.8), 0.04),
)
"""What, and its share."""


def set_out(site: Site, lots: tuple[Lot, ...], rng: np.random.Generator) -> None:
    """Set lookalikes out along the streets wherever ground is free.

    Args:
        site: gets them.
        lots: its blocks.
        rng: of everything that is drawn here.
    """
    for lot in lots:
        for front in lot.fronts():
            if front.is_at_street and lot.block.pavement_m >= _LEAST_PAVEMENT_M and lot.block.use is not BlockUse.FIELD:
                _line(site, lot, front, rng)


def _line(site: Site, lot: Lot, front: Front, rng: np.random.Generator) -> None:
    """Along one front: at the kerb, at the back of the pavement, or behind it."""
    makers, shares = zip(*_KINDS, strict=True)
    for x, y in _spots(site, lot, front, rng).tolist():
        made = makers[rng.choice(len(makers), p=np.array(shares) / sum(shares))](rng)
        away = made.width_m / 2 if y > 0.0 or -y > lot.block.pavement_m / 2 else -made.width_m / 2
        place = front.uv_m([x, y + away])
        fits = y > 0.0 or made.width_m + _WALKWAY_M <= min(front.setback_m, lot.block.pavement_m)
        if fits and site.take_rectangle(place, front.yaw, made.length_m, made.width_m):
            level_m = lot.above_m(place) if y > 0.0 else lot.block.kerb_m
            site.stand(made.mesh, place, front.yaw + np.pi * (rng.random() < 0.5), level_m)


def _spots(site: Site, lot: Lot, front: Front, rng: np.random.Generator) -> NDArrayFloat:
    """``(N,2)`` places along a front where something might stand: the side of it that is nearer to the street."""
    count = int(_TRIES_PER_M * front.length_m)
    kerb = -min(front.setback_m, lot.block.pavement_m) + _KERB_SIDE_M
    where = rng.choice(3, size=count, p=_WHERE)
    y = np.select([where == 0, where == 1], [np.full(count, kerb), np.full(count, -0.1)], rng.uniform(0.2, 5.0, count))
    spots = np.column_stack([rng.uniform(2.0, max(2.5, front.length_m - 2.0), count), y])
    probes = np.column_stack([front.uv_m(spots), np.full(count, _PROBE_M)])
    free: NDArrayFloat = spots[site.are_free(probes)]
    return free


def _shrubs(rng: np.random.Generator, size_m: tuple[float, float], half_height_m: float, count: int) -> Mesh:
    """Bushes in a rectangle."""
    bushes = []
    for _ in range(count):
        radii = rng.uniform(0.3, 0.75, 2)
        room = np.maximum(np.array(size_m) / 2 - radii, 0.0)
        bush_mesh = bush(rng, (float(radii[0]), float(radii[1]), half_height_m * rng.uniform(0.6, 1.15)), 40)
        bushes.append(_turned(bush_mesh, 0.0, tuple(rng.uniform(-room, room).tolist())))
    return Mesh.merge(bushes)


def _turned(mesh: Mesh, yaw: float, xy_m: tuple[float, ...]) -> Mesh:
    """Turned about the upright axis, and moved."""
    cos, sin = np.cos(yaw), np.sin(yaw)
    x, y, z = mesh.vertices_m.T
    vertices = np.column_stack([cos * x - sin * y + xy_m[0], sin * x + cos * y + xy_m[1], z])
    return Mesh(vertices.astype(np.float32), mesh.triangles, mesh.surfaces, mesh.colours_rgb)

"""What trades and works put on pavements: cabinets, kiosks, cafés, stands, crates, containers, barriers, low walls.

Each is made to a size, about the origin on the ground, its length along x and its street towards -y.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh, frustum
from vedette.datasets.synth.scenery.buildings import pick
from vedette.datasets.synth.scenery.solids import cuboids, quads
from vedette.datasets.synth.surfaces import Surface

_CASES: Final[tuple[Colour, ...]] = ((150, 152, 146), (176, 176, 170), (90, 104, 90), (120, 96, 84), (206, 206, 202))
_BRIGHT: Final[tuple[Colour, ...]] = ((210, 170, 40), (190, 60, 46), (50, 80, 150), (60, 110, 70), (220, 218, 210))
_CLOTHS: Final[tuple[Colour, ...]] = ((226, 206, 150), (170, 50, 44), (60, 100, 80), (230, 226, 216), (220, 160, 50))
_STONES: Final[tuple[Colour, ...]] = ((176, 168, 154), (206, 200, 188), (150, 142, 132), (150, 96, 74))
_BINS: Final[tuple[Colour, ...]] = ((60, 64, 66), (40, 80, 50), (60, 70, 130), (150, 130, 40))
_WOOD: Final[Colour] = (140, 112, 78)
_STEEL: Final[Colour] = (136, 140, 142)
_DARK: Final[Colour] = (46, 48, 50)


def cabinets(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """One to three cabinets of electricity, telephone or traffic lights, of unlike height, on plinths.

    Args:
        rng: of their form.
        length_m: along x, of all.
        width_m: along y.
    """
    count = 1 if length_m < 1.2 else int(rng.integers(1, 4))
    edges = np.linspace(-length_m / 2, length_m / 2, count + 1)
    parts = []
    for x0, x1 in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        middle, size = (x0 + x1) / 2, [x1 - x0 - 0.04, width_m * rng.uniform(0.8, 0.95), rng.uniform(0.85, 1.6)]
        parts += [
            cuboids([middle, 0.0, -0.15], [x1 - x0, width_m, 0.3], Surface.CONCRETE, _STONES[0]),
            cuboids([middle, 0.0, 0.15], size, Surface.METAL, pick(rng, _CASES)),
            cuboids([middle, 0.0, 0.15 + size[2]], [x1 - x0, width_m, 0.05], Surface.METAL, _STEEL),
        ]
    return Mesh.merge(parts)


def letter_boxes(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """Letter boxes, newspaper boxes or vending machines side by side on feet.

    Args:
        rng: of their form.
        length_m: along x, of all.
        width_m: along y.
    """
    count = max(1, round(length_m / 0.5))
    x = (np.arange(count) + 0.5) * length_m / count - length_m / 2
    low = rng.uniform(0.05, 0.6)
    parts = [
        cuboids([[at, 0.0, 0.0] for at in x.tolist()], [0.1, 0.1, low], Surface.METAL, _DARK),
        *(
            cuboids([at, 0.0, low], [0.42, 0.9 * width_m, rng.uniform(0.6, 1.1)], Surface.METAL, pick(rng, _BRIGHT))
            for at in x.tolist()
        ),
    ]
    return Mesh.merge(parts)


def kiosk(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """A kiosk with a counter and an awning towards the street, and racks of newspapers before it.

    Args:
        rng: of its form.
        length_m: along x.
        width_m: along y, with the racks.
    """
    deep, tall, colour = 0.68 * width_m, rng.uniform(2.3, 2.7), pick(rng, _BRIGHT)
    back = (width_m - deep) / 2
    front = back - deep / 2
    hatch = [[-0.4 * length_m, front - 0.01, 1.05], [0.4 * length_m, front - 0.01, 1.05]]
    pane = [*hatch, [0.4 * length_m, front - 0.01, 1.95], [-0.4 * length_m, front - 0.01, 1.95]]
    x = length_m / 2
    reach, low = front - 0.9 * (width_m - deep), tall - rng.uniform(0.25, 0.5)
    awning = [[-x, front, tall - 0.1], [x, front, tall - 0.1], [x, reach, low], [-x, reach, low]]
    racks = [[at * length_m, front - 0.2, 0.0] for at in (-0.35, 0.0, 0.35) if rng.random() < 0.7]
    parts = [
        cuboids([0.0, back, 0.0], [length_m, deep, tall], Surface.CLADDING, colour),
        cuboids([0.0, back, tall], [1.06 * length_m, 1.06 * deep, 0.12], Surface.METAL, _STEEL),
        quads([pane], Surface.WINDOW, (110, 120, 124)),
        cuboids([0.0, front - 0.12, 0.95], [0.8 * length_m, 0.24, 0.06], Surface.WOOD, _WOOD),
        quads([awning], Surface.CANVAS, pick(rng, _CLOTHS)),
    ]
    if racks:
        parts.append(cuboids(racks, [0.5, 0.3, rng.uniform(0.9, 1.5)], Surface.METAL, pick(rng, _BRIGHT)))
    return Mesh.merge(parts)


def cafe(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """Tables with chairs round them, under parasols that are open, closed, or not there.

    Args:
        rng: of their number and form.
        length_m: along x.
        width_m: along y.
    """
    count = max(1, int(length_m / 1.7))
    x = (np.arange(count) + 0.5) * length_m / count - length_m / 2
    cloth, seat, beside = pick(rng, _CLOTHS), pick(rng, _BRIGHT), min(0.6, length_m / 2 - 0.25)
    opened = rng.choice(3, p=[0.35, 0.2, 0.45])
    parts = []
    for at in x.tolist():
        y = float(rng.uniform(-0.5, 0.5)) * max(0.0, width_m - 1.2)
        chairs = [(at + side * beside, y + rng.normal(0.0, 0.08)) for side in (-1.0, 1.0) if rng.random() < 0.85]
        parts += [_table(at, y), *(_chair(spot, 1.0 if spot[0] > at else -1.0, seat) for spot in chairs)]
        if opened:
            parts.append(_parasol(rng, (at, y), cloth, is_open=opened == 2))
    return Mesh.merge(parts)


def _table(x_m: float, y_m: float) -> Mesh:
    foot = frustum((0.2, 0.04), 0.7, Surface.METAL, _DARK, (x_m, y_m, 0.0), sides=5)
    return Mesh.merge([foot, frustum((0.34, 0.34), 0.04, Surface.WOOD, _WOOD, (x_m, y_m, 0.7), sides=8)])


def _chair(xy_m: tuple[float, float], outwards: float, colour: Colour) -> Mesh:
    """Its back is away from the table."""
    x, y = xy_m
    legs = [[x + dx, y + dy, 0.0] for dx in (-0.18, 0.18) for dy in (-0.18, 0.18)]
    seat = cuboids([[x, y, 0.43]], [0.42, 0.42, 0.05], Surface.WOOD, colour)
    back = cuboids([[x + 0.2 * outwards, y, 0.5]], [0.05, 0.42, 0.38], Surface.WOOD, colour)
    return Mesh.merge([cuboids(legs, [0.03, 0.03, 0.43], Surface.METAL, _DARK), seat, back])


def _parasol(rng: np.random.Generator, xy_m: tuple[float, float], colour: Colour, *, is_open: bool) -> Mesh:
    pole = frustum((0.03, 0.03), 2.3, Surface.METAL, _STEEL, (*xy_m, 0.0), sides=5)
    radii, low, tall = ((rng.uniform(0.9, 1.3), 0.05), 2.1, 0.45) if is_open else ((0.16, 0.05), 0.9, 1.5)
    return Mesh.merge([pole, frustum(radii, tall, Surface.CANVAS, colour, (*xy_m, low), sides=8)])


def containers(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """Refuse containers or bottle banks side by side, their lids unlike.

    Args:
        rng: of their number and form.
        length_m: along x.
        width_m: along y.
    """
    count = max(1, int(length_m / (1.4 if width_m > 0.8 else 0.68)))
    pitch, tall = length_m / count, rng.uniform(1.0, 1.5)
    low = 0.15 if rng.random() < 0.7 else 0.0
    x = ((np.arange(count) + 0.5) * pitch - length_m / 2).tolist()
    parts = []
    for at in x:
        colour = pick(rng, _BINS)
        size = [pitch - 0.08, width_m * rng.uniform(0.85, 0.95), tall * rng.uniform(0.92, 1.0) - low]
        lid = quads(
            [[[at - pitch / 2 + 0.02, -width_m / 2, low + size[2] - 0.06], [at + pitch / 2 - 0.02, -width_m / 2,
              low + size[2] - 0.06], [at + pitch / 2 - 0.02, width_m / 2, low + size[2] + 0.14],
              [at - pitch / 2 + 0.02, width_m / 2, low + size[2] + 0.14]]], Surface.CAR_TRIM, colour,
        )  # fmt: skip
        parts += [cuboids([at, 0.0, low], size, Surface.CAR_TRIM, colour), lid]
    if low:
        wheels = [[at + dx * pitch, dy * width_m, 0.0] for at in x for dx in (-0.35, 0.35) for dy in (-0.35, 0.35)]
        parts.append(cuboids(wheels, [0.12, 0.08, low], Surface.RUBBER, _DARK))
    return Mesh.merge(parts)


def crates(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """Crates, boxes or goods before a shop, in stacks of unlike height.

    Args:
        rng: of their number and form.
        length_m: along x.
        width_m: along y.
    """
    count = max(1, round(length_m / 0.6))
    x = (np.arange(count) + 0.5) * length_m / count - length_m / 2
    step = rng.uniform(0.2, 0.34)
    stacks = []
    for at in x.tolist():
        layers = int(rng.integers(1, 6))
        bottoms = [[at + rng.normal(0.0, 0.02), rng.normal(0.0, 0.02), k * step] for k in range(layers)]
        size = [0.9 * length_m / count, 0.9 * width_m, 0.94 * step]
        surface = Surface.WOOD if rng.random() < 0.5 else Surface.CANVAS
        stacks.append(cuboids(bottoms, size, surface, _WOOD if surface is Surface.WOOD else pick(rng, _BRIGHT)))
    return Mesh.merge(stacks)


def barrier(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """Concrete barriers end to end, or those of plastic round a building site, white and red.

    Args:
        rng: of their form.
        length_m: along x.
        width_m: along y, of the foot.
    """
    count = max(1, round(length_m / 2.0))
    edges = np.linspace(-length_m / 2, length_m / 2, count + 1)
    tall, is_plastic = rng.uniform(0.75, 1.05), rng.random() < 0.35
    profile = [(0.5, 0.0), (0.5, 0.1), (0.25, 0.3), (0.16, 1.0), (-0.16, 1.0), (-0.25, 0.3), (-0.5, 0.1), (-0.5, 0.0)]
    ring = np.array(profile) * [width_m, tall]
    parts = []
    for k, (x0, x1) in enumerate(zip(edges[:-1], edges[1:] - 0.05, strict=True)):
        near, far = (np.column_stack([np.full(len(ring), x), ring]) for x in (x0, x1))
        sides = np.stack([near[:-1], far[:-1], far[1:], near[1:]], axis=1)
        ends = [end[[a, a + 1, 6 - a, 7 - a]] for end in (near, far) for a in range(3)]
        colour = (_BRIGHT[1], _BRIGHT[4])[k % 2] if is_plastic else _STONES[0]
        parts.append(quads(np.concatenate([sides, ends]), Surface.CAR_TRIM if is_plastic else Surface.CONCRETE, colour))
    return Mesh.merge(parts)


def guard_rail(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """A street's guard rail, or a railing that keeps people off the carriageway.

    Args:
        rng: of its form.
        length_m: along x.
        width_m: along y, of a beam with its post.
    """
    x = np.linspace(-length_m / 2 + 0.1, length_m / 2 - 0.1, 1 + max(1, round(length_m / 2.0)))
    feet = np.column_stack([x, np.zeros(len(x)), np.full(len(x), -0.1)])
    if rng.random() < 0.5:
        tall = 0.85
        beams = cuboids([[0.0, -width_m / 4, z] for z in (0.45, 0.62)], [length_m, 0.08, 0.13], Surface.METAL, _STEEL)
        web = cuboids([0.0, -width_m / 4 + 0.02, 0.45], [length_m, 0.02, 0.3], Surface.METAL, _STEEL)
        parts = [beams, web]
    else:
        tall = rng.uniform(0.95, 1.2)
        levels = [[0.0, 0.0, z * tall] for z in (0.25, 0.55, 0.92)]
        parts = [cuboids(levels, [length_m, 0.04, 0.05], Surface.METAL, _STEEL)]
    return Mesh.merge([*parts, cuboids(feet, [0.08, 0.08, tall], Surface.METAL, _STEEL)])


def low_wall(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """A low wall with a coping, some with pillars at its ends or a step in the middle.

    Args:
        rng: of its form.
        length_m: along x.
        width_m: along y.
    """
    tall, stone = rng.uniform(0.4, 1.2), pick(rng, _STONES)
    surface = (Surface.BRICK, Surface.PLASTER, Surface.CONCRETE)[int(rng.integers(3))]
    parts = [
        cuboids([0.0, 0.0, -0.15], [length_m, 0.8 * width_m, tall + 0.15], surface, stone),
        cuboids([0.0, 0.0, tall], [length_m, width_m, 0.06], Surface.CONCRETE, _STONES[1]),
    ]
    if rng.random() < 0.4:
        ends = [[side * (length_m - width_m) / 2, 0.0, -0.1] for side in (-1, 1)]
        parts.append(cuboids(ends, [width_m, width_m, tall + rng.uniform(0.3, 0.8)], surface, stone))
    return Mesh.merge(parts)


def poster(rng: np.random.Generator, length_m: float, width_m: float) -> Mesh:
    """A poster cabinet on a foot or two legs, a shop's board, or a chart on a post.

    Args:
        rng: of its form.
        length_m: along x.
        width_m: along y.
    """
    low, tall = (0.0, rng.uniform(0.9, 1.3)) if rng.random() < 0.35 else (rng.uniform(0.3, 0.7), rng.uniform(1.2, 1.9))
    case = cuboids([0.0, 0.0, low], [length_m, width_m, tall], Surface.METAL, _DARK)
    sheet = [0.0, 0.0, low + 0.06]
    print_ = cuboids(sheet, [0.92 * length_m, width_m + 0.02, tall - 0.12], Surface.PLASTER, pick(rng, _BRIGHT))
    if low == 0.0:
        return Mesh.merge([case, print_])
    legs = [[side * 0.35 * length_m, 0.0, -0.05] for side in (-1, 1)]
    return Mesh.merge([case, print_, cuboids(legs, [0.1, 0.1, low + 0.05], Surface.METAL, _DARK)])

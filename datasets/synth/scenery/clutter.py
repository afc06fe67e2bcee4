"""Things of the size of cars and people that are neither: what a detector takes for them."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh, frustum, leaves
from vedette.datasets.synth.scenery.buildings import pick
from vedette.datasets.synth.scenery.solids import cuboids, quads
from vedette.datasets.synth.surfaces import Surface

_BINS: Final[tuple[Colour, ...]] = ((50, 52, 54), (40, 80, 50), (60, 70, 130), (150, 130, 40))
_SKIPS: Final[tuple[Colour, ...]] = ((170, 110, 30), (60, 90, 130), (150, 60, 40), (90, 96, 90))
_WOOD: Final[Colour] = (140, 112, 78)
_CANVAS: Final[tuple[Colour, ...]] = ((60, 84, 110), (150, 150, 146), (70, 100, 70), (170, 60, 50))
_SPOKES: Final = 10
_GREY: Final[Colour] = (128, 130, 132)


def bins(rng: np.random.Generator) -> Mesh:
    """One to four wheelie bins in a row, along x.

    Args:
        rng: of their number and form.
    """
    count = int(rng.integers(1, 5))
    x = (np.arange(count) - (count - 1) / 2) * 0.66 + rng.normal(0.0, 0.02, count)
    colours = [pick(rng, _BINS) for _ in range(count)]
    meshes = []
    for at, colour in zip(x, colours, strict=True):
        tall = float(rng.uniform(0.95, 1.1))
        body = cuboids([at, 0.0, 0.08], [0.5, 0.52, tall - 0.14], Surface.CAR_TRIM, colour)
        lid = cuboids([at, -0.02, tall - 0.06], [0.58, 0.66, 0.07], Surface.CAR_TRIM, colour)
        meshes += [body, lid]
    return Mesh.merge(meshes)


def bicycles(rng: np.random.Generator) -> Mesh:
    """One to three bicycles along x that lean on one another.

    Args:
        rng: of their number and colours.
    """
    count = int(rng.integers(1, 4))
    ring = np.linspace(0.0, 2.0 * np.pi, _SPOKES + 1)
    rim = np.stack([np.cos(ring), np.zeros_like(ring), np.sin(ring)], axis=1)
    tyre = np.stack([0.34 * rim[:-1], 0.34 * rim[1:], 0.28 * rim[1:], 0.28 * rim[:-1]], axis=1)
    wheels = np.concatenate([tyre + np.array([x, 0.0, 0.34]) for x in (-0.52, 0.52)])
    bars = [[-0.52, 0.34, -0.15, 0.86], [-0.1, 0.34, -0.15, 0.9], [-0.1, 0.34, 0.38, 0.8], [-0.15, 0.8, 0.38, 0.84],
            [0.52, 0.34, 0.36, 1.0]]  # fmt: skip
    frame = np.array([[[x0, 0.0, z0], [x0 + 0.04, 0.0, z0], [x1 + 0.04, 0.0, z1], [x1, 0.0, z1]]
                      for x0, z0, x1, z1 in bars])  # fmt: skip
    saddle_and_bar = np.array([[-0.17, 0.0, 0.9], [0.36, 0.0, 1.0]])
    meshes = []
    for k in range(count):
        aside = np.array([rng.uniform(-0.2, 0.2), 0.2 * (k - (count - 1) / 2), 0.0])
        seat = cuboids(saddle_and_bar + aside, [[0.26, 0.14, 0.06], [0.05, 0.5, 0.04]],
                       Surface.CAR_TRIM, (40, 40, 42))  # fmt: skip
        meshes += [quads(wheels + aside, Surface.RUBBER, (44, 44, 46)), seat]
        meshes.append(quads(frame + aside, Surface.METAL, pick(rng, _CANVAS)))
    return Mesh.merge(meshes)


def container_bin(rng: np.random.Generator) -> Mesh:
    """A large refuse container on castors.

    Args:
        rng: of its colour.
    """
    colour = pick(rng, _BINS)
    body = cuboids([0.0, 0.0, 0.2], [1.3, 0.95, 0.95], Surface.METAL, colour)
    lid = cuboids([0.0, 0.05, 1.15], [1.36, 0.8, 0.18], Surface.CAR_TRIM, colour)
    castors = cuboids(
        [[x, y, 0.0] for x in (-0.5, 0.5) for y in (-0.35, 0.35)], [0.12, 0.1, 0.2], Surface.RUBBER, (40, 40, 40)
    )
    return Mesh.merge([body, lid, castors])


def skip(rng: np.random.Generator) -> Mesh:
    """An open skip, trapezoid from the side, with rubble in it.

    Args:
        rng: of its size and load.
    """
    low, high, width, tall = 1.1, rng.uniform(1.6, 2.0), 0.85, rng.uniform(1.0, 1.5)
    ring = [[-low, -width, 0.1], [low, -width, 0.1], [high, -width, tall], [-high, -width, tall]]
    near = np.array(ring)
    far = near * np.array([1.0, -1.0, 1.0])
    sides = [near, far, *(np.array([near[k], near[m], far[m], far[k]]) for k, m in ((0, 1), (1, 2), (3, 0)))]
    shell = quads(np.array(sides), Surface.METAL, pick(rng, _SKIPS))
    ribs = cuboids(
        [[x, s * width, 0.2] for x in (-0.6, 0.6) for s in (-1, 1)], [0.12, 0.14, tall - 0.3], Surface.METAL, _GREY
    )
    load = leaves(rng, [0.0, 0.0, tall * 0.75], [high * 0.75, width * 0.9, 0.35], 60, 0.16)
    rubble = Mesh.of(load.vertices_m, load.triangles, Surface.SOIL, (134, 120, 104))
    return Mesh.merge([shell, ribs, rubble])


def heap(rng: np.random.Generator) -> Mesh:
    """A heap or stack: firewood, stones, pallets or earth.

    Args:
        rng: of its kind and size.
    """
    kind = int(rng.integers(3))
    if kind == 0:
        return pallets(rng)
    if kind == 1:
        size = [rng.uniform(1.2, 2.2), 0.6, rng.uniform(0.7, 1.3)]
        logs = leaves(rng, [0.0, 0.0, size[2] / 2], [size[0] / 2, 0.3, size[2] / 2], 50, 0.09)
        stack = cuboids([0.0, 0.0, 0.0], size, Surface.WOOD, _WOOD)
        return Mesh.merge([stack, Mesh.of(logs.vertices_m, logs.triangles, Surface.WOOD, _WOOD)])
    earth = leaves(rng, [0.0, 0.0, 0.0], [rng.uniform(0.7, 1.2), 0.8, rng.uniform(0.5, 0.9)], 90, 0.2)
    return Mesh.of(np.maximum(earth.vertices_m, [-9.0, -9.0, 0.0]), earth.triangles, Surface.SOIL, (120, 98, 72))


def pallets(rng: np.random.Generator) -> Mesh:
    """Stacks of pallets, some with goods.

    Args:
        rng: of their number.
    """
    count = int(rng.integers(2, 9))
    deck = cuboids([[0.0, 0.0, 0.15 * k + 0.1] for k in range(count)], [1.2, 0.8, 0.04], Surface.WOOD, _WOOD)
    feet = [[x, 0.0, 0.15 * k] for k in range(count) for x in (-0.54, 0.0, 0.54)]
    stack = [deck, cuboids(feet, [0.1, 0.8, 0.1], Surface.WOOD, _WOOD)]
    if rng.random() < 0.5:
        goods = [rng.uniform(0.8, 1.1), 0.75, rng.uniform(0.3, 1.0)]
        stack.append(cuboids([0.0, 0.0, 0.15 * count], goods, Surface.CANVAS, pick(rng, _CANVAS)))
    return Mesh.merge(stack)


def shed(rng: np.random.Generator) -> Mesh:
    """A garden shed with a lean-to roof.

    Args:
        rng: of its size.
    """
    length, width, tall = rng.uniform(1.8, 2.6), rng.uniform(1.4, 1.9), rng.uniform(1.8, 2.2)
    body = cuboids([0.0, 0.0, -0.2], [length, width, tall + 0.2], Surface.WOOD, _WOOD)
    x, y = length / 2 + 0.2, width / 2 + 0.2
    roof = quads([[[-x, -y, tall + 0.1], [x, -y, tall + 0.1], [x, y, tall + 0.45], [-x, y, tall + 0.45]]],
                 Surface.CLADDING, (90, 84, 80))  # fmt: skip
    battens = cuboids(
        [[k * length / 4, -width / 2, 0.0] for k in (-2, -1, 0, 1, 2)], [0.1, 0.1, tall], Surface.WOOD, (110, 86, 60)
    )
    return Mesh.merge([body, roof, battens])


def trailer(rng: np.random.Generator) -> Mesh:
    """A car trailer with a drawbar, open, boxed or under canvas.

    Args:
        rng: of its size and load.
    """
    length, width = rng.uniform(2.0, 3.2), rng.uniform(1.2, 1.6)
    bed = cuboids([0.0, 0.0, 0.45], [length, width, 0.35], Surface.METAL, _GREY)
    bar = cuboids([length / 2 + 0.6, 0.0, 0.42], [1.2, 0.1, 0.1], Surface.METAL, _GREY)
    wheel = cuboids(
        [[-0.1, s * (width / 2 + 0.1), 0.0] for s in (-1, 1)], [0.58, 0.16, 0.58], Surface.RUBBER, (36, 36, 36)
    )
    top = rng.uniform(0.3, 1.2)
    cover = cuboids([0.0, 0.0, 0.8], [length, width, top], Surface.CANVAS, pick(rng, _CANVAS))
    parts = [bed, bar, wheel]
    return Mesh.merge([*parts, cover] if rng.random() < 0.6 else parts)


def lorry_trailer(rng: np.random.Generator) -> Mesh:
    """A parked semi-trailer on its legs.

    Args:
        rng: of its colour.
    """
    colour = pick(rng, _CANVAS)
    parts = [
        cuboids([0.0, 0.0, 1.1], [12.0, 2.5, 2.7], Surface.CANVAS, colour),
        cuboids([0.0, 0.0, 0.95], [12.0, 1.0, 0.15], Surface.METAL, _GREY),
        cuboids(
            [[x, s * 1.05, 0.0] for x in (-4.6, -3.4, -2.2) for s in (-1, 1)],
            [1.0, 0.35, 1.0],
            Surface.RUBBER,
            (36, 36, 36),
        ),
        cuboids([[3.6, s * 0.8, 0.0] for s in (-1, 1)], [0.15, 0.15, 1.0], Surface.METAL, _GREY),
        cuboids([[k, s * 1.25, 1.1] for k in range(-6, 7, 2) for s in (-1, 1)], [0.1, 0.06, 2.7], Surface.METAL, _GREY),
    ]
    return Mesh.merge(parts)


def sea_container(rng: np.random.Generator) -> Mesh:
    """A 20-foot container with corrugated sides.

    Args:
        rng: of its colour.
    """
    colour = pick(rng, _SKIPS)
    body = cuboids([0.0, 0.0, 0.1], [6.0, 2.38, 2.45], Surface.METAL, colour)
    x = np.linspace(-2.9, 2.9, 15)
    ribs = cuboids([[at, s * 1.2, 0.1] for at in x for s in (-1, 1)], [0.2, 0.06, 2.45], Surface.METAL, colour)
    return Mesh.merge([body, ribs])


def stall(rng: np.random.Generator) -> Mesh:
    """A market stall: table, posts and an awning.

    Args:
        rng: of its colour and goods.
    """
    length = rng.uniform(2.0, 3.5)
    table = cuboids([0.0, 0.0, 0.75], [length, 1.0, 0.06], Surface.WOOD, _WOOD)
    posts = cuboids(
        [[x, y, 0.0] for x in (-length / 2, length / 2) for y in (-0.6, 0.6)], [0.06, 0.06, 2.3], Surface.METAL, _GREY
    )
    x = length / 2 + 0.3
    awning = quads(
        [[[-x, -1.0, 2.1], [x, -1.0, 2.1], [x, 0.0, 2.6], [-x, 0.0, 2.6]],
         [[-x, 0.0, 2.6], [x, 0.0, 2.6], [x, 1.0, 2.1], [-x, 1.0, 2.1]]],
        Surface.CANVAS, pick(rng, _CANVAS),
    )  # fmt: skip
    at = np.linspace(-length / 2 + 0.3, length / 2 - 0.3, 5)
    goods = cuboids([[k, 0.0, 0.81] for k in at], [0.4, 0.6, rng.uniform(0.15, 0.35)], Surface.WOOD, (170, 140, 60))
    return Mesh.merge([table, posts, awning, goods])


def cabinet(rng: np.random.Generator) -> Mesh:
    """A cabinet of the electricity or telephone company.

    Args:
        rng: of its size.
    """
    size = [rng.uniform(0.7, 1.5), 0.35, rng.uniform(0.9, 1.4)]
    colour: Colour = (150, 152, 146) if rng.random() < 0.6 else (90, 104, 90)
    plinth = cuboids([0.0, 0.0, -0.2], [size[0] + 0.06, 0.4, 0.35], Surface.CONCRETE, (160, 158, 152))
    return Mesh.merge([plinth, cuboids([0.0, 0.0, 0.15], size, Surface.METAL, colour)])


def column(rng: np.random.Generator) -> Mesh:
    """An advertising column.

    Args:
        rng: of its colour.
    """
    drum = frustum((0.6, 0.6), 2.6, Surface.PLASTER, pick(rng, _CANVAS), sides=12)
    cap = frustum((0.75, 0.15), 0.5, Surface.METAL, (80, 90, 80), (0.0, 0.0, 2.6), sides=12)
    return Mesh.merge([drum, cap])

"""What stands on pavements: lamps, signs, traffic lights, benches, boxes, shelters. Each at its own origin."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh, frustum
from vedette.datasets.synth.scenery.solids import cuboids, quads
from vedette.datasets.synth.surfaces import Surface

_GALVANISED: Final[Colour] = (140, 144, 146)
_DARK: Final[Colour] = (54, 58, 58)
_WOOD: Final[Colour] = (128, 96, 62)
_PLATES: Final[tuple[Colour, ...]] = ((210, 40, 40), (40, 80, 180), (240, 240, 240), (240, 200, 40))


def lamp(height_m: float, arm_m: float) -> Mesh:
    """A street lamp; its arm reaches along +y.

    Args:
        height_m: of the pole.
        arm_m: length of the arm.
    """
    pole = frustum((0.085, 0.05), height_m, Surface.METAL, _GALVANISED, (0.0, 0.0, -0.1), sides=6)
    arm = cuboids([0.0, arm_m / 2, height_m - 0.15], [0.06, arm_m, 0.06], Surface.METAL, _GALVANISED)
    head = cuboids([0.0, arm_m, height_m - 0.22], [0.22, 0.55, 0.14], Surface.METAL, _DARK)
    return Mesh.merge([pole, arm, head])


def sign(rng: np.random.Generator) -> Mesh:
    """A post with one or two plates that face -x.

    Args:
        rng: of its plates.
    """
    high = float(rng.uniform(2.3, 2.9))
    post = frustum((0.035, 0.035), high, Surface.METAL, _GALVANISED, (0.0, 0.0, -0.1), sides=5)
    plates = []
    for k in range(int(rng.integers(1, 3))):
        size = rng.uniform(0.42, 0.62)
        colour = _PLATES[int(rng.integers(len(_PLATES)))]
        plates.append(cuboids([-0.05, 0.0, high - (k + 1) * 0.66], [0.03, size, size], Surface.SIGN, colour))
    return Mesh.merge([post, *plates])


def traffic_light() -> Mesh:
    """A mast with a signal head that faces -x and a push button."""
    mast = frustum((0.07, 0.06), 3.3, Surface.METAL, _GALVANISED, (0.0, 0.0, -0.1), sides=6)
    box = cuboids([-0.16, 0.0, 2.3], [0.22, 0.3, 0.92], Surface.METAL, _DARK)
    hood = cuboids([[-0.33, 0.0, 2.35 + 0.3 * k] for k in range(3)], [0.14, 0.24, 0.03], Surface.METAL, _DARK)
    colours: tuple[Colour, ...] = ((40, 190, 110), (90, 74, 20), (80, 24, 20))
    lights = [
        quads(
            [[[-0.275, y0, z], [-0.275, -y0, z], [-0.275, -y0, z + 0.2], [-0.275, y0, z + 0.2]] for y0 in (0.1,)],
            Surface.SIGN,
            colour,
        )
        for z, colour in zip((2.36, 2.66, 2.96), colours, strict=True)
    ]
    button = cuboids([0.0, 0.1, 1.0], [0.1, 0.08, 0.2], Surface.METAL, (220, 190, 40))
    return Mesh.merge([mast, box, hood, button, *lights])


def bollard() -> Mesh:
    """A post of a metre."""
    return frustum((0.06, 0.05), 1.0, Surface.METAL, (150, 60, 50), (0.0, 0.0, -0.1), sides=6)


def bench() -> Mesh:
    """A bench with a back, along x."""
    slats = cuboids([[0.0, -0.18 + 0.14 * k, 0.43] for k in range(4)], [1.7, 0.1, 0.04], Surface.WOOD, _WOOD)
    back = cuboids([[0.0, 0.32, 0.55 + 0.15 * k] for k in range(3)], [1.7, 0.04, 0.1], Surface.WOOD, _WOOD)
    feet = cuboids([[x, 0.05, 0.0] for x in (-0.7, 0.7)], [0.08, 0.5, 0.85], Surface.METAL, _DARK)
    return Mesh.merge([slats, back, feet])


def post_box() -> Mesh:
    """A letter box on a foot."""
    foot = cuboids([0.0, 0.0, 0.0], [0.1, 0.1, 0.7], Surface.METAL, _DARK)
    return Mesh.merge([foot, cuboids([0.0, 0.0, 0.7], [0.5, 0.4, 0.75], Surface.METAL, (236, 190, 30))])


def ticket_machine() -> Mesh:
    """A parking meter with its sign."""
    body = cuboids([0.0, 0.0, 0.0], [0.4, 0.35, 1.55], Surface.METAL, (70, 90, 130))
    post = frustum((0.03, 0.03), 2.6, Surface.METAL, _GALVANISED, (0.35, 0.0, 0.0), sides=5)
    plate = cuboids([0.35, -0.04, 2.1], [0.45, 0.03, 0.45], Surface.SIGN, _PLATES[1])
    return Mesh.merge([body, post, plate])


def bus_shelter() -> Mesh:
    """A shelter along x, open towards -y, with a bench inside and a stop sign."""
    posts = cuboids([[x, 0.6, 0.0] for x in (-2.0, -0.67, 0.67, 2.0)], [0.08, 0.08, 2.4], Surface.METAL, _GALVANISED)
    roof = cuboids([0.0, 0.1, 2.4], [4.3, 1.5, 0.12], Surface.METAL, _GALVANISED)
    panes = cuboids([[0.0, 0.62, 0.25]], [3.9, 0.02, 1.9], Surface.WINDOW, (150, 170, 176))
    side = cuboids([2.05, 0.1, 0.25], [0.08, 1.0, 1.9], Surface.PLASTER, (200, 120, 60))  # an advertisement
    seat = cuboids([-0.4, 0.35, 0.42], [2.4, 0.35, 0.06], Surface.WOOD, _WOOD)
    legs = cuboids([[x, 0.35, 0.0] for x in (-1.4, 0.6)], [0.06, 0.3, 0.42], Surface.METAL, _DARK)
    flag = cuboids([-2.6, 0.0, 2.1], [0.05, 0.5, 0.5], Surface.SIGN, (230, 200, 40))
    pole = frustum((0.04, 0.04), 2.7, Surface.METAL, _GALVANISED, (-2.6, 0.0, -0.1), sides=5)
    return Mesh.merge([posts, roof, panes, side, seat, legs, flag, pole])


def bicycle_stands() -> Mesh:
    """Four hoops across x."""
    x = np.arange(4) * 0.8 - 1.2
    legs = cuboids([[k, y, 0.0] for k in x for y in (-0.35, 0.35)], [0.05, 0.05, 0.8], Surface.METAL, _GALVANISED)
    bars = cuboids([[k, 0.0, 0.75] for k in x], [0.05, 0.75, 0.05], Surface.METAL, _GALVANISED)
    return Mesh.merge([legs, bars])

"""Colours of vehicles, as often as Europe's roads show them."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayUInt8

Mix = tuple[tuple[Colour, float], ...]
"""Colours and the share of each; the shares sum to 1."""

CAR_PAINTS: Final[Mix] = (
    ((22, 22, 25), 0.22),
    ((88, 91, 96), 0.18),
    ((168, 171, 175), 0.20),
    ((228, 228, 226), 0.15),
    ((34, 56, 110), 0.11),
    ((142, 24, 30), 0.07),
    ((38, 66, 50), 0.03),
    ((122, 105, 84), 0.03),
    ((206, 160, 40), 0.01),
)
"""Black, grey, silver, white, blue, red, green, beige, yellow: new registrations of about 2005 to 2015."""

VAN_PAINTS: Final[Mix] = (
    ((230, 230, 228), 0.52),
    ((165, 168, 172), 0.18),
    ((40, 42, 46), 0.12),
    ((40, 70, 130), 0.08),
    ((225, 175, 30), 0.06),
    ((150, 30, 32), 0.04),
)
TRUCK_PAINTS: Final[Mix] = (
    ((228, 228, 226), 0.45),
    ((40, 75, 140), 0.18),
    ((160, 34, 34), 0.15),
    ((214, 120, 30), 0.10),
    ((50, 95, 60), 0.07),
    ((60, 62, 66), 0.05),
)
BUS_PAINTS: Final[Mix] = (
    ((226, 226, 224), 0.30),
    ((226, 180, 36), 0.25),
    ((176, 34, 36), 0.20),
    ((44, 96, 70), 0.10),
    ((52, 88, 152), 0.15),
)

_FIXED: Final[dict[Surface, Colour]] = {
    Surface.CAR_GLASS: (38, 46, 52),
    Surface.CAR_TRIM: (36, 36, 38),
    Surface.RUBBER: (26, 26, 27),
    Surface.METAL: (150, 152, 155),
    Surface.HEADLAMP: (214, 220, 226),
    Surface.TAIL_LAMP: (150, 18, 20),
    Surface.NUMBER_PLATE: (232, 232, 224),
    Surface.SOIL: (112, 92, 70),
}


def draw_colour(rng: np.random.Generator, mix: Mix) -> Colour:
    """A colour of a mix, a little lighter or darker than its name says.

    Args:
        rng: draws it.
        mix: what there is.
    """
    colours, shares = zip(*mix, strict=True)
    colour = np.array(colours[rng.choice(len(mix), p=shares)]) * rng.normal(1.0, 0.06) + rng.normal(0.0, 3.0, 3)
    red, green, blue = np.clip(colour, 8, 250).astype(int).tolist()
    return red, green, blue


def palette_of(paint: Colour) -> NDArrayUInt8:
    """``(surfaces,3) uint8`` colour of each surface of one vehicle.

    Args:
        paint: of the body, and of the canvas of a lorry.
    """
    palette = np.full((len(Surface), 3), 128, dtype=np.uint8)
    for surface, colour in _FIXED.items():
        palette[surface] = colour
    palette[[Surface.CAR_PAINT, Surface.CANVAS]] = paint
    return palette

"""What things are made of: how a surface looks to a laser of 905 nm and to a camera."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final


class Texture(IntEnum):
    """Pattern that the camera sees on a surface; the numbers are ids in arrays."""

    PLAIN = 0
    GRAIN = 1
    BRICK = 2
    PLANKS = 3
    PAVING = 4
    LEAVES = 5
    CLADDING = 6


class Surface(IntEnum):
    """Material of a triangle; the numbers are ids in arrays."""

    ASPHALT = 0
    ROAD_PAINT = 1
    PAVING = 2
    KERB = 3
    GRASS = 4
    SOIL = 5
    BRICK = 6
    PLASTER = 7
    CONCRETE = 8
    WOOD = 9
    METAL = 10
    CLADDING = 11
    WINDOW = 12
    FOLIAGE = 13
    BARK = 14
    SIGN = 15
    CAR_PAINT = 16
    CAR_GLASS = 17
    CAR_TRIM = 18
    RUBBER = 19
    HEADLAMP = 20
    TAIL_LAMP = 21
    NUMBER_PLATE = 22
    CLOTH = 23
    SKIN = 24
    CANVAS = 25


@dataclass(frozen=True)
class SurfaceProperties:
    """How a surface answers.

    Args:
        reflectivity: diffuse, at 905 nm, of a triangle whose colour is mid grey; 0 to 1.
        colour_weight: how far the reflectivity follows the colour's brightness: 0 not at all, 1 in proportion. Dark
            paint drops beams because this is high for car paint.
        transmission: share of laser shots that pass through.
        retroreflection: what comes straight back whatever the angle: signs, plates and lamps.
        gloss: share of the sky that the camera sees mirrored in it, 0 to 1.
        texture: its pattern.
        texture_size_m: size of the pattern's element.
        texture_contrast: of the pattern, 0 to 1.
    """

    reflectivity: float
    colour_weight: float = 0.3
    transmission: float = 0.0
    retroreflection: float = 0.0
    gloss: float = 0.0
    texture: Texture = Texture.PLAIN
    texture_size_m: float = 1.0
    texture_contrast: float = 0.0


_P = SurfaceProperties
PROPERTIES: Final[dict[Surface, SurfaceProperties]] = {
    Surface.ASPHALT: _P(0.17, texture=Texture.GRAIN, texture_size_m=0.15, texture_contrast=0.25),
    Surface.ROAD_PAINT: _P(0.45, retroreflection=0.15, texture=Texture.GRAIN, texture_size_m=0.1, texture_contrast=0.2),
    Surface.PAVING: _P(0.28, texture=Texture.PAVING, texture_size_m=0.4, texture_contrast=0.25),
    Surface.KERB: _P(0.32, texture=Texture.GRAIN, texture_size_m=0.2, texture_contrast=0.2),
    Surface.GRASS: _P(0.42, texture=Texture.GRAIN, texture_size_m=0.3, texture_contrast=0.5),
    Surface.SOIL: _P(0.25, texture=Texture.GRAIN, texture_size_m=0.4, texture_contrast=0.4),
    Surface.BRICK: _P(0.35, texture=Texture.BRICK, texture_size_m=0.22, texture_contrast=0.3),
    Surface.PLASTER: _P(0.55, texture=Texture.GRAIN, texture_size_m=1.2, texture_contrast=0.12),
    Surface.CONCRETE: _P(0.40, texture=Texture.GRAIN, texture_size_m=0.8, texture_contrast=0.2),
    Surface.WOOD: _P(0.40, texture=Texture.PLANKS, texture_size_m=0.14, texture_contrast=0.35),
    Surface.METAL: _P(0.40, gloss=0.15),
    Surface.CLADDING: _P(0.40, texture=Texture.CLADDING, texture_size_m=0.3, texture_contrast=0.2),
    Surface.WINDOW: _P(0.06, colour_weight=0.0, transmission=0.6, gloss=0.6),
    Surface.FOLIAGE: _P(0.45, texture=Texture.LEAVES, texture_size_m=0.12, texture_contrast=0.6),
    Surface.BARK: _P(0.30, texture=Texture.GRAIN, texture_size_m=0.1, texture_contrast=0.4),
    Surface.SIGN: _P(0.50, retroreflection=0.8),
    Surface.CAR_PAINT: _P(0.40, colour_weight=0.9, gloss=0.25),
    Surface.CAR_GLASS: _P(0.08, colour_weight=0.0, transmission=0.7, gloss=0.55),
    Surface.CAR_TRIM: _P(0.10, colour_weight=0.3),
    Surface.RUBBER: _P(0.08, colour_weight=0.1),
    Surface.HEADLAMP: _P(0.30, retroreflection=0.4, gloss=0.4),
    Surface.TAIL_LAMP: _P(0.25, retroreflection=0.5, gloss=0.3),
    Surface.NUMBER_PLATE: _P(0.40, retroreflection=0.8),
    Surface.CLOTH: _P(0.40, colour_weight=0.4, texture=Texture.GRAIN, texture_size_m=0.05, texture_contrast=0.15),
    Surface.SKIN: _P(0.45),
    Surface.CANVAS: _P(0.45, texture=Texture.GRAIN, texture_size_m=0.5, texture_contrast=0.1),
}
"""Of every surface. Reflectivities after tables for near-infrared LiDAR (asphalt 0.15-0.2, vegetation 0.4-0.5, concrete
0.4, black paint below 0.05, white paint 0.7); what matters is their order."""

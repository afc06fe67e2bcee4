"""Flesh and clothes: tubes of few sides along a bone, heads, feet, bags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.mesh import Colour, Mesh
from vedette.datasets.synth.surfaces import Surface

_CLOTHES: Final[tuple[Colour, ...]] = (
    (30, 30, 34),
    (45, 50, 62),
    (36, 48, 84),
    (96, 98, 102),
    (150, 150, 150),
    (214, 212, 206),
    (140, 34, 38),
    (58, 84, 58),
    (124, 98, 70),
    (186, 130, 60),
    (96, 140, 176),
    (168, 90, 120),
)
_TROUSERS: Final[tuple[Colour, ...]] = (
    (28, 28, 32),
    (40, 50, 80),
    (62, 78, 112),
    (90, 88, 84),
    (140, 126, 100),
    (64, 56, 48),
)
_SKINS: Final[tuple[Colour, ...]] = ((224, 182, 152), (206, 160, 128), (168, 120, 88), (104, 72, 52))
_PRISM_SIDES: Final = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]])
_SKIN_SHARES: Final = (0.45, 0.3, 0.15, 0.1)
_HAIR: Final[tuple[Colour, ...]] = ((30, 24, 20), (72, 50, 34), (150, 116, 72), (150, 150, 148))


@dataclass(frozen=True)
class Build:
    """One person's body and clothes.

    Args:
        height_m: standing.
        girth: width over what is usual for the height.
        top: colour of the upper body's clothes.
        trousers: of the legs'.
        skin: of face and hands.
        hair: of hair.
        shoes: of shoes.
    """

    height_m: float
    girth: float
    top: Colour
    trousers: Colour
    skin: Colour
    hair: Colour
    shoes: Colour

    @property
    def thigh_m(self) -> float:
        """From hip to knee."""
        return 0.245 * self.height_m

    @property
    def shin_m(self) -> float:
        """From knee to ankle."""
        return 0.240 * self.height_m

    @property
    def ankle_m(self) -> float:
        """From ankle to the ground."""
        return 0.045 * self.height_m

    @property
    def torso_m(self) -> float:
        """From hip to shoulder."""
        return 0.290 * self.height_m

    @property
    def upper_arm_m(self) -> float:
        """From shoulder to elbow."""
        return 0.175 * self.height_m

    @property
    def forearm_m(self) -> float:
        """From elbow to the fingers."""
        return 0.215 * self.height_m

    @property
    def hip_y_m(self) -> float:
        """From the middle to a hip joint."""
        return 0.055 * self.height_m * self.girth

    @property
    def shoulder_y_m(self) -> float:
        """From the middle to a shoulder joint."""
        return 0.118 * self.height_m * self.girth


def draw_build(rng: np.random.Generator, *, adult: bool) -> Build:
    """A person of some height, girth and taste.

    Args:
        rng: draws them.
        adult: whether children are left out.
    """
    child = not adult and rng.uniform() < 0.12
    height_m = rng.uniform(1.05, 1.5) if child else float(np.clip(rng.normal(1.74, 0.085), 1.5, 1.98))
    return Build(
        height_m=height_m,
        girth=float(np.clip(rng.normal(1.06 if child else 1.0, 0.08), 0.85, 1.25)),
        top=_pick(rng, _CLOTHES),
        trousers=_pick(rng, _TROUSERS),
        skin=_SKINS[rng.choice(len(_SKINS), p=_SKIN_SHARES)],
        hair=_pick(rng, _HAIR),
        shoes=_pick(rng, _TROUSERS),
    )


def _pick(rng: np.random.Generator, colours: tuple[Colour, ...]) -> Colour:
    return colours[int(rng.integers(len(colours)))]


def tube(
    points_m: ArrayLike, radii_m: ArrayLike, surface: Surface, colour: Colour, *, sides: int, capped: bool = True
) -> Mesh:
    """Elliptical rings one beside the other, joined.

    Args:
        points_m: ``(R,3)`` centres.
        radii_m: ``(R,2)`` half axes along x and y.
        surface: of all.
        colour: of all.
        sides: corners of a ring.
        capped: close the last ring.
    """
    points, radii = np.asarray(points_m, dtype=np.float64), np.asarray(radii_m, dtype=np.float64)
    angle = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    vertices = np.repeat(points[:, None], sides, axis=1)
    vertices[..., :2] += ring * radii[:, None]
    i = np.arange(sides)
    j = (i + 1) % sides
    band = np.concatenate([np.stack([i, j, j + sides], 1), np.stack([i, j + sides, i + sides], 1)])
    starts = (np.arange(len(points) - 1) * sides)[:, None, None]
    cap = np.stack([np.zeros(sides - 2, dtype=np.int64), i[1:-1], i[2:]], axis=1) + (len(points) - 1) * sides
    triangles = np.concatenate([(starts + band).reshape(-1, 3), *([cap] if capped else [])])
    return Mesh.of(vertices.reshape(-1, 3), triangles, surface, colour)


def bars(ends_m: ArrayLike, radius_m: float, surface: Surface, colour: Colour) -> Mesh:
    """Thin open bars of three sides.

    Args:
        ends_m: ``(N,2,3)`` both ends of each, apart.
        radius_m: from the middle to the edges.
        surface: of all.
        colour: of all.
    """
    ends = np.asarray(ends_m, dtype=np.float64)
    axis = ends[:, 1] - ends[:, 0]
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    across = np.where(np.abs(axis[:, [1]]) > 0.7, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    first = np.cross(axis, across)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(axis, first)
    angle = np.arange(3) * 2 * np.pi / 3
    ring = first[:, None] * np.cos(angle)[:, None] + second[:, None] * np.sin(angle)[:, None]
    vertices = ends[:, :, None] + radius_m * ring[:, None]
    return Mesh.of(vertices, np.arange(len(ends))[:, None, None] * 6 + _PRISM_SIDES, surface, colour)


def limb_tube(length_m: float, radii_m: tuple[float, float], y_m: float, surface: Surface, colour: Colour) -> Mesh:
    """A part of a limb that hangs down from its joint.

    Args:
        length_m: from the joint to its lower end.
        radii_m: at the joint and at the lower end.
        y_m: of the joint.
        surface: of all.
        colour: of all.
    """
    ends = [[0.0, y_m, 0.3 * radii_m[0]], [0.0, y_m, -length_m]]
    return tube(ends, [[radii_m[0]] * 2, [radii_m[1]] * 2], surface, colour, sides=5)


def torso(build: Build) -> Mesh:
    """Hips, waist, chest and shoulders, the hip joint at the origin.

    Args:
        build: whose.
    """
    wide, deep, tall = build.shoulder_y_m, 0.072 * build.height_m * build.girth, build.torso_m
    hips = build.hip_y_m + 0.05 * build.height_m * build.girth
    heights = np.array([-0.18, 0.15, 0.93, 1.10]) * tall
    across = [0.9 * hips, 0.97 * hips, wide, 0.42 * wide]
    through = [0.8 * deep, 1.05 * deep, 0.95 * deep, 0.5 * deep]
    points = np.stack([np.zeros(4), np.zeros(4), heights], axis=1)
    return tube(points, np.stack([through, across], axis=1), Surface.CLOTH, build.top, sides=8)


def head(build: Build, at_m: tuple[float, float]) -> Mesh:
    """Neck, face and hair.

    Args:
        build: whose.
        at_m: x and z of the neck's foot.
    """
    size, (x, z) = build.height_m, at_m
    heights = np.array([0.0, 0.038, 0.095]) * size
    face = np.stack([x + np.array([0.0, 0.010, 0.012]) * size, np.zeros(3), z + heights], axis=1)
    hair = np.stack([x + np.array([0.004, 0.0]) * size, np.zeros(2), z + np.array([0.095, 0.145]) * size], axis=1)
    face_radii = np.array([[0.030, 0.030], [0.046, 0.038], [0.056, 0.045]]) * size
    hair_radii = np.array([[0.062, 0.049], [0.036, 0.030]]) * size
    return Mesh.merge(
        [
            tube(face, face_radii, Surface.SKIN, build.skin, sides=6, capped=False),
            tube(hair, hair_radii, Surface.CLOTH, build.hair, sides=6),
        ]
    )


def foot(build: Build, y_m: float) -> Mesh:
    """A shoe, the ankle at the origin.

    Args:
        build: whose.
        y_m: of the ankle.
    """
    half_m, length_m = 0.026 * build.height_m, 0.15 * build.height_m
    heel, toe, sole = -0.3 * length_m, 0.7 * length_m, -build.ankle_m
    vertices = [
        [x, y_m + side * half_m, z]
        for side in (1, -1)
        for x, z in (
            (heel, sole),
            (toe, sole),
            (toe, 0.6 * sole),
            (0.15 * length_m, 0.2 * build.ankle_m),
            (heel, 0.2 * build.ankle_m),
        )
    ]
    left = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4]])
    i = np.arange(5)
    j = (i + 1) % 5
    around = np.concatenate([np.stack([i, j, j + 5], 1), np.stack([i, j + 5, i + 5], 1)])
    return Mesh.of(vertices, np.concatenate([left, left + 5, around]), Surface.RUBBER, build.shoes)

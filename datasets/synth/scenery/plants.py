"""Trees, bushes and hedges: wood in the middle, loose leaves around it."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh, frustum, leaves, limb
from vedette.datasets.synth.scenery.solids import quads, upright
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_BARK: Final[Colour] = (92, 78, 62)
_SHADE: Final[Colour] = (54, 76, 34)
_GREEN: Final[Colour] = (68, 104, 38)
_LEAF_M: Final = 0.2
_TUFT_LEAVES: Final = 2
_TUFT_LEAF_M: Final = 0.07
_ACROSS: Final = 1.15  # a regular triangle of this radius is as large as a normal one of spread 1, on average
_THIRDS: Final = np.array([0.0, 2.0, 4.0]) * np.pi / 3.0
_CORE: Final = (0.85, 0.45, 0.8)  # of a shrub's opaque inside: radius below and above, height
_CORE_SIDES: Final = 6
_SHRUB_LEAF_M: Final = 0.12
_SHRUB_LEAVES_PER_M2: Final = 26.0
_BRANCHED: Final = 150
"""Trees with fewer leaves are seen from afar and need no branches."""


def tree(rng: np.random.Generator, clear_m: float, crown_m: float, count: int = 200) -> Mesh:
    """A broad-leaved tree.

    Args:
        rng: of its form.
        clear_m: height below which no leaf hangs.
        crown_m: radius of the crown.
        count: of leaves; the fewer, the larger they are.
    """
    tall = crown_m * rng.uniform(0.85, 1.35)
    leaf_m = _LEAF_M * np.sqrt(290 / count) * (0.5 + 0.25 * crown_m)
    middle = clear_m + 0.75 * tall + 2.5 * leaf_m
    radius = 0.07 + 0.05 * crown_m * rng.uniform(0.7, 1.4)
    trunk = frustum((radius, radius * 0.7), middle + 0.2, Surface.BARK, _BARK, (0.0, 0.0, -0.2), sides=6)
    angles = rng.uniform(0, 2 * np.pi) + np.arange(2) * np.pi
    branches = (
        []
        if count < _BRANCHED
        else [
            limb(
                [0.0, 0.0, max(clear_m, middle - tall)],
                [0.6 * crown_m * np.cos(a), 0.6 * crown_m * np.sin(a), middle + 0.3 * tall],
                0.4 * radius,
                Surface.BARK,
                _BARK,
            )
            for a in angles
        ]
    )
    lean = rng.normal(0.0, 0.1, 2) * crown_m
    around = leaves(rng, [*lean, middle], [crown_m, crown_m, tall], count, 0.0).vertices_m[::3]
    crown = _tinted(_loose(rng, around.astype(np.float64), leaf_m, _GREEN), rng)
    above = crown.vertices_m.copy()
    above[:, 2] = clear_m + np.abs(above[:, 2] - clear_m)  # crowns are dense and broad at their lower end
    return Mesh.merge([trunk, *branches, Mesh(above, crown.triangles, crown.surfaces, crown.colours_rgb)])


def conifer(rng: np.random.Generator, height_m: float) -> Mesh:
    """A narrow tree with branches down to the ground.

    Args:
        rng: of its form.
        height_m: of the tree.
    """
    trunk = frustum((0.14, 0.05), height_m * 0.9, Surface.BARK, _BARK, (0.0, 0.0, -0.2), sides=6)
    radius = height_m * rng.uniform(0.16, 0.26)
    count = 170
    share = 1 - np.sqrt(rng.uniform(0.02, 1.0, count))  # more leaves where the cone is wide
    angle = rng.uniform(0, 2 * np.pi, count)
    reach = radius * (1 - share) * np.sqrt(rng.uniform(0.4, 1.0, count))
    middle = np.stack([reach * np.cos(angle), reach * np.sin(angle), 0.3 + share * height_m], axis=1)
    return _tinted(_scattered(rng, trunk, middle, 0.17, (44, 70, 44)), rng)


def bush(rng: np.random.Generator, radii_m: tuple[float, float, float], count: int = 90) -> Mesh:
    """A bush that stands on the ground.

    Args:
        rng: of its form.
        radii_m: half axes; the third is half its height.
        count: of leaves.
    """
    core = frustum((0.75 * radii_m[0], 0.35 * radii_m[0]), 1.3 * radii_m[2], Surface.FOLIAGE, _SHADE, sides=6)
    stretched = core.vertices_m * np.array([1.0, radii_m[1] / radii_m[0], 1.0], dtype=np.float32)
    inside = Mesh(stretched, core.triangles, core.surfaces, core.colours_rgb)
    crown = leaves(rng, [0.0, 0.0, 0.95 * radii_m[2]], radii_m, count, 0.11)
    return Mesh.merge([inside, _tinted(crown, rng)])


def hedge(
    rng: np.random.Generator,
    points_uv_m: NDArrayFloat,
    low_m: NDArrayFloat,
    size_m: tuple[float, float],
    *,
    leaves_per_m: float = 12.0,
) -> Mesh:
    """Pieces of a clipped hedge, to be laid along a line.

    Args:
        rng: of its leaves.
        points_uv_m: (N, 2, 2) start and end of each piece, plan metres.
        low_m: (N,) height of the ground under it, above carriageway level.
        size_m: height and width of the hedge.
        leaves_per_m: of its length, if it is 1 m high.
    """
    height_m, width_m = size_m
    start, end = points_uv_m[:, 0], points_uv_m[:, 1]
    along = (end - start) / np.maximum(np.linalg.norm(end - start, axis=1, keepdims=True), 1e-6)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) * (0.35 * width_m)
    top = low_m + height_m - 0.08
    sides = [upright(start + s * across, end + s * across, low_m - 0.1, top) for s in (-1.0, 1.0)]
    lid = np.stack([sides[0][:, 3], sides[0][:, 2], sides[1][:, 2], sides[1][:, 3]], axis=1)
    core = quads(np.concatenate([*sides, lid]), Surface.FOLIAGE, _SHADE)
    count = int(np.ceil(leaves_per_m * np.linalg.norm(end - start, axis=1).sum() * (0.5 + height_m / 2)))
    piece = rng.integers(len(start), size=count)
    share = rng.uniform(size=(count, 1))
    side = rng.uniform(-1.0, 1.0, (count, 1))
    side = np.where(rng.random((count, 1)) < 0.6, np.sign(side), side)  # most leaves on the two faces
    uv = start[piece] + share * (end - start)[piece] + side * across[piece] * 1.25
    z = np.where(np.abs(side[:, 0]) == 1.0, rng.uniform(0.05, 1.0, count), rng.uniform(0.9, 1.0, count))
    middle = np.column_stack([uv, low_m[piece] + z * height_m])
    return _tinted(_scattered(rng, core, middle, 0.11, (70, 98, 42)), rng)


def shrubs(rng: np.random.Generator, places_m: NDArrayFloat, radii_m: NDArrayFloat, tall_m: NDArrayFloat) -> Mesh:
    """Low shrubs and ground cover, many at once: opaque inside, a few loose leaves around.

    Args:
        rng: of their leaves.
        places_m: (N, 3) where each stands.
        radii_m: (N,) half their width.
        tall_m: (N,) their heights.
    """
    low, high, share = _CORE
    angle = (np.arange(_CORE_SIDES) / _CORE_SIDES + rng.random((len(places_m), 1))) * 2.0 * np.pi
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=-1) * rng.uniform(0.8, 1.15, (*angle.shape, 1))
    foot, top = (
        places_m[:, None]
        + np.concatenate(
            [ring * (wide * radii_m)[:, None, None], np.broadcast_to((z * tall_m)[:, None, None], (*angle.shape, 1))], 2
        )
        for wide, z in ((low, 0.0), (high, share))
    )
    ahead = np.roll(np.arange(_CORE_SIDES), -1)
    sides = np.stack([foot, foot[:, ahead], top[:, ahead], top], axis=2)
    lid = np.concatenate([top[:, [0, 1, 2, 3]], top[:, [3, 4, 5, 0]]]).reshape(-1, 4, 3)
    core = quads(np.concatenate([sides.reshape(-1, 4, 3), lid]), Surface.FOLIAGE, _SHADE)
    which = np.repeat(
        np.arange(len(places_m)),
        np.maximum(4, np.round(_SHRUB_LEAVES_PER_M2 * radii_m * (radii_m + tall_m))).astype(int),
    )
    out = rng.normal(size=(len(which), 3))
    out[:, 2] = np.abs(out[:, 2])
    out *= 0.95 / np.linalg.norm(out, axis=1, keepdims=True)
    reach = np.column_stack([radii_m, radii_m, tall_m - _SHRUB_LEAF_M / 2])[which]
    return overgrown(rng, core, places_m[which] + out * reach)


def overgrown(rng: np.random.Generator, mass: Mesh, places_m: NDArrayFloat) -> Mesh:
    """A mass of shrubs with loose leaves on it.

    Args:
        rng: of the leaves.
        mass: the opaque inside.
        places_m: (N, 3) of the leaves.
    """
    return _tinted(_scattered(rng, mass, places_m, _SHRUB_LEAF_M, (74, 104, 44)), rng)


def tufts(rng: np.random.Generator, places_m: NDArrayFloat, tall_m: NDArrayFloat) -> Mesh:
    """Low plants that cover ground: long grass, flowers, weeds.

    Args:
        rng: of their leaves.
        places_m: (N, 3) where each stands.
        tall_m: (N,) their heights.
    """
    share = rng.uniform(0.1, 1.0, (len(places_m), _TUFT_LEAVES))
    middle = np.repeat(places_m[:, None], _TUFT_LEAVES, axis=1)
    middle[..., 2] += share * tall_m[:, None]
    middle[..., :2] += rng.normal(0.0, _TUFT_LEAF_M, (*share.shape, 2))
    return _tinted(_loose(rng, middle.reshape(-1, 3), _TUFT_LEAF_M, (92, 104, 50)), rng)


def _scattered(rng: np.random.Generator, core: Mesh, middle_m: NDArrayFloat, leaf_m: float, colour: Colour) -> Mesh:
    """A core with leaves at given places."""
    return Mesh.merge([core, _loose(rng, middle_m, leaf_m, colour)])


def _loose(rng: np.random.Generator, middle_m: NDArrayFloat, leaf_m: float, colour: Colour) -> Mesh:
    """Leaves at given places: triangles as large as those of `mesh.leaves`, but without long thin ones."""
    count = len(middle_m)
    towards, aside = rng.normal(size=(2, count, 3))
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    aside -= (aside * towards).sum(axis=1, keepdims=True) * towards
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    angle = _THIRDS + rng.normal(0.0, 0.25, (count, 3))
    reach = _ACROSS * leaf_m * rng.uniform(0.7, 1.3, (count, 3))
    flat = np.stack([reach * np.cos(angle), reach * np.sin(angle)], axis=-1)
    corners = middle_m[:, None] + flat[..., :1] * towards[:, None] + flat[..., 1:] * aside[:, None]
    loose = Mesh.of(corners, np.arange(3 * len(middle_m)), Surface.FOLIAGE, colour)
    shade = rng.normal(1.0, 0.18, (len(middle_m), 1))
    colours = np.clip(loose.colours_rgb * shade, 0, 255).astype(np.uint8)
    return Mesh(loose.vertices_m, loose.triangles, loose.surfaces, colours)


def _tinted(mesh: Mesh, rng: np.random.Generator) -> Mesh:
    """The same plant a little darker or lighter, greener or yellower than others."""
    tint = rng.uniform(0.75, 1.15) * np.array([rng.uniform(0.85, 1.2), 1.0, rng.uniform(0.8, 1.1)])
    colours = np.clip(mesh.colours_rgb * tint, 0, 255).astype(np.uint8)
    return Mesh(mesh.vertices_m, mesh.triangles, mesh.surfaces, colours)

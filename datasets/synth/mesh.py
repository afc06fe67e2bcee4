"""Triangles, each with a surface and a colour, and the few solids that everything is put together from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import SE3, NDArrayBool, NDArrayFloat32, NDArrayInt, NDArrayUInt8

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255, as a camera would show the surface in white light."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles in some frame.

    Args:
        vertices_m: ``(V,3) float32``.
        triangles: ``(T,3) int64`` rows of `vertices_m`. Both sides can be hit, so their order does not matter.
        surfaces: ``(T,) uint8`` values of `Surface`.
        colours_rgb: ``(T,3) uint8``.

    Raises:
        ValueError: the arrays are not parallel, or a triangle names no vertex.
    """

    vertices_m: NDArrayFloat32
    triangles: NDArrayInt
    surfaces: NDArrayUInt8
    colours_rgb: NDArrayUInt8

    def __post_init__(self) -> None:
        count = len(self.triangles)
        if self.vertices_m.ndim != 2 or self.vertices_m.shape[1] != 3 or self.vertices_m.dtype != np.float32:
            raise ValueError(f"vertices are {self.vertices_m.shape} {self.vertices_m.dtype}; expected (V, 3) float32")
        if self.triangles.shape != (count, 3) or self.triangles.dtype != np.int64:
            raise ValueError(f"triangles are {self.triangles.shape} {self.triangles.dtype}; expected (T, 3) int64")
        if self.surfaces.shape != (count,) or self.colours_rgb.shape != (count, 3):
            raise ValueError(
                f"{count} triangles have surfaces {self.surfaces.shape} and colours {self.colours_rgb.shape}; expected"
                f" ({count},) and ({count}, 3)"
            )
        if count and not (self.triangles.min() >= 0 and self.triangles.max() < len(self.vertices_m)):
            raise ValueError(f"triangles name vertices up to {self.triangles.max()}; there are {len(self.vertices_m)}")

    @classmethod
    def of(cls, vertices_m: ArrayLike, triangles: ArrayLike, surface: Surface, colour: Colour) -> Mesh:
        """Triangles of one surface and colour.

        Args:
            vertices_m: (V, 3).
            triangles: (T, 3) rows of `vertices_m`.
            surface: of all.
            colour: of all.
        """
        faces = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
        return cls(
            np.asarray(vertices_m, dtype=np.float32).reshape(-1, 3),
            faces,
            np.full(len(faces), int(surface), dtype=np.uint8),
            np.tile(np.array(colour, dtype=np.uint8), (len(faces), 1)),
        )

    @classmethod
    def merge(cls, meshes: Sequence[Mesh]) -> Mesh:
        """All triangles of several meshes of one frame, in order; none of no meshes."""
        if not meshes:
            return cls.of(np.zeros((0, 3)), np.zeros((0, 3)), Surface.CONCRETE, (0, 0, 0))
        starts = np.cumsum([0, *(len(mesh.vertices_m) for mesh in meshes[:-1])])
        return cls(
            np.concatenate([mesh.vertices_m for mesh in meshes]),
            np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, starts, strict=True)]),
            np.concatenate([mesh.surfaces for mesh in meshes]),
            np.concatenate([mesh.colours_rgb for mesh in meshes]),
        )

    def __len__(self) -> int:
        return len(self.triangles)

    def moved(self, dst_SE3_src: SE3) -> Mesh:
        """The mesh in another frame.

        Args:
            dst_SE3_src: from the mesh's frame.
        """
        vertices = dst_SE3_src.transform_points(self.vertices_m).astype(np.float32)
        return Mesh(vertices, self.triangles, self.surfaces, self.colours_rgb)

    def select(self, keep: NDArrayBool) -> Mesh:
        """Some of the triangles; vertices stay.

        Args:
            keep: ``(T,) bool``.
        """
        return Mesh(self.vertices_m, self.triangles[keep], self.surfaces[keep], self.colours_rgb[keep])


_CUBOID = np.array(
    [
        [0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4],
        [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7],
    ]
)  # fmt: skip


def cuboid(
    size_m: ArrayLike, surface: Surface, colour: Colour, bottom_m: ArrayLike = (0.0, 0.0, 0.0), yaw: float = 0.0
) -> Mesh:
    """A box that stands upright.

    Args:
        size_m: length along x, width along y, height.
        surface: of all sides.
        colour: of all sides.
        bottom_m: (3,) centre of the bottom face.
        yaw: radians, counter-clockwise seen from above.
    """
    length, width, height = np.asarray(size_m, dtype=np.float64)
    x = np.array([1, 1, -1, -1, 1, 1, -1, -1]) * length / 2
    y = np.array([1, -1, -1, 1, 1, -1, -1, 1]) * width / 2
    z = np.array([0, 0, 0, 0, 1, 1, 1, 1]) * height
    pose = SE3.from_yaw(yaw, bottom_m)
    return Mesh.of(pose.transform_points(np.stack([x, y, z], axis=1)), _CUBOID, surface, colour)


def frustum(
    radii_m: tuple[float, float],
    height_m: float,
    surface: Surface,
    colour: Colour,
    bottom_m: ArrayLike = (0.0, 0.0, 0.0),
    *,
    sides: int = 8,
) -> Mesh:
    """An upright prism or truncated cone, closed above.

    Args:
        radii_m: at the bottom and at the top.
        height_m: above the bottom.
        surface: of all sides.
        colour: of all sides.
        bottom_m: (3,) centre of the bottom face.
        sides: corners of the polygon.
    """
    angle = np.arange(sides) * 2 * np.pi / sides
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(sides)], axis=1)
    top = ring * radii_m[1] + [0.0, 0.0, height_m]
    vertices = np.concatenate([ring * radii_m[0], top]) + np.asarray(bottom_m, dtype=np.float64)
    i = np.arange(sides)
    j = (i + 1) % sides
    sides_faces = np.concatenate([np.stack([i, j, j + sides], 1), np.stack([i, j + sides, i + sides], 1)])
    cap = np.stack([np.full(sides - 2, sides), i[1:-1] + sides, i[2:] + sides], 1)
    return Mesh.of(vertices, np.concatenate([sides_faces, cap]), surface, colour)


def limb(start_m: ArrayLike, end_m: ArrayLike, radius_m: float, surface: Surface, colour: Colour) -> Mesh:
    """A four-sided bar from one point to another, tapering a little.

    Args:
        start_m: (3,) centre of one end.
        end_m: (3,) centre of the other, elsewhere.
        radius_m: half its thickness.
        surface: of all sides.
        colour: of all sides.

    Raises:
        ValueError: both ends are one point.
    """
    start, end = np.asarray(start_m, dtype=np.float64), np.asarray(end_m, dtype=np.float64)
    axis = end - start
    norm = float(np.linalg.norm(axis))
    if norm == 0.0:
        raise ValueError(f"a limb from {start.tolist()} to the same point; expected two points")
    helper = np.array([1.0, 0.0, 0.0]) if abs(axis[2]) > 0.5 * norm else np.array([0.0, 0.0, 1.0])
    side = np.cross(axis, helper)
    side *= radius_m / np.linalg.norm(side)
    other = np.cross(axis, side)
    other *= radius_m / np.linalg.norm(other)
    ring = np.array([side + other, side - other, -side - other, -side + other])
    return Mesh.of(np.concatenate([start + ring, end + 0.85 * ring]), _CUBOID, surface, colour)


def leaves(rng: np.random.Generator, centre_m: ArrayLike, radii_m: ArrayLike, count: int, size_m: float) -> Mesh:
    """Loose triangles in an ellipsoid, denser outside, as leaves and twigs are.

    Args:
        rng: places them.
        centre_m: (3,) of the ellipsoid.
        radii_m: (3,) half axes.
        count: of triangles.
        size_m: spread of a triangle's corners.
    """
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    depth = np.sqrt(rng.uniform(0.35, 1.0, (count, 1)))
    middle = np.asarray(centre_m, dtype=np.float64) + direction * np.asarray(radii_m, dtype=np.float64) * depth
    corners = middle[:, None] + rng.normal(size=(count, 3, 3)) * size_m
    green = rng.integers((40, 75, 20), (95, 135, 55), size=(count, 3)).astype(np.uint8)
    surfaces = np.full(count, int(Surface.FOLIAGE), dtype=np.uint8)
    return Mesh(corners.reshape(-1, 3).astype(np.float32), np.arange(3 * count).reshape(-1, 3), surfaces, green)

from __future__ import annotations

import numpy as np

from vedette.datasets.synth.camera.smooth import blended_normals, corner_normals, smooth_triangles
from vedette.datasets.synth.mesh import Mesh, cuboid, frustum
from vedette.datasets.synth.raycast import TriangleScene
from vedette.datasets.synth.surfaces import Surface


def normals_of(mesh: Mesh) -> np.ndarray:
    return TriangleScene(mesh, np.zeros(len(mesh), dtype=np.int64)).normals


def split(mesh: Mesh) -> Mesh:
    """The same triangles, none of which shares a vertex with another."""
    vertices = mesh.vertices_m[mesh.triangles].reshape(-1, 3)
    triangles = np.arange(len(vertices)).reshape(-1, 3)
    return Mesh(vertices, triangles, mesh.surfaces, mesh.colours_rgb)


def test_edges_of_a_box_stay_sharp() -> None:
    mesh = cuboid((4.0, 2.0, 1.5), Surface.CAR_PAINT, (9, 9, 9))
    flat = normals_of(mesh)
    corner = corner_normals(mesh, flat, smooth_triangles(mesh))
    np.testing.assert_allclose(np.abs(np.einsum("ikj,ij->ik", corner, flat)), 1.0, atol=1e-6)


def test_panels_of_a_cylinder_become_round_even_when_modelled_apart() -> None:
    """At the corners of a prism with 16 sides, normals point away from its axis."""
    mesh = split(frustum((1.0, 1.0), 3.0, Surface.CAR_PAINT, (9, 9, 9), sides=16).select(np.arange(46) < 32))
    corner = corner_normals(mesh, normals_of(mesh), smooth_triangles(mesh))
    radial = mesh.vertices_m[mesh.triangles] * [1.0, 1.0, 0.0]
    cosine = np.abs(np.einsum("ikj,ikj->ik", corner, radial))
    assert cosine.min() > np.cos(np.pi / 16) + 0.01, "nearer to the axis's direction than a flat side is"


def test_other_surfaces_stay_flat() -> None:
    mesh = cuboid((4.0, 2.0, 1.5), Surface.BRICK, (9, 9, 9))
    assert len(smooth_triangles(mesh)) == 0
    assert corner_normals(mesh, normals_of(mesh), smooth_triangles(mesh)).shape == (0, 3, 3)


def test_normals_blend_linearly_across_a_triangle() -> None:
    corners = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], dtype=np.float32)
    normals = np.array([[[0, 0, 1], [0.6, 0, 0.8], [0, 0, 1]]], dtype=np.float32)
    at_corner = blended_normals(corners, normals, np.array([[1, 0, 0]], dtype=np.float32))[0]
    halfway = blended_normals(corners, normals, np.array([[0.5, 0, 0]], dtype=np.float32))[0]
    np.testing.assert_allclose(at_corner, [0.6, 0.0, 0.8], atol=1e-6)
    np.testing.assert_allclose(halfway, np.array([0.3, 0.0, 0.9]) / np.hypot(0.3, 0.9), atol=1e-6)

from __future__ import annotations

import numpy as np

from vedette.datasets.synth.camera.look import Look, linear_from_srgb
from vedette.datasets.synth.mesh import Mesh, cuboid, frustum
from vedette.datasets.synth.raycast import unit_normals
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import SE3

BODY = Mesh.merge(
    [
        cuboid((4.0, 2.0, 1.5), Surface.CAR_PAINT, (128, 0, 255)),
        frustum((0.5, 0.3), 2.0, Surface.CANVAS, (9, 9, 9), (1.0, 0.5, 1.5), sides=7),
    ]
)


def pattern_places(look: Look, mesh: Mesh) -> np.ndarray:
    """(T,2) coordinates of the pattern at the first corner of each triangle."""
    points = mesh.vertices_m[mesh.triangles[:, 0]]
    u, v = (np.einsum("ij,ij->i", axis, points) for axis in (look.along, look.up))
    return np.stack([u, v], axis=1) + look.offsets_m


def test_patterns_stay_on_what_moves() -> None:
    """Wherever the body is, the same spot of it has the same place in the pattern."""
    look = Look.of(BODY, unit_normals(BODY))
    pose = SE3.from_yaw(2.3, [31.0, -12.0, 0.4])
    np.testing.assert_allclose(
        pattern_places(look.moved(pose), BODY.moved(pose)), pattern_places(look, BODY), atol=1e-4
    )


def test_moving_the_look_is_looking_at_what_moved() -> None:
    pose = SE3.from_yaw(-1.1, [3.0, 7.0, 1.0])
    moved = Look.of(BODY, unit_normals(BODY)).moved(pose)
    afresh = Look.of(BODY.moved(pose), unit_normals(BODY.moved(pose)))
    np.testing.assert_allclose(moved.normals, afresh.normals, atol=1e-5)
    np.testing.assert_allclose(moved.corners_m, afresh.corners_m, atol=1e-5)
    np.testing.assert_allclose(moved.corner_normals, afresh.corner_normals, atol=1e-5)


def test_joined_looks_keep_their_round_triangles_apart() -> None:
    look = Look.of(BODY, unit_normals(BODY))
    moved = look.moved(SE3.from_yaw(0.0, [10.0, 0.0, 0.0]))
    both = Look.joined([look, moved])
    row = len(BODY)
    assert both.rounded_rows[0] == 0
    np.testing.assert_allclose(both.corners_m[both.rounded_rows[row]], moved.corners_m[0])


def test_both_triangles_of_a_wall_share_their_pattern() -> None:
    wall = Mesh.of([[0, 0, 0], [3, 1, 0], [3, 1, 2], [0, 0, 2]], [[0, 1, 2], [0, 3, 2]], Surface.BRICK, (9, 9, 9))
    look = Look.of(wall, unit_normals(wall))
    np.testing.assert_allclose(look.along[0], look.along[1], atol=1e-6)
    np.testing.assert_allclose(look.up[0], look.up[1], atol=1e-6)
    np.testing.assert_allclose(np.abs(look.up[0]), [0.0, 0.0, 1.0], atol=1e-6)


def test_srgb_to_linear_at_known_values() -> None:
    table = linear_from_srgb()
    np.testing.assert_allclose(table[[0, 10, 128, 255]], [0.0, 10 / 255 / 12.92, 0.2158605, 1.0], rtol=1e-5)

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.camera.rays import View
from vedette.datasets.synth.rig import KITTI_RIG
from vedette.geometry import SE3, PinholeCamera

PROJECTIONS = {
    "plain": [[700.0, 0.0, 320.0, 0.0], [0.0, 700.0, 120.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
    "KITTI's left colour camera": [
        [721.5377, 0.0, 609.5593, 44.85728],
        [0.0, 721.5377, 172.854, 0.2163791],
        [0.0, 0.0, 1.0, 0.002745884],
    ],
    "unequal focal lengths, far-off principal point": [
        [500.0, 0.0, -20.0, 9.0],
        [0.0, 800.0, 400.0, -5.0],
        [0.0, 0.0, 1.0, 0.1],
    ],
}


@pytest.mark.parametrize("name", PROJECTIONS)
def test_points_on_a_pixels_ray_project_onto_the_pixel(name: str) -> None:
    """The ray is the inverse of the projection, fourth column included, whatever the vehicle's pose."""
    rng = np.random.default_rng(3)
    rotation = np.array([[0.02, -0.9998, 0.0], [0.0, 0.0, -1.0], [0.9998, 0.02, 0.0]])
    rotation = np.linalg.svd(rotation)[0] @ np.linalg.svd(rotation)[2]
    camera = PinholeCamera(np.array(PROJECTIONS[name]), SE3(rotation, np.array([0.06, -0.08, -0.27])), 640, 240)
    world_SE3_velo = SE3.from_yaw(2.1, [40.0, -12.0, 3.0])
    pixels = (rng.random((50, 2)) * [640, 240]).astype(np.float32)

    rays = View(camera, world_SE3_velo).rays(pixels)
    depth = rng.uniform(2.0, 60.0, 50).astype(np.float32)
    points_world = rays.origin_m + rays.directions * (depth * rays.metres_per_depth)[:, None]

    uv, projected_depth = camera.project_velo(world_SE3_velo.inverse().transform_points(points_world))
    np.testing.assert_allclose(uv, pixels, atol=0.02)
    np.testing.assert_allclose(projected_depth, depth, rtol=1e-4)


def test_rays_are_of_unit_length() -> None:
    camera = PinholeCamera(np.array(PROJECTIONS["plain"]), SE3.identity(), 64, 48)
    view = View(camera, SE3.identity())
    rays = view.rays(view.pixels())
    np.testing.assert_allclose(np.linalg.norm(rays.directions, axis=1), 1.0, atol=1e-6)


def test_pixels_are_listed_row_by_row() -> None:
    camera = PinholeCamera(np.array(PROJECTIONS["plain"]), SE3.identity(), 3, 2)
    assert View(camera, SE3.identity()).pixels().tolist() == [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]


def test_frames_hold_what_points_project_to() -> None:
    """A plate 10 m ahead, and one aside of the image, which shows nowhere."""
    camera = KITTI_RIG.camera
    view = View(camera, SE3.identity())
    plate = np.array([[10.0, 1.0, 0.0], [10.0, -1.0, 0.5]], dtype=np.float32)
    uv, _ = camera.project_velo(plate)
    rows, columns = view.frames(plate, slack_px=0.0)
    assert (columns.start, columns.stop) == (int(uv[:, 0].min()), int(uv[:, 0].max()) + 1)
    assert (rows.start, rows.stop) == (int(uv[:, 1].min()), int(uv[:, 1].max()) + 1)
    _, columns = view.frames(np.array([[10.0, 30.0, 0.0]], np.float32))
    assert columns.stop == 0


def test_frames_end_at_the_plane_of_the_camera() -> None:
    """What passes the camera shows to the image's edge, on its own side; what is behind shows nowhere."""
    camera = KITTI_RIG.camera
    view = View(camera, SE3.identity())
    passing = np.array([[4.0, -2.0, -1.0], [-3.0, -2.0, -1.0], [4.0, -3.0, 0.5], [-3.0, -3.0, 0.5]], dtype=np.float32)
    uv, _ = camera.project_velo(passing[:1])
    rows, columns = view.frames(passing, slack_px=0.0)
    assert (rows.start, rows.stop, columns.stop) == (0, 375, 1242)
    # its front, as wide as it is, is the nearest to the middle
    assert int(uv[0, 0]) - 80 < columns.start <= int(uv[0, 0])
    rows, columns = view.frames(passing - np.array([10.0, 0.0, 0.0], np.float32))
    assert (rows.stop, columns.stop) == (0, 0)

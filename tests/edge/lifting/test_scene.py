"""Scene: projection, crop and ground removal in one."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.detections import Detections2D
from vedette.edge.lifting.scene import points_inside, view_scene
from vedette.frames import Sweep

NOTHING = Detections2D.empty()


def test_only_points_in_the_image_that_stand_up_are_kept(street):
    """Behind the camera, beside the image, and ground: gone; a car's points: kept, with the camera's own pixels."""
    road = street.points([])
    car = np.array([[15, 0, -1, 0], [15, 0.5, -0.6, 0], [15, 0.2, -0.9, 0]], np.float32)
    behind = np.array([[-15, 0, -1, 0]], np.float32)
    beside = np.array([[5, 30, -1, 0]], np.float32)
    scene = view_scene(Sweep(np.vstack([road, car, behind, beside]), 0, 0), street.camera, NOTHING)
    assert scene.xyz_velo == pytest.approx(car[:, :3].T)
    expected_px, _ = street.camera.project_velo(car)
    assert scene.pixels == pytest.approx(expected_px.T, abs=0.01)


def test_a_sweep_out_of_view_gives_an_empty_scene(street):
    """Nothing in the image: no points, and a ground that answers nevertheless."""
    scene = view_scene(Sweep(np.array([[-5, 0, 0, 0]], np.float32), 0, 0), street.camera, NOTHING)
    assert scene.xyz_velo.shape == (3, 0)
    assert scene.ground.height_at(10.0, 0.0) == 0.0


def test_points_keep_the_order_of_the_sweep(street):
    """What is kept comes in the order in which it was scanned."""
    points = np.tile(np.array([[20, 1, 0.2, 0]], np.float32), (40_000, 1))
    points[:, 1] = np.linspace(-3, 3, len(points))
    scene = view_scene(Sweep(points, 0, 0), street.camera, NOTHING)
    assert np.all(np.diff(scene.xyz_velo[1]) >= 0)


def test_a_mask_narrows_the_box():
    """Points in the box and off the mask are not the object's; a pixel of spill around the box is allowed."""
    mask = np.zeros((1, 375, 1242), np.bool_)
    mask[0, 100:200, 100:150] = True
    pixels = np.array([[120, 150], [180, 150], [130, 99.5], [300, 150]], np.float32).T
    box, score, car = np.array([[100.0, 100.0, 200.0, 200.0]]), np.array([0.9]), np.array([0])
    assert [i.tolist() for i in points_inside(pixels, Detections2D(box, score, car))] == [[0, 1, 2]]
    assert [i.tolist() for i in points_inside(pixels, Detections2D(box, score, car, mask))] == [[0]]
    assert points_inside(pixels, NOTHING) == ()

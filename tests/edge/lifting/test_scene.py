"""Scene: projection, crop and ground removal in one."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.detections import Detections2D
from vedette.edge.lifting.scene import erosion_px, points_around, view_scene
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


def held(pixels, detections):
    """Indices of the points that each detection holds."""
    around, inside = points_around(pixels, detections, detections.boxes_px)
    return [near[within].tolist() for near, within in zip(around, inside, strict=True)]


def test_a_mask_narrows_the_box():
    """Points in the box and off the mask are not the object's; a pixel of spill around the box is allowed."""
    mask = np.zeros((1, 375, 1242), np.bool_)
    mask[0, 100:200, 100:150] = True
    pixels = np.array([[120, 150], [180, 150], [130, 99.5], [300, 150]], np.float32).T
    box, score, car = np.array([[100.0, 100.0, 200.0, 200.0]]), np.array([0.9]), np.array([0])
    assert held(pixels, Detections2D(box, score, car)) == [[0, 1, 2]]
    assert held(pixels, Detections2D(box, score, car, mask)) == [[0]]
    assert held(pixels, NOTHING) == []


def test_points_beside_the_box_are_told_apart():
    """A quarter of the box's width to either side and of its height above it is looked at; below it lies ground."""
    pixels = np.array([[150, 150], [80, 150], [70, 150], [150, 80], [150, 220]], np.float32).T
    detections = Detections2D(np.array([[100.0, 100.0, 200.0, 200.0]]), np.array([0.9]), np.array([0]))
    (around,), (inside,) = points_around(pixels, detections, detections.boxes_px)
    assert (around.tolist(), inside.tolist()) == ([0, 1, 3], [True, False, False])


@pytest.mark.parametrize(
    ("size_px", "expected"), [((20, 20), 0), ((24, 400), 0), ((60, 40), 1), ((100, 120), 2), ((600, 300), 3)]
)
def test_erosion_grows_with_the_smaller_side(size_px, expected):
    """A fiftieth of it, at most 3 pixels; nothing of what is smaller than 25."""
    assert erosion_px(*size_px) == expected


def test_a_point_at_the_rim_of_a_large_mask_is_not_the_objects():
    """A mask of 200 by 150 pixels loses 3 at its rim, and nothing inside."""
    mask = np.zeros((1, 375, 1242), np.bool_)
    mask[0, 100:250, 100:300] = True
    pixels = np.array([[101, 175], [104, 175], [298, 175], [200, 101], [200, 175], [200, 248]], np.float32).T
    detections = Detections2D(np.array([[100.0, 100.0, 299.0, 249.0]]), np.array([0.9]), np.array([0]), mask)
    assert held(pixels, detections) == [[1, 4]]


def test_the_sweep_sees_on_where_the_image_ends(street):
    """Of a car half out of the image the points beside it are kept too, but only where a detection is cut."""
    car = street.box(5.0, 5.2)
    detections = street.detections([car])
    assert detections.boxes_px[0, 0] == 0
    scene = view_scene(street.sweep([car]), street.camera, detections)
    assert scene.pixels[0].min() < -50
    assert scene.pixels[0, scene.around[0][scene.inside[0]]].min() < -50
    assert view_scene(street.sweep([car]), street.camera, NOTHING).pixels[0].min() >= 0

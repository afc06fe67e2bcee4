from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import Actor, RigidShape, Still
from vedette.datasets.synth.camera import CameraSensor
from vedette.datasets.synth.mesh import cuboid
from vedette.datasets.synth.rig import KITTI_RIG, SensorRig, world_SE3_velo
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.world import World
from vedette.errors import ConfigError
from vedette.frames import CameraImage
from vedette.geometry import SE3, PinholeCamera, corners

EGO_ID = 1
MakeWorld = Callable[..., World]


@dataclass(frozen=True)
class Crossing:
    """Constant velocity to the left."""

    x: float
    speed_m_s: float
    is_still: bool = False

    def pose(self, t_s: float) -> SE3:
        return SE3.from_yaw(0.0, [self.x, self.speed_m_s * t_s, 0.0])


def car(actor_id: int, x: float, y: float, yaw: float = 0.0) -> Actor:
    """A parked cuboid of a car's size."""
    size = (4.0, 1.8, 1.5)
    shape = RigidShape(cuboid(size, Surface.CAR_PAINT, (120, 20, 20)), size)
    return Actor(actor_id, ObjectClass.CAR, shape, Still(SE3.from_yaw(yaw, [x, y, 0.0])))


def silhouette(world: World, actor_id: int, rig: SensorRig, t_s: float = 0.0) -> np.ndarray:
    """(H,W) bool: the convex hull of the projected corners of an actor's box, filled by OpenCV.

    It fills whatever the outline touches, so the hull is drawn large and looked up at the pixels' centres.
    """
    box = world.by_id[actor_id].box_world(t_s)
    points = corners(box[None]).reshape(-1, 3)
    velo = world_SE3_velo(world, EGO_ID, rig, t_s).inverse().transform_points(points)
    uv, _ = rig.camera.project_velo(velo)
    large = np.zeros((rig.camera.height_px * 8, rig.camera.width_px * 8), dtype=np.uint8)
    cv2.fillConvexPoly(large, np.round(cv2.convexHull(uv.astype(np.float32)) * 8).astype(np.int32), 1)
    return large[::8, ::8] > 0


def iou(a: np.ndarray, b: np.ndarray) -> float:
    return float((a & b).sum() / (a | b).sum())


def test_picture_is_one_that_frames_take(make_world: MakeWorld, small_rig: SensorRig) -> None:
    picture = CameraSensor(make_world([car(2, 10.0, 0.0)])).picture(EGO_ID, 0.5, small_rig, 0)

    assert CameraImage(picture.pixels_bgr, 0).size_px == (160, 80)
    assert picture.owners.shape == picture.depth_m.shape == (80, 160)
    assert (picture.owners.dtype, picture.depth_m.dtype) == (np.int64, np.float32)
    assert set(np.unique(picture.owners)) == {0, 2}


@pytest.mark.parametrize(("x", "y", "yaw"), [(12.0, 0.0, 0.0), (15.0, 4.0, 0.7), (25.0, -5.0, 2.0), (9.0, -1.0, 1.57)])
def test_mask_of_a_box_is_its_projection(
    make_world: MakeWorld, small_rig: SensorRig, x: float, y: float, yaw: float
) -> None:
    projection = np.array([[300.0, 0.0, 230.4, 0.0], [0.0, 300.0, 60.3, 0.0], [0.0, 0.0, 1.0, 0.0]])
    camera = replace(small_rig.camera, projection=projection, width_px=460, height_px=160)
    rig = replace(small_rig, camera=camera)
    world = make_world([car(2, x, y, yaw)])
    picture = CameraSensor(world).picture(EGO_ID, 0.0, rig, 0)
    assert iou(picture.owners == 2, silhouette(world, 2, rig)) > 0.98


def test_mask_follows_the_calibration(make_world: MakeWorld) -> None:
    """Another size, principal point, fourth column and mounting."""
    projection = np.array([[400.0, 0.0, 250.0, 60.0], [0.0, 420.0, 40.0, 8.0], [0.0, 0.0, 1.0, 0.01]])
    turned = KITTI_RIG.camera.cam_SE3_velo.rotation @ SE3.from_yaw(0.2).rotation
    camera = PinholeCamera(projection, SE3(turned, np.array([0.3, -0.2, 0.1])), 640, 300)
    rig = SensorRig(SE3(np.eye(3), np.array([0.5, 0.2, 1.9])), camera)
    world = make_world([car(2, 10.0, -1.0, 0.4)])

    picture = CameraSensor(world).picture(EGO_ID, 0.0, rig, 0)

    assert picture.pixels_bgr.shape == (300, 640, 3)
    assert iou(picture.owners == 2, silhouette(world, 2, rig)) > 0.98


def test_whoever_moves_is_seen_where_they_are_at_the_exposure(make_world: MakeWorld, small_rig: SensorRig) -> None:
    crossing = replace(car(2, 12.0, 0.0), motion=Crossing(12.0, 3.0))
    world = make_world([crossing])
    sensor = CameraSensor(world)

    def column(t_s: float) -> float:
        return float(np.nonzero(sensor.picture(EGO_ID, t_s, small_rig, 0).owners == 2)[1].mean())

    # its rear, 10 m away, dominates: 3 m at a focal length of 100 px are 30 px to the left, the far end 21 px
    assert column(0.0) == pytest.approx(80.0, abs=1.0)
    assert 21.0 < column(0.0) - column(1.0) < 31.0


def test_depth_of_a_wall_is_its_distance_along_the_axis(make_world: MakeWorld, small_rig: SensorRig) -> None:
    wall = cuboid((1.0, 60.0, 40.0), Surface.BRICK, (150, 100, 90), (20.5, 0.0, 0.0))
    depth = CameraSensor(make_world(scenery=[wall])).picture(EGO_ID, 0.0, small_rig, 0).depth_m

    assert np.allclose(depth[:30], 20.0, atol=1e-3), "the same all over the wall, though rays are longer at its ends"
    # below row 30 + 100 · 1.6 / 20 = 38 the level ground comes first, at f · height / rows below the horizon
    rows = np.arange(40, 80)
    expected = 100.0 * 1.6 / (rows - 30)
    np.testing.assert_allclose(depth[40:], np.repeat(expected[:, None], 160, axis=1), rtol=1e-3)


def test_sky_belongs_to_nobody_and_is_infinitely_far(make_world: MakeWorld, small_rig: SensorRig) -> None:
    picture = CameraSensor(make_world()).picture(EGO_ID, 0.0, small_rig, 0)
    assert np.isinf(picture.depth_m[:28]).all()
    assert np.isfinite(picture.depth_m[35:]).all()
    assert (picture.owners == 0).all()


def test_the_nearer_of_two_owns_the_pixels(make_world: MakeWorld, small_rig: SensorRig) -> None:
    world = make_world([car(2, 18.0, 1.8), car(3, 10.0, 0.0)])
    owners = CameraSensor(world).picture(EGO_ID, 0.0, small_rig, 0).owners
    front, back = silhouette(world, 3, small_rig), silhouette(world, 2, small_rig)

    assert (front & back).sum() > 50
    inner = cv2.erode((front & back).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    assert (owners[inner] == 3).all()
    assert (owners == 2).any()


@pytest.mark.parametrize("moves", [False, True], ids=["parked", "moving"])
def test_whoever_looks_does_not_see_itself(make_world: MakeWorld, small_rig: SensorRig, moves: bool) -> None:
    """A body that would fill the view, as the camera is inside it."""
    size = (8.0, 3.0, 3.0)
    shape = RigidShape(cuboid(size, Surface.CAR_PAINT, (90, 90, 90)), size)
    motion = Crossing(0.0, 1.0) if moves else Still(SE3.from_yaw(0.0))
    world = make_world([Actor(EGO_ID, ObjectClass.VAN, shape, motion), car(2, 12.0, 0.0)])

    owners = CameraSensor(world).picture(EGO_ID, 0.0, small_rig, 0).owners

    assert set(np.unique(owners)) == {0, 2}


def test_only_connected_vehicles_carry_a_camera(make_world: MakeWorld, small_rig: SensorRig) -> None:
    with pytest.raises(ConfigError, match="actor 2 carries no sensors"):
        CameraSensor(make_world([car(2, 10.0, 0.0)])).picture(2, 0.0, small_rig, 0)


def test_same_seed_same_bytes(make_world: MakeWorld, small_rig: SensorRig) -> None:
    """Also from another sensor, and after other pictures."""
    world = make_world([car(2, 10.0, 0.0)])
    first, second = CameraSensor(world), CameraSensor(world)
    one = first.picture(EGO_ID, 0.4, small_rig, 5)
    second.picture(EGO_ID, 0.9, small_rig, 5)
    again = second.picture(EGO_ID, 0.4, small_rig, 5)

    assert np.array_equal(one.pixels_bgr, again.pixels_bgr)
    assert np.array_equal(one.owners, again.owners)


def test_another_seed_or_time_changes_the_noise_alone(make_world: MakeWorld, small_rig: SensorRig) -> None:
    sensor = CameraSensor(make_world([car(2, 10.0, 0.0)]))
    one, other, later = (sensor.picture(EGO_ID, t_s, small_rig, seed) for seed, t_s in ((5, 0.4), (6, 0.4), (5, 0.5)))

    for changed in (other, later):
        difference = np.abs(one.pixels_bgr.astype(int) - changed.pixels_bgr)
        assert 0 < difference.mean() < 4
        assert np.array_equal(one.owners, changed.owners)
        assert np.array_equal(one.depth_m, changed.depth_m)


@pytest.mark.parametrize("strength", [0.01, 0.3, 1.0, 20.0])
def test_exposure_suits_dim_and_bright_days(make_world: MakeWorld, small_rig: SensorRig, strength: float) -> None:
    world = make_world([car(2, 10.0, 0.0)])
    dim = replace(world.light, sun_strength=strength, sky_strength=0.45 * strength)
    pixels = CameraSensor(replace(world, light=dim)).picture(EGO_ID, 0.0, small_rig, 0).pixels_bgr
    assert 60 < pixels.mean() < 160


def test_behind_the_windows_of_a_car_is_what_is_behind(make_world: MakeWorld, small_rig: SensorRig) -> None:
    """A pane belongs to its car, yet through it a bright wall looks other than a dark one."""

    def through(colour: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
        pane = RigidShape(cuboid((0.05, 2.0, 2.0), Surface.CAR_GLASS, (40, 45, 50)), (0.05, 2.0, 2.0))
        wall = cuboid((0.5, 30.0, 20.0), Surface.SIGN, colour, (15.0, 0.0, 0.0))
        world = make_world([Actor(2, ObjectClass.CAR, pane, Still(SE3.from_yaw(0.0, [8.0, 0.0, 0.6])))], [wall])
        from_behind = replace(world.light, sun_azimuth=np.pi)
        picture = CameraSensor(replace(world, light=from_behind)).picture(EGO_ID, 0.0, small_rig, 0)
        return picture.pixels_bgr[25:33, 75:85], picture.owners[25:33, 75:85]

    red, owners = through((230, 30, 30))
    green, _ = through((30, 230, 30))
    assert (owners == 2).all()
    assert red[..., 2].mean() > 1.3 * red[..., 1].mean()
    assert green[..., 1].mean() > 1.3 * green[..., 2].mean()


def test_shadow_of_someone_behind_the_camera_falls_into_the_picture(
    make_world: MakeWorld, small_rig: SensorRig
) -> None:
    """A low sun behind: a box 12 m behind and 6 m high throws its shadow 25 m ahead."""
    size = (2.0, 6.0, 6.0)
    shape = RigidShape(cuboid(size, Surface.CAR_PAINT, (90, 90, 90)), size)

    def ground_ahead(present: bool) -> float:
        world = make_world([Actor(2, ObjectClass.TRUCK, shape, Crossing(-12.0, 0.01))] if present else [])
        low = replace(world.light, sun_azimuth=np.pi, sun_elevation=0.16)
        picture = CameraSensor(replace(world, light=low)).picture(EGO_ID, 0.0, small_rig, 0)
        # 8 m ahead, in the middle and at the edge
        middle, edge = picture.pixels_bgr[50, 75:86], picture.pixels_bgr[50, :10]
        return float(middle.mean() / edge.mean())

    assert ground_ahead(present=False) > 0.9
    assert ground_ahead(present=True) < 0.8

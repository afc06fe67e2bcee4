"""Labels against geometry that can be worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.kitti.labels import format_labels, parse_labels
from vedette.datasets.synth.actors import Actor, RigidShape, Still
from vedette.datasets.synth.labels import Observed, Observer, kitti_objects
from vedette.datasets.synth.lidar import IDEAL_HDL_64E, LidarSensor
from vedette.datasets.synth.mesh import Mesh, cuboid
from vedette.datasets.synth.rig import KITTI_RIG, world_SE3_velo
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.world import World
from vedette.errors import ConfigError
from vedette.evaluation.objects import ScoredFrame
from vedette.evaluation.summary import accuracy_metrics
from vedette.geometry import SE3, boxes_velo_from_cam

MakeWorld = Callable[..., World]
GREY = (128, 128, 128)
CAMERA = KITTI_RIG.camera
CAMERA_X_M = -0.1 + 0.27
"""Of the camera, when the vehicle stands at the origin: 0.27 m before the LiDAR."""


def standing(
    actor_id: int,
    place_m: tuple[float, float],
    size_m: tuple[float, float, float] = (4.0, 1.8, 1.5),
    *,
    yaw: float = 0.0,
    kind: ObjectClass = ObjectClass.CAR,
    surface: Surface = Surface.CAR_PAINT,
) -> Actor:
    return Actor(
        actor_id, kind, RigidShape(cuboid(size_m, surface, GREY), size_m), Still(SE3.from_yaw(yaw, [*place_m, 0.0]))
    )


def observe(world: World) -> Observed:
    return Observer(world).observe(1, 1.0, KITTI_RIG, None)


def screen(x_m: float, left_m: float, right_m: float, height_m: float = 5.0) -> Mesh:
    """An upright wall across the view, 1 cm thick."""
    return cuboid((0.01, left_m - right_m, height_m), Surface.CONCRETE, GREY, (x_m, (left_m + right_m) / 2, 0.0))


def test_box_and_outline_of_a_car_ahead(make_world: MakeWorld) -> None:
    """A car 20 m ahead that faces away: its rear face bounds the outline below, its roof's far edge nothing."""
    seen = observe(make_world([standing(2, (20.1, 0.0))]))
    np.testing.assert_allclose(seen.boxes_velo, [[20.2, 0.0, 0.75 - 1.73, 4.0, 1.8, 1.5, 0.0]], atol=1e-9)
    depth = 20.1 - 2.0 - CAMERA_X_M
    camera_height = 1.73 - 0.08
    across = CAMERA.fx * 0.9 / depth
    top = CAMERA.cy + CAMERA.fy * (camera_height - 1.5) / (depth + 4.0)
    bottom = CAMERA.cy + CAMERA.fy * camera_height / depth
    np.testing.assert_allclose(seen.boxes_px, [[CAMERA.cx - across, top, CAMERA.cx + across, bottom]], atol=1e-3)
    assert seen.truncation[0] == 0.0
    assert seen.visible_share[0] == 1.0
    assert seen.pixels_seen[0] == pytest.approx(2 * across * (bottom - top), rel=0.1)
    assert seen.class_ids[0] == ObjectClass.CAR
    assert seen.points_hit[0] == 0


def test_yaw_is_kept_within_half_a_turn(make_world: MakeWorld) -> None:
    ego = standing(1, (0.0, 0.0), yaw=2.0)
    seen = observe(make_world([ego, standing(2, (-5.0, 12.0), yaw=-2.0)]))
    assert seen.boxes_velo[0, 6] == pytest.approx(2 * np.pi - 4.0)


@pytest.mark.parametrize("share", [0.25, 0.5, 0.8])
def test_a_wall_that_covers_a_part(make_world: MakeWorld, share: float) -> None:
    """A panel of 4 m; a wall half way to it hides a known part of it."""
    panel = standing(2, (20.0 + CAMERA_X_M, 0.0), (0.02, 4.0, 3.0))
    edge_m = (-2.0 + 4.0 * share) / 2
    seen = observe(make_world([panel], [screen(10.0 + CAMERA_X_M, 10.0, edge_m)]))
    assert seen.visible_share[0] == pytest.approx(share, abs=0.03)


def test_who_stands_behind_a_wall_has_an_outline_all_the_same(make_world: MakeWorld) -> None:
    car = standing(2, (20.0, 0.0))
    alone, hidden = observe(make_world([car])), observe(make_world([car], [screen(10.0, 10.0, -5.0)]))
    np.testing.assert_array_equal(hidden.boxes_px, alone.boxes_px)
    assert (hidden.truncation[0], hidden.visible_share[0], hidden.pixels_seen[0]) == (0.0, 0.0, 0)


def test_who_is_thinner_than_a_pixel_is_not_seen(make_world: MakeWorld) -> None:
    """A pole whose outline lies between two columns of pixels, and one beside it that is wide enough."""
    between = -(300.5 - CAMERA.cx) / CAMERA.fx * 50.0
    thin = standing(2, (50.0 + CAMERA_X_M, between), (0.01, 0.01, 2.0))
    seen = observe(make_world([thin, standing(3, (30.0, 3.0))]))
    assert seen.boxes_px[0, 2] - seen.boxes_px[0, 0] < 1.0
    np.testing.assert_array_equal(seen.pixels_seen > 0, [False, True])


def test_others_hide_as_walls_do(make_world: MakeWorld) -> None:
    """Of three in a row, each covers the lower half of the next; glass hides, too."""
    near = standing(2, (10.0, 0.0), (0.02, 12.0, 1.65), surface=Surface.CAR_GLASS)
    far = standing(3, (40.0, 0.0), (0.02, 2.0, 3.3))
    moving = replace(far, actor_id=4, motion=Still(SE3.from_yaw(0.0, [60.0, 0.0, 0.0])))
    seen = observe(make_world([far, moving, near]))
    np.testing.assert_array_equal(seen.actor_ids, [3, 4, 2])
    # the camera is 1.65 m high, as the glass: all below that is hidden; and the nearer panel hides the farther one
    np.testing.assert_allclose(seen.visible_share, [0.5, 0.0, 1.0], atol=0.04)
    assert seen.pixels_seen[1] == 0


def test_truncation_at_the_border(make_world: MakeWorld) -> None:
    """A flat panel whose middle is on the image's right border: half of it is outside."""
    right_px = CAMERA.width_px - 1.0
    lateral = -(right_px - CAMERA.cx) / CAMERA.fx * 15.0
    seen = observe(make_world([standing(2, (15.0 + CAMERA_X_M, lateral), (0.001, 2.0, 1.5))]))
    assert seen.truncation[0] == pytest.approx(0.5, abs=1e-3)
    assert seen.boxes_px[0, 2] == right_px
    assert seen.visible_share[0] == 1.0


def test_who_stands_beside_and_partly_behind_the_camera(make_world: MakeWorld) -> None:
    """A truck alongside reaches from behind the camera into the view: its front part is shown, within the image."""
    seen = observe(make_world([standing(2, (2.0, 3.0), (12.0, 2.5, 3.5), kind=ObjectClass.TRUCK)]))
    assert seen.boxes_px[0, 0] == 0.0
    # the front right corner at x 8, y 1.75
    assert seen.boxes_px[0, 2] == pytest.approx(CAMERA.cx - CAMERA.fx * 1.75 / (8.0 - CAMERA_X_M), abs=0.1)
    assert seen.boxes_px[0, 1] == 0.0
    assert seen.truncation[0] > 0.5
    assert seen.pixels_seen[0] > 10_000


def test_out_of_view(make_world: MakeWorld) -> None:
    """Behind and beside: a box, but nothing in the image; beyond 120 m: nothing at all."""
    seen = observe(make_world([standing(2, (-10.0, 0.0)), standing(3, (3.0, 15.0)), standing(4, (130.0, 0.0))]))
    np.testing.assert_array_equal(seen.actor_ids, [2, 3])
    assert np.isnan(seen.boxes_px).all()
    np.testing.assert_array_equal(seen.truncation, [1.0, 1.0])
    np.testing.assert_array_equal(seen.visible_share, [0.0, 0.0])
    assert len(kitti_objects(seen, CAMERA)) == 0


def test_a_wall_right_before_the_camera_fills_the_image(make_world: MakeWorld) -> None:
    seen = observe(make_world([standing(2, (1.5, 0.0), (0.02, 20.0, 10.0), kind=ObjectClass.OTHER)]))
    np.testing.assert_array_equal(seen.boxes_px, [[0.0, 0.0, CAMERA.width_px - 1.0, CAMERA.height_px - 1.0]])


def test_nobody_around(make_world: MakeWorld) -> None:
    seen = observe(make_world())
    assert len(seen) == 0
    assert seen.boxes_velo.shape == (0, 7)
    assert seen.boxes_px.shape == (0, 4)
    objects = kitti_objects(seen, CAMERA)
    assert len(objects) == 0
    assert objects.boxes_cam.shape == (0, 7)


def test_points_hit_are_those_of_the_scan(make_world: MakeWorld) -> None:
    world = make_world([standing(2, (12.0, 3.0)), standing(3, (24.0, 6.0)), standing(4, (-8.0, 2.0))])
    scan = LidarSensor(world, IDEAL_HDL_64E).scan(1, 1.0, KITTI_RIG, 0)
    seen = Observer(world).observe(1, 1.0, KITTI_RIG, scan)
    np.testing.assert_array_equal(seen.points_hit, [(scan.owners == row).sum() for row in (2, 3, 4)])
    assert (seen.points_hit > 0).all()


def kitti_scene(make_world: MakeWorld) -> Observed:
    """In view: a car in full, a van of which a third shows, a far bus, a truck behind a wall but for a slit."""
    return observe(
        make_world(
            [
                standing(5, (15.0, 5.0), yaw=0.3),
                standing(6, (30.0, 0.0), (0.1, 2.0, 2.0), kind=ObjectClass.VAN),
                standing(7, (90.0, 0.0), (12.0, 2.5, 3.3), kind=ObjectClass.BUS),
                standing(8, (20.0, -6.0), (0.1, 2.0, 2.0), kind=ObjectClass.TRUCK),
            ],
            [screen(20.0, 2.0, -0.2, 2.0), screen(19.0, -4.855, -9.0)],
        )
    )


def test_kitti_labels(make_world: MakeWorld) -> None:
    seen = kitti_scene(make_world)
    objects = kitti_objects(seen, CAMERA)
    assert objects.types == ("Car", "Van", "DontCare", "DontCare")
    np.testing.assert_array_equal(objects.occlusion, [0, 2, -1, -1])
    np.testing.assert_array_equal(objects.track_ids, [5, 6, -1, -1])
    np.testing.assert_array_equal(objects.truncation[2:], [-1, -1])
    np.testing.assert_allclose(
        boxes_velo_from_cam(CAMERA.cam_SE3_velo, objects.boxes_cam[:2]), seen.boxes_velo[:2], atol=1e-9
    )
    # rotation_y of a heading of 0.3 rad to the left is -π/2 - 0.3; alpha takes off the bearing of the box
    bearing = np.arctan2(-5.0, 15.0 - CAMERA_X_M)
    assert objects.boxes_cam[0, 6] == pytest.approx(-np.pi / 2 - 0.3)
    assert objects.alpha[0] == pytest.approx(-np.pi / 2 - 0.3 - bearing)


def test_kitti_labels_survive_a_file_and_can_be_evaluated(make_world: MakeWorld) -> None:
    objects = kitti_objects(kitti_scene(make_world), CAMERA)
    back = parse_labels(format_labels(objects), Path("000000.txt"), scored=False)
    assert back.types == objects.types
    np.testing.assert_allclose(back.boxes_cam, objects.boxes_cam, atol=0.006)
    both = objects.select([0, 1])
    perfect = replace(both, scores=np.array([0.9, 0.8]), track_ids=None)
    metrics = accuracy_metrics([ScoredFrame(back, perfect)])
    assert metrics["f1.vehicle.3d.0.7.r50"] == 100.0
    # the van counts where largely hidden ones do
    assert [metrics[f"labels.vehicle.{level}"] for level in ("easy", "hard")] == [1, 2]


@pytest.mark.parametrize(
    ("place", "clear"),
    [
        ((30.0, 9.0, 1.0), True),  # nothing there
        ((30.0, 0.0, 1.0), False),  # behind the wall
        ((30.0, 0.0, 8.0), True),  # above the wall
        ((9.995, 0.0, 1.0), True),  # on the wall's front
        ((-20.0, 0.0, 1.0), False),  # behind the parked car
        ((-20.0, 0.0, 1.9), True),  # over its roof
        ((0.0, 20.0, 1.0), True),  # through glass
        ((0.0, -20.0, 1.0), False),  # behind another connected car
        ((20.0, 20.0, -1.0), False),  # under the ground
        ((1.0, 0.0, 1.5), True),  # beside the own roof
        ((0.5, 0.0, 0.5), True),  # inside the own body
    ],
)
def test_line_of_sight(make_world: MakeWorld, place: tuple[float, float, float], *, clear: bool) -> None:
    world = make_world(
        [
            standing(1, (0.0, 0.0)),
            standing(2, (-10.0, 0.0)),
            standing(3, (0.0, 10.0), surface=Surface.CAR_GLASS),
            standing(4, (0.0, -10.0)),
        ],
        [screen(10.0, 2.0, -2.0, 3.0)],
    )
    observer = Observer(replace(world, connected_ids=(1, 4)))
    assert observer.line_of_sight(1, place, 1.0) is clear


def test_line_of_sight_agrees_with_the_scan(make_world: MakeWorld) -> None:
    """What a beam meets can be seen from where it was fired; a metre behind it cannot."""
    world = make_world(
        [standing(2, (12.0, 3.0), yaw=0.5), standing(3, (-8.0, 2.0))], [screen(25.0, 6.0, -6.0, 3.0)], ground=False
    )
    observer = Observer(world)
    velo_m = world_SE3_velo(world, 1, KITTI_RIG, 1.0)
    points = LidarSensor(world, IDEAL_HDL_64E).scan(1, 1.0, KITTI_RIG, 0).points_velo[::97, :3].astype(np.float64)
    heights = IDEAL_HDL_64E.pattern.heights_m.max()
    # beams start a little above the sensor's origin: away from edges, both see the same
    inner = np.abs(points[:, 2]) < 1.73 - heights - 0.4
    for point in points[inner][:40]:
        beyond = point * (1 + 1.0 / np.linalg.norm(point))
        assert not observer.line_of_sight(1, velo_m.transform_points(beyond), 1.0)


def test_observer_without_sensors_is_refused(make_world: MakeWorld) -> None:
    observer = Observer(make_world([standing(2, (9.0, 0.0))]))
    with pytest.raises(ConfigError, match="actor 2 carries no sensors"):
        observer.observe(2, 1.0, KITTI_RIG, None)
    with pytest.raises(ConfigError, match="actor 2 carries no sensors"):
        observer.line_of_sight(2, (0.0, 0.0, 0.0), 1.0)

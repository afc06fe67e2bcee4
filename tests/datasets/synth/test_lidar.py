"""One turn of a LiDAR, in worlds whose answer can be worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import Actor, RigidShape, Still
from vedette.datasets.synth.lidar import HDL_64E, IDEAL_HDL_64E, OPV2V_64, LidarModel, LidarSensor, Scan
from vedette.datasets.synth.mesh import Colour, Mesh, cuboid, frustum
from vedette.datasets.synth.returns import PERFECT
from vedette.datasets.synth.rig import KITTI_RIG
from vedette.datasets.synth.surfaces import PROPERTIES, Surface
from vedette.datasets.synth.world import World
from vedette.errors import ConfigError
from vedette.frames import Sweep
from vedette.geometry import SE3, NDArrayFloat, points_in_boxes

MakeWorld = Callable[..., World]
GREY = (128, 128, 128)
SENSOR_X_M, SENSOR_Z_M = -0.1, 1.73
CAR_SIZE = (4.0, 1.8, 1.5)


@dataclass(frozen=True)
class Moving:
    """Constant velocity and turning rate, from a place at time 0."""

    place_m: tuple[float, float, float]
    velocity_m_s: tuple[float, float, float] = (0.0, 0.0, 0.0)
    yaw: float = 0.0
    turning_rad_s: float = 0.0
    is_still: bool = False

    def pose(self, t_s: float) -> SE3:
        place = np.array(self.place_m) + t_s * np.array(self.velocity_m_s)
        return SE3.from_yaw(self.yaw + self.turning_rad_s * t_s, place)


@dataclass(frozen=True)
class Swelling:
    """A pillar that is not rigid: its height is 1 m and as many metres as seconds have passed."""

    is_rigid: bool = False
    size_m: tuple[float, float, float] = (0.6, 0.6, 11.0)

    def mesh(self, t_s: float) -> Mesh:
        return cuboid((0.6, 0.6, 1.0 + t_s), Surface.CLOTH, GREY)


def car(actor_id: int, motion: Moving | Still) -> Actor:
    return Actor(actor_id, ObjectClass.CAR, RigidShape(cuboid(CAR_SIZE, Surface.CAR_PAINT, GREY), CAR_SIZE), motion)


def wall(surface: Surface, colour: Colour, x_m: float, y_m: float = 0.0, width_m: float = 8.0) -> Mesh:
    """Faces the sensor, 4 m high, its front at x."""
    return cuboid((0.2, width_m, 4.0), surface, colour, (x_m + 0.1, y_m, 0.0))


def scan(world: World, model: LidarModel = IDEAL_HDL_64E, t_s: float = 1.0, seed: int = 0, actor_id: int = 1) -> Scan:
    return LidarSensor(world, model).scan(actor_id, t_s, KITTI_RIG, seed)


def beam_ranges(points: NDArrayFloat, rings: NDArrayFloat) -> NDArrayFloat:
    """Distance of points from where their beams leave the device."""
    origin = np.zeros((len(points), 3))
    origin[:, 2] = HDL_64E.pattern.heights_m[rings]
    return np.linalg.norm(points[:, :3] - origin, axis=1)


def test_ranges_to_a_wall(make_world: MakeWorld) -> None:
    """A wall 20 m ahead of the sensor: every range is 20 / (cos azimuth · cos elevation), to float32's precision."""
    found = scan(make_world(scenery=[wall(Surface.CONCRETE, GREY, 20.0 + SENSOR_X_M)], ground=False))
    azimuth = np.arctan2(found.points_velo[:, 1], found.points_velo[:, 0])
    elevation = HDL_64E.pattern.elevations[found.rings]
    ranges = beam_ranges(found.points_velo.astype(np.float64), found.rings)
    assert len(found) > 2500
    np.testing.assert_allclose(ranges, 20.0 / (np.cos(azimuth) * np.cos(elevation)), atol=2e-4)
    # 8 m wide: 2·atan(4/20) of a turn's 2083 columns, in rings that meet it between the ground and 4 m
    columns = 2 * np.arctan(4.0 / 20.0) / (2 * np.pi) * 2083
    inner = np.bincount(found.rings, minlength=64)[:8]
    assert np.abs(inner - columns).max() <= 1


def test_cylinder_is_where_it_stands(make_world: MakeWorld) -> None:
    """A mast of 64 sides, radius 1 m: all points lie between the radius and that of the inscribed circle."""
    mast = frustum((1.0, 1.0), 6.0, Surface.METAL, GREY, (10.0, 5.0, -1.0), sides=64)
    found = scan(make_world(scenery=[mast], ground=False))
    centre = np.array([10.0 - SENSOR_X_M, 5.0])
    radii = np.linalg.norm(found.points_velo[:, :2] - centre, axis=1)
    assert len(found) > 1000
    assert radii.max() <= 1.0 + 1e-4
    assert radii.min() >= np.cos(np.pi / 64) - 1e-4


def test_ground_rings(make_world: MakeWorld) -> None:
    """On a plane each ring is a circle of radius height / tan(-elevation)."""
    found = scan(make_world())
    height_m = SENSOR_Z_M + HDL_64E.pattern.heights_m[found.rings]
    expected = height_m / np.tan(-HDL_64E.pattern.elevations[found.rings])
    np.testing.assert_allclose(np.linalg.norm(found.points_velo[:, :2], axis=1), expected, atol=5e-3)
    assert np.bincount(found.rings)[40] == 2083
    np.testing.assert_allclose(found.points_velo[:, 2], -SENSOR_Z_M, atol=1e-3)


def test_points_are_listed_as_in_kitti(make_world: MakeWorld) -> None:
    """Ring after ring from the highest, each from straight ahead counter-clockwise."""
    found = scan(make_world())
    assert (np.diff(found.rings.astype(int)) >= 0).all()
    azimuth = np.arctan2(found.points_velo[:, 1], found.points_velo[:, 0]) % (2 * np.pi)
    for ring in (30, 50, 63):
        assert (np.diff(azimuth[found.rings == ring]) > 0).all()


def test_time_of_each_shot(make_world: MakeWorld) -> None:
    """What is ahead is met at the stamp, what is left a quarter of a turn later, to within the diodes' 5 degrees."""
    found = scan(make_world())
    azimuth = np.arctan2(found.points_velo[:, 1], found.points_velo[:, 0])
    expected_ns = azimuth / (2 * np.pi) * 1e8
    apart_ns = (found.offsets_ns - expected_ns + 5e7) % 1e8 - 5e7
    assert np.abs(apart_ns).max() < np.radians(6.0) / (2 * np.pi) * 1e8
    assert found.offsets_ns.min() >= -50_000_000
    assert found.offsets_ns.max() <= 50_000_000


def test_points_in_boxes_equal_hits_of_what_stands(make_world: MakeWorld) -> None:
    standing = [car(2, Still(SE3.from_yaw(0.4, [12.0, 4.0, 0.0]))), car(3, Moving((-9.0, -3.0, 0.0), yaw=2.0))]
    found = scan(make_world(standing, ground=False))
    sensor_SE3_world = SE3.from_yaw(0.0, [SENSOR_X_M, 0.0, SENSOR_Z_M]).inverse()
    for actor in standing:
        box = actor.box_world(1.0)
        box[:3] = sensor_SE3_world.transform_points(box[:3])
        box[3:6] += 2e-3
        inside = points_in_boxes(found.points_velo[:, :3], box[None])[0]
        hit = found.owners == actor.actor_id
        assert hit.sum() > 300
        assert (inside & ~hit).sum() == 0
        assert (hit & ~inside).sum() == 0


@pytest.mark.parametrize("place", [(12.0, 6.0), (-8.0, 1.0), (-8.0, -0.2), (2.0, -7.0)])
def test_passing_car_is_displaced_by_its_velocity(make_world: MakeWorld, place: tuple[float, float]) -> None:
    """Each point lies on the car's surface as the car stood at the instant of that shot; at the seam behind, too."""
    velocity = np.array([15.0, -4.0, 0.0])
    start = np.array([*place, 0.0]) - velocity
    found = scan(make_world([car(2, Moving(tuple(start), tuple(velocity)))], ground=False))
    assert len(found) > 100
    moved = velocity * (1.0 + found.offsets_ns[:, None] * 1e-9)
    middle = start + moved + [0.0, 0.0, CAR_SIZE[2] / 2] - [SENSOR_X_M, 0.0, SENSOR_Z_M]
    outside = np.abs(found.points_velo[:, :3] - middle) / (np.array(CAR_SIZE) / 2)
    np.testing.assert_allclose(outside.max(axis=1), 1.0, atol=1e-3)
    if place[0] < 0.0:  # seen when the turn begins and again when it ends, 1.5 m on
        assert found.offsets_ns.min() < -45_000_000
        assert found.offsets_ns.max() > 40_000_000


@pytest.mark.parametrize("yaw", [0.0, 0.7])
@pytest.mark.parametrize(
    ("place", "size_m"),
    [
        ((20.0, 6.0, 0.0), CAR_SIZE),
        ((-9.0, 0.3, 0.0), CAR_SIZE),  # behind, where the turn begins and ends
        ((1.0, 3.5, 0.0), (12.0, 2.5, 3.8)),  # beside, longer than its distance
        ((-3.0, -3.5, 0.0), (12.0, 2.5, 3.8)),
        ((0.0, 0.0, 2.5), (3.0, 3.0, 0.2)),  # overhead
        ((50.0, -30.0, -4.0), (0.6, 0.6, 1.8)),
        ((30.0, 40.0, 5.0), (0.6, 0.6, 1.8)),
    ],
)
def test_who_may_move_is_met_by_the_same_shots(
    make_world: MakeWorld, place: tuple[float, float, float], size_m: tuple[float, float, float], yaw: float
) -> None:
    """Somebody who rests but could move is met as if he stood for good, by all shots and past a wall before him."""
    shape = RigidShape(cuboid(size_m, Surface.CAR_PAINT, GREY), size_m)
    scenery = [wall(Surface.CONCRETE, GREY, 10.0, 2.0, width_m=1.0), wall(Surface.CONCRETE, GREY, 60.0, width_m=90.0)]

    def met(motion: Moving | Still) -> Scan:
        return scan(make_world([Actor(2, ObjectClass.CAR, shape, motion)], scenery, ground=False))

    still, resting = met(Still(SE3.from_yaw(yaw, place))), met(Moving(place, yaw=yaw))
    np.testing.assert_array_equal(resting.owners, still.owners)
    np.testing.assert_array_equal(resting.rings, still.rings)
    np.testing.assert_allclose(resting.points_velo, still.points_velo, atol=2e-4)


def test_ego_motion_bends_a_wall(make_world: MakeWorld) -> None:
    """At 20 m/s towards a wall, what is seen an instant later is nearer by 20 m/s times that instant."""
    ego = car(1, Moving((-20.0, 0.0, 0.0), (20.0, 0.0, 0.0)))
    found = scan(make_world([ego], [wall(Surface.CONCRETE, GREY, 15.0, width_m=40.0)], ground=False))
    expected = 15.0 - SENSOR_X_M - 20.0 * found.offsets_ns * 1e-9
    np.testing.assert_allclose(found.points_velo[:, 0], expected, atol=1e-3)


def test_ego_turning_bends_a_wall(make_world: MakeWorld) -> None:
    """While turning at 0.5 rad/s, points brought back by the heading at their instant lie on the wall."""
    ego = car(1, Moving((0.0, 0.0, 0.0), yaw=-0.5, turning_rad_s=0.5))
    found = scan(make_world([ego], [wall(Surface.CONCRETE, GREY, 15.0, width_m=40.0)], ground=False))
    heading = 0.5 * found.offsets_ns * 1e-9
    x, y = found.points_velo[:, 0] + SENSOR_X_M, found.points_velo[:, 1]
    np.testing.assert_allclose(np.cos(heading) * x - np.sin(heading) * y, 15.0, atol=2e-3)


def test_limbs_are_scanned_at_their_own_time(make_world: MakeWorld) -> None:
    pillar = Actor(2, ObjectClass.PEDESTRIAN, Swelling(), Still(SE3.from_yaw(0.0, [0.0, 10.0, 0.0])))
    world = make_world([pillar], ground=False)
    for t_s in (0.3, 0.9):
        # to the left a quarter of a turn after the stamp; the next ring is 6 cm higher at 10 m
        top = scan(world, t_s=t_s).points_velo[:, 2].max() + SENSOR_Z_M
        assert 1.0 + t_s + 0.025 - 0.08 < top <= 1.0 + t_s + 0.03


def test_panes_let_their_share_pass(make_world: MakeWorld) -> None:
    """Two panes before a wall: the share that reaches it is the transmission squared."""
    pane = np.array([[0.0, -3, 0.5], [0, 3, 0.5], [0, 3, 3], [0, -3, 3]])
    pane_at = [np.add(pane, [x, 0.0, 0.0]) for x in (8.0, 9.0)]
    panes = [Mesh.of(corners, [[0, 1, 2], [0, 2, 3]], Surface.CAR_GLASS, GREY) for corners in pane_at]
    world = make_world(scenery=[*panes, wall(Surface.CONCRETE, GREY, 10.0)], ground=False)
    found = scan(world, replace(IDEAL_HDL_64E, panes_pass=True))
    points = found.points_velo
    ahead = (np.abs(points[:, 1] / points[:, 0]) < 0.3) & (np.abs(points[:, 2] / points[:, 0]) < 0.08)
    x = points[ahead, 0] + SENSOR_X_M
    share = PROPERTIES[Surface.CAR_GLASS].transmission
    expected = np.array([1 - share, share * (1 - share), share * share])
    counts = np.array([(np.abs(x - place) < 0.01).sum() for place in (8.0, 9.0, 10.0)])
    assert counts.sum() == len(x) > 3000
    np.testing.assert_allclose(counts / len(x), expected, atol=0.03)
    assert (scan(world).points_velo[:, 0] + SENSOR_X_M).min() > 7.99
    assert ((scan(world).points_velo[:, 0] + SENSOR_X_M < 8.01) | ~ahead).all()


def test_dark_paint_drops_beams(make_world: MakeWorld) -> None:
    """White and black cars at 60 m: the white one keeps nearly all beams, the black one loses most; near, both stay."""

    def count(colour: Colour, x_m: float, model: LidarModel) -> int:
        return len(scan(make_world(scenery=[wall(Surface.CAR_PAINT, colour, x_m)], ground=False), model))

    expected = count(GREY, 60.0, IDEAL_HDL_64E)
    assert count((235, 235, 235), 60.0, HDL_64E) > 0.95 * expected
    assert count((15, 15, 15), 60.0, HDL_64E) < 0.4 * expected
    assert count((15, 15, 15), 10.0, HDL_64E) > 0.9 * count(GREY, 10.0, IDEAL_HDL_64E)


def test_plates_outshine_paint(make_world: MakeWorld) -> None:
    bright = scan(make_world(scenery=[wall(Surface.SIGN, GREY, 20.0)], ground=False), HDL_64E)
    plain = scan(make_world(scenery=[wall(Surface.CAR_PAINT, GREY, 20.0)], ground=False), HDL_64E)
    assert np.median(bright.points_velo[:, 3]) > 1.4 * np.median(plain.points_velo[:, 3])


def test_mixed_pixels_lie_between_near_edges_only(make_world: MakeWorld) -> None:
    """Posts 1 m before a wall draw some of the beams at their edges in between; posts 5 m before it draw none."""
    mixing = replace(IDEAL_HDL_64E, returns=replace(PERFECT, divergence_rad=0.0024))
    background = wall(Surface.CONCRETE, GREY, 20.0, width_m=30.0)
    places_m = np.arange(-6.0, 7.0, 1.5)

    def between(x_m: float) -> int:
        posts = [cuboid((0.01, 0.5, 4.0), Surface.CONCRETE, GREY, (x_m, y, 0.0)) for y in places_m]
        world = make_world(scenery=[*posts, background], ground=False)
        off = np.abs(scan(world, mixing).points_velo[:, 0] - scan(world).points_velo[:, 0])
        assert off.max() < 0.51  # a beam that meets less of a thing than of the other is drawn less than half way
        return int((off > 1e-3).sum())

    # 22 rings meet both; an edge is straddled with probability divergence / step, 0.0024 / 0.00302
    assert between(19.0) == pytest.approx(2 * len(places_m) * 22 * 0.79, rel=0.12)
    assert between(15.0) == 0


def test_noise_has_the_stated_size(make_world: MakeWorld) -> None:
    world = make_world(scenery=[wall(Surface.PLASTER, (230, 230, 230), 15.0, width_m=40.0)], ground=False)
    found = scan(world, replace(HDL_64E, returns=replace(HDL_64E.returns, divergence_rad=0.0)))
    azimuth = np.arctan2(found.points_velo[:, 1], found.points_velo[:, 0])
    elevation = HDL_64E.pattern.elevations[found.rings]
    ideal = (15.0 - SENSOR_X_M) / (np.cos(azimuth) * np.cos(elevation))
    error = beam_ranges(found.points_velo.astype(np.float64), found.rings) - ideal
    per_beam = np.array([error[found.rings == ring].mean() for ring in np.unique(found.rings)])
    spread = np.array([error[found.rings == ring].std() for ring in np.unique(found.rings)])
    assert 0.005 < per_beam.std() < 0.015
    np.testing.assert_allclose(spread.mean(), HDL_64E.returns.range_noise_m, rtol=0.1)
    assert (found.points_velo[:, 3] >= 0).all()
    assert (found.points_velo[:, 3] <= 1).all()


def test_same_seed_same_bytes(make_world: MakeWorld) -> None:
    world = make_world([car(2, Moving((12.0, 4.0, 0.0), (5.0, 0.0, 0.0)))])
    sensor = LidarSensor(world)
    first = sensor.scan(1, 1.0, KITTI_RIG, 7)
    other_time = sensor.scan(1, 1.1, KITTI_RIG, 7)
    again = LidarSensor(world).scan(1, 1.0, KITTI_RIG, 7)
    other_seed = sensor.scan(1, 1.0, KITTI_RIG, 8)
    for name in ("points_velo", "rings", "owners", "offsets_ns"):
        assert getattr(first, name).tobytes() == getattr(again, name).tobytes()
    assert first.points_velo.tobytes() != other_seed.points_velo.tobytes()
    assert first.points_velo.tobytes() != other_time.points_velo.tobytes()


def test_scan_is_a_sweep(make_world: MakeWorld) -> None:
    """Of every model, also of one that nobody tested on a plane: values, shapes and ranges are what sweeps demand."""
    world = make_world([car(2, Still(SE3.from_yaw(0.0, [8.0, 0.0, 0.0])))])
    for model in (HDL_64E, IDEAL_HDL_64E, OPV2V_64):
        found = scan(world, model)
        sweep = Sweep(found.points_velo, 0, 100_000_000)
        assert len(sweep) > 50_000
        assert found.rings.dtype == np.uint8
        assert {int(owner) for owner in np.unique(found.owners)} == {0, 2}
        assert found.offsets_ns.dtype == found.owners.dtype == np.int64
        assert np.linalg.norm(found.points_velo[:, :3], axis=1).max() <= model.far_m + 0.3


def test_empty_world_returns_nothing(make_world: MakeWorld) -> None:
    found = scan(make_world(ground=False), HDL_64E)
    assert len(found) == 0
    assert found.points_velo.shape == (0, 4)


def test_own_body_is_not_hit_but_others_see_it(make_world: MakeWorld) -> None:
    world = make_world([car(1, Still(SE3.from_yaw(0.0, [0.0, 0.0, 0.0]))), car(2, Moving((15.0, 0.0, 0.0), yaw=3.0))])
    world = replace(world, connected_ids=(1, 2))
    assert set(np.unique(scan(world, actor_id=1).owners)) == {0, 2}
    assert set(np.unique(scan(world, actor_id=2).owners)) == {0, 1}


def test_sensor_in_the_wrong_place_or_time_is_refused(make_world: MakeWorld) -> None:
    sensor = LidarSensor(make_world([car(2, Still(SE3.from_yaw(0.0, [9.0, 0.0, 0.0])))]))
    with pytest.raises(ConfigError, match=r"actor 2 carries no sensors; expected one of \[1\]"):
        sensor.scan(2, 1.0, KITTI_RIG, 0)
    for t_s in (0.0, 10.0, np.nan):
        with pytest.raises(ConfigError, match=r"expected 0\.05 to 9\.95 s"):
            sensor.scan(1, t_s, KITTI_RIG, 0)

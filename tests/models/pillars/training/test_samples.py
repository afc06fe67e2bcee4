"""Samples of a world that can be worked out by hand: a plane, a vehicle that looks, and cuboids of car paint."""

from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("open3d", reason="needs open3d: pip install 'vedette[world]'")

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import Actor, RigidShape, Still
from vedette.datasets.synth.lidar import IDEAL_HDL_64E, LidarSensor
from vedette.datasets.synth.mesh import Mesh, cuboid
from vedette.datasets.synth.rig import KITTI_RIG
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.world import Light, World
from vedette.errors import ConfigError
from vedette.geometry import SE3, points_in_boxes
from vedette.models.pillars.training.samples import AHEAD_RAD, BEHIND_RAD, Recipe, samples_of_world, view, write_samples
from vedette.models.pillars.training.shards import SampleSet, read_manifest

GREY = (128, 128, 128)
SIZE = (4.0, 1.8, 1.5)


@dataclass(frozen=True)
class Straight:
    """Constant velocity along x."""

    x: float
    y: float
    speed_m_s: float
    is_still: bool = False

    def pose(self, t_s):
        return SE3.from_yaw(0.0, [self.x + self.speed_m_s * t_s, self.y, 0.0])


def car(actor_id, motion, kind=ObjectClass.CAR):
    return Actor(actor_id, kind, RigidShape(cuboid(SIZE, Surface.CAR_PAINT, GREY), SIZE), motion)


def standing(actor_id, x, y, kind=ObjectClass.CAR):
    return car(actor_id, Still(SE3.from_yaw(0.0, [x, y, 0.0])), kind)


def world_of(*actors):
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * 100.0
    ground = Mesh.of(corners, [[0, 1, 2], [0, 2, 3]], Surface.ASPHALT, GREY)
    return World("test:0", 3.2, Terrain(), ground, (standing(1, 0, 0), *actors), (1,), Light(0.8, 0.9))


def seen(world, yaw_rad):
    scan = LidarSensor(world, IDEAL_HDL_64E).scan(1, 1.0, KITTI_RIG, seed=0)
    return view(world, 1, 1.0, scan, yaw_rad)


def test_what_lies_behind_is_seen_as_if_it_lay_ahead():
    """The LiDAR sits 0.1 m behind the vehicle's middle and 1.73 m up; a car behind comes ahead, its left its right."""
    world = world_of(standing(2, 20, 3), standing(3, -15, 4, ObjectClass.VAN))
    ahead, behind = seen(world, AHEAD_RAD), seen(world, BEHIND_RAD)
    np.testing.assert_allclose(ahead.boxes_velo, [[20.1, 3, 0.75 - 1.73, *SIZE, 0]], atol=1e-9)
    np.testing.assert_allclose(behind.boxes_velo[0, :6], [14.9, -4, 0.75 - 1.73, *SIZE], atol=1e-9)
    assert abs(np.sin(behind.boxes_velo[0, 6])) < 1e-9
    assert (ahead.class_ids.tolist(), behind.class_ids.tolist()) == ([0], [1])


@pytest.mark.parametrize("yaw_rad", [AHEAD_RAD, BEHIND_RAD])
def test_boxes_enclose_the_points_of_what_moves(yaw_rad):
    """At 30 m/s, half a turn from the stamp, a car has moved 1.5 m: its box is that of the moment it was hit."""
    world = world_of(car(2, Straight(-18.0, 4.0, 30.0)), car(3, Straight(-45.0, -3.5, 30.0)), standing(4, 12, -7))
    sample = seen(world, yaw_rad)
    # a car that takes 5 ms to scan moves 15 cm meanwhile; 2 mm are the beam's
    grown = sample.boxes_velo + np.array([0, 0, 0, 0.3, 0.004, 0.004, 0])
    inside = points_in_boxes(sample.points_velo_m, grown)
    for row in range(len(sample.boxes_velo)):
        assert sample.points_hit[row] > 0
        assert inside[row][sample.owners == row].all()
    assert len(sample.boxes_velo) >= 1


@pytest.mark.parametrize("yaw_rad", [0.7, -2.0])
def test_a_view_is_turned_to_its_own_x_axis(yaw_rad):
    """A car 15 m away in the direction of the view comes straight ahead, its yaw against the view's."""
    place = 15.0 * np.array([np.cos(yaw_rad), np.sin(yaw_rad)])
    sample = seen(world_of(standing(2, place[0] - 0.1, place[1])), yaw_rad)
    np.testing.assert_allclose(sample.boxes_velo[0, :2], [15.0, 0.0], atol=1e-6)
    assert sample.boxes_velo[0, 6] == pytest.approx(-yaw_rad)
    grown = sample.boxes_velo + np.array([0, 0, 0, 0.01, 0.01, 0.01, 0])
    assert points_in_boxes(sample.points_velo_m, grown)[0].sum() > 100


def test_only_the_view_is_kept():
    """45 degrees to either side is more than the camera sees; nothing of a car beside is left."""
    sample = seen(world_of(standing(2, 2, 9)), AHEAD_RAD)
    assert len(sample.boxes_velo) == 0
    assert (np.abs(sample.points_velo_m[:, 1]) < sample.points_velo_m[:, 0] + 0.3).all()
    assert len(sample.points_velo_m) > 1000


def test_every_scan_gives_what_is_ahead_behind_and_elsewhere_and_the_same_twice():
    """Moving cars carry the sensor too. Every view reaches to either side of its own x axis."""
    world = world_of(car(2, Straight(10.0, 4.0, 5.0)), standing(3, 20, -4))
    first, second = (samples_of_world(world, seed=4, scans=3) for _ in range(2))
    assert len(first) == 9
    assert all(np.ptp(np.sign(one.points_velo_m[:, 1])) == 2 for one in first)
    for one, same in zip(first, second, strict=True):
        np.testing.assert_array_equal(one.points_velo_m, same.points_velo_m)
        np.testing.assert_array_equal(one.boxes_velo, same.boxes_velo)


def test_a_recipe_lists_its_worlds():
    """Seed by seed."""
    recipe = Recipe(("town", "junction"), 7, 8, scans=1)
    assert list(recipe.worlds()) == [("town", 7), ("junction", 7), ("town", 8), ("junction", 8)]


@pytest.mark.timeout(300)
def test_a_world_becomes_a_folder_of_samples(tmp_path):
    """With its recipe beside, to make them again."""
    recipe = Recipe(("motorway",), 0, 0, scans=1)
    assert write_samples(recipe, tmp_path, processes=1) == 3
    assert read_manifest(tmp_path)["recipe"] == {"scenarios": ["motorway"], "first_seed": 0, "last_seed": 0, "scans": 1}
    samples = list(SampleSet(tmp_path))
    assert len(samples) == 3
    assert sum(len(sample.points_velo_m) for sample in samples) > 10_000


def test_an_unknown_scenario_is_said_so_before_any_work(tmp_path):
    """By its name."""
    with pytest.raises(ConfigError, match="atlantis"):
        write_samples(Recipe(("atlantis",), 0, 0, 1), tmp_path, processes=1)

"""What the rules of traffic must give, whatever the seed: nobody overlaps, everybody moves as bodies can."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from vedette.classes import VEHICLES, ObjectClass
from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.traffic.motion import Driving
from vedette.datasets.synth.world import World
from vedette.geometry import bev_iou

SHORT_S = 12.0
CROWDED = ["town", "junction", "motorway", "car-park", "convoy", "rush-hour"]
EACH = [*((name, 1) for name in CROWDED), ("town", 2), ("junction", 2), ("car-park", 2), ("motorway", 2)]
ON_WHEELS = VEHICLES | {ObjectClass.CYCLIST}


def moving(world: World, classes: frozenset[ObjectClass] = VEHICLES) -> list[Actor]:
    return [one for one in world.actors if one.object_class in classes and not one.motion.is_still]


def rear_axle(actor: Actor, t_s: float) -> tuple[float, float, float]:
    """X, y and yaw of the point that rolls without slipping sideways."""
    assert isinstance(actor.motion, Driving)
    pose = actor.motion.pose(t_s)
    x, y = pose.translation[:2] - actor.motion.centre_m * pose.rotation[:2, 0]
    return float(x), float(y), pose.yaw


@pytest.mark.parametrize(("name", "seed"), EACH)
def test_no_vehicle_ever_overlaps_another(bare_world: Callable[..., World], name: str, seed: int) -> None:
    world = bare_world(name, seed)
    on_wheels = [one for one in world.actors if one.object_class in ON_WHEELS]

    for t_s in np.arange(0.0, world.duration_s + 0.1, 1.5):
        boxes = np.array([one.box_world(float(t_s)) for one in on_wheels])
        iou = bev_iou(boxes, boxes)
        np.fill_diagonal(iou, 0.0)
        assert not iou.any(), f"{np.argwhere(iou)[0]} at {t_s} s"


@pytest.mark.parametrize(("name", "seed"), EACH)
def test_vehicles_move_as_vehicles_can(bare_world: Callable[..., World], name: str, seed: int) -> None:
    world = bare_world(name, seed)
    step = 0.1
    for one in moving(world)[:25]:
        states = np.array([rear_axle(one, float(t)) for t in np.arange(0.0, 8.0, step)])
        velocity = np.diff(states[:, :2], axis=0) / step
        speed = np.linalg.norm(velocity, axis=1)
        yaw = np.unwrap(states[:, 2])
        heading = (yaw[1:] + yaw[:-1]) / 2
        slip = np.arctan2(velocity[:, 1], velocity[:, 0]) - heading

        assert speed.max() < 36.0
        assert np.abs(np.diff(speed)).max() / step < 6.0
        assert (speed * np.abs(np.diff(yaw)) / step).max() < 4.0
        assert np.abs(np.sin(slip[speed > 0.5])).max(initial=0.0) < np.sin(np.deg2rad(3.0))
        assert (np.cos(slip[speed > 0.5]) > 0).all()  # nobody drives backwards


@pytest.mark.parametrize("name", ["town", "junction", "motorway", "rush-hour"])
def test_a_longer_world_repeats_a_shorter_one_and_goes_on(bare_world: Callable[..., World], name: str) -> None:
    short, long = bare_world(name, 1, 4.0), bare_world(name, 1)

    assert [one.actor_id for one in short.actors] == [one.actor_id for one in long.actors]
    for one in short.actors:
        for t_s in (0.0, 1.23, 4.0):
            a, b = one.motion.pose(t_s), long.by_id[one.actor_id].motion.pose(t_s)
            np.testing.assert_allclose(a.matrix, b.matrix, atol=1e-7)


@pytest.mark.parametrize(("name", "seed"), EACH)
def test_everybody_is_there_until_the_end(bare_world: Callable[..., World], name: str, seed: int) -> None:
    world = bare_world(name, seed)

    assert world.name == f"{name}:{seed}"
    assert np.isfinite([one.motion.pose(world.duration_s).matrix for one in world.actors]).all()
    assert world.by_id[world.connected_ids[0]].object_class is ObjectClass.CAR
    assert not world.by_id[world.connected_ids[0]].motion.is_still


@pytest.mark.parametrize(
    ("name", "vehicles", "parked", "people"),
    [
        ("town", (15, 32), (60, 500), (15, 80)),
        ("junction", (20, 24), (5, 100), (20, 60)),
        ("motorway", (50, 110), (0, 0), (0, 0)),
        ("car-park", (8, 10), (100, 350), (15, 60)),
        ("convoy", (25, 36), (60, 500), (24, 60)),
        ("rush-hour", (60, 80), (50, 500), (60, 120)),
    ],
)
def test_a_scenario_is_as_full_as_it_says(
    bare_world: Callable[..., World],
    name: str,
    vehicles: tuple[int, int],
    parked: tuple[int, int],
    people: tuple[int, int],
) -> None:
    world = bare_world(name, 1)
    on_foot = [one for one in world.actors if one.object_class is ObjectClass.PEDESTRIAN]
    still = [one for one in world.actors if one.object_class in VEHICLES and one.motion.is_still]

    assert vehicles[0] <= len(moving(world)) <= vehicles[1]
    assert parked[0] <= len(still) <= parked[1]
    assert people[0] <= len(on_foot) <= people[1]


def test_motorway_traffic_is_fast_and_has_lorries(bare_world: Callable[..., World]) -> None:
    world = bare_world("motorway", 1)
    ego = world.by_id[1].motion
    ways = [np.linalg.norm(ego.pose(t + 1.0).translation - ego.pose(t).translation) for t in (0.0, 5.0, 10.0)]

    assert 22.0 < np.mean(ways) < 35.0
    assert any(one.object_class is ObjectClass.TRUCK for one in world.actors)


@pytest.mark.parametrize("vehicles", [None, 6])
def test_a_convoy_begins_close_together(bare_world: Callable[..., World], vehicles: int | None) -> None:
    world = bare_world("convoy", 1, SHORT_S if vehicles is None else 1.0, vehicles)
    places = np.array([world.by_id[one].motion.pose(0.0).translation for one in world.connected_ids])

    assert len(world.connected_ids) == (vehicles or 4)
    assert np.linalg.norm(places - places[0], axis=1).max() < 70.0


def test_people_walk_where_they_look_and_step_up_to_the_pavement(bare_world: Callable[..., World]) -> None:
    world = bare_world("rush-hour", 1)
    walkers = moving(world, frozenset({ObjectClass.PEDESTRIAN}))
    heights = []
    for one in walkers:
        before, after = one.motion.pose(5.0), one.motion.pose(5.2)
        way = after.translation - before.translation
        heights.append(before.translation[2] - world.terrain.height_m(before.translation[:2]))
        if np.hypot(*way[:2]) > 0.1:
            assert np.cos(np.arctan2(way[1], way[0]) - before.yaw) > 0.8

    assert np.max(heights) < 0.15
    assert np.min(heights) > -0.01
    assert np.mean(np.array(heights) > 0.05) > 0.5  # most are on pavements

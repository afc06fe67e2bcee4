"""The small worlds keep what their scripts promise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.scenarios import build_world
from vedette.datasets.synth.world import World
from vedette.geometry import SE3, bev_iou, wrap_pi

SEEDS = [0, 5]


def seen_from(world: World, actor: Actor, t_s: float) -> SE3:
    """Pose in the ego vehicle's frame."""
    return world.by_id[1].motion.pose(t_s).inverse().compose(actor.motion.pose(t_s))


@pytest.mark.parametrize("seed", SEEDS)
def test_crossing_car_comes_from_the_left_at_constant_speed(bare_world: Callable[..., World], seed: int) -> None:
    world = bare_world("crossing", seed)
    times = np.arange(0.0, 12.0, 0.1)
    path = np.array([seen_from(world, world.by_id[2], float(t)).translation for t in times])

    assert world.by_id[1].motion.is_still
    assert path[0, 1] > 30.0
    assert path[-1, 1] < -10.0
    at_front = path[np.abs(path[:, 1]) < 2.0]
    assert ((at_front[:, 0] > 5.0) & (at_front[:, 0] < 25.0)).all()
    np.testing.assert_allclose(np.linalg.norm(np.diff(path, axis=0), axis=1), 0.8, atol=1e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_turn_is_90_degrees_to_the_left(bare_world: Callable[..., World], seed: int) -> None:
    world = bare_world("turn", seed)
    ego = world.by_id[1].motion
    turned = wrap_pi(ego.pose(12.0).yaw - ego.pose(0.0).yaw)

    assert np.rad2deg(turned) == pytest.approx(90.0, abs=3.0)
    assert sum(one.motion.is_still for one in world.actors) > 20  # parked around


@pytest.mark.parametrize("seed", SEEDS)
def test_two_cars_swap_sides(bare_world: Callable[..., World], seed: int) -> None:
    world = bare_world("swap", seed)
    lateral = np.array(
        [[seen_from(world, world.by_id[one], t).translation[1] for one in (2, 3)] for t in np.arange(0.0, 10.0, 0.5)]
    )

    assert lateral[0, 0] - lateral[0, 1] > 3.0
    assert lateral[-1, 1] - lateral[-1, 0] > 3.0
    for t in np.arange(0.0, 10.0, 0.5):
        boxes = np.array([one.box_world(float(t)) for one in world.actors])
        assert bev_iou(boxes, boxes).sum() == pytest.approx(3.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cyclist_is_behind_the_van_and_comes_out(bare_world: Callable[..., World], seed: int) -> None:
    world = bare_world("hidden-cyclist", seed)
    classes = [one.object_class for one in world.actors]
    hidden = [van_is_between(world, float(t)) for t in np.arange(0.0, 8.0, 0.25)]

    assert classes == [ObjectClass.CAR, ObjectClass.VAN, ObjectClass.CYCLIST]
    assert hidden[0]
    assert not hidden[-1]
    assert np.abs(np.diff(np.array(hidden, dtype=int))).sum() == 1  # comes out once
    for t in np.arange(0.0, 12.0, 0.5):
        boxes = np.array([one.box_world(float(t)) for one in world.actors])
        assert bev_iou(boxes, boxes).sum() == pytest.approx(3.0)


def van_is_between(world: World, t_s: float) -> bool:
    """Whether the line from the ego vehicle's middle to the cyclist's passes through the van's box."""
    eye, van, rider = (world.by_id[k].box_world(t_s) for k in (1, 2, 3))
    line = eye[:2] + np.linspace(0.0, 1.0, 400)[:, None] * (rider[:2] - eye[:2])
    offset = line - van[:2]
    cos, sin = np.cos(van[6]), np.sin(van[6])
    along, across = offset @ [cos, sin], offset @ [-sin, cos]
    return bool(((np.abs(along) < van[3] / 2) & (np.abs(across) < van[4] / 2)).any())


def test_the_same_seed_gives_the_same_world_to_the_last_bit() -> None:
    one, other = (build_world("hidden-cyclist", 3, 2.0) for _ in range(2))

    assert one.scenery.vertices_m.tobytes() == other.scenery.vertices_m.tobytes()
    assert one.scenery.colours_rgb.tobytes() == other.scenery.colours_rgb.tobytes()
    assert one.light == other.light
    for a, b in zip(one.actors, other.actors, strict=True):
        assert a.motion.pose(1.7).matrix.tobytes() == b.motion.pose(1.7).matrix.tobytes()
        assert a.shape.mesh(1.7).vertices_m.tobytes() == b.shape.mesh(1.7).vertices_m.tobytes()


def test_another_seed_gives_another_world(bare_world: Callable[..., World]) -> None:
    one, other = (bare_world("hidden-cyclist", seed) for seed in SEEDS)

    assert one.light != other.light
    assert one.actors[0].shape.size_m != other.actors[0].shape.size_m

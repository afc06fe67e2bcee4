"""Pedestrians and cyclists: boxes that hold every phase, feet on the ground, limbs in step with the pace."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.actors import Shape
from vedette.datasets.synth.shapes.figure import bars, draw_build, tube
from vedette.datasets.synth.shapes.people import cyclist, pedestrian
from vedette.datasets.synth.shapes.riding import BRACKET_M, CRANK_M, FEET, Ride
from vedette.datasets.synth.shapes.riding import SHINS as RIDING_SHINS
from vedette.datasets.synth.shapes.riding import THIGHS as RIDING_THIGHS
from vedette.datasets.synth.shapes.walking import FEET as WALKING_FEET
from vedette.datasets.synth.shapes.walking import Walk
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

TIMES_S = np.linspace(0.0, 6.0, 151)
PEOPLE = [
    *(pytest.param(pedestrian, pace, id=f"pedestrian-{pace}") for pace in (0.0, 0.7, 1.4, 3.2)),
    *(pytest.param(cyclist, pace, id=f"cyclist-{pace}") for pace in (0.0, 2.0, 6.0)),
]


def vertices(shape: Shape, times_s: NDArrayFloat = TIMES_S) -> NDArrayFloat:
    return np.stack([shape.mesh(float(t)).vertices_m for t in times_s])


@pytest.mark.parametrize(("person", "pace"), PEOPLE)
def test_never_leaves_the_box_and_touches_every_side_of_it(person, pace):
    for seed in range(5):
        shape = person(np.random.default_rng(seed), pace)
        half = np.array(shape.size_m) / 2
        places = vertices(shape)
        low, high = places.min(axis=(0, 1)), places.max(axis=(0, 1))
        assert (low >= [-half[0], -half[1], -1e-6]).all()
        assert (high <= [half[0], half[1], shape.size_m[2]]).all()
        np.testing.assert_allclose(low, [-half[0], -half[1], 0.0], atol=0.01)
        np.testing.assert_allclose(high, [half[0], half[1], shape.size_m[2]], atol=0.01)


@pytest.mark.parametrize(("person", "pace"), PEOPLE)
def test_follows_from_the_seed_and_moves(person, pace):
    shape, again = (person(np.random.default_rng(11), pace) for _ in range(2))
    assert not shape.is_rigid
    assert shape.size_m == again.size_m
    assert shape.mesh(1.3).vertices_m.tobytes() == again.mesh(1.3).vertices_m.tobytes()
    moved = np.abs(shape.mesh(1.3).vertices_m - shape.mesh(1.5).vertices_m).max()
    if pace > 0.0:
        assert moved > 0.05
    else:
        assert moved < 0.02


@pytest.mark.parametrize(("person", "pace"), PEOPLE)
def test_triangles_are_few(person, pace):
    assert max(len(person(np.random.default_rng(seed), pace).mesh(0.0)) for seed in range(12)) <= 380


@pytest.mark.parametrize("pace", [0.0, 0.7, 1.4, 3.2])
def test_someone_on_foot_is_on_the_ground_at_all_times(pace):
    for seed in range(6):
        lowest = vertices(pedestrian(np.random.default_rng(seed), pace))[..., 2].min(axis=1)
        assert (np.abs(lowest) < 0.03).all()


def test_people_are_of_all_heights():
    heights = np.array([pedestrian(np.random.default_rng(seed), 0.0).size_m[2] for seed in range(90)])
    assert heights.min() < 1.4
    assert heights.max() > 1.85
    assert np.median(heights) == pytest.approx(1.73, abs=0.06)


def test_who_stands_takes_little_room_and_who_walks_more():
    standing, walking = (pedestrian(np.random.default_rng(3), pace).size_m[0] for pace in (0.0, 1.4))
    assert standing < 0.65
    assert walking > standing + 0.3


def walker(pace_m_s: float) -> Walk:
    build = draw_build(np.random.default_rng(0), adult=True)
    return Walk(build, pace_m_s, phase=0.0, arm_bend=0.2, carrying=False)


@pytest.mark.parametrize("pace", [0.7, 1.4, 2.0])
def test_two_steps_take_the_walker_as_far_as_the_pace_says(pace):
    walk = walker(pace)
    assert 2 * walk.step_m == pytest.approx(pace * walk.period_s)
    steps_a_second = 2 / walk.period_s
    assert 1.2 < steps_a_second < 2.8


def test_a_foot_on_the_ground_hardly_slides():
    """In the middle of its stance a foot moves backwards about as fast as the walker moves forwards."""
    walk = walker(1.4)
    middle_s = walk.period_s / 2  # the left leg passes below the hip, moving backwards
    times = middle_s + np.linspace(-0.1, 0.1, 5) * walk.period_s
    x = walk.pose(times)[0][:, WALKING_FEET[0], 0]
    assert x[2] == pytest.approx(0.0, abs=0.05)
    assert np.polyfit(times, x, 1)[0] == pytest.approx(-1.4, rel=0.25)


def test_legs_are_half_a_period_apart_and_arms_swing_against_them():
    walk = walker(1.4)
    times = np.linspace(0.0, walk.period_s, 40, endpoint=False)
    _, angles = walk.pose(times)
    np.testing.assert_allclose(angles[:, 1], np.roll(angles[:, 2], 20), atol=1e-9)
    assert np.corrcoef(angles[:, 1], angles[:, 7])[0, 1] < -0.9


@pytest.mark.parametrize("pace", [2.0, 6.0])
def test_a_rider_pedals_as_fast_as_the_pace_needs(pace):
    build = draw_build(np.random.default_rng(1), adult=True)
    ride = Ride(build, pace, phase=0.4, lean=0.5)
    assert 20 < 60 / ride.period_s < 100
    origins, angles = ride.pose(np.array([0.0, ride.period_s]))
    np.testing.assert_allclose(origins[0], origins[1], atol=1e-9)
    assert angles[1, 9] == pytest.approx(-pace * ride.period_s / 0.34)


def test_feet_stay_on_the_pedals_and_legs_keep_their_lengths():
    for seed in range(10):
        build = draw_build(np.random.default_rng(seed), adult=True)
        ride = Ride(build, 4.0, phase=0.0, lean=0.4)
        origins, angles = ride.pose(np.linspace(0.0, 1.0, 33))
        for foot, shin, thigh in zip(FEET, RIDING_SHINS, RIDING_THIGHS, strict=True):
            pedal = origins[:, foot] - (-0.04, build.ankle_m)
            np.testing.assert_allclose(np.linalg.norm(pedal - BRACKET_M, axis=1), CRANK_M, atol=1e-9)
            lower = np.stack([np.sin(angles[:, shin]), -np.cos(angles[:, shin])], axis=1)
            np.testing.assert_allclose(origins[:, shin] + build.shin_m * lower, origins[:, foot], atol=1e-6)
            assert (origins[:, shin, 0] > origins[:, thigh, 0]).all()


def test_a_cyclist_is_as_large_as_kittis():
    sizes = np.array([cyclist(np.random.default_rng(seed), 4.0).size_m for seed in range(30)])
    assert (np.abs(sizes.mean(axis=0) - [1.76, 0.60, 1.74]) < [0.08, 0.08, 0.10]).all(), sizes.mean(axis=0)


def test_a_tube_joins_its_rings_and_closes_the_last():
    mesh = tube([[0, 0, 0], [0, 0, 2]], [[1, 1], [1, 1]], Surface.CLOTH, (1, 2, 3), sides=4)
    assert len(mesh) == 4 * 2 + 2
    assert mesh.vertices_m[:4, 2].tolist() == [0.0] * 4
    np.testing.assert_allclose(np.linalg.norm(mesh.vertices_m[:, :2], axis=1), 1.0, rtol=1e-6)


@pytest.mark.parametrize("end", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, -0.5, 2]])
def test_a_bar_keeps_its_thickness_in_every_direction(end):
    mesh = bars([[[0, 0, 0], end]], 0.1, Surface.METAL, (1, 2, 3))
    axis = np.array(end) / np.linalg.norm(end)
    off = mesh.vertices_m - np.outer(mesh.vertices_m @ axis, axis)
    np.testing.assert_allclose(np.linalg.norm(off, axis=1), 0.1, rtol=1e-5)

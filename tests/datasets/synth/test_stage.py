"""A world made ready for rays: who is where, and how glass is passed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import Actor, RigidShape, Still
from vedette.datasets.synth.mesh import Mesh, cuboid
from vedette.datasets.synth.stage import LaserScene, Stage, first_stop
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.track import Track, track_of
from vedette.datasets.synth.world import World
from vedette.geometry import SE3

MakeWorld = Callable[..., World]
GREY = (128, 128, 128)
AHEAD = (np.array([[0.0, 0.0, 1.0]], np.float32), np.array([[1.0, 0.0, 0.0]], np.float32))


def panes(*places_m: float, surface: Surface = Surface.CAR_GLASS) -> Mesh:
    """Upright squares across the x axis."""
    square = np.array([[0.0, -1, 0], [0, 1, 0], [0, 1, 2], [0, -1, 2]])
    return Mesh.merge([Mesh.of(np.add(square, [x, 0.0, 0.0]), [[0, 1, 2], [0, 2, 3]], surface, GREY) for x in places_m])


def scene_of(mesh: Mesh) -> LaserScene:
    return LaserScene(mesh, np.zeros(len(mesh), dtype=np.int64))


def test_passing_all_glass() -> None:
    scene = scene_of(Mesh.merge([panes(2.0, 3.0), panes(5.0, surface=Surface.CLOTH)]))
    hits, passed = first_stop(scene, *AHEAD, lambda count: np.ones(count, dtype=bool))
    assert hits.range_m[0] == np.float32(5.0)
    assert passed[0] == 2


def test_stopping_at_the_second_pane() -> None:
    scene = scene_of(panes(2.0, 3.0, 4.0))
    decisions = iter([True, False])
    hits, passed = first_stop(scene, *AHEAD, lambda count: np.full(count, next(decisions)))
    np.testing.assert_allclose(hits.range_m, [3.0], atol=1e-6)
    assert passed[0] == 1


def test_nothing_behind_glass() -> None:
    hits, passed = first_stop(scene_of(panes(2.0)), *AHEAD, lambda count: np.ones(count, dtype=bool))
    assert not hits.met[0]
    assert np.isinf(hits.range_m[0])
    assert passed[0] == 1


def test_first_stop_counts_no_pane_beyond_what_is_in_the_way() -> None:
    """Of two panes 2 and 4 m ahead, one lies before something at 3 m, and both behind something at 1 m."""
    for reach_m, expected in ((3.0, 1), (1.0, 0)):
        reach = np.array([reach_m], dtype=np.float32)
        hits, passed = first_stop(scene_of(panes(2.0, 4.0)), *AHEAD, lambda count: np.ones(count, dtype=bool), reach)
        assert passed.tolist() == [expected]
        assert hits.range_m[0] > reach_m


def test_no_more_panes_are_passed_than_a_bus_has() -> None:
    """A ray along a hall of mirrors ends somewhere."""
    hits, passed = first_stop(scene_of(panes(*range(1, 20))), *AHEAD, lambda count: np.ones(count, dtype=bool))
    assert passed[0] == 6
    assert hits.range_m[0] > 6.0


def test_connected_vehicles_stand_apart_even_when_parked(make_world: MakeWorld) -> None:
    size = (4.0, 1.8, 1.5)
    shape = RigidShape(cuboid(size, Surface.CAR_PAINT, GREY), size)
    parked = Actor(2, ObjectClass.CAR, shape, Still(SE3.from_yaw(0.0, [9.0, 0.0, 0.0])))
    stage = Stage(make_world([parked]))
    assert [actor.actor_id for actor in stage.apart] == [1]
    assert set(np.unique(stage.still.owners)) == {0, 2}
    assert stage.own_scene(parked, 0.0) is stage.own_scene(parked, 5.0)


def test_track_between_knots() -> None:
    """Constant velocity and turning: 20 µrad and a fraction of a millimetre off, at most."""

    def pose(t_s: float) -> SE3:
        return SE3.from_yaw(1.0 * t_s, [20.0 * t_s, -3.0 * t_s, 0.5])

    times_s = np.linspace(1.0, 1.1, 100)
    track = track_of(pose, times_s)
    for row in (0, 37, 99):
        exact = pose(float(times_s[row]))
        np.testing.assert_allclose(track.rotations[row], exact.rotation, atol=2.5e-5)
        np.testing.assert_allclose(track.translations[row], exact.translation, atol=1e-9)


def test_track_of_one_instant() -> None:
    track = track_of(lambda t_s: SE3.from_yaw(0.0, [t_s, 0.0, 0.0]), np.array([2.0]))
    np.testing.assert_allclose(track.translations, [[2.0, 0.0, 0.0]])


def test_seen_from_another() -> None:
    one, other = SE3.from_yaw(0.3, [4.0, 1.0, 0.0]), SE3.from_yaw(-1.2, [-2.0, 7.0, 1.0])
    tracks = [Track(pose.rotation[None], pose.translation[None]) for pose in (one, other)]
    relative = tracks[0].seen_from(tracks[1])
    expected = other.inverse().compose(one)
    np.testing.assert_allclose(relative.rotations[0], expected.rotation, atol=1e-12)
    np.testing.assert_allclose(relative.translations[0], expected.translation, atol=1e-12)

"""Vehicles of every kind: sizes, symmetry, glass, clearance, and that nothing sticks out."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import RigidShape
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.raycast import TriangleScene, is_glass
from vedette.datasets.synth.shapes.vehicles import VehicleKind, draw_kind, vehicle
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat32

SEEDS = range(12)
CARS = (VehicleKind.HATCHBACK, VehicleKind.SALOON, VehicleKind.ESTATE, VehicleKind.SUV, VehicleKind.MPV)
LOFTED = (*CARS, VehicleKind.VAN, VehicleKind.BUS)


def made(kind: VehicleKind, seed: int) -> RigidShape:
    return vehicle(kind, np.random.default_rng(seed))


def scene(mesh: Mesh) -> TriangleScene:
    return TriangleScene(mesh, np.ones(len(mesh), dtype=np.int64))


def areas(mesh: Mesh) -> NDArrayFloat32:
    a, b, c = (mesh.vertices_m[mesh.triangles[:, k]] for k in range(3))
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


@pytest.mark.parametrize("kind", VehicleKind)
def test_fills_its_box_exactly(kind):
    for seed in SEEDS:
        shape = made(kind, seed)
        half = np.array(shape.size_m) / 2
        vertices = shape.mesh(3.0).vertices_m[shape.mesh(3.0).triangles].reshape(-1, 3)
        np.testing.assert_allclose(vertices.min(axis=0), [-half[0], -half[1], 0.0], atol=1e-5)
        np.testing.assert_allclose(vertices.max(axis=0), [half[0], half[1], shape.size_m[2]], atol=1e-5)


@pytest.mark.parametrize("kind", VehicleKind)
def test_is_one_rigid_mesh_that_follows_from_the_seed(kind):
    shape, again, other = made(kind, 4), made(kind, 4), made(kind, 5)
    assert shape.is_rigid
    assert shape.mesh(0.0) is shape.mesh(9.0)
    assert shape.size_m == again.size_m != other.size_m
    for name in ("vertices_m", "triangles", "surfaces", "colours_rgb"):
        assert getattr(shape.body, name).tobytes() == getattr(again.body, name).tobytes()


@pytest.mark.parametrize("kind", VehicleKind)
def test_left_side_mirrors_the_right(kind):
    vertices = made(kind, 1).body.vertices_m.astype(np.float64)
    mirrored = vertices * (1.0, -1.0, 1.0)
    ours, theirs = (rows[np.lexsort(np.round(rows, 4).T)] for rows in (vertices, mirrored))
    np.testing.assert_allclose(np.unique(np.round(ours, 4), axis=0), np.unique(np.round(theirs, 4), axis=0), atol=2e-4)


@pytest.mark.parametrize("kind", VehicleKind)
def test_triangles_are_few_and_all_of_vertices_that_are_finite(kind):
    for seed in SEEDS:
        body = made(kind, seed).body
        assert 200 < len(body) < 500
        assert np.isfinite(body.vertices_m).all()


SIZES = {  # mean length, width, height within
    **dict.fromkeys(CARS, ((3.2, 4.9), (1.45, 1.95), (1.3, 1.9))),
    VehicleKind.VAN: ((4.1, 5.9), (1.7, 2.1), (1.7, 2.6)),
    VehicleKind.TRUCK: ((5.9, 12.5), (2.4, 2.7), (2.6, 3.9)),
    VehicleKind.BUS: ((10.0, 13.0), (2.4, 2.6), (2.8, 3.3)),
}


@pytest.mark.parametrize("kind", VehicleKind)
def test_sizes_are_those_of_european_streets(kind):
    sizes = np.array([made(kind, seed).size_m for seed in SEEDS])
    for column, (low, high) in zip(sizes.T, SIZES[kind], strict=True):
        assert low <= column.min() < column.max() <= high


def test_cars_as_parked_are_as_large_as_kittis():
    rng = np.random.default_rng(0)
    kinds = [kind for kind in (draw_kind(rng, parked=True) for _ in range(200)) if kind in CARS]
    mean = np.mean([vehicle(kind, rng).size_m for kind in kinds], axis=0)
    assert (np.abs(mean - [3.9, 1.63, 1.53]) < [0.25, 0.06, 0.05]).all(), mean


@pytest.mark.parametrize("kind", LOFTED)
def test_a_car_has_windows_but_is_mostly_metal(kind):
    for seed in range(6):
        body = made(kind, seed).body
        share = areas(body)[is_glass(body)].sum() / areas(body).sum()
        assert (0.02 if kind is VehicleKind.VAN else 0.07) < share < 0.35


@pytest.mark.parametrize("kind", CARS)
def test_beams_pass_under_a_car_but_not_through_its_wheels(kind):
    shape = made(kind, 2)
    x = np.linspace(-0.5, 0.5, 201) * shape.size_m[0]
    origins = np.stack([x, np.full(201, 5.0), np.full(201, 0.10)], axis=1).astype(np.float32)
    met = scene(shape.body).cast(origins, np.tile(np.array([0, -1, 0], np.float32), (201, 1))).met
    assert 0.08 < met.mean() < 0.40
    assert not met[80:120].any()


@pytest.mark.parametrize("kind", CARS)
def test_from_above_the_body_is_closed_and_the_seats_are_under_the_glass(kind):
    for seed in SEEDS:
        shape = made(kind, seed)
        x, y = np.meshgrid(
            np.linspace(-0.47, 0.455, 60) * shape.size_m[0], np.linspace(-0.26, 0.26, 15) * shape.size_m[1]
        )
        origins = np.stack([x.ravel(), y.ravel(), np.full(x.size, 5.0)], axis=1).astype(np.float32)
        hits = scene(shape.body).cast(origins, np.tile(np.array([0, 0, -1], np.float32), (x.size, 1)))
        assert hits.met.all()
        met = set(shape.body.surfaces[hits.triangles].tolist())
        assert met <= {Surface.CAR_PAINT, Surface.CAR_GLASS, Surface.HEADLAMP, Surface.TAIL_LAMP}
        assert met >= {Surface.CAR_PAINT, Surface.CAR_GLASS}


@pytest.mark.parametrize("kind", [*CARS, VehicleKind.BUS])
def test_what_a_beam_meets_behind_a_window_is_inside(kind):
    """Through the side windows, sloping down: seats, or the other door, but always something."""
    shape = made(kind, 3)
    opaque = scene(shape.body.select(~is_glass(shape.body)))
    x = np.linspace(-0.1, 0.05, 40) * shape.size_m[0]
    start_m = (0.5 if kind is VehicleKind.BUS else 0.68) * shape.size_m[2] + 0.25 * (3.0 - 0.45 * shape.size_m[1])
    origins = np.stack([x, np.full(40, 3.0), np.full(40, start_m)], axis=1).astype(np.float32)
    direction = np.array([0.0, -1.0, -0.25]) / np.hypot(1.0, 0.25)
    hits = opaque.cast(origins, np.tile(direction.astype(np.float32), (40, 1)))
    assert hits.met.all()
    sideways_m = 3.0 + direction[1] * hits.range_m
    assert (np.abs(sideways_m) <= shape.size_m[1] / 2 + 1e-5).all()
    assert (np.abs(sideways_m) < 0.4 * shape.size_m[1]).any()


@pytest.mark.parametrize("kind", CARS)
def test_the_cabin_is_narrower_than_the_waist_and_the_ends_round_off(kind):
    shape = made(kind, 6)
    length_m, width_m, height_m = shape.size_m
    direction = np.tile(np.array([0, -1, 0], np.float32), (2, 1))
    places = np.array([[-0.05 * length_m, 3.0, 0.45 * height_m], [-0.05 * length_m, 3.0, 0.9 * height_m]], np.float32)
    waist_m, roof_m = 3.0 - scene(shape.body).cast(places, direction).range_m
    assert 0.90 * width_m / 2 < waist_m <= width_m / 2
    assert 0.70 * width_m / 2 < roof_m < 0.92 * waist_m
    ahead = np.array([[5.0, 0.0, 0.5], [5.0, 0.42 * width_m, 0.5]], np.float32)
    middle_m, corner_m = scene(shape.body).cast(ahead, np.tile(np.array([-1, 0, 0], np.float32), (2, 1))).range_m
    assert 0.1 < corner_m - middle_m < 0.5


@pytest.mark.parametrize("kind", VehicleKind)
def test_lamps_and_plates_are_seen_from_the_front_and_from_behind(kind):
    shape = made(kind, 7)
    y, z = np.meshgrid(np.linspace(-0.5, 0.5, 60) * shape.size_m[1], np.linspace(0.05, 0.8, 60) * shape.size_m[2])
    for direction, lamp in ((-1.0, Surface.HEADLAMP), (1.0, Surface.TAIL_LAMP)):
        origins = np.stack([np.full(y.size, -20 * direction), y.ravel(), z.ravel()], axis=1).astype(np.float32)
        hits = scene(shape.body).cast(origins, np.tile(np.array([direction, 0, 0], np.float32), (y.size, 1)))
        seen = set(shape.body.surfaces[hits.triangles[hits.met]].tolist())
        assert {lamp, Surface.NUMBER_PLATE} <= seen


def test_classes_are_those_of_labels():
    assert {kind.object_class for kind in CARS} == {ObjectClass.CAR}
    assert VehicleKind.VAN.object_class is ObjectClass.VAN
    assert VehicleKind.TRUCK.object_class is ObjectClass.TRUCK
    assert VehicleKind.BUS.object_class is ObjectClass.BUS


@pytest.mark.parametrize("parked", [True, False])
def test_streets_hold_mostly_cars(parked):
    rng = np.random.default_rng(1)
    kinds = [draw_kind(rng, parked=parked) for _ in range(3000)]
    shares = {kind: kinds.count(kind) / 3000 for kind in VehicleKind}
    assert sum(shares[kind] for kind in CARS) == pytest.approx(0.86, abs=0.06)
    assert shares[VehicleKind.VAN] == pytest.approx(0.09, abs=0.02)
    assert (shares[VehicleKind.BUS] == 0.0) is parked


def test_paint_is_dark_on_some_cars_and_light_on_others():
    brightness = []
    for seed in range(60):
        body = made(VehicleKind.HATCHBACK, seed).body
        brightness.append(body.colours_rgb[body.surfaces == Surface.CAR_PAINT][0].mean())
    assert 0.1 < np.mean(np.array(brightness) < 45) < 0.5
    assert 0.15 < np.mean(np.array(brightness) > 140) < 0.6


def test_trucks_come_boxed_and_open():
    loads = [Surface.SOIL in made(VehicleKind.TRUCK, seed).body.surfaces for seed in range(40)]
    assert 2 < sum(loads) < 25

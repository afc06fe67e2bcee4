"""Stitching, mirror images and the fit into a box, on shapes small enough to draw."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.shapes.paint import BUS_PAINTS, CAR_PAINTS, TRUCK_PAINTS, VAN_PAINTS, palette_of
from vedette.datasets.synth.shapes.parts import blocks, fitted, grid_triangles, plates, stitched, with_mirror_image
from vedette.datasets.synth.surfaces import Surface

PALETTE = palette_of((10, 20, 30))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([0, 1], [0, 1], [[0, 1, 2], [1, 3, 2]]),
        ([0, 1, 2], [0, 2], [[0, 1, 3], [1, 2, 3], [2, 4, 3]]),
        ([0, 2], [0, 1, 2], [[0, 3, 2], [0, 1, 3], [1, 4, 3]]),
    ],
)
def test_two_lines_are_stitched_in_order(first, second, expected):
    triangles = stitched(np.array(first, dtype=float), np.array(second, dtype=float))
    np.testing.assert_array_equal(triangles, expected)


def test_a_stitched_strip_has_the_area_between_its_lines():
    rng = np.random.default_rng(0)
    first, second = (np.sort(np.concatenate([[0.0, 5.0], rng.uniform(0, 5, n)])) for n in (7, 3))
    points = np.concatenate([np.stack([first, 0 * first], 1), np.stack([second, 0 * second + 2.0], 1)])
    a, b, c = (points[stitched(first, second)[:, k]] for k in range(3))
    u, v = b - a, c - a
    assert np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum() / 2 == pytest.approx(10.0)


def test_a_grid_is_covered_quad_by_quad():
    np.testing.assert_array_equal(grid_triangles(2, 3), [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]])


def test_blocks_lie_between_their_corners():
    mesh = blocks([[[0, 1, 2], [3, 5, 7]], [[-1, -1, 0], [0, 0, 1]]], Surface.METAL, PALETTE)
    assert len(mesh) == 20
    np.testing.assert_array_equal(mesh.vertices_m[:8].min(axis=0), [0, 1, 2])
    np.testing.assert_array_equal(mesh.vertices_m[:8].max(axis=0), [3, 5, 7])
    assert len(blocks([[[0, 1, 2], [3, 5, 7]]], Surface.METAL, PALETTE, closed_below=True)) == 12


def test_a_plate_stands_across():
    mesh = plates([[[2, -1, 0.5], [2, 1, 0.8]]], Surface.NUMBER_PLATE, PALETTE)
    assert sorted(mesh.vertices_m.tolist()) == sorted(
        np.float32([[2, -1, 0.5], [2, 1, 0.5], [2, 1, 0.8], [2, -1, 0.8]]).tolist()
    )


def test_a_mirror_image_is_added_on_the_right():
    mesh = with_mirror_image(plates([[[2, 1, 0], [2, 3, 1]]], Surface.HEADLAMP, PALETTE))
    assert len(mesh) == 4
    np.testing.assert_array_equal(mesh.vertices_m[:4] * (1, -1, 1), mesh.vertices_m[4:])


def test_a_mesh_is_stretched_to_its_box():
    shape = fitted(blocks([[[5, 5, 5], [7, 9, 6]]], Surface.METAL, PALETTE), (4.0, 2.0, 3.0))
    np.testing.assert_allclose(shape.body.vertices_m.min(axis=0), [-2, -1, 0])
    np.testing.assert_allclose(shape.body.vertices_m.max(axis=0), [2, 1, 3])


@pytest.mark.parametrize("mix", [CAR_PAINTS, VAN_PAINTS, TRUCK_PAINTS, BUS_PAINTS])
def test_shares_of_a_mix_are_all_there_is(mix):
    assert sum(share for _, share in mix) == pytest.approx(1.0)


def test_a_palette_paints_the_body():
    assert PALETTE[Surface.CAR_PAINT].tolist() == [10, 20, 30]
    assert PALETTE[Surface.RUBBER].tolist() != [10, 20, 30]

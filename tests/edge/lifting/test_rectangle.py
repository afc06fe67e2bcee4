"""The search for a rectangle's axis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.edge.lifting.rectangle import extents, search_axes


def l_shape(yaw, centre=(15.0, 3.0), size=(4.0, 1.6), count=60):
    """Points on the two sides of a rectangle that face the origin."""
    cos, sin = np.cos(yaw), np.sin(yaw)
    turn = np.array([[cos, -sin], [sin, cos]])
    share = np.linspace(-0.5, 0.5, count)
    sides = []
    for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
        normal = turn[:, axis] * sign
        face_middle = np.array(centre) + normal * size[axis] / 2
        if normal @ face_middle < 0:
            along = turn[:, 1 - axis]
            sides.append(face_middle + np.outer(share * size[1 - axis], along))
    return np.vstack(sides).T.astype(np.float32)


def search_axis(outline, known_yaw, pull):
    """Of one object alone."""
    return search_axes([outline], [known_yaw], [pull])[0]


@given(st.floats(-1.5, 1.5))
def test_axis_of_two_faces_is_found(yaw):
    """Two visible faces give the axis within the search's step of two degrees, modulo a quarter turn."""
    found = search_axis(l_shape(yaw), 0.0, 0.0)
    gap = (found - yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4
    assert abs(gap) < np.deg2rad(2.0)


def test_the_known_axis_decides_where_the_outline_cannot():
    """A single point has no axis of its own."""
    found = search_axis(np.array([[10.0], [0.0]], np.float32), 0.5, 0.1)
    assert found == pytest.approx(0.5, abs=np.deg2rad(1.0))


def test_the_same_points_give_the_same_axis():
    """Nothing is drawn at random."""
    points = l_shape(0.3) + np.random.default_rng(0).normal(0, 0.02, (2, 120)).astype(np.float32)
    assert search_axis(points, 0.0, 0.04) == search_axis(points.copy(), 0.0, 0.04)


def test_objects_searched_together_do_not_disturb_each_other():
    """Each of three outlines of different lengths gets the axis that it gets alone."""
    outlines = [l_shape(0.3), l_shape(-0.7, count=5), l_shape(1.2, count=400)]
    yaws, pulls = [0.0, 0.5, 1.0], [0.0, 0.1, 0.3]
    alone = [search_axis(*each) for each in zip(outlines, yaws, pulls, strict=True)]
    assert search_axes(outlines, yaws, pulls) == pytest.approx(alone, abs=1e-4)


def test_extents_along_the_axes():
    """A 4 by 1.6 rectangle measured along its own axes; two faces span all of it."""
    outline = extents(l_shape(0.4, count=101), 0.4)
    # of 202 points the three outermost at each end are left out: 3 steps of 4 m / 100, and of 1.6 m / 100
    assert outline.size_m == pytest.approx([4.0, 1.6], abs=0.13)


@pytest.mark.parametrize("count", [1, 2, 12])
def test_extents_of_few_points_leave_nothing_out(count):
    """Up to a dozen points every one counts."""
    points = np.stack([np.linspace(10, 12, count), np.zeros(count)])
    outline = extents(points, 0.0)
    assert (outline.low_m[0], outline.high_m[0]) == (points[0, 0], points[0, -1])

"""The search for a rectangle's axis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.edge.lifting.rectangle import outline_ends, search_axes, thinned


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
    return searched([outline], [known_yaw], [pull])[0]


def searched(outlines, yaws, pulls):
    """Of several objects together."""
    counts = np.array([outline.shape[1] for outline in outlines], np.float64)
    return search_axes(thinned(outlines), counts, yaws, pulls)


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
    assert searched(outlines, yaws, pulls) == pytest.approx(alone, abs=1e-4)


def ends_of(points, yaw):
    """Ends of one outline."""
    low, high = outline_ends(thinned([points]), np.array([yaw]), np.array([points.shape[1]], np.float64))
    return low[0], high[0]


def test_ends_along_the_axes():
    """A 4 by 1.6 rectangle measured along its own axes; two faces span all of it."""
    low, high = ends_of(l_shape(0.4, count=101), 0.4)
    # 96 of 202 points are looked at, and of them the outermost at each end is left out: at most 4 steps of 4 m / 100
    assert high - low == pytest.approx([4.0, 1.6], abs=0.17)
    turn = np.array([[np.cos(0.4), np.sin(0.4)], [-np.sin(0.4), np.cos(0.4)]])
    assert (low + high) / 2 == pytest.approx(turn @ [15.0, 3.0], abs=0.1)


@pytest.mark.parametrize("count", [1, 2, 12])
def test_ends_of_few_points_leave_nothing_out(count):
    """Up to a dozen points every one counts."""
    points = np.stack([np.linspace(10, 12, count), np.zeros(count)]).astype(np.float32)
    low, high = ends_of(points, 0.0)
    assert (low[0], high[0]) == (points[0, 0], points[0, -1])


def test_one_stray_point_among_many_is_left_out():
    """A point 3 m before an outline of a hundred points does not move its near end."""
    points = l_shape(0.0, count=60)
    stray = np.concatenate([points, np.array([[9.0], [3.0]], np.float32)], axis=1)
    assert ends_of(stray, 0.0)[0][0] == pytest.approx(13.0, abs=0.1)

"""The box behind an outline, worked out by hand: a car of 4 by 1.6 m, its axes those of the velo frame."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.lifting.solve import Outlines, solve

SIZE = (4.0, 1.6)
SIZE_SIGMA = (0.45, 0.1)
OPEN = 100.0


def seen(low, high, *, edges=((0.0, 0.0), (OPEN, OPEN)), size=SIZE, size_sigma=SIZE_SIGMA, points=100, yaw=0.0):
    """One outline; edges as how far the object reaches to the left and to the right, and their spreads."""
    normals = np.array([[[0.0, 1.0], [0.0, -1.0]]])
    rows = (low, high, size, size_sigma, edges[0], edges[1])
    low, high, size, size_sigma, reach, sigma = (np.array([row], np.float64) for row in rows)
    return Outlines(np.array([yaw]), low, high, np.array([points]), size, size_sigma, normals, reach, sigma)


def test_behind_both_visible_faces():
    """Rear face at 13 m and right-hand face at 2.2 m: the centre is half a length and half a width farther."""
    found = solve(seen((13.0, 2.2), (14.0, 3.1)))
    assert found.xy_velo[0] == pytest.approx([15.0, 3.0], abs=0.01)
    assert found.size_m[0] == pytest.approx(SIZE, abs=0.01)
    assert found.seen[0].tolist() == [True, True]


def test_beyond_the_sensor_to_the_other_side():
    """The same car mirrored: right of the sensor, its left-hand face seen."""
    found = solve(seen((13.0, -3.1), (14.0, -2.2)))
    assert found.xy_velo[0] == pytest.approx([15.0, -3.0], abs=0.01)


def test_the_unknown_length_is_what_is_unsure():
    """Rear and side seen, the far end not: the centre is as unsure along the length as half of the length is."""
    covariance = solve(seen((13.0, 2.2), (14.0, 3.1))).covariance_m2[0]
    along, across, length, _ = np.sqrt(np.diag(covariance))
    assert length == pytest.approx(SIZE_SIGMA[0], rel=0.05)
    assert along == pytest.approx(SIZE_SIGMA[0] / 2, rel=0.2)
    assert across < 0.1


def test_a_longer_outline_makes_the_box_longer():
    """Points from 13 m to 18.2 m of a car thought to be 4 m long: it reaches nearly as far as they do."""
    found = solve(seen((13.0, 2.2), (18.2, 3.1)))
    assert found.size_m[0, 0] > 4.9
    assert found.xy_velo[0, 0] - found.size_m[0, 0] / 2 == pytest.approx(13.0, abs=0.05)


def test_straight_ahead_the_edges_tell_where_the_width_is():
    """Only the left half of the rear is hit, from 0 to 0.8 m; the image shows it from -0.8 to 0.8 m."""
    found = solve(seen((13.0, 0.0), (13.1, 0.8), edges=((0.8, 0.8), (0.1, 0.1))))
    assert found.xy_velo[0] == pytest.approx([15.0, 0.0], abs=0.05)
    assert found.seen[0].tolist() == [True, False]


def test_a_hidden_near_end_gives_way_to_edges_and_size():
    """Seen across: the near 1.5 m of a car's length are hidden, so that its points begin inside it.

    The car reaches from -2 to 2 m across the view, its side is 10 m ahead; the points are those from -0.5 to 1.9 m.
    """
    edges = ((2.0, 2.0), (0.1, 0.1))
    found = solve(seen((0.5, -11.6), (1.9, -10.0), edges=edges, yaw=np.pi / 2))
    assert found.xy_velo[0] == pytest.approx([10.8, 0.0], abs=0.15)
    assert found.size_m[0, 0] == pytest.approx(4.0, abs=0.2)


def test_the_wrong_axis_costs_more():
    """A side of 3.9 m is no car's width."""
    right = solve(seen((13.0, 2.2), (16.9, 3.8))).cost[0]
    wrong = solve(seen((13.0, 2.2), (14.6, 6.1))).cost[0]
    assert right < 1.0 < 20.0 < wrong


def test_boxes_solved_together_do_not_disturb_each_other():
    """Two different outlines in one call give what each gives alone."""
    one, other = seen((13.0, 2.2), (14.0, 3.1)), seen((20.0, -0.5), (20.2, 0.9), points=8)
    both = Outlines(
        *(np.concatenate([getattr(one, name), getattr(other, name)]) for name in Outlines.__dataclass_fields__)
    )
    together, alone = solve(both), (solve(one), solve(other))
    assert together.xy_velo == pytest.approx(np.concatenate([each.xy_velo for each in alone]))
    assert together.cost == pytest.approx(np.concatenate([each.cost for each in alone]))

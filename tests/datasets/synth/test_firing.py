"""The pattern of a spinning LiDAR, and what its vehicle takes from it."""

from __future__ import annotations

import numpy as np

from vedette.datasets.synth.firing import evenly_spread, hdl_64e
from vedette.datasets.synth.roof import KITTI_ROOF, Shadow, in_shadow


def test_hdl_64e_has_two_blocks() -> None:
    pattern = hdl_64e(unit=0, columns=2083)
    degrees = np.degrees(pattern.elevations)
    assert pattern.beams == 64
    assert (np.diff(degrees) < 0).all()
    np.testing.assert_allclose(degrees[[0, 31, 32, 63]], [2.0, -8.33, -8.83, -24.8], atol=0.2)
    np.testing.assert_allclose(np.diff(degrees[:32]).mean(), -10.33 / 31, atol=0.01)
    np.testing.assert_allclose(np.diff(degrees[32:]).mean(), -15.97 / 31, atol=0.01)
    # the upper block sits above the lower one
    assert pattern.heights_m[:32].min() > pattern.heights_m[32:].max() + 0.05


def test_units_differ_and_stay_as_they_are() -> None:
    one, again, other = (hdl_64e(unit, columns=2083) for unit in (1, 1, 2))
    np.testing.assert_array_equal(one.elevations, again.elevations)
    assert (one.azimuth_offsets != other.azimuth_offsets).all()
    assert np.abs(one.azimuth_offsets).max() < np.radians(6.0)


def test_a_turn_is_centred_on_straight_ahead() -> None:
    pattern = evenly_spread(4, -20.0, 10.0, columns=8)
    np.testing.assert_allclose(np.degrees(pattern.column_azimuths), np.arange(-157.5, 180.0, 45.0))
    np.testing.assert_allclose(np.degrees(pattern.elevations), [10.0, 0.0, -10.0, -20.0], atol=1e-12)
    level_and_left = pattern.directions[5, 1]
    np.testing.assert_allclose(level_and_left, [np.cos(np.radians(67.5)), np.sin(np.radians(67.5)), 0.0], atol=1e-6)


def test_order_of_the_file() -> None:
    """Four columns, two beams: each ring from straight ahead counter-clockwise."""
    pattern = evenly_spread(2, -10.0, 0.0, columns=4)
    # columns face -135, -45, 45 and 135 degrees; shots are numbered column after column
    np.testing.assert_array_equal(pattern.file_order, [4, 6, 0, 2, 5, 7, 1, 3])


def test_shadow_hides_its_directions_only() -> None:
    pattern = evenly_spread(4, -30.0, 0.0, columns=8)
    hidden = in_shadow(pattern, (Shadow(20.0, 70.0, top_deg=-5.0, bottom_deg=-25.0),))
    # columns at 22.5 and 67.5 degrees, beams at -10 and -20
    np.testing.assert_array_equal(np.argwhere(hidden), [[4, 1], [4, 2], [5, 1], [5, 2]])
    assert not in_shadow(pattern, ()).any()


def test_kitti_roof_takes_what_it_takes_in_kitti() -> None:
    """Drive 0001: rings 57 to 64 return 1501, 1412, 1385, 1323, 1247, 1223, 1109 of 2145; high ones lose nothing."""
    hidden = in_shadow(hdl_64e(unit=0, columns=2083), KITTI_ROOF).mean(axis=0)
    real = 1 - np.array([1501, 1412, 1385, 1323, 1247, 1223, 1109]) / 2145
    np.testing.assert_allclose(hidden[57:], real, atol=0.15)
    assert hidden[:40].max() == 0.0

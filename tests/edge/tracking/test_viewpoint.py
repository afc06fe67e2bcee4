"""When a turning sensor looked where, and where things were then."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import SE3

TURN_S = (-0.05, 0.05)


@pytest.fixture
def turning(street):
    """Ten turns a second, ahead at the capture time; 20 m/s along the world's y axis, which is ahead."""
    pose = SE3.from_yaw(np.pi / 2, [100.0, 50.0, 0.0])
    return Viewpoint(0, pose, street.camera, np.array([0.0, 20.0]), TURN_S)


@pytest.mark.parametrize(
    ("azimuth_deg", "lag_s"),
    [
        pytest.param(-180 + 1e-9, -0.05, id="behind, at the start"),
        pytest.param(-90, -0.025, id="right"),
        pytest.param(0, 0.0, id="ahead, in the middle"),
        pytest.param(30, 0.1 / 12, id="a twelfth of a turn later"),
        pytest.param(90, 0.025, id="left"),
        pytest.param(180 - 1e-9, 0.05, id="behind, at the end"),
    ],
)
def test_a_turn_goes_from_behind_to_behind(turning, azimuth_deg, lag_s):
    """Counter-clockwise, at whatever range."""
    for range_m in (3.0, 60.0):
        azimuth = np.deg2rad(azimuth_deg)
        assert turning.lag_s(range_m * np.array([np.cos(azimuth), np.sin(azimuth)])) == pytest.approx(lag_s, abs=1e-9)


def test_a_sweep_of_one_instant_has_no_lag(street):
    """Wherever it looks, and wherever in time that instant is not said."""
    flash = Viewpoint(0, SE3.identity(), street.camera, np.array([20.0, 0.0]))
    for place in ([10.0, 0.0], [-10.0, 1.0], [0.0, 5.0]):
        assert flash.lag_s(np.array(place)) == 0.0
    seen, lag_s = flash.seen_place(np.array([10.0, -3.0, -1.7]))
    assert (seen.tolist(), lag_s) == ([10.0, -3.0, -1.7], 0.0)


def test_seen_from_where_the_sensor_was_then(turning):
    """10 m to the left, 25 ms after the capture, by when the sensor is 0.5 m farther on."""
    place, lag_s = turning.seen_place(np.array([0.0, 10.0, -1.7]))
    assert lag_s == pytest.approx(0.025)
    assert place == pytest.approx([90.0, 50.5, -1.7])

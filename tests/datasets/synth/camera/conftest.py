"""A camera small enough for quick tests, with numbers easy to work with."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.rig import SensorRig
from vedette.geometry import SE3, PinholeCamera

LOOK_AHEAD = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])


@pytest.fixture
def small_rig() -> SensorRig:
    """160 x 80 pixels with a focal length of 100, 1.6 m above the vehicle's bottom centre, looking level ahead."""
    projection = np.array([[100.0, 0.0, 80.0, 0.0], [0.0, 100.0, 30.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    camera = PinholeCamera(projection, SE3(LOOK_AHEAD, np.zeros(3)), 160, 80)
    return SensorRig(SE3(np.eye(3), np.array([0.0, 0.0, 1.6])), camera)

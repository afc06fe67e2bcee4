"""Roll, pitch and yaw."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vedette.datasets.attitude import angles_of, rotation_of

ANGLE = st.floats(-3.1, 3.1)


def test_signs() -> None:
    """Pitch lowers the nose, roll lifts the left side, yaw turns left."""
    np.testing.assert_allclose(rotation_of(0.0, np.pi / 6, 0.0)[:, 0], [np.sqrt(3) / 2, 0, -0.5])
    np.testing.assert_allclose(rotation_of(np.pi / 6, 0.0, 0.0)[:, 1], [0, np.sqrt(3) / 2, 0.5])
    np.testing.assert_allclose(rotation_of(0.0, 0.0, np.pi / 6)[:, 0], [np.sqrt(3) / 2, 0.5, 0])


@given(ANGLE, st.floats(-1.5, 1.5), ANGLE)
def test_round_trip(roll: float, pitch: float, yaw: float) -> None:
    """There and back."""
    np.testing.assert_allclose(angles_of(rotation_of(roll, pitch, yaw)), [roll, pitch, yaw], atol=1e-9)

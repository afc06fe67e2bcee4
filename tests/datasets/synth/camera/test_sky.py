from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.camera.sky import Sky
from vedette.datasets.synth.world import Light

CLEAR = Light(sun_azimuth=1.0, sun_elevation=0.6)


def look(sky: Sky, azimuth: float, elevation: float) -> np.ndarray:
    """Mean radiance around a direction."""
    rng = np.random.default_rng(0)
    around = rng.normal([azimuth, elevation], 0.05, (400, 2))
    flat = np.cos(around[:, 1])
    directions = np.stack([flat * np.cos(around[:, 0]), flat * np.sin(around[:, 0]), np.sin(around[:, 1])], axis=1)
    return sky.radiance(directions.astype(np.float32)).mean(axis=0)


@pytest.fixture(scope="module")
def sky() -> Sky:
    return Sky(CLEAR, np.random.default_rng(2))


def test_brighter_around_the_sun(sky: Sky) -> None:
    assert look(sky, 1.0, 0.6)[1] > 1.5 * look(sky, 1.0 + np.pi, 0.6)[1]


def test_zenith_is_bluer_than_the_horizon(sky: Sky) -> None:
    """Between the clouds: where it is bluest."""

    def blueness(elevation: float) -> float:
        return float(max(light[2] / light[0] for light in (look(sky, azimuth, elevation) for azimuth in range(6))))

    assert blueness(1.1) > 1.15 * blueness(0.15)


def test_below_the_horizon_is_dim_ground(sky: Sky) -> None:
    assert look(sky, 0.0, -0.5).max() < 0.5 * look(sky, 0.0, 0.3).min()


def test_seamless_all_round(sky: Sky) -> None:
    """Azimuths of just under and just over π are neighbours."""
    angle = np.array([np.pi - 1e-4, -np.pi + 1e-4], dtype=np.float32)
    directions = np.stack([np.cos(angle) * 0.9, np.sin(angle) * 0.9, np.full(2, np.sqrt(0.19))], axis=1)
    left, right = sky.radiance(directions.astype(np.float32))
    np.testing.assert_allclose(left, right, rtol=0.01)


def test_strength_scales_all() -> None:
    twice = Sky(Light(1.0, 0.6, sky_strength=0.9), np.random.default_rng(2))
    once = Sky(Light(1.0, 0.6, sky_strength=0.45), np.random.default_rng(2))
    np.testing.assert_allclose(look(twice, 0.3, 0.4), 2 * look(once, 0.3, 0.4), rtol=1e-5)

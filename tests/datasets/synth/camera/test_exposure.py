from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.camera.exposure import develop, exposure


def field(value: float, size: tuple[int, int] = (60, 80)) -> np.ndarray:
    return np.full((*size, 3), value, dtype=np.float32)


@pytest.mark.parametrize("factor", [1e-3, 0.1, 7.0, 1e3])
def test_exposure_takes_out_how_bright_the_day_is(factor: float) -> None:
    rng = np.random.default_rng(1)
    radiance = rng.uniform(0.05, 0.6, (40, 50, 3)).astype(np.float32)
    assert exposure(radiance * np.float32(factor)) * factor == pytest.approx(exposure(radiance), rel=1e-4)


def test_a_bright_sky_hardly_darkens_the_street() -> None:
    street = field(0.2)
    sky = street.copy()
    sky[:25] = 50.0
    assert exposure(sky) > 0.6 * exposure(street)


def test_more_light_never_gives_a_darker_pixel() -> None:
    ramp = np.linspace(0.0, 3.0, 256, dtype=np.float32) ** 3
    radiance = np.repeat(np.repeat(ramp[None, :, None], 40, axis=0), 3, axis=2)
    row = develop(radiance, np.random.default_rng(0)).astype(float).mean(axis=(0, 2))
    smooth = np.convolve(row, np.ones(9) / 9, mode="valid")
    assert (np.diff(smooth) > -0.5).all()
    assert row[0] < 10
    assert row[-20] > 200


def test_corners_are_darker() -> None:
    picture = develop(field(0.2, (100, 300)), np.random.default_rng(0)).astype(float)
    assert picture[:5, :5].mean() < picture[45:55, 145:155].mean() - 3


def test_noise_grows_less_than_light() -> None:
    """Shot noise follows the square root of light, so that dark areas are noisier for their brightness."""
    left_right = field(0.05, (100, 200))
    left_right[:, 100:] = 0.4
    picture = develop(left_right, np.random.default_rng(0)).astype(float)
    dark, bright = picture[40:60, 30:70], picture[40:60, 130:170]
    assert dark.std() / dark.mean() > bright.std() / bright.mean() > 0.002


def test_colours_come_out_blue_first() -> None:
    red = field(0.1)
    red[..., 0] = 0.5
    picture = develop(red, np.random.default_rng(0)).astype(float).mean(axis=(0, 1))
    assert picture[2] > picture[0] + 20

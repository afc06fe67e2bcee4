from __future__ import annotations

import numpy as np

from vedette.datasets.synth.camera.antialias import OFFSETS_PX, blended, further_places, rough_pixels


def test_rough_pixels_lie_at_edges_only() -> None:
    brightness = np.zeros((40, 60), dtype=np.float32)
    brightness[:, 30:] = 0.5
    rows, columns = np.divmod(rough_pixels(brightness), 60)
    assert set(columns) == {29, 30}
    assert set(rows) == set(range(40))


def test_an_even_picture_has_no_rough_pixels() -> None:
    assert len(rough_pixels(np.full((40, 60), 0.4, dtype=np.float32))) == 0


def test_what_is_rough_all_over_costs_no_more_than_a_share() -> None:
    noise = np.random.default_rng(0).uniform(0.0, 1.0, (100, 100)).astype(np.float32)
    assert len(rough_pixels(noise)) <= 1000


def test_further_places_stay_in_their_pixel_and_balance() -> None:
    pixels = np.array([[5.0, 7.0], [8.0, 9.0]], dtype=np.float32)
    places = further_places(pixels).reshape(len(OFFSETS_PX), 2, 2)
    assert np.abs(places - pixels).max() < 0.5
    np.testing.assert_allclose(places.mean(axis=0), pixels)


def test_blending_equal_light_keeps_it() -> None:
    first = np.full((5, 3), 0.7, dtype=np.float32)
    np.testing.assert_allclose(blended(first, np.tile(first, (len(OFFSETS_PX), 1))), first, rtol=1e-5)


def test_one_very_bright_ray_does_not_drown_the_others() -> None:
    """A third of it white, the pixel looks grey: in the plain mean, of 13, it would be white."""
    first = np.full((1, 3), 0.05, dtype=np.float32)
    further = np.array([[40.0] * 3, [0.05] * 3], dtype=np.float32)
    assert 0.2 < blended(first, further)[0, 0] < 0.6

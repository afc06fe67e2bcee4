from __future__ import annotations

import numpy as np
import pytest

from vedette.datasets.synth.camera.textures import Places, Textures
from vedette.datasets.synth.surfaces import PROPERTIES, Surface, Texture

PATTERNED = [surface for surface in Surface if PROPERTIES[surface].texture is not Texture.PLAIN]


@pytest.fixture(scope="module")
def textures() -> Textures:
    return Textures(np.random.default_rng(4))


def places(pixel_m: float, count: int = 20_000) -> Places:
    rng = np.random.default_rng(0)
    uv = rng.uniform(-30.0, 30.0, (2, count)).astype(np.float32)
    return Places(uv[0], uv[1], np.full(count, pixel_m, dtype=np.float32))


def brightness(textures: Textures, surface: Surface, where: Places) -> np.ndarray:
    return textures.brightness(np.full(len(where.u_m), int(surface), dtype=np.uint8), where)


@pytest.mark.parametrize("surface", PATTERNED)
def test_pattern_varies_around_the_surfaces_colour(textures: Textures, surface: Surface) -> None:
    value = brightness(textures, surface, places(1e-4))
    assert value.dtype == np.float32
    assert 0.9 < value.mean() < 1.1
    assert 0.03 < value.std() < 0.5
    assert value.min() > 0


@pytest.mark.parametrize("surface", PATTERNED)
def test_pattern_fades_where_it_would_be_finer_than_a_pixel(textures: Textures, surface: Surface) -> None:
    np.testing.assert_allclose(brightness(textures, surface, places(100.0)), 1.0, atol=1e-6)


def test_plain_surfaces_have_no_pattern(textures: Textures) -> None:
    assert (brightness(textures, Surface.CAR_PAINT, places(1e-4)) == 1.0).all()


@pytest.mark.parametrize("surface", PATTERNED)
def test_pattern_is_fixed_to_the_place(textures: Textures, surface: Surface) -> None:
    """Neither the order of the places nor those around them matter."""
    where = places(1e-3, 500)
    order = np.random.default_rng(1).permutation(500)
    whole = brightness(textures, surface, where)
    assert np.array_equal(brightness(textures, surface, where.select(order)), whole[order])

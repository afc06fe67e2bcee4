from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from vedette.datasets.synth.camera.look import Look
from vedette.datasets.synth.camera.moment import Moment
from vedette.datasets.synth.camera.rays import Rays
from vedette.datasets.synth.camera.shading import Shader
from vedette.datasets.synth.camera.sky import Sky
from vedette.datasets.synth.camera.textures import Textures
from vedette.datasets.synth.mesh import Mesh, cuboid
from vedette.datasets.synth.raycast import TriangleScene
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.world import Light

GREY = (128, 128, 128)
# Linear light of 128 in sRGB: ((128/255 + 0.055) / 1.055)^2.4
GREY_LINEAR = 0.2159
SUN_ONLY = Light(sun_azimuth=0.0, sun_elevation=0.9, sun_strength=1.0, sky_strength=0.0, haze_m=1e9)
Radiance = Callable[..., np.ndarray]


def level(half_m: float = 50.0, colour: tuple[int, int, int] = GREY, surface: Surface = Surface.SIGN) -> Mesh:
    """A level plane at height 0, without a pattern."""
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * half_m
    return Mesh.of(corners, [[0, 1, 2], [0, 2, 3]], surface, colour)


def seen_from_above(mesh: Mesh, light: Light, spots_xy: list[tuple[float, float]]) -> np.ndarray:
    """(N,3) radiance of what lies under some places, looked at straight down from 30 m."""
    scene = TriangleScene(mesh, np.zeros(len(mesh), dtype=np.int64))
    nothing = TriangleScene(Mesh.merge([]), np.zeros(0, dtype=np.int64))
    moment = Moment(scene, nothing, Look.of(mesh, scene.normals))
    rng = np.random.default_rng(0)
    shader = Shader(light, Sky(light, rng), Textures(rng))
    origin = np.array([0.0, 0.0, 30.0], dtype=np.float32)
    directions = np.array([[x, y, -30.0] for x, y in spots_xy], dtype=np.float32)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    rays = Rays(origin, directions, np.ones(len(directions), dtype=np.float32))
    hits = moment.cast(rays.origin_m, rays.directions)
    return shader.radiance(moment, rays, hits, 1e-3, np.ones(len(directions), dtype=np.float32))


@pytest.mark.parametrize("elevation", [0.2, 0.7, 1.2, np.pi / 2])
def test_light_of_a_level_plane_follows_the_suns_height(elevation: float) -> None:
    """Lambert: with the sun alone, brightness over the sine of its elevation is constant but for what bounces."""
    steep = seen_from_above(level(), replace(SUN_ONLY, sun_elevation=np.pi / 2), [(1.0, 2.0)])[0]
    slanting = seen_from_above(level(), replace(SUN_ONLY, sun_elevation=elevation), [(1.0, 2.0)])[0]
    np.testing.assert_allclose(slanting / steep, np.sin(elevation), rtol=1e-3)


def test_light_goes_with_the_linear_value_of_the_colour() -> None:
    grey, white = (seen_from_above(level(colour=(v, v, v)), SUN_ONLY, [(0.0, 1.0)])[0] for v in (128, 255))
    np.testing.assert_allclose(grey / white, GREY_LINEAR, rtol=1e-3)


def test_colour_is_kept() -> None:
    """Twice the linear light, of 128 and 92, in red; nothing in green."""
    red, green, _ = seen_from_above(level(colour=(128, 0, 92)), SUN_ONLY, [(0.0, 1.0)])[0]
    assert green == 0.0
    assert red > 0.1


def test_shadow_falls_away_from_the_sun() -> None:
    """A block 4 m high under a sun of 45 degrees in the +x direction darkens 4 m on its -x side."""
    block = cuboid((2.0, 20.0, 4.0), Surface.SIGN, GREY)
    light = replace(SUN_ONLY, sun_elevation=np.pi / 4, sky_strength=0.45)
    spots = [(3.0, 0.0), (-3.0, 0.0), (-4.8, 0.0), (-5.2, 0.0)]
    lit, shadow, end, beyond = seen_from_above(Mesh.merge([level(), block]), light, spots)[:, 1]

    assert end == pytest.approx(shadow)
    assert beyond == pytest.approx(lit)
    # the sun's share of what arrives: sin 45° beside the sky's
    assert 2.5 < lit / shadow < 6.0


def test_without_a_sky_shadows_are_black_and_with_no_sun_there_are_none() -> None:
    block = cuboid((2.0, 20.0, 4.0), Surface.SIGN, GREY)
    mesh = Mesh.merge([level(), block])
    spots = [(3.0, 0.0), (-3.0, 0.0)]
    _, black = seen_from_above(mesh, SUN_ONLY, spots)[:, 1]
    lit, same = seen_from_above(mesh, replace(SUN_ONLY, sun_strength=0.0, sky_strength=0.5), spots)[:, 1]
    assert black == pytest.approx(0.0, abs=1e-6)
    assert same == pytest.approx(lit)


def test_haze_brings_far_things_towards_the_horizons_colour() -> None:
    """At the stated distance two thirds of the contrast are gone: 1 - 1/e."""
    near = seen_from_above(level(colour=(0, 0, 0)), replace(SUN_ONLY, sky_strength=0.4, haze_m=1e9), [(0.0, 0.0)])
    at_end = seen_from_above(level(colour=(0, 0, 0)), replace(SUN_ONLY, sky_strength=0.4, haze_m=30.0), [(0.0, 0.0)])
    full = seen_from_above(level(colour=(0, 0, 0)), replace(SUN_ONLY, sky_strength=0.4, haze_m=0.01), [(0.0, 0.0)])
    assert near.max() == pytest.approx(0.0, abs=1e-6)
    np.testing.assert_allclose(at_end / full, 1 - np.exp(-1), rtol=1e-4)


def test_paint_mirrors_the_sky_and_cloth_does_not() -> None:
    light = replace(SUN_ONLY, sun_strength=0.0, sky_strength=0.5)
    black = (0, 0, 0)
    paint = seen_from_above(level(colour=black, surface=Surface.CAR_PAINT), light, [(5.0, 0.0)])[0]
    matt = seen_from_above(level(colour=black, surface=Surface.SIGN), light, [(5.0, 0.0)])[0]
    assert paint.min() > 0.005
    assert matt.max() == pytest.approx(0.0, abs=1e-6)

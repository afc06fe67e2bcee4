"""Pedestrians and cyclists, each of a build of their own, moving at a pace."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.actors import Shape
from vedette.datasets.synth.mesh import Colour, Mesh, cuboid
from vedette.datasets.synth.shapes import bicycle, riding, walking
from vedette.datasets.synth.shapes.figure import Build, bars, draw_build, foot, head, limb_tube, torso
from vedette.datasets.synth.shapes.puppet import Flesh, Puppet
from vedette.datasets.synth.shapes.riding import Ride
from vedette.datasets.synth.shapes.walking import Walk
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat

_FRAMES: Final[tuple[Colour, ...]] = ((30, 30, 32), (140, 30, 34), (40, 70, 130), (170, 172, 176), (60, 100, 70))
_RUNNING_FROM_M_S: Final = 2.2


def pedestrian(rng: np.random.Generator, pace_m_s: float) -> Shape:
    """Someone on foot.

    Args:
        rng: draws height, build, clothes, bags and where in a step time 0 is.
        pace_m_s: 0 for standing.
    """
    build = draw_build(rng, adult=False)
    luggage = rng.choice(["none", "backpack", "hand"], p=[0.65, 0.2, 0.15])
    bend = 1.2 if pace_m_s > _RUNNING_FROM_M_S else rng.uniform(0.1, 0.35)
    walk = Walk(build, pace_m_s, rng.uniform(0.0, 2 * np.pi), bend, carrying=luggage == "hand")
    flesh = [
        Flesh(walking.TORSO, torso(build)),
        Flesh(walking.TORSO, head(build, (0.0, 1.08 * build.torso_m))),
        *_legs(build, walking.THIGHS, walking.SHINS, walking.FEET),
        *_swinging_arms(build),
    ]
    if luggage == "backpack":
        flesh.append(Flesh(walking.TORSO, _backpack(build, rng)))
    if luggage == "hand":
        flesh.append(Flesh(walking.FOREARMS[1], _handbag(build, rng)))
    return Puppet(walk, flesh, grounded=True)


def cyclist(rng: np.random.Generator, pace_m_s: float) -> Shape:
    """Someone on a bicycle.

    Args:
        rng: draws the rider, the bicycle and where the pedals are at time 0.
        pace_m_s: 0 for standing still.
    """
    build = draw_build(rng, adult=True)
    ride = Ride(build, pace_m_s, rng.uniform(0.0, 2 * np.pi), rng.uniform(0.25, 0.75))
    colour = _FRAMES[int(rng.integers(len(_FRAMES)))]
    hands = _handlebar(ride)
    flesh = [
        Flesh(riding.BICYCLE, bicycle.frame(ride.saddle_m, hands, colour)),
        Flesh(riding.BICYCLE, _reaching_arms(ride, hands)),
        *(Flesh(riding.BICYCLE, bicycle.tyre(hub_m)) for hub_m in riding.HUBS_M),
        *(Flesh(bone, bicycle.spokes()) for bone in riding.WHEELS),
        Flesh(riding.CRANKS, bicycle.cranks()),
        Flesh(riding.TORSO, torso(build)),
        Flesh(riding.BICYCLE, head(build, _neck(ride))),
        *_legs(build, riding.THIGHS, riding.SHINS, riding.FEET),
    ]
    if rng.uniform() < 0.2:
        flesh.append(Flesh(riding.TORSO, _backpack(build, rng)))
    return Puppet(ride, flesh, grounded=False)


def _legs(build: Build, thighs: tuple[int, int], shins: tuple[int, int], feet: tuple[int, int]) -> list[Flesh]:
    thick = 0.054 * build.height_m * build.girth
    flesh = []
    for y, thigh, shin, ankle in zip((build.hip_y_m, -build.hip_y_m), thighs, shins, feet, strict=True):
        flesh += [
            Flesh(thigh, limb_tube(build.thigh_m, (thick, 0.72 * thick), y, Surface.CLOTH, build.trousers)),
            Flesh(shin, limb_tube(build.shin_m, (0.72 * thick, 0.5 * thick), y, Surface.CLOTH, build.trousers)),
            Flesh(ankle, foot(build, y)),
        ]
    return flesh


def _swinging_arms(build: Build) -> list[Flesh]:
    thick = 0.028 * build.height_m * build.girth
    y_m = build.shoulder_y_m + 0.6 * thick
    flesh = []
    for y, upper, fore in zip((y_m, -y_m), walking.UPPER_ARMS, walking.FOREARMS, strict=True):
        flesh += [
            Flesh(upper, limb_tube(build.upper_arm_m, (thick, 0.85 * thick), y, Surface.CLOTH, build.top)),
            Flesh(fore, limb_tube(build.forearm_m, (0.85 * thick, 0.7 * thick), y, Surface.SKIN, build.skin)),
        ]
    return flesh


def _backpack(build: Build, rng: np.random.Generator) -> Mesh:
    deep, wide, tall = rng.uniform(0.12, 0.22), rng.uniform(0.24, 0.32), rng.uniform(0.34, 0.46)
    scale = build.height_m / 1.75
    red, green, blue = rng.integers(20, 150, 3).tolist()
    bottom = (-0.07 * build.height_m - deep * scale / 2, 0.0, 0.92 * build.torso_m - tall * scale)
    return cuboid(np.array([deep, wide, tall]) * scale, Surface.CLOTH, (red, green, blue), bottom)


def _handbag(build: Build, rng: np.random.Generator) -> Mesh:
    size_m = np.array([rng.uniform(0.25, 0.42), rng.uniform(0.08, 0.16), rng.uniform(0.2, 0.34)])
    size_m[2] = min(size_m[2], 0.2 * build.height_m)
    red, green, blue = rng.integers(20, 170, 3).tolist()
    bottom = (0.0, -build.shoulder_y_m - 0.03, -build.forearm_m - size_m[2])
    return cuboid(size_m, Surface.CLOTH, (red, green, blue), bottom)


def _neck(ride: Ride) -> tuple[float, float]:
    """Where the head sits: upright although the back leans."""
    x, z = ride.saddle_m + 1.05 * ride.build.torso_m * np.array([np.sin(ride.lean), np.cos(ride.lean)])
    return float(x), float(z)


def _handlebar(ride: Ride) -> NDArrayFloat:
    """``(2,)`` x and z of the hands: where the arms reach, not beyond the front hub."""
    reach_m = 0.93 * (ride.build.upper_arm_m + 0.85 * ride.build.forearm_m)
    x = min(ride.shoulders_m[0] + 0.85 * reach_m, 0.55)
    drop_m = np.sqrt(max(reach_m**2 - (x - ride.shoulders_m[0]) ** 2, 0.0))
    return np.array([x, max(ride.shoulders_m[1] - drop_m, 0.80)])


def _reaching_arms(ride: Ride, hands_m: NDArrayFloat) -> Mesh:
    """From the shoulders to the grips, elbows a little out and down."""
    build, (x, z) = ride.build, ride.shoulders_m
    thick, wide = 0.03 * build.height_m, build.shoulder_y_m
    sides = np.array([1.0, -1.0])
    shoulders = np.stack([np.full(2, x), sides * wide, np.full(2, z)], axis=1)
    hands = np.stack([np.full(2, hands_m[0]), sides * 0.24, np.full(2, hands_m[1] + 0.02)], axis=1)
    elbows = (shoulders + hands) / 2 + np.stack([np.full(2, -0.02), sides * 0.05, np.full(2, -0.05)], axis=1)
    return Mesh.merge(
        [
            bars(np.stack([shoulders, elbows], axis=1), 1.2 * thick, Surface.CLOTH, build.top),
            bars(np.stack([elbows, hands], axis=1), 0.9 * thick, Surface.SKIN, build.skin),
        ]
    )

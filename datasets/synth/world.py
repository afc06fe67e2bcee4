"""What a scenario builds: everything there is, from the world's beginning to its end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.terrain import Terrain
from vedette.errors import ConfigError


@dataclass(frozen=True)
class Light:
    """Sun and sky.

    Args:
        sun_azimuth: radians, counter-clockwise from the world's x, towards the sun.
        sun_elevation: radians above the horizon, over 0.
        sun_strength: of direct light; 0 under clouds.
        sky_strength: of the light from all around.
        haze_m: distance at which two thirds of the contrast are gone.
    """

    sun_azimuth: float
    sun_elevation: float
    sun_strength: float = 1.0
    sky_strength: float = 0.45
    haze_m: float = 600.0

    @property
    def towards_sun(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """``(3,)`` unit vector, world frame."""
        flat = np.cos(self.sun_elevation)
        return np.array([flat * np.cos(self.sun_azimuth), flat * np.sin(self.sun_azimuth), np.sin(self.sun_elevation)])


@dataclass(frozen=True, eq=False)
class World:
    """A place and what happens there.

    Args:
        name: scenario and seed, as sources are named: ``town:7``.
        duration_s: poses exist from 0 to this time, both included.
        terrain: height of the ground.
        scenery: what stands still and has no label: ground, buildings, plants, clutter.
        actors: everyone with a label, parked vehicles included.
        connected_ids: actors that carry sensors and a link, at least one; the first is the one that is followed.
        light: sun and sky.

    Raises:
        ConfigError: no connected vehicle, an id twice, or a connected id that no actor has.
    """

    name: str
    duration_s: float
    terrain: Terrain
    scenery: Mesh
    actors: tuple[Actor, ...]
    connected_ids: tuple[int, ...]
    light: Light

    def __post_init__(self) -> None:
        ids = {actor.actor_id for actor in self.actors}
        if len(ids) != len(self.actors):
            raise ConfigError(f"world {self.name}: {len(self.actors)} actors share {len(ids)} ids; expected one each")
        if not self.connected_ids or not set(self.connected_ids) <= ids:
            raise ConfigError(
                f"world {self.name}: connected vehicles {list(self.connected_ids)}; expected one or more of its actors"
            )

    @cached_property
    def by_id(self) -> dict[int, Actor]:
        """The actors by id."""
        return {actor.actor_id: actor for actor in self.actors}

"""The camera: looks from a vehicle into the world at one instant."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from vedette.datasets.synth.camera.antialias import OFFSETS_PX, blended, further_places, rough_pixels
from vedette.datasets.synth.camera.exposure import develop, exposure, luminance_of
from vedette.datasets.synth.camera.moment import Moment, Moments
from vedette.datasets.synth.camera.rays import Rays, View
from vedette.datasets.synth.camera.shading import Shader
from vedette.datasets.synth.camera.shadows import open_shares
from vedette.datasets.synth.camera.sky import Sky
from vedette.datasets.synth.camera.textures import Textures
from vedette.datasets.synth.raycast import Hits
from vedette.datasets.synth.rig import SensorRig, world_SE3_velo
from vedette.datasets.synth.stage import Stage
from vedette.datasets.synth.world import World
from vedette.geometry import NDArrayFloat32, NDArrayInt, NDArrayUInt8

_SENSOR = 2
"""Sets this sensor's noise apart from that of others with the same seed."""


@dataclass(frozen=True, eq=False)
class Picture:
    """What a camera saw, and who was seen in each pixel.

    Args:
        pixels_bgr: ``(H,W,3) uint8``.
        owners: ``(H,W) int64`` id of the actor at each pixel's centre, 0 for nobody.
        depth_m: ``(H,W) float32`` along the optical axis, infinite in the sky.
    """

    pixels_bgr: NDArrayUInt8
    owners: NDArrayInt
    depth_m: NDArrayFloat32


class CameraSensor:
    """Takes pictures of a world.

    Args:
        world: the world.
        stage: the world made ready, where several sensors share it.

    Raises:
        MissingPackageError: Open3D is not installed.
    """

    def __init__(self, world: World, stage: Stage | None = None) -> None:
        self._world = world
        self._stage = stage or Stage(world)
        self._moments = Moments(self._stage)
        rng = np.random.default_rng(zlib.crc32(world.name.encode()))
        self._shader = Shader(world.light, Sky(world.light, rng), Textures(rng))

    def picture(self, actor_id: int, t_s: float, rig: SensorRig, seed: int) -> Picture:
        """Take one.

        Args:
            actor_id: the vehicle that looks; it is not seen itself.
            t_s: time of the exposure, seconds since the world's beginning.
            rig: its sensors.
            seed: of the noise.

        Raises:
            ConfigError: the actor is no connected vehicle of the world.
        """
        self._stage.check_sensor(actor_id)
        view = View(rig.camera, world_SE3_velo(self._world, actor_id, rig, t_s))
        moment = self._moments.at(t_s, view, without=actor_id)
        rays = view.rays(view.pixels())
        hits = moment.cast_picture(rays, view.size)
        radiance = self._light(moment, view, rays, hits)
        rng = np.random.default_rng([seed, actor_id, round(t_s * 1000), _SENSOR])
        return Picture(
            develop(radiance.reshape(*view.size, 3), rng),
            moment.owners_of(hits).reshape(view.size),
            (hits.range_m / rays.metres_per_depth).reshape(view.size),
        )

    def _light(self, moment: Moment, view: View, rays: Rays, hits: Hits) -> NDArrayFloat32:
        """(H·W,3) of every pixel: one ray each, more where they differ much from their neighbours."""
        open_share = open_shares(moment, rays, hits, view.size).ravel()
        radiance = self._shader.radiance(moment, rays, hits, view.pixel, open_share, size=view.size)
        gain = np.float32(exposure(radiance.reshape(*view.size, 3)))
        brightness = np.sqrt(np.minimum(luminance_of(radiance) * gain, 1.0)).reshape(view.size)
        rough = rough_pixels(brightness)
        further = view.rays(further_places(view.pixels()[rough]))
        further_open = np.tile(open_share[rough], len(OFFSETS_PX))
        further_hits = moment.cast(further.origin_m, further.directions)
        more = self._shader.radiance(moment, further, further_hits, view.pixel, further_open)
        radiance[rough] = blended(radiance[rough] * gain, more * gain) / gain
        return radiance

"""The camera: looks from a vehicle into the world at one instant."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from vedette.datasets.synth.camera.antialias import OFFSETS_PX, blended, further_places, rough_pixels
from vedette.datasets.synth.camera.exposure import develop, exposure, luminance_of
from vedette.datasets.synth.camera.moment import Look, Moment
from vedette.datasets.synth.camera.rays import Rays, all_pixels, pixel_rays
from vedette.datasets.synth.camera.shading import Shader, Spots
from vedette.datasets.synth.camera.shadows import openness
from vedette.datasets.synth.camera.sky import Sky
from vedette.datasets.synth.camera.textures import Textures
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.raycast import Hits, TriangleScene, placed
from vedette.datasets.synth.rig import SensorRig, world_SE3_velo
from vedette.datasets.synth.stage import Stage
from vedette.datasets.synth.world import World
from vedette.geometry import SE3, NDArrayFloat32, NDArrayInt, NDArrayUInt8, PinholeCamera

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
        self._still_look = Look.of(self._stage.still)
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
        camera = rig.camera
        pose = world_SE3_velo(self._world, actor_id, rig, t_s)
        moment = self._moment(actor_id, t_s)
        rays = pixel_rays(camera, pose, all_pixels(camera))
        hits = moment.cast(rays.origin_m, rays.directions)
        radiance = self._light(moment, camera, pose, rays, hits)
        rng = np.random.default_rng([seed, actor_id, round(t_s * 1000), _SENSOR])
        size = (camera.height_px, camera.width_px)
        return Picture(
            develop(radiance.reshape(*size, 3), rng),
            moment.owners_of(hits).reshape(size),
            (hits.range_m / rays.metres_per_depth).reshape(size),
        )

    def _moment(self, actor_id: int, t_s: float) -> Moment:
        """Everything but the one who looks, whose body is around the camera."""
        others = [actor for actor in self._stage.apart if actor.actor_id != actor_id]
        meshes = [placed(actor, t_s) for actor in others]
        ids = np.array([actor.actor_id for actor in others], dtype=np.int64)
        moving = TriangleScene(Mesh.merge(meshes), np.repeat(ids, [len(mesh) for mesh in meshes]))
        poses = {actor.actor_id: actor.motion.pose(t_s) for actor in others}
        return Moment(self._stage.still, self._still_look, moving, poses)

    def _light(self, moment: Moment, camera: PinholeCamera, pose: SE3, rays: Rays, hits: Hits) -> NDArrayFloat32:
        """(H·W,3) of every pixel: one ray each, more where they differ much from their neighbours."""
        size = (camera.height_px, camera.width_px)
        pixel = 1.0 / camera.fx
        open_share = _open_share(moment, rays, hits, size).ravel()
        radiance = self._shader.radiance(moment, rays, hits, pixel, open_share)
        gain = np.float32(exposure(radiance.reshape(*size, 3)))
        brightness = np.sqrt(np.minimum(luminance_of(radiance) * gain, 1.0)).reshape(size)
        rough = rough_pixels(brightness)
        more = pixel_rays(camera, pose, further_places(all_pixels(camera)[rough]))
        more_hits = moment.cast(more.origin_m, more.directions)
        more_open = np.tile(open_share[rough], len(OFFSETS_PX))
        further = self._shader.radiance(moment, more, more_hits, pixel, more_open)
        radiance[rough] = blended(radiance[rough] * gain, further * gain) / gain
        return radiance


def _open_share(moment: Moment, rays: Rays, hits: Hits, size: tuple[int, int]) -> NDArrayFloat32:
    """(H,W) worked out for every second pixel of every second row, and drawn up to all."""
    height, width = size
    rows = np.arange(height * width).reshape(size)[::2, ::2]
    small = rows.shape
    some = Hits(hits.range_m[rows.ravel()], hits.triangles[rows.ravel()])
    met = np.flatnonzero(some.met)
    found = Hits(some.range_m[met], some.triangles[met])
    spots = Spots.of(moment.look, rays.origin_m, rays.directions[rows.ravel()[met]], found, 0.01)
    points, normals = np.zeros((rows.size, 3), np.float32), np.zeros((rows.size, 3), np.float32)
    points[met], normals[met] = spots.points_m, spots.normals
    share = openness(
        moment,
        points.reshape(*small, 3),
        normals.reshape(*small, 3),
        some.range_m.reshape(small),
        some.met.reshape(small),
    )
    return np.repeat(np.repeat(share, 2, axis=0), 2, axis=1)[:height, :width]

"""Makes the pictures to learn from, many views of each of many generated worlds: `vedette models samples camera2d`.

One world for every seed, its scenario by turns; from each, pictures at random times from random cars, with the labels
that every picture's vehicle would have. Seeds from 2000 on are for training, 900 to 999 for validation; below 100 are
what demo and documents show, and are never learnt from. Shards that are there are not made again. The network's input
is smaller than the camera's picture; pictures to learn from may be so, too, which makes them in half the time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from vedette.classes import ObjectClass
from vedette.datasets.synth.camera import CameraSensor
from vedette.datasets.synth.labels import Observed, Observer
from vedette.datasets.synth.rig import KITTI_RIG, SensorRig
from vedette.datasets.synth.scenarios import build_world
from vedette.datasets.synth.world import World
from vedette.errors import ConfigError
from vedette.geometry import PinholeCamera
from vedette.models.camera2d.training.samples import SHARD_FILE, write_shard
from vedette.paths import write_whole

FIRST_FREE_SEED: Final = 100
"""Worlds of lower seeds are shown, so they are not learnt from."""
TURNS: Final = (
    *("town", "junction", "rush-hour", "motorway", "car-park"),
    *("town", "convoy", "rush-hour", "junction", "hidden-cyclist"),
)
"""Scenarios of seeds that end in 0, 1, ... 9: those with the most to see come more than once."""
_DURATION_S: Final = 30.0
_JPEG_QUALITY: Final = 95
_MARGIN_S: Final = 0.1
_VIEWS_SEED: Final = 2
"""Tells the random numbers of the views from those of world and camera."""


def make_shard(out: Path, scenario: str, seed: int, picture_count: int, scale: float = 1.0) -> Path:
    """Pictures of one world.

    Args:
        out: folder of shards.
        scenario: name of the world.
        seed: of the world, of the views and of the camera's noise.
        picture_count: how many.
        scale: of the pictures' sides, to KITTI's.

    Returns:
        The shard; one that is there already is left as it is.

    Raises:
        ConfigError: a seed below `FIRST_FREE_SEED`, or no such scenario.
    """
    if seed < FIRST_FREE_SEED:
        raise ConfigError(f"seed {seed}: worlds below {FIRST_FREE_SEED} are shown, not learnt from")
    shard = out / f"{scenario}-{seed}"
    if (shard / SHARD_FILE).exists():
        return shard
    shard.mkdir(parents=True, exist_ok=True)
    viewer = _Viewer(_everyone_connected(build_world(scenario, seed, _DURATION_S)), scaled_rig(KITTI_RIG, scale), seed)
    made_from = {"scenario": scenario, "seed": seed, "duration_s": _DURATION_S, "scale": scale}
    write_shard(shard, made_from, [viewer.write_picture(shard, index) for index in range(picture_count)])
    return shard


class _Viewer:
    """Takes pictures of a world from random cars at random times."""

    def __init__(self, world: World, rig: SensorRig, seed: int) -> None:
        self._world = world
        self._rig = rig
        self._seed = seed
        self._camera = CameraSensor(world)
        self._observer = Observer(world)
        self._rng = np.random.default_rng([seed, _VIEWS_SEED])

    def write_picture(self, shard: Path, index: int) -> dict[str, Any]:
        """The next picture's files; returns what `write_shard` takes."""
        actor_id = int(self._rng.choice(self._world.connected_ids))
        t_s = float(self._rng.uniform(_MARGIN_S, _DURATION_S - _MARGIN_S))
        picture = self._camera.picture(actor_id, t_s, self._rig, self._seed)
        names = {"picture": f"{index:04d}.jpg", "owners": f"{index:04d}.png"}
        jpeg = cv2.imencode(".jpg", picture.pixels_bgr, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1]
        write_whole(shard / names["picture"], jpeg.tobytes())
        write_whole(shard / names["owners"], cv2.imencode(".png", picture.owners.astype(np.uint16))[1].tobytes())
        objects = described(self._observer.observe(actor_id, t_s, self._rig, None))
        return {**names, "actor_id": actor_id, "t_s": t_s, "objects": objects}


def scaled_rig(rig: SensorRig, scale: float) -> SensorRig:
    """The same view in a picture of another size.

    Args:
        rig: whose camera.
        scale: of the picture's sides.
    """
    camera = rig.camera
    projection = camera.projection.copy()
    projection[:2] *= scale
    projection[:2, 2] += 0.5 * scale - 0.5  # centres of pixels have whole coordinates
    size = (round(camera.width_px * scale), round(camera.height_px * scale))
    return SensorRig(rig.actor_SE3_velo, PinholeCamera(projection, camera.cam_SE3_velo, *size))


def described(observed: Observed) -> list[dict[str, Any]]:
    """The objects of a picture as a shard keeps them: whoever shows at all.

    Args:
        observed: everyone around the vehicle.
    """
    shown = observed.select(observed.pixels_seen > 0)
    return [
        {
            "id": int(shown.actor_ids[row]),
            "class": ObjectClass(shown.class_ids[row]).label,
            "box_px": np.round(shown.boxes_px[row], 2).tolist(),
            "visible_share": round(float(shown.visible_share[row]), 4),
            "truncation": round(float(shown.truncation[row]), 4),
            "pixels_seen": int(shown.pixels_seen[row]),
            "box_velo": np.round(shown.boxes_velo[row], 4).tolist(),
        }
        for row in range(len(shown))
    ]


def observed_again(objects: Sequence[dict[str, Any]]) -> Observed:
    """The inverse of `described`, but for the scan's points.

    Args:
        objects: of one picture.
    """
    class_of = {member.label: int(member) for member in ObjectClass}
    return Observed(
        actor_ids=np.array([one["id"] for one in objects], dtype=np.int64),
        class_ids=np.array([class_of[one["class"]] for one in objects], dtype=np.int64),
        boxes_velo=np.array([one["box_velo"] for one in objects], dtype=np.float64).reshape(-1, 7),
        boxes_px=np.array([one["box_px"] for one in objects], dtype=np.float64).reshape(-1, 4),
        truncation=np.array([one["truncation"] for one in objects], dtype=np.float64),
        visible_share=np.array([one["visible_share"] for one in objects], dtype=np.float64),
        pixels_seen=np.array([one["pixels_seen"] for one in objects], dtype=np.int64),
        points_hit=np.zeros(len(objects), dtype=np.int64),
    )


def _everyone_connected(world: World) -> World:
    """The same world, in which each car that drives could carry the camera."""
    drivers = [
        actor.actor_id for actor in world.actors if actor.object_class == ObjectClass.CAR and not actor.motion.is_still
    ]
    return replace(world, connected_ids=tuple(dict.fromkeys((*world.connected_ids, *drivers))))


def write_pictures(out: Path, seeds: Iterable[int], picture_count: int, scale: float) -> None:
    """Pictures of many worlds, each world a shard. Shards that are there are not made again.

    Args:
        out: folder of shards.
        seeds: a world for each; the scenarios take turns.
        picture_count: of each world.
        scale: of the pictures' sides, to KITTI's.

    Raises:
        ConfigError: a seed below `FIRST_FREE_SEED`.
    """
    for seed in seeds:
        shard = make_shard(out, TURNS[seed % len(TURNS)], seed, picture_count, scale)
        sys.stdout.write(f"{shard.name}: {picture_count} pictures\n")
        sys.stdout.flush()

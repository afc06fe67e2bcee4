"""What the vehicles of generated worlds see, as samples to learn from: `vedette models samples pillars`.

Every scenario is built with every seed, and becomes a shard. In it one vehicle after another, at times at least a
second apart, turns its LiDAR once; what lies ahead of it, what lies behind, and what lies somewhere else is cut out as
the camera would see it if it looked there.

The boxes are those of the moment at which the beams met the object: a turn takes a tenth of a second, in which an
oncoming car covers metres, and a box of the turn's middle would not enclose its points. (Straight behind, where a turn
ends and begins, one object may be met twice, a tenth of a second apart; its box is then that of the middle.)
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.datasets.synth.lidar import LidarSensor, Scan
from vedette.datasets.synth.raycast import NOBODY as NO_ACTOR
from vedette.datasets.synth.rig import KITTI_RIG, world_SE3_velo
from vedette.datasets.synth.scenarios import build_world
from vedette.datasets.synth.world import World
from vedette.geometry import SE3, NDArrayFloat, transform_boxes
from vedette.models.camera_view import in_view
from vedette.models.pillars.training.shards import NOBODY, REACH_M, Sample, write_manifest, write_shard

TURN_S: Final = 0.1
AHEAD_RAD: Final = 0.0
BEHIND_RAD: Final = np.pi


@dataclass(frozen=True)
class Recipe:
    """How samples are made, all that they follow from.

    Args:
        scenarios: names of worlds.
        first_seed: of the worlds, and
        last_seed: included.
        scans: turns of a LiDAR in each world, a second or more apart.
    """

    scenarios: tuple[str, ...]
    first_seed: int
    last_seed: int
    scans: int

    def worlds(self) -> Iterator[tuple[str, int]]:
        """Scenario and seed of each."""
        for seed in range(self.first_seed, self.last_seed + 1):
            for scenario in self.scenarios:
                yield scenario, seed


def samples_of_world(world: World, seed: int, scans: int) -> list[Sample]:
    """What the vehicles of a world see, three samples a scan; samples without a point are left out.

    Args:
        world: long enough for the scans.
        seed: of the choice of vehicles and of the sensor's noise.
        scans: how many.
    """
    rng = np.random.default_rng(seed)
    carriers = _carriers(world)
    sensor = LidarSensor(replace(world, connected_ids=carriers))
    samples = []
    for t_s in np.linspace(TURN_S, world.duration_s - TURN_S, scans).tolist():
        carrier = int(rng.choice(carriers))
        scan = sensor.scan(carrier, t_s, KITTI_RIG, seed)
        anywhere_rad = rng.uniform(-np.pi, np.pi)
        samples += [view(world, carrier, t_s, scan, yaw) for yaw in (AHEAD_RAD, BEHIND_RAD, anywhere_rad)]
    return [sample for sample in samples if len(sample.points_velo_m)]


def view(world: World, carrier: int, t_s: float, scan: Scan, yaw_rad: float) -> Sample:
    """What KITTI's camera would see of a scan if it looked elsewhere.

    Args:
        world: that was scanned.
        carrier: vehicle with the LiDAR.
        t_s: middle of the turn, seconds since the world's beginning.
        scan: all around.
        yaw_rad: where the camera looks, from ahead, counter-clockwise. The sample's x axis is there.
    """
    view_SE3_velo = SE3.from_yaw(-yaw_rad, [0.0, 0.0, 0.0])
    points = view_SE3_velo.transform_points(scan.points_velo[:, :3].astype(np.float64)).astype(np.float32)
    seen = np.flatnonzero(in_view(points, KITTI_RIG.camera) & (np.abs(points) < REACH_M).all(axis=1))
    owned = seen[scan.owners[seen] != NO_ACTOR]
    ids, row = np.unique(scan.owners[owned], return_inverse=True)
    delays_s = np.bincount(row, weights=scan.offsets_ns[owned] * 1e-9) / np.maximum(np.bincount(row), 1)
    owners = np.full(len(points), NOBODY, np.int64)
    owners[owned] = row
    boxes = [_box_velo(world, carrier, int(i), t_s + delay) for i, delay in zip(ids, delays_s, strict=True)]
    return Sample(
        points[seen],
        owners[seen],
        transform_boxes(view_SE3_velo, np.array(boxes).reshape(-1, 7)),
        np.array([int(world.by_id[int(i)].object_class) for i in ids], dtype=np.int64),
    )


def _box_velo(world: World, carrier: int, actor_id: int, t_s: float) -> NDArrayFloat:
    velo_SE3_world = world_SE3_velo(world, carrier, KITTI_RIG, t_s).inverse()
    box: NDArrayFloat = transform_boxes(velo_SE3_world, world.by_id[actor_id].box_world(t_s)[None])[0]
    return box


def _carriers(world: World) -> tuple[int, ...]:
    """Cars that move, and whoever is connected."""
    cars = (actor for actor in world.actors if actor.object_class is ObjectClass.CAR)
    moving = {actor.actor_id for actor in cars if not actor.motion.is_still}
    return tuple(sorted(moving | set(world.connected_ids)))


def _write_world(scenario: str, seed: int, scans: int, path: Path) -> tuple[str, int]:
    world = build_world(scenario, seed, duration_s=scans + 2 * TURN_S)
    samples = samples_of_world(world, seed, scans)
    return write_shard(path, samples), len(samples)


def write_samples(recipe: Recipe, folder: Path, processes: int) -> int:
    """Make samples and store them.

    Args:
        recipe: which.
        folder: for the shards and the manifest; created.
        processes: that work side by side.

    Returns:
        How many there are.

    Raises:
        ConfigError: a scenario that does not exist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    worlds = list(recipe.worlds())
    names = [f"{scenario}-{seed}.npz" for scenario, seed in worlds]
    count, shards = 0, {}
    context = multiprocessing.get_context("spawn")  # the ray caster's threads do not survive a fork
    started = time.monotonic()
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        jobs = [
            pool.submit(_write_world, scenario, seed, recipe.scans, folder / name)
            for (scenario, seed), name in zip(worlds, names, strict=True)
        ]
        for name, job in zip(names, jobs, strict=True):
            shards[name], added = job.result()
            count += added
            sys.stdout.write(f"{name}: {added} samples, {count} in {time.monotonic() - started:.0f} s\n")
            sys.stdout.flush()
    write_manifest(folder, asdict(recipe), shards)
    return count

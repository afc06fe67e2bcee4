"""How fast the generated world's sensors are: frames a second and core, by scenario.

    python benchmarks/bench_synth_sensors.py [town:3 motorway:1 ...] [--frames 20] [--json FILE]

For each world: how long it takes to build and to make ready for rays, and for the LiDAR (HDL-64E, a full turn), the
labels and the camera (1242 x 375) the CPU time of one frame, as the median and the fastest of some frames. Everything
runs in one thread, and CPU time is what counts: other work on the machine adds more to the wall's. Also of the world:
how many triangles stand still, and how many actors move within 80 m.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table

from vedette.datasets.synth.camera import CameraSensor
from vedette.datasets.synth.labels import Observer
from vedette.datasets.synth.lidar import LidarSensor
from vedette.datasets.synth.recording import frame_time_s, world_of
from vedette.datasets.synth.rig import KITTI_RIG
from vedette.datasets.synth.stage import Stage
from vedette.datasets.synth.world import World

NEAR_M = 80.0

Result = TypeVar("Result")


def main() -> None:
    """Measure each world, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", nargs="*", default=["town:3"], help="SCENARIO[:SEED]")
    parser.add_argument("--frames", type=int, default=20)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = [measure(name, arguments.frames) for name in arguments.worlds]
    table = Table("", *(str(row["world"]) for row in rows))
    for key in list(rows[0])[1:]:
        table.add_row(key, *(str(row[key]) for row in rows))
    Console().print(table)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


def measure(name: str, frames: int) -> dict[str, object]:
    """One world's row.

    Args:
        name: ``SCENARIO`` or ``SCENARIO:SEED``.
        frames: how many are made with each sensor.
    """
    scenario, _, seed = name.partition(":")
    world, build_s = _timed(lambda: world_of(scenario, int(seed or 0), frames))
    stage, ready_s = _timed(lambda: Stage(world))
    ego = world.connected_ids[0]
    lidar, camera, observer = LidarSensor(world, stage=stage), CameraSensor(world, stage), Observer(world, stage)
    works: dict[str, Callable[[float], object]] = {
        "lidar": lambda t_s: lidar.scan(ego, t_s, KITTI_RIG, 0),
        "labels": lambda t_s: observer.observe(ego, t_s, KITTI_RIG, None),
        "camera": lambda t_s: camera.picture(ego, t_s, KITTI_RIG, 0),
    }
    row: dict[str, object] = {
        "world": name,
        "triangles": len(stage.still.mesh),
        "moving near": _moving_near(world, ego),
        "build s": round(build_s, 1),
        "ready s": round(ready_s, 1),
    }
    for sensor, work in works.items():
        times_s = [_timed(partial(work, frame_time_s(index)))[1] for index in range(frames)]
        row[f"{sensor} ms"] = round(1e3 * float(np.median(times_s)), 1)
        row[f"{sensor} ms, fastest"] = round(1e3 * min(times_s), 1)
        row[f"{sensor} frames/s"] = round(1 / float(np.median(times_s)), 1)
    return row


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """A result, and the CPU seconds that it took."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def _moving_near(world: World, ego: int) -> int:
    place_m = world.by_id[ego].motion.pose(frame_time_s(0)).translation
    poses = [actor.motion.pose(frame_time_s(0)) for actor in world.actors if not actor.motion.is_still]
    return sum(bool(np.linalg.norm(pose.translation - place_m) < NEAR_M) for pose in poses)


if __name__ == "__main__":
    main()

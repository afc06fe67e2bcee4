"""Time of the lifting agent's own steps, stage by stage, on one core: without the 2D network.

    python benchmarks/bench_agent_steps.py                               a street of its own, 120,000 points a scan
    python benchmarks/bench_agent_steps.py kitti-tracking:DIR:0001:0-24  a recording; labels stand in for the detector

A fake 2D detector supplies the boxes, so that what is measured is predict, associate, lift and update. The first frames
are left out: tracks have to be there, and caches warm.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vedette.classes import ObjectClass
from vedette.clock import WallClock
from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.source_spec import open_recording
from vedette.detections import Detections2D
from vedette.edge.lifting_agent import LiftingAgent
from vedette.edge.offload.fixed import FixedInterval
from vedette.errors import ConfigError
from vedette.frames import CameraImage, Frame, Sweep
from vedette.geometry import SE3, NDArrayFloat, NDArrayFloat32, PinholeCamera
from vedette.publication import NullSink
from vedette.telemetry.stages import MeasuredStages

TARGET_MS = 15.0
WARM_UP_FRAMES = 5
OWN_STAGES = ("predict", "associate", "lift", "update", "decide")
BEAMS, AZIMUTHS = 64, 1900
SENSOR_HEIGHT_M = 1.73
MAX_RANGE_M = 100.0
FRAME_NS = 100_000_000
EGO_SPEED_MPS = 8.0


@dataclass(frozen=True)
class Scene:
    """A frame and what a perfect 2D detector sees in it."""

    frame: Frame
    detections: Detections2D


class SuppliedDetector:
    """Hands out the boxes of the frame in hand."""

    def __init__(self) -> None:
        self.detections = Detections2D.empty()

    @property
    def name(self) -> str:
        """As reports show it."""
        return "supplied"

    def detect(self, image: CameraImage) -> Detections2D:  # noqa: ARG002 - the seam's signature
        """The boxes set last."""
        return self.detections


def street_boxes() -> NDArrayFloat:
    """``(N,7)`` parked and oncoming cars, and house fronts, in the world frame."""
    rows = [[x, side * 5.5, 0.75, 4.2, 1.75, 1.5, 0.02 * side] for x in range(8, 130, 9) for side in (-1, 1)]
    cars = [[x, 1.8, 0.75, 4.2, 1.75, 1.5, np.pi] for x in range(30, 130, 25)]
    houses = [[x, side * 12.0, 4.0, 14.0, 6.0, 8.0, 0.0] for x in range(-40, 160, 18) for side in (-1, 1)]
    return np.array(rows + cars + houses)


def cast(boxes: NDArrayFloat) -> NDArrayFloat32:
    """``(BEAMS * AZIMUTHS, 4)`` first hits of a spinning LiDAR at the origin among upright boxes and the ground."""
    elevation = np.deg2rad(np.linspace(2.0, -24.8, BEAMS))[:, None]
    azimuth = np.linspace(-np.pi, np.pi, AZIMUTHS, endpoint=False)[None, :]
    rays = np.stack(
        [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation) + 0 * azimuth], -1
    ).reshape(-1, 3)
    down = np.minimum(rays[:, 2], -1e-9)
    reach = np.minimum(-SENSOR_HEIGHT_M / down, MAX_RANGE_M)
    for box in boxes:
        reach = np.minimum(reach, _reach(rays, box))
    points = rays * reach[:, None]
    intensity = np.full((len(points), 1), 0.3)
    return np.hstack([points, intensity]).astype(np.float32)


def _reach(rays: NDArrayFloat, box: NDArrayFloat) -> NDArrayFloat:
    """Distance to a box along rays from the origin, infinite where missed (slab method)."""
    cos, sin = np.cos(box[6]), np.sin(box[6])
    turn = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    origin, direction = -(turn @ box[:3]), rays @ turn.T
    with np.errstate(divide="ignore"):
        first, second = (-box[3:6] / 2 - origin) / direction, (box[3:6] / 2 - origin) / direction
    near = np.minimum(first, second).max(axis=1)
    far = np.maximum(first, second).min(axis=1)
    return np.where((near <= far) & (near > 0), near, np.inf)


def made_street(frame_count: int, seed: int) -> Iterator[Scene]:
    """A drive down a street of parked cars."""
    rng = np.random.default_rng(seed)
    projection = np.array([[721.5, 0.0, 609.6, 44.9], [0.0, 721.5, 172.9, 0.2], [0.0, 0.0, 1.0, 0.003]])
    axes = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    camera = PinholeCamera(projection, SE3(axes, np.array([0.0, -0.08, -0.27])), 1242, 375)
    image = np.zeros((375, 1242, 3), np.uint8)
    world = street_boxes()
    for index in range(frame_count):
        pose = SE3.from_yaw(0.0, [EGO_SPEED_MPS * index * FRAME_NS / 1e9, 0.0, SENSOR_HEIGHT_M])
        local = world.copy()
        local[:, :3] = pose.inverse().transform_points(world[:, :3])
        points = cast(local)
        points[:, :3] += rng.normal(0.0, 0.01, (len(points), 3)).astype(np.float32)
        stamp_ns = index * FRAME_NS
        sweep = Sweep(points, stamp_ns, stamp_ns)
        frame = Frame(index, "street", stamp_ns, camera, sweep, CameraImage(image, stamp_ns), pose)
        yield Scene(frame, seen(local[local[:, 5] < 2.0], camera, rng))


def seen(boxes_velo: NDArrayFloat, camera: PinholeCamera, rng: np.random.Generator) -> Detections2D:
    """Detections of what the camera sees within 60 m, a pixel or two off."""
    near = boxes_velo[np.hypot(boxes_velo[:, 0], boxes_velo[:, 1]) < 60.0]
    boxes_px, _, visible = camera.project_boxes(near)
    boxes = boxes_px[visible] + rng.normal(0.0, 1.0, (int(visible.sum()), 4))
    boxes = np.hstack([np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])])
    large = boxes[(boxes[:, 3] - boxes[:, 1]) > 20.0]
    return Detections2D(large, np.full(len(large), 0.8), np.full(len(large), int(ObjectClass.CAR), np.int64))


def recorded(spec: str, seed: int) -> Iterator[Scene]:
    """A recording, its labels standing in for the detector."""
    rng = np.random.default_rng(seed)
    recording = open_recording(spec)
    for item in recording:
        labels = recording.labels(item.index)
        if isinstance(item, Frame) and labels is not None:
            boxes = detections_from_camera_objects(labels, item.camera).boxes_velo
            yield Scene(item, seen(boxes, item.camera, rng))


def measure(scenes: Iterator[Scene]) -> dict[str, object]:
    """Milliseconds by stage: median and 99th percentile over the frames after the first few."""
    detector, stages = SuppliedDetector(), MeasuredStages()
    agent = LiftingAgent(detector, FixedInterval(7), NullSink(), WallClock(), stages)
    taken: list[dict[str, float]] = []
    points: list[int] = []
    objects: list[int] = []
    for scene in scenes:
        detector.detections = scene.detections
        taken.append(dict(agent.process_frame(scene.frame).stage_ms))
        points.append(0 if scene.frame.sweep is None else len(scene.frame.sweep))
        objects.append(len(scene.detections))
    kept = taken[WARM_UP_FRAMES:]
    if not kept:
        raise ConfigError(f"{len(taken)} frames with labels; expected more than {WARM_UP_FRAMES}")
    totals = [sum(frame[stage] for stage in OWN_STAGES) for frame in kept]
    by_stage = {stage: summary([frame[stage] for frame in kept]) for stage in OWN_STAGES}
    return {
        "frames": len(kept),
        "points": int(np.median(points)),
        "objects": float(np.mean(objects)),
        "stages_ms": by_stage,
        "own_steps_ms": summary(totals),
        "target_ms": TARGET_MS,
    }


def summary(values: Sequence[float]) -> dict[str, float]:
    """Median and 99th percentile."""
    return {"median": round(float(np.median(values)), 3), "p99": round(float(np.quantile(values, 0.99)), 3)}


def main() -> int:
    """Measure, print, and fail when the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="?", help="recording, for example kitti-tracking:DIR:0001:0-24")
    parser.add_argument("--frames", type=int, default=60, help="frames of the street it makes itself")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    arguments = parser.parse_args()
    scenes = recorded(arguments.source, 1) if arguments.source else made_street(arguments.frames, 1)
    result = measure(scenes)
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        print(f"{result['frames']} frames, {result['points']} points, {result['objects']:.1f} objects a frame")
        for stage, figures in {**result["stages_ms"], "own steps": result["own_steps_ms"]}.items():
            print(f"{stage:10s} median {figures['median']:7.2f} ms   p99 {figures['p99']:7.2f} ms")
        print(f"target: own steps {TARGET_MS:.0f} ms median")
    return 0 if result["own_steps_ms"]["median"] <= TARGET_MS else 1


if __name__ == "__main__":
    sys.exit(main())

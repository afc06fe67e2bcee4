"""The agent over thousands of frames, in a process of its own so that its memory can be watched.

``python soak_edge.py FRAMES [MODELS_DIR SOURCE]``: without models, a drawn scene and a detector that knows it. Prints a
JSON line: resident memory in kB every `EVERY` frames, and what became of frames and requests.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil

from vedette.clock import SimulatedClock
from vedette.config import OffloadConfig
from vedette.datasets.source_spec import open_recording
from vedette.detections import Detections2D, Detections3D, Detector2D, Detector3D
from vedette.edge.counters import RunCounters
from vedette.edge.lifting_agent import LiftingAgent
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.runner import EdgeRunner
from vedette.frames import CameraImage, Frame, FrameItem, Sweep, TimeBase
from vedette.geometry import SE3, PinholeCamera
from vedette.models.registry import ModelRegistry
from vedette.publication import Publication
from vedette.replay.memo import RememberingDetector
from vedette.replay.network import parse_network
from vedette.replay.profile import load_profile
from vedette.replay.simulated_link import CloudTimes, SimulatedLink
from vedette.replay.wire import ProtoWire
from vedette.telemetry.stages import ProfiledStages

EVERY = 20
PERIOD_NS = 100_000_000
NETWORK = "fading:3,mean=4mbps,outage=0.1,delay=40ms"
CAR_M = (4.0, 1.7, 1.5)
CAMERA = PinholeCamera(
    np.array([[700.0, 0, 620, 0], [0, 700, 180, 0], [0, 0, 1, 0]]),
    SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3)),
    width_px=1242,
    height_px=375,
)


class Looping:
    """A few frames over and over, with stamps and numbers that only grow.

    Args:
        frames: one round.
        count: frames in all.
    """

    name = "looping"
    time_base = TimeBase.RECORDED

    def __init__(self, frames: Sequence[Frame], count: int) -> None:
        self._frames = frames
        self.frame_count = count
        self.rss_kb: list[int] = []

    def __iter__(self) -> Iterator[FrameItem]:
        process = psutil.Process()
        for index in range(self.frame_count):
            if index % EVERY == 0:
                self.rss_kb.append(process.memory_info().rss // 1000)
            yield _moved(self._frames[index % len(self._frames)], index)

    def close(self) -> None:
        pass


def _moved(frame: Frame, index: int) -> Frame:
    stamp_ns = index * PERIOD_NS
    half_ns = PERIOD_NS // 2
    sweep = frame.sweep and replace(frame.sweep, start_ns=stamp_ns - half_ns, end_ns=stamp_ns + half_ns)
    image = frame.image and replace(frame.image, stamp_ns=stamp_ns)
    return replace(frame, index=index, stamp_ns=stamp_ns, sweep=sweep, image=image)


def drawn_frames() -> list[Frame]:
    """A level street of 10 s, three cars at different speeds; an image says in its first pixel which frame it is."""
    rng = np.random.default_rng(0)
    frames = []
    for step in range(100):
        ground = rng.uniform((3, -15, -1.7, 0), (60, 15, -1.68, 1), (12_000, 4))
        cars = [_shell(rng, box) for box in cars_at(step)]
        points = np.concatenate([ground, *cars]).astype(np.float32)
        pixels = np.zeros((CAMERA.height_px, CAMERA.width_px, 3), np.uint8)
        pixels[0, 0, 0] = step
        sweep, image = Sweep(points, 0, 0), CameraImage(pixels, 0)
        frames.append(Frame(step, "drawn", 0, CAMERA, sweep, image, SE3.from_yaw(0.0, (step * 0.8, 0.0, 0.0))))
    return frames


def cars_at(step: int) -> np.ndarray:
    """(3,7) boxes of the drawn scene, velo frame."""
    starts, speeds = np.array([12.0, 20.0, 35.0]), np.array([0.05, 0.2, -0.15])
    boxes = [[x, y, -0.95, *CAR_M, 0.1] for x, y in zip(starts + speeds * step, (-3.0, 3.5, 0.5), strict=True)]
    return np.array(boxes)


def _shell(rng: np.random.Generator, box: np.ndarray) -> np.ndarray:
    """The near side and the back of a box, as a LiDAR would see them."""
    local = rng.uniform(-0.5, 0.5, (300, 3)) * CAR_M
    local[:150, 0], local[150:, 1] = -CAR_M[0] / 2, -np.sign(box[1]) * CAR_M[1] / 2
    return np.column_stack([SE3.from_yaw(box[6], box[:3]).transform_points(local), rng.random(300)])


class KnowingDetector2D:
    """Sees the cars of the drawn scene, one in ten times not."""

    name = "knowing@1"

    def __init__(self) -> None:
        self._rng = np.random.default_rng(1)

    def detect(self, image: CameraImage) -> Detections2D:
        boxes_px, _, visible = CAMERA.project_boxes(cars_at(int(image.pixels_bgr[0, 0, 0])))
        visible &= self._rng.random(len(visible)) > 0.1
        count = int(visible.sum())
        return Detections2D(boxes_px[visible], np.full(count, 0.8), np.zeros(count, np.int64))


class OldDetector3D:
    """Sees the cars where they were in the middle of the round, always: at times rubbish, at times right."""

    name = "old@1"

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        boxes = cars_at(50)
        return Detections3D(boxes, np.full(len(boxes), 0.9), np.zeros(len(boxes), np.int64))


class CountingSink:
    """Counts the frames' publications and their boxes; forecasts come on top."""

    def __init__(self) -> None:
        self.publications = self.boxes = 0

    def publish(self, publication: Publication) -> None:
        if not publication.forecast:
            self.publications += 1
            self.boxes += len(publication.detections)

    def close(self) -> None:
        pass


def real_parts(models_dir: str, source: str) -> tuple[list[Frame], Detector2D, Detector3D]:
    """Frames of a recording, and the real models; each sweep is detected in once and its answer remembered."""
    registry = ModelRegistry(Path(models_dir))
    frames = [item for item in open_recording(source) if isinstance(item, Frame)]
    detector3d = RememberingDetector(registry.load_detector3d("point-gnn-car"))
    return frames, registry.load_detector2d("nanodet-plus", 0.4), detector3d


def soak(frames: Sequence[Frame], detector2d: Detector2D, detector3d: Detector3D, count: int) -> dict[str, object]:
    """Run, and say what became of it."""
    clock, profile, sink, counters = SimulatedClock(0), load_profile(None), CountingSink(), RunCounters()
    offload = OffloadConfig()
    link = SimulatedLink(
        clock,
        parse_network(NETWORK),
        wire=ProtoWire(offload.codec, camera_view_only=offload.camera_view_only, model=detector3d.name),
        detector=detector3d,
        times=CloudTimes(profile.edge_ms.encode, profile.cloud_ms.decode, profile.cloud_detect3d_ms(detector3d.name)),
        max_in_flight=1,
    )
    stages = ProfiledStages(clock, profile.agent_ms(detector2d.name, None))
    agent = LiftingAgent(detector2d, FixedInterval(offload.interval), sink, clock, stages)
    source = Looping(frames, count)
    deadline_ns = round(offload.deadline_ms * 1e6)
    EdgeRunner(source, agent, link, clock=clock, deadline_ns=deadline_ns, observer=counters).run()
    return {
        "rss_kb": source.rss_kb,
        "processed": counters.processed,
        "skipped": counters.skipped,
        "bad": counters.bad,
        "offloaded": counters.offloaded,
        "answered": counters.answered,
        "lost": {str(reason): number for reason, number in counters.lost.items()},
        "publications": sink.publications,
        "boxes": sink.boxes,
    }


if __name__ == "__main__":
    if len(sys.argv) > 2:
        parts = real_parts(sys.argv[2], sys.argv[3])
    else:
        parts = (drawn_frames(), KnowingDetector2D(), OldDetector3D())
    sys.stdout.write(json.dumps(soak(*parts, int(sys.argv[1]))) + "\n")

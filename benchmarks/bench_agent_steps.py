"""Time of tracking and lifting, step by step, on one core: without the 2D network.

    python benchmarks/bench_agent_steps.py                               a street of its own, 121,600 points a scan
    python benchmarks/bench_agent_steps.py kitti-tracking:DIR:0001:0-24  a recording; labels stand in for the detectors

Perfect detectors supply the boxes: of the image for every frame, of the sweep for one frame in seven, whose answer
comes two frames later. On the street a fifth of the parked cars is shown by no detection: answers know them, and they
are followed in the sweep. The target is on predict, associate, lift and update, which are what boxes wait for. The
forecast of the next frame and the offload decision come after publication, the merging of an answer between frames.
The first frames are left out: tracks have to be there, and caches warm. `--cpu` counts the process's own time, for a
machine that is busy with other work.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from made_street import Scene, made_street, seen_in

from vedette.clock import SimulatedClock
from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.source_spec import open_recording
from vedette.detections import Detections2D
from vedette.edge.lifting.lifted import Rung
from vedette.edge.lifting_agent import LiftingAgent
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.link import Answer
from vedette.errors import ConfigError
from vedette.frames import CameraImage, Frame
from vedette.publication import NullSink
from vedette.telemetry.stages import MeasuredStages

TARGET_MS = {"median": 8.0, "p99": 15.0}
WARM_UP_FRAMES = 20
STEPS = ("predict", "associate", "lift", "update")
AFTER = ("forecast", "decide")
ANSWER_EVERY, ANSWER_AFTER = 7, 2
ANSWERED_M = 50.0


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


@dataclass
class Taken:
    """What was measured, a frame or an answer each."""

    stages_ms: list[dict[str, float]] = field(default_factory=list)
    merges_ms: list[float] = field(default_factory=list)
    reads_ms: list[float] = field(default_factory=list)
    points: list[int] = field(default_factory=list)
    counts: list[dict[str, int]] = field(default_factory=list)


def recorded(spec: str, seed: int) -> Iterator[Scene]:
    """A recording, its labels standing in for the detectors."""
    rng = np.random.default_rng(seed)
    recording = open_recording(spec)
    for item in recording:
        labels = recording.labels(item.index)
        if isinstance(item, Frame) and item.sweep is not None and labels is not None:
            objects = detections_from_camera_objects(labels, item.camera)
            yield Scene(item, seen_in(objects, item.camera, rng), objects)


def measure(scenes: Iterator[Scene], now_ns: Callable[[], int]) -> Taken:
    """Run the agent.

    Args:
        scenes: in order of capture.
        now_ns: the clock that counts.
    """
    detector, clock, taken = SuppliedDetector(), SimulatedClock(0), Taken()
    agent = LiftingAgent(detector, FixedInterval(ANSWER_EVERY), NullSink(), clock, MeasuredStages(now_ns))
    asked: deque[Scene] = deque()
    for scene in scenes:
        if asked and scene.frame.index - asked[0].frame.index >= ANSWER_AFTER:
            answer = answered(asked.popleft())
            taken.merges_ms.append(timed_ms(lambda answer=answer: agent.merge_answer(answer), now_ns))
        clock.sleep_until_ns(scene.frame.ready_ns)
        detector.detections = scene.seen
        result = agent.process_frame(scene.frame)
        if result.decision.send:
            asked.append(scene)
        points = scene.frame.sweep.points_velo
        taken.reads_ms.append(timed_ms(lambda points=points: points.sum(), now_ns))
        taken.stages_ms.append(dict(result.stage_ms))
        taken.points.append(len(points))
        followed = sum(track.rung is Rung.FOLLOWED for track in result.tracks.tracks)
        anchored = sum(track.anchored_ns is not None for track in result.tracks.tracks)
        shown = len(result.tracks.tracks)
        taken.counts.append({"detected": len(scene.seen), "shown": shown, "anchored": anchored, "followed": followed})
    return taken


def answered(scene: Scene) -> Answer:
    """The answer about a frame."""
    frame, boxes = scene.frame, scene.objects.boxes_velo
    _, _, visible = frame.camera.project_boxes(boxes)
    near = np.flatnonzero(visible & (np.hypot(boxes[:, 0], boxes[:, 1]) < ANSWERED_M))
    return Answer(frame.index, frame.stamp_ns, frame.stamp_ns, scene.objects.select(near), 0, 0, {})


def timed_ms(work: Callable[[], object], now_ns: Callable[[], int]) -> float:
    """How long it takes."""
    begun_ns = now_ns()
    work()
    return (now_ns() - begun_ns) / 1e6


def report(taken: Taken) -> dict[str, object]:
    """Medians and 99th percentiles of the frames after the first few.

    Raises:
        ConfigError: there are no others.
    """
    kept = taken.stages_ms[WARM_UP_FRAMES:]
    if not kept:
        raise ConfigError(f"{len(taken.stages_ms)} frames with labels; expected more than {WARM_UP_FRAMES}")
    steps = summary([sum(frame[step] for step in STEPS) for frame in kept])
    read_ms = float(np.median(taken.reads_ms))
    counts = taken.counts[WARM_UP_FRAMES:]
    return {
        "frames": len(kept),
        "points": int(np.median(taken.points)),
        "objects": {name: round(float(np.mean([count[name] for count in counts])), 1) for name in counts[0]},
        "stages_ms": {stage: summary([frame[stage] for frame in kept]) for stage in (*STEPS, *AFTER)},
        "answers_ms": summary(taken.merges_ms) if taken.merges_ms else None,
        "steps_ms": steps,
        "target_ms": TARGET_MS,
        "one_read_ms": round(read_ms, 3),
        "reads": round(steps["median"] / read_ms, 1),
    }


def summary(values: Sequence[float]) -> dict[str, float]:
    """Median and 99th percentile."""
    return {"median": round(float(np.median(values)), 3), "p99": round(float(np.quantile(values, 0.99)), 3)}


def show(result: dict[str, object]) -> None:
    """Print what was measured."""
    objects = ", ".join(f"{count} {name}" for name, count in result["objects"].items())
    print(f"{result['frames']} frames, {result['points']} points; objects a frame: {objects}")
    rows = {**result["stages_ms"], "an answer": result["answers_ms"], "steps": result["steps_ms"]}
    for name, figures in rows.items():
        if figures is not None:
            print(f"{name:10s} median {figures['median']:7.2f} ms   p99 {figures['p99']:7.2f} ms")
    print(f"steps: {' + '.join(STEPS)}; {result['reads']} times one read of the sweep ({result['one_read_ms']} ms)")
    print(f"target: median {TARGET_MS['median']:.0f} ms, p99 {TARGET_MS['p99']:.0f} ms")


def main() -> int:
    """Measure, print, and fail when the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", nargs="?", help="recording, for example kitti-tracking:DIR:0001:0-24")
    parser.add_argument("--frames", type=int, default=1000 + WARM_UP_FRAMES, help="of the street it makes itself")
    parser.add_argument("--cpu", action="store_true", help="count the process's own time, not what passes")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    arguments = parser.parse_args()
    scenes = recorded(arguments.source, 1) if arguments.source else made_street(arguments.frames, 1)
    result = report(measure(scenes, time.process_time_ns if arguments.cpu else time.perf_counter_ns))
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)
    return 0 if all(result["steps_ms"][name] <= limit_ms for name, limit_ms in TARGET_MS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())

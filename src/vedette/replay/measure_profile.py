"""Measures a device profile: the agent's steps, the codec and the 3D detector on a recording, one after the other."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Final

import psutil

from vedette import __version__
from vedette.clock import SimulatedClock
from vedette.config import Settings
from vedette.datasets.recording import Recording
from vedette.detections import Detector2D, Detector3D
from vedette.edge.lifting_agent import LiftingAgent
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.link import Answer, OffloadRequest
from vedette.edge.runner import trace_id
from vedette.errors import MissingDataError
from vedette.frames import Frame, Sweep
from vedette.publication import NullSink
from vedette.replay.profile import AGENT_STAGES, PROFILE_SCHEMA, DeviceProfile
from vedette.replay.stopwatch import Stopwatch, WatchedStages
from vedette.replay.wire import ProtoWire
from vedette.telemetry.stages import MeasuredStages

_ANSWER_DELAY_FRAMES: Final = 3
"""How late answers are merged, so that frames in between are lifted again."""


@dataclass(frozen=True)
class ProfileBench:
    """What is measured.

    Args:
        recording: frames with image and sweep.
        settings: of both halves.
        detector2d: the agent's.
        edge_detector3d: the device's.
        cloud_detector3d: the server's; may be the same.
        frame_count: frames to process; the first is a warm-up and does not count.
        anchor_interval: every how many frames the 3D detector is measured.
    """

    recording: Recording
    settings: Settings
    detector2d: Detector2D
    edge_detector3d: Detector3D
    cloud_detector3d: Detector3D
    frame_count: int
    anchor_interval: int

    def measure(self, name: str) -> DeviceProfile:
        """Run and take medians.

        Args:
            name: of the profile.

        Raises:
            MissingDataError: the recording has fewer than two frames with image and sweep.
        """
        frames = self._frames()
        self._pass(frames[:1], Stopwatch())
        watch = Stopwatch()
        self._pass(frames[1:], watch)
        medians = {stage: round(ms, 3) for stage, ms in watch.medians_ms().items()}
        # too few frames, or nothing in them, to have lifted any again: then as much as the first time
        medians.setdefault("relift", round(sum(medians[stage] for stage in ("associate", "lift", "update")), 3))
        return DeviceProfile.model_validate(
            {
                "schema": PROFILE_SCHEMA,
                "name": name,
                "device": device_text(),
                "origin": self._origin(len(frames) - 1),
                "models": ", ".join(dict.fromkeys([self.detector2d.name, *self._names3d()])),
                "edge_ms": {
                    **{stage: medians[stage] for stage in AGENT_STAGES},
                    "encode": medians["encode"],
                    "detect3d": medians["detect3d whole sweep"],
                },
                "cloud_ms": {"decode": medians["decode"], "detect3d": medians["detect3d"]},
            }
        )

    def _names3d(self) -> tuple[str, str]:
        return self.edge_detector3d.name, self.cloud_detector3d.name

    def _frames(self) -> list[Frame]:
        whole = (item for item in self.recording if isinstance(item, Frame) and item.sweep and item.image)
        frames = list(islice(whole, self.frame_count + 1))
        if len(frames) < 2:
            found = len(frames)
            raise MissingDataError(f"{self.recording.name}: {found} frames with image and sweep; expected 2 or more")
        return frames

    def _origin(self, counted: int) -> str:
        threads = self.settings.models.threads
        return (
            f"measured by vedette bench profile (vedette {__version__}) on {date.today().isoformat()}: medians over"
            f" {counted} frames of {self.recording.name}, {threads} thread(s) a model, load average"
            f" {os.getloadavg()[0]:.1f}"
        )

    def _pass(self, frames: list[Frame], watch: Stopwatch) -> None:
        offload = self.settings.edge.offload
        wire = ProtoWire(offload.codec, camera_view_only=offload.camera_view_only, model=self.cloud_detector3d.name)
        clock = SimulatedClock(frames[0].stamp_ns)
        stages = WatchedStages(MeasuredStages(), watch)
        agent = LiftingAgent(self.detector2d, FixedInterval(self.anchor_interval), NullSink(), clock, stages)
        under_way: dict[int, Answer] = {}
        for position, frame in enumerate(frames):
            result = agent.process_frame(frame)
            if result.decision.send and frame.sweep is not None:
                under_way[position + _ANSWER_DELAY_FRAMES] = self._answer(frame, frame.sweep, wire, watch)
            if position in under_way:
                agent.merge_answer(under_way[position])

    def _answer(self, frame: Frame, sweep: Sweep, wire: ProtoWire, watch: Stopwatch) -> Answer:
        request = OffloadRequest(frame.index, frame.stamp_ns, frame.stamp_ns + 1, sweep, frame.camera, trace_id(frame))
        with watch.measure("encode"):
            message = wire.encode_request(request)
        with watch.measure("decode"):
            seen, camera = wire.decode_request(message)
        with watch.measure("detect3d"):
            detections = self.cloud_detector3d.detect(seen, camera)
        with watch.measure("detect3d whole sweep"):
            self.edge_detector3d.detect(sweep, frame.camera)
        return Answer(frame.index, frame.stamp_ns, frame.stamp_ns, detections, len(message), 0, {})


def device_text() -> str:
    """Processor, cores, memory and system of this machine; no names of hosts or users."""
    memory_gib = psutil.virtual_memory().total / 2**30
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{_processor()}, {os.cpu_count()} cores, {memory_gib:.0f} GiB memory, {system}"


def _processor() -> str:
    named = (
        line.partition(":")[2].strip() for line in _cpu_lines() if line.lower().startswith(("model name", "hardware"))
    )
    return next(named, platform.processor() or "unknown processor")


def _cpu_lines() -> Iterator[str]:
    path = Path("/proc/cpuinfo")
    yield from path.read_text(encoding="utf-8").splitlines() if path.is_file() else ()

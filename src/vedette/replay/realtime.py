"""Runs on the wall clock, at the data's own rate: a real server, or a detector in a thread of this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from vedette.clock import WallClock
from vedette.config import EdgeConfig
from vedette.datasets.recording import Recording
from vedette.detections import Detector2D, Detector3D
from vedette.edge.offload.grpc_link import GrpcLink
from vedette.edge.offload.link import Link, NullLink
from vedette.edge.offload.local_link import LocalDetectorLink
from vedette.frames import Frame
from vedette.replay.policies import KEEPS_UP_MS, PolicyName, PolicySpec, RunParts, drive
from vedette.replay.record import RunRecord
from vedette.replay.shaper import LinkShaper
from vedette.replay.stopwatch import Stopwatch, WatchedStages
from vedette.telemetry.stages import MeasuredStages

_LEAD_NS: Final = 1_000_000_000
"""From the start of a run to its first frame: time to connect and to read ahead."""
_PREFETCH_FRAMES: Final = 16


@dataclass(frozen=True)
class RealTime:
    """What all real-time runs of a replay share.

    Args:
        recording: the frames.
        edge: settings of the agent.
        target: ``HOST:PORT`` of the server.
        detector2d: None where no policy needs it.
        edge_detectors3d: those on the device, by the name that settings and policies call them.
        edge_detector3d: name of the usual one of them.
        shaper: the relay that `target` is; None where the network is the real one.
    """

    recording: Recording
    edge: EdgeConfig
    target: str
    detector2d: Detector2D | None
    edge_detectors3d: Mapping[str, Detector3D]
    edge_detector3d: str
    shaper: LinkShaper | None = None

    def run(self, policy: PolicySpec, start_ns: int, watch: Stopwatch, on_item: Callable[[], None]) -> RunRecord:
        """Run one policy.

        Args:
            policy: which.
            start_ns: capture of the first frame.
            watch: takes the times of the agent's steps.
            on_item: called once for every item of the recording.
        """
        detect_ms = self._warm_up(policy)
        linked = policy.name is PolicyName.EDGE_ONLY and detect_ms > KEEPS_UP_MS
        clock = WallClock(start_ns - _LEAD_NS)
        if self.shaper is not None:
            self.shaper.begin(_LEAD_NS)
        parts = RunParts(
            source=self.recording,
            clock=clock,
            stages=WatchedStages(MeasuredStages(), watch),
            link=self._link(policy, clock, linked=linked),
            offload=self.edge.offload,
            detector2d=self.detector2d,
            detector3d=None if linked else self._on_device(policy),
            prefetch_frames=_PREFETCH_FRAMES,
        )
        return drive(policy, parts, on_item)

    def _on_device(self, policy: PolicySpec) -> Detector3D | None:
        return self.edge_detectors3d[policy.edge_detector3d(self.edge_detector3d)] if policy.detects_on_device else None

    def _link(self, policy: PolicySpec, clock: WallClock, *, linked: bool) -> Link:
        on_device = self._on_device(policy)
        if linked and on_device is not None:
            return LocalDetectorLink(on_device, clock)
        if not policy.needs_cloud:
            return NullLink(clock)
        return GrpcLink(self.target, clock, link=self.edge.link, offload=self.edge.offload)

    def _warm_up(self, policy: PolicySpec) -> float:
        """A model's first inference is slow for reasons that no policy is to blame for.

        Returns:
            Milliseconds of one detection on the device after that; 0 where there is none.
        """
        frame = next((item for item in self.recording if isinstance(item, Frame)), None)
        if frame is None:
            return 0.0
        if policy.needs_detector2d and self.detector2d is not None and frame.image is not None:
            self.detector2d.detect(frame.image)
        on_device = self._on_device(policy)
        if on_device is None or frame.sweep is None:
            return 0.0
        on_device.detect(frame.sweep, frame.camera)
        started_ns = time.perf_counter_ns()
        on_device.detect(frame.sweep, frame.camera)
        return (time.perf_counter_ns() - started_ns) / 1e6

"""Runs on the wall clock, at the data's own rate: a real server, or a detector in a thread of this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from vedette.clock import WallClock
from vedette.config import EdgeConfig
from vedette.datasets.recording import Recording
from vedette.detections import Detector2D, Detector3D
from vedette.edge.offload.grpc_link import GrpcLink
from vedette.edge.offload.link import Link
from vedette.edge.offload.local_link import LocalDetectorLink
from vedette.frames import Frame
from vedette.replay.policies import PolicyName, RunParts, drive
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
        detector3d: the one on the device; None where no policy needs it.
        shaper: the relay that `target` is; None where the network is the real one.
    """

    recording: Recording
    edge: EdgeConfig
    target: str
    detector2d: Detector2D | None
    detector3d: Detector3D | None
    shaper: LinkShaper | None = None

    def run(self, policy: PolicyName, start_ns: int, watch: Stopwatch, on_item: Callable[[], None]) -> RunRecord:
        """Run one policy.

        Args:
            policy: which.
            start_ns: capture of the first frame.
            watch: takes the times of the agent's steps.
            on_item: called once for every item of the recording.
        """
        self._warm_up(policy)
        clock = WallClock(start_ns - _LEAD_NS)
        if self.shaper is not None:
            self.shaper.begin(_LEAD_NS)
        parts = RunParts(
            source=self.recording,
            clock=clock,
            stages=WatchedStages(MeasuredStages(), watch),
            link=self._link(policy, clock),
            deadline_ns=round(self.edge.offload.deadline_ms * 1e6),
            interval=self.edge.offload.interval,
            detector2d=self.detector2d,
            prefetch_frames=_PREFETCH_FRAMES,
        )
        return drive(policy, parts, on_item)

    def _link(self, policy: PolicyName, clock: WallClock) -> Link:
        if policy is not PolicyName.EDGE_ONLY:
            return GrpcLink(self.target, clock, link=self.edge.link, offload=self.edge.offload)
        if self.detector3d is None:
            raise ValueError("policy edge-only without a 3D detector; expected one")
        return LocalDetectorLink(self.detector3d, clock)

    def _warm_up(self, policy: PolicyName) -> None:
        """A model's first inference is slow for reasons that no policy is to blame for."""
        frame = next((item for item in self.recording if isinstance(item, Frame)), None)
        if frame is None:
            return
        if policy is PolicyName.MOBY and self.detector2d is not None and frame.image is not None:
            self.detector2d.detect(frame.image)
        if policy is PolicyName.EDGE_ONLY and self.detector3d is not None and frame.sweep is not None:
            self.detector3d.detect(frame.sweep, frame.camera)

"""Runs on the simulated clock: both halves in this process, times from a network model and a device profile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vedette.clock import SimulatedClock
from vedette.config import EdgeConfig
from vedette.datasets.recording import Recording
from vedette.detections import Detector2D, Detector3D
from vedette.edge.offload.link import Link
from vedette.replay.network import NetworkModel
from vedette.replay.policies import PolicyName, RunParts, drive
from vedette.replay.profile import DeviceProfile
from vedette.replay.record import RunRecord
from vedette.replay.simulated_detector import SimulatedDetectorLink
from vedette.replay.simulated_link import CloudTimes, SimulatedLink
from vedette.replay.stopwatch import Stopwatch, WatchedStages
from vedette.replay.wire import ProtoWire
from vedette.telemetry.stages import ProfiledStages


@dataclass(frozen=True)
class Simulation:
    """What all simulated runs of a replay share.

    Args:
        recording: the frames.
        edge: settings of the agent.
        network: between device and cloud.
        profile: how long everything takes.
        detector2d: None where no policy needs it.
        edge_detector3d: stands for the one on the device.
        cloud_detector3d: stands for the one in the cloud.
    """

    recording: Recording
    edge: EdgeConfig
    network: NetworkModel
    profile: DeviceProfile
    detector2d: Detector2D | None
    edge_detector3d: Detector3D
    cloud_detector3d: Detector3D

    def run(self, policy: PolicyName, start_ns: int, watch: Stopwatch, on_item: Callable[[], None]) -> RunRecord:
        """Run one policy.

        Args:
            policy: which.
            start_ns: capture of the first frame; the network's traces begin there.
            watch: takes the times that the agent's steps really took.
            on_item: called once for every item of the recording.
        """
        clock = SimulatedClock(start_ns)
        stages = WatchedStages(ProfiledStages(clock, self.profile.agent_ms), watch)
        parts = RunParts(
            source=self.recording,
            clock=clock,
            stages=stages,
            link=self._link(policy, clock),
            deadline_ns=round(self.edge.offload.deadline_ms * 1e6),
            interval=self.edge.offload.interval,
            detector2d=self.detector2d,
        )
        return drive(policy, parts, on_item)

    def _link(self, policy: PolicyName, clock: SimulatedClock) -> Link:
        if policy is PolicyName.EDGE_ONLY:
            return SimulatedDetectorLink(clock, self.edge_detector3d, self.profile.edge_ms.detect3d)
        offload = self.edge.offload
        wire = ProtoWire(offload.codec, camera_view_only=offload.camera_view_only, model=self.cloud_detector3d.name)
        times = CloudTimes(self.profile.edge_ms.encode, self.profile.cloud_ms.decode, self.profile.cloud_ms.detect3d)
        return SimulatedLink(
            clock,
            self.network,
            wire=wire,
            detector=self.cloud_detector3d,
            times=times,
            max_in_flight=self.edge.link.capacity,
        )

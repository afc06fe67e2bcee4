"""Runs on the simulated clock: both halves in this process, times from a network model and a device profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from vedette.clock import SimulatedClock
from vedette.config import EdgeConfig
from vedette.datasets.recording import Recording
from vedette.detections import Detector2D, Detector3D
from vedette.edge.offload.link import Link, NullLink
from vedette.edge.recording import NullRecorder, Recorder
from vedette.replay.network import NetworkModel
from vedette.replay.policies import KEEPS_UP_MS, PolicyName, PolicySpec, RunParts, drive
from vedette.replay.profile import DeviceProfile
from vedette.replay.record import RunRecord
from vedette.replay.simulated_detector import SimulatedDetectorLink
from vedette.replay.simulated_link import CloudTimes, SimulatedLink, Wire
from vedette.replay.stopwatch import Stopwatch, WatchedStages
from vedette.replay.wire import usual_wire
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
        edge_detectors3d: stand for those on the device, by the name that settings and policies call them.
        edge_detector3d: name of the usual one of them.
        cloud_detector3d: stands for the one in the cloud.
        wire: makes and reads the messages; None for one that works as the settings say.
    """

    recording: Recording
    edge: EdgeConfig
    network: NetworkModel
    profile: DeviceProfile
    detector2d: Detector2D | None
    edge_detectors3d: Mapping[str, Detector3D]
    edge_detector3d: str
    cloud_detector3d: Detector3D
    wire: Wire | None = None

    def run(
        self,
        policy: PolicySpec,
        start_ns: int,
        watch: Stopwatch,
        on_item: Callable[[], None],
        recorder: Recorder | None = None,
    ) -> RunRecord:
        """Run one policy.

        Args:
            policy: which.
            start_ns: capture of the first frame; the network's traces begin there.
            watch: takes the times that the agent's steps really took.
            on_item: called once for every item of the recording.
            recorder: keeps what happens; None where nothing is to be kept.
        """
        clock = SimulatedClock(start_ns)
        on_device = self._on_device(policy)
        detector2d = None if self.detector2d is None else self.detector2d.name
        times_ms = self.profile.agent_ms(detector2d, None if on_device is None else on_device.name)
        stages = WatchedStages(ProfiledStages(clock, times_ms), watch)
        parts = RunParts(
            source=self.recording,
            clock=clock,
            stages=stages,
            link=self._link(policy, clock),
            offload=self.edge.offload,
            detector2d=self.detector2d,
            detector3d=None if self._is_linked(policy) else on_device,
            recorder=recorder or NullRecorder(),
        )
        return drive(policy, parts, on_item)

    def _on_device(self, policy: PolicySpec) -> Detector3D | None:
        return self.edge_detectors3d[policy.edge_detector3d(self.edge_detector3d)] if policy.detects_on_device else None

    def _is_linked(self, policy: PolicySpec) -> bool:
        """Whether the device's detector works beside the agent, because it does not keep up with the frames."""
        on_device = self._on_device(policy)
        if policy.name is not PolicyName.EDGE_ONLY or on_device is None:
            return False
        return self.profile.edge_detect3d_ms(on_device.name) > KEEPS_UP_MS

    def _link(self, policy: PolicySpec, clock: SimulatedClock) -> Link:
        on_device = self._on_device(policy)
        if on_device is not None and self._is_linked(policy):
            return SimulatedDetectorLink(clock, on_device, self.profile.edge_detect3d_ms(on_device.name))
        if not policy.needs_cloud:
            return NullLink(clock)
        detect3d_ms = self.profile.cloud_detect3d_ms(self.cloud_detector3d.name)
        times = CloudTimes(self.profile.edge_ms.encode, self.profile.cloud_ms.decode, detect3d_ms)
        return SimulatedLink(
            clock,
            self.network,
            wire=self.wire or usual_wire(self.edge.offload, self.cloud_detector3d.name),
            detector=self.cloud_detector3d,
            times=times,
            max_in_flight=self.edge.link.capacity,
        )

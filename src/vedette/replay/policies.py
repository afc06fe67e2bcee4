"""The policies that a replay compares, each as an agent and what its detections are asked of.

- ``edge-only[:MODEL]``: boxes from the 3D detector on the device. One that keeps up with the sensor looks at every
  frame; of a slower one the boxes are propagated to the frames that come while it is busy, and the newest wins.
- ``cloud-only[:raw|crop|coded]``: the same with the detector in the cloud: every frame is offered, the newest wins.
  ``raw`` sends whole sweeps as they are, ``crop`` the camera's view as it is, ``coded`` the view through the codec.
- ``hold-last``, ``constant-velocity``, ``constant-velocity-2d``: one frame in every interval is sent; in between the
  answer's boxes are shown as they are, moved on, or moved on where the image confirms them.
- ``frustum-cluster``: every frame's 2D detections lifted on their own by the naive way.
- ``moby-paper``: lifting, with the test and anchor frames that are told of the paper.
- ``moby-interval``: lifting; one frame in every interval is sent, and its answer is never waited for.
- ``moby``: lifting, with our own policy of what to send; ``moby-device``: with detections on the device as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from vedette.clock import Clock
from vedette.config import OffloadConfig
from vedette.detections import Detector2D, Detector3D
from vedette.edge.agent import Agent
from vedette.edge.detecting_agent import DetectingAgent
from vedette.edge.lifting_agent import LiftingAgent
from vedette.edge.offload.choice import adaptive_policy, paper_policy
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.link import Link
from vedette.edge.offload.package import Package, View
from vedette.edge.offload.policy import OffloadPolicy
from vedette.edge.propagating_agent import PropagatingAgent
from vedette.edge.recording import NullRecorder, Recorder
from vedette.edge.runner import EdgeRunner
from vedette.errors import ConfigError
from vedette.frames import FrameSource
from vedette.publication import Sink
from vedette.replay.baselines.confirmed import ConfirmedAgent
from vedette.replay.baselines.frustum_cluster import FrustumClusterAgent
from vedette.replay.baselines.hold_last import HoldLastAgent
from vedette.replay.record import RunRecord, RunRecorder
from vedette.telemetry.stages import StageTimer


class PolicyName(StrEnum):
    """Names on the command line."""

    EDGE_ONLY = "edge-only"
    CLOUD_ONLY = "cloud-only"
    HOLD_LAST = "hold-last"
    CONSTANT_VELOCITY = "constant-velocity"
    CONSTANT_VELOCITY_2D = "constant-velocity-2d"
    FRUSTUM_CLUSTER = "frustum-cluster"
    MOBY_PAPER = "moby-paper"
    MOBY_INTERVAL = "moby-interval"
    MOBY = "moby"
    MOBY_DEVICE = "moby-device"


KEEPS_UP_MS: Final = 90.0
"""What a detection on the device may take for every frame to be looked at, ten a second."""
USUAL_POLICIES: Final = ("edge-only", "cloud-only", "moby")
_NEEDS_NO_CLOUD: Final = frozenset({PolicyName.EDGE_ONLY, PolicyName.FRUSTUM_CLUSTER})
_LOOKS_AT_IMAGES: Final = frozenset(PolicyName) - {
    PolicyName.EDGE_ONLY,
    PolicyName.CLOUD_ONLY,
    PolicyName.HOLD_LAST,
    PolicyName.CONSTANT_VELOCITY,
}
_DETECTS_ON_DEVICE: Final = frozenset({PolicyName.EDGE_ONLY, PolicyName.MOBY_DEVICE})
_PACKAGES: Final = {"raw": (View.WHOLE, "raw"), "crop": (View.CAMERA, "raw")}
_CODED: Final = "coded"


@dataclass(frozen=True)
class PolicySpec:
    """A policy as the user names it.

    Args:
        name: which.
        variant: what follows the colon: a model for edge-only, a form of the sweep for cloud-only; or None.
    """

    name: PolicyName
    variant: str | None = None

    def __str__(self) -> str:
        return str(self.name) if self.variant is None else f"{self.name}:{self.variant}"

    @property
    def needs_cloud(self) -> bool:
        """Whether it asks the cloud."""
        return self.name not in _NEEDS_NO_CLOUD

    @property
    def needs_detector2d(self) -> bool:
        """Whether it looks at images."""
        return self.name in _LOOKS_AT_IMAGES

    @property
    def detects_on_device(self) -> bool:
        """Whether it runs a 3D detector on the device."""
        return self.name in _DETECTS_ON_DEVICE

    def edge_detector3d(self, usual: str) -> str:
        """Name of the device's 3D detector.

        Args:
            usual: where the user does not name another.
        """
        return self.variant if self.name is PolicyName.EDGE_ONLY and self.variant else usual

    @property
    def package(self) -> Package | None:
        """How it packs its sweeps; None as the settings say."""
        if self.name is not PolicyName.CLOUD_ONLY or self.variant in (None, _CODED):
            return None
        view, codec = _PACKAGES[str(self.variant)]
        return Package(view, codec)


def device_detectors3d(policies: Sequence[PolicySpec], usual: str) -> list[str]:
    """Names of the 3D detectors that policies run on the device, each once.

    Args:
        policies: in any order.
        usual: where the user does not name another.
    """
    return list(dict.fromkeys(policy.edge_detector3d(usual) for policy in policies if policy.detects_on_device))


def parse_policies(texts: Sequence[str]) -> list[PolicySpec]:
    """The policies of a replay, in the order given; the usual three when none is.

    Raises:
        ConfigError: an unknown name or variant, or one given twice.
    """
    for text in texts:
        if list(texts).count(text) > 1:
            raise ConfigError(f"policy {text} is given twice")
    return [_parse(text) for text in texts or USUAL_POLICIES]


def _parse(text: str) -> PolicySpec:
    name, colon, variant = text.partition(":")
    known = [str(policy) for policy in PolicyName]
    if name not in known:
        raise ConfigError(f"unknown policy {name!r}; known are {', '.join(known)}")
    policy = PolicyName(name)
    if not colon:
        return PolicySpec(policy)
    if policy is PolicyName.CLOUD_ONLY and variant in (*_PACKAGES, _CODED):
        return PolicySpec(policy, variant)
    if policy is PolicyName.EDGE_ONLY and variant:
        return PolicySpec(policy, variant)
    expected = "edge-only:MODEL, or cloud-only:raw, cloud-only:crop, cloud-only:coded"
    raise ConfigError(f"policy {text!r}: no such variant; expected {expected}")


@dataclass(frozen=True)
class RunParts:
    """What a run is made of beside its policy.

    Args:
        source: the recording.
        clock: of the run.
        stages: of the agent's steps.
        link: to the detector that the policy asks.
        offload: settings of what is sent.
        detector2d: None where the policy needs none.
        detector3d: the device's, for the agent's own use; likewise, and where it is too slow to be waited for.
        prefetch_frames: frames read ahead, on the wall clock.
        recorder: keeps what happens.
    """

    source: FrameSource
    clock: Clock
    stages: StageTimer
    link: Link
    offload: OffloadConfig
    detector2d: Detector2D | None
    detector3d: Detector3D | None
    prefetch_frames: int = 0
    recorder: Recorder = field(default_factory=NullRecorder)


def drive(spec: PolicySpec, parts: RunParts, on_item: Callable[[], None]) -> RunRecord:
    """Run a policy over the whole source.

    Args:
        spec: decides which agent.
        parts: see there.
        on_item: called once for every item of the source.

    Raises:
        VedetteError: the source or the set-up failed, not just one frame.
    """
    observer = RunRecorder(str(spec), on_item)
    agent = _agent(spec, parts, parts.recorder.sink(observer))
    EdgeRunner(
        parts.source,
        parts.recorder.agent(agent),
        parts.link,
        clock=parts.clock,
        deadline_ns=round(parts.offload.deadline_ms * 1e6),
        observer=observer,
        prefetch_frames=parts.prefetch_frames,
    ).run()
    return observer.record


def _agent(spec: PolicySpec, parts: RunParts, sink: Sink) -> Agent:
    clock, stages = parts.clock, parts.stages
    policy = parts.recorder.policy(offload_policy(spec, parts.offload))
    if spec.needs_detector2d:
        return _looking_agent(spec, parts, policy, sink)
    if spec.name is PolicyName.HOLD_LAST:
        return HoldLastAgent(policy, sink, clock, stages)
    if spec.name is PolicyName.EDGE_ONLY and parts.detector3d is not None:
        return DetectingAgent(parts.detector3d, sink, clock, stages)
    return PropagatingAgent(policy, sink, clock, stages)


def _looking_agent(spec: PolicySpec, parts: RunParts, policy: OffloadPolicy, sink: Sink) -> Agent:
    """The agents of policies that look at images."""
    name, clock, stages = spec.name, parts.clock, parts.stages
    if parts.detector2d is None:
        raise ValueError(f"policy {spec} without a 2D detector; expected one")
    if name is PolicyName.CONSTANT_VELOCITY_2D:
        return ConfirmedAgent(parts.detector2d, policy, sink, clock, stages)
    if name is PolicyName.FRUSTUM_CLUSTER:
        return FrustumClusterAgent(parts.detector2d, sink, clock, stages)
    return LiftingAgent(parts.detector2d, policy, sink, clock, stages, detector3d=parts.detector3d)


def offload_policy(spec: PolicySpec, offload: OffloadConfig) -> OffloadPolicy:
    """What decides which sweeps are sent; frustum-cluster sends none and leaves it aside.

    Args:
        spec: the policy as the user names it.
        offload: settings of what is sent.
    """
    if spec.name in (PolicyName.EDGE_ONLY, PolicyName.CLOUD_ONLY):
        return FixedInterval(1, spec.package)
    if spec.name is PolicyName.MOBY_PAPER:
        return paper_policy(offload)
    if spec.name in (PolicyName.MOBY, PolicyName.MOBY_DEVICE):
        return adaptive_policy(offload, detect3d=spec.name is PolicyName.MOBY_DEVICE)
    return FixedInterval(offload.interval)

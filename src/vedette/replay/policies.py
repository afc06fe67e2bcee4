"""The policies that a replay compares, each as an agent and the link that goes with it.

- ``edge-only``: boxes from the 3D detector on the device, propagated to every frame; frames that come while it is busy
  are skipped, the newest wins.
- ``cloud-only``: the same with the detector in the cloud: every frame is offered, the newest wins.
- ``moby``: boxes from lifted 2D detections on every frame; one frame in every interval goes to the cloud, whose answer
  corrects the tracks and is never waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from vedette.clock import Clock
from vedette.detections import Detector2D
from vedette.edge.agent import Agent
from vedette.edge.lifting_agent import LiftingAgent
from vedette.edge.offload.link import Link
from vedette.edge.offload.policy import FixedInterval
from vedette.edge.propagating_agent import PropagatingAgent
from vedette.edge.runner import EdgeRunner
from vedette.errors import ConfigError
from vedette.frames import FrameSource
from vedette.replay.record import RunRecord, RunRecorder
from vedette.telemetry.stages import StageTimer


class PolicyName(StrEnum):
    """Names on the command line."""

    EDGE_ONLY = "edge-only"
    CLOUD_ONLY = "cloud-only"
    MOBY = "moby"


def parse_policies(names: Sequence[str]) -> list[PolicyName]:
    """The policies of a replay, in the order given; all of them when none is.

    Raises:
        ConfigError: an unknown name, or one given twice.
    """
    known = [str(policy) for policy in PolicyName]
    for name in names:
        if name not in known:
            raise ConfigError(f"unknown policy {name!r}; known are {', '.join(known)}")
        if list(names).count(name) > 1:
            raise ConfigError(f"policy {name} is given twice")
    return [PolicyName(name) for name in names] or list(PolicyName)


@dataclass(frozen=True)
class RunParts:
    """What a run is made of beside its policy.

    Args:
        source: the recording.
        clock: of the run.
        stages: of the agent's steps.
        link: to the detector that the policy asks.
        deadline_ns: an answer later than this after capture is worth nothing.
        interval: frames from one anchor to the next, for ``moby``.
        detector2d: for ``moby``; None where the policy needs none.
        prefetch_frames: frames read ahead, on the wall clock.
    """

    source: FrameSource
    clock: Clock
    stages: StageTimer
    link: Link
    deadline_ns: int
    interval: int
    detector2d: Detector2D | None
    prefetch_frames: int = 0


def drive(policy: PolicyName, parts: RunParts, on_item: Callable[[], None]) -> RunRecord:
    """Run a policy over the whole source.

    Args:
        policy: decides which agent.
        parts: see there.
        on_item: called once for every item of the source.

    Raises:
        VedetteError: the source or the set-up failed, not just one frame.
    """
    recorder = RunRecorder(policy, on_item)
    agent = _agent(policy, parts, recorder)
    EdgeRunner(
        parts.source,
        agent,
        parts.link,
        clock=parts.clock,
        deadline_ns=parts.deadline_ns,
        observer=recorder,
        prefetch_frames=parts.prefetch_frames,
    ).run()
    return recorder.record


def _agent(policy: PolicyName, parts: RunParts, recorder: RunRecorder) -> Agent:
    if policy is not PolicyName.MOBY:
        return PropagatingAgent(FixedInterval(1), recorder, parts.clock, parts.stages)
    if parts.detector2d is None:
        raise ValueError("policy moby without a 2D detector; expected one")
    return LiftingAgent(parts.detector2d, FixedInterval(parts.interval), recorder, parts.clock, parts.stages)

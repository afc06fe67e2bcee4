"""What is worth a 3D detection, and where: the seam of all offload policies, and the values that cross it.

plan(frame, now) ──► before anything is computed of the frame: look at its image? detect on the device? hold the boxes?
     │ the agent looks, lifts, publishes
decide(frame, situation) ──► send the sweep? how packed? why, and what is to be expected of it
     │ later
on_answer / on_loss ──► what came of it; whether an answer is to be taken into the tracks
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vedette.edge.offload.drift import Drift
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.package import Package
from vedette.edge.offload.review import Review
from vedette.frames import Frame


class Hold(StrEnum):
    """Whether a frame's boxes wait for an answer about that frame."""

    NEVER = "never"
    UNTIL_ANSWERED = "until answered"


@dataclass(frozen=True)
class FramePlan:
    """What is to be done with a frame.

    Args:
        detect3d: run the device's own 3D detector on it before the boxes are published.
        hold: whether publication waits for the cloud's answer about this frame, or the end of its deadline.
        look: find objects in the image and lift them; without, the boxes are those of the 3D detector, or moved on.
    """

    detect3d: bool = False
    hold: Hold = Hold.NEVER
    look: bool = True


@dataclass(frozen=True)
class Situation:
    """What is known when it is decided whether to send a frame.

    Args:
        now_ns: the present, on the run's clock.
        drift: signs of error in the tracks, as of this frame.
        stage_ms: milliseconds that the agent's steps took for this frame.
    """

    now_ns: int
    drift: Drift
    stage_ms: Mapping[str, float]


@dataclass(frozen=True)
class Expectation:
    """What a policy expects of a request, to be compared with what happens.

    Args:
        bytes_up: size of the message.
        delay_ms: from capture to the answer being here.
        gain: boxes that the answer would put right, summed over the time it stays useful; in the policy's own scale.
    """

    bytes_up: int
    delay_ms: float
    gain: float


@dataclass(frozen=True)
class OffloadDecision:
    """Whether a frame's sweep is sent, and why: recorded with every frame.

    Args:
        send: whether to send it.
        reason: short and stable, for logs, reports and metrics (for example ``interval`` or ``between anchors``).
        package: how it is packed; None leaves that to the link's settings.
        expected: of the request, where the policy predicts.
    """

    send: bool
    reason: str
    package: Package | None = None
    expected: Expectation | None = None


class OffloadPolicy(Protocol):
    """Decides frame by frame, in order of capture."""

    @property
    def name(self) -> str:
        """As reports show it."""
        ...

    def plan(self, frame: Frame, now_ns: int) -> FramePlan:
        """Say what is to be done with the next frame, before anything is; the present is on the run's clock."""
        ...

    def decide(self, frame: Frame, situation: Situation) -> OffloadDecision:
        """Say whether to send the frame just looked at."""
        ...

    def on_answer(self, answer: Answer, review: Review) -> bool:
        """Learn from an answer; tell whether the tracks are to take it in."""
        ...

    def on_loss(self, loss: Loss) -> None:
        """Learn that a request has no answer."""
        ...

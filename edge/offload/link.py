"""The seam between the agent and whatever answers it: a real server, a modelled link, or a detector on the device.

submit ──► (encode) ──► uplink ──► detector ──► downlink ──► wait
              newest wins: at most `capacity` requests are under way or queued; an older one that has not been sent
              yet is superseded and comes back as a Loss. Nothing is lost silently: every submitted request yields
              exactly one Outcome.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from vedette.clock import Clock
from vedette.detections import Detections3D
from vedette.edge.offload.package import Package
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera


@dataclass(frozen=True)
class OffloadRequest:
    """One sweep to be looked at by a 3D detector.

    Args:
        frame_index: frame number in the recording.
        stamp_ns: capture time; the answer speaks about this instant.
        deadline_ns: on the run's clock: an answer after this is worth nothing.
        sweep: the points.
        camera: calibration; the answer covers the camera's view.
        trace_id: 32 lower-case hex digits, one per frame.
        package: how to pack the sweep; None leaves that to the link's settings.
    """

    frame_index: int
    stamp_ns: int
    deadline_ns: int
    sweep: Sweep
    camera: PinholeCamera
    trace_id: str
    package: Package | None = None


@dataclass(frozen=True)
class Answer:
    """What the detector saw in the request's sweep.

    Args:
        frame_index: of the request.
        stamp_ns: of the request.
        arrived_ns: when the answer was there, on the run's clock.
        detections: boxes in the velo frame at ``stamp_ns``.
        bytes_up: size of the request's message.
        bytes_down: size of the answer's message.
        stage_ms: ``encode``, ``queue``, ``uplink``, ``detect3d``, ``downlink`` as far as they are known.
    """

    frame_index: int
    stamp_ns: int
    arrived_ns: int
    detections: Detections3D
    bytes_up: int
    bytes_down: int
    stage_ms: Mapping[str, float]


class LossReason(StrEnum):
    """Why a request came back without an answer."""

    SUPERSEDED = "superseded"
    DEADLINE = "deadline"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    FAILED = "failed"
    IMPLAUSIBLE = "implausible"
    ABANDONED = "abandoned"


@dataclass(frozen=True)
class Loss:
    """A request that came back without an answer.

    Args:
        frame_index: of the request.
        stamp_ns: of the request.
        at_ns: when that became known.
        reason: the cause, as counted in reports and metrics.
        detail: for the log.
        bytes_up: bytes that were sent nevertheless.
    """

    frame_index: int
    stamp_ns: int
    at_ns: int
    reason: LossReason
    detail: str
    bytes_up: int


Outcome = Answer | Loss


class Link(Protocol):
    """Takes requests, never blocks on them, and hands back one outcome for each."""

    def start(self) -> None:
        """Open connections and workers."""
        ...

    def submit(self, request: OffloadRequest) -> None:
        """Take a request; returns at once."""
        ...

    def wait(self, until_ns: int) -> Outcome | None:
        """The next outcome that is there by ``until_ns``, as soon as it is there; None once that time has come.

        This is also how the run passes time: it returns None exactly when the clock has reached ``until_ns``. A run
        never asks for a time in the past; it asks for the present to take what is there already.
        """
        ...

    @property
    def pending_count(self) -> int:
        """Requests without an outcome yet."""
        ...

    def close(self) -> None:
        """Give up what is under way and release everything; the run counts what has no outcome yet as abandoned."""
        ...


class NullLink:
    """A link to nobody, for a device that is on its own: every request is unavailable at once.

    Args:
        clock: passes the time in `wait`.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._losses: deque[Loss] = deque()

    def start(self) -> None:
        """Nothing to open."""

    def submit(self, request: OffloadRequest) -> None:
        """Lose the request."""
        self._losses.append(
            Loss(request.frame_index, request.stamp_ns, self._clock.now_ns(), LossReason.UNAVAILABLE, "no cloud set", 0)
        )

    def wait(self, until_ns: int) -> Outcome | None:
        """Hand back the losses, then let the time pass."""
        if self._losses:
            return self._losses.popleft()
        self._clock.sleep_until_ns(until_ns)
        return None

    @property
    def pending_count(self) -> int:
        """Losses not handed back yet."""
        return len(self._losses)

    def close(self) -> None:
        """Nothing to release."""

"""What every agent does with its boxes: publish them for their frame, and foresee the next for readers."""

from __future__ import annotations

from typing import Final, Generic, TypeVar

from vedette.clock import Clock
from vedette.edge.tracking.publish import PublishedBoxes
from vedette.edge.tracking.timeline import Timeline
from vedette.frames import FrameItem
from vedette.publication import Publication, Sink
from vedette.telemetry.stages import StageTimer

E = TypeVar("E")
_MEMORY: Final = 0.9
"""Of how long a frame may take: on a slow device they take turns in what is done."""


class Publisher(Generic[E]):
    """Publishes what a timeline knows.

    Args:
        timeline: of the agent.
        sink: takes the publications.
        clock: tells when they are published.
        stages: accounts for the time of forecasts.
    """

    def __init__(self, timeline: Timeline[E], sink: Sink, clock: Clock, stages: StageTimer) -> None:
        self._timeline = timeline
        self._sink = sink
        self._clock = clock
        self._stages = stages
        self._begun_ns: int | None = None
        self._work_ns = 0

    def begin(self) -> None:
        """A frame is known by its pose, and the work on it begins.

        Where that may not be done by the next capture, because that of one of the last frames would not have been,
        readers get another forecast for it now: by the newest pose, and also where none stands yet.
        """
        self._begun_ns = self._clock.now_ns()
        next_ns = self._timeline.next_capture_ns(self._begun_ns)
        if next_ns is not None and self._begun_ns + self._work_ns > next_ns:
            self._foresee()

    def publish(self, item: FrameItem, boxes: PublishedBoxes) -> Publication:
        """Publish a frame's boxes."""
        return self.publish_at(item.index, item.stamp_ns, self._timeline.basis_ns, boxes)

    def publish_at(self, frame_index: int, stamp_ns: int, basis_ns: int, boxes: PublishedBoxes) -> Publication:
        """Publish boxes for a capture time.

        Args:
            frame_index: of the frame.
            stamp_ns: its capture time.
            basis_ns: of the newest data that they rest on.
            boxes: in the velo frame at that time.
        """
        publication = boxes.publication(frame_index, stamp_ns, self._clock.now_ns(), basis_ns)
        self._sink.publish(publication)
        return publication

    def forecast(self) -> None:
        """Publish what the next frame should show, now that the work on this one is done."""
        self._foresee()
        if self._begun_ns is not None:
            took_ns = self._clock.now_ns() - self._begun_ns
            self._work_ns, self._begun_ns = max(took_ns, round(_MEMORY * self._work_ns)), None

    def _foresee(self) -> None:
        with self._stages.stage("forecast"):
            foreseen = self._timeline.foresee(self._clock.now_ns())
        if foreseen is None:
            return
        stamp_ns, boxes = foreseen
        now_ns, basis_ns = self._clock.now_ns(), self._timeline.basis_ns
        self._sink.publish(boxes.publication(self._timeline.newest_index, stamp_ns, now_ns, basis_ns, forecast=True))

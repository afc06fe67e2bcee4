"""The agent of a device whose own 3D detector keeps up with the sensor: it looks at every frame, and that is all."""

from __future__ import annotations

from vedette.clock import Clock
from vedette.detections import Detections3D, Detector3D
from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.policy import OffloadDecision
from vedette.edge.propagating_agent import HISTORY_FRAMES, TREATMENT, coast_moment, detected_boxes
from vedette.edge.publisher import Publisher
from vedette.edge.tracking.history import Moment
from vedette.edge.tracking.publish import PublishedBoxes
from vedette.edge.tracking.timeline import Timeline
from vedette.edge.tracking.update import coast_tracks
from vedette.frames import Frame, FrameItem
from vedette.publication import Publication, Sink
from vedette.telemetry.stages import StageTimer


class DetectingAgent:
    """Boxes of the device's detector for every frame; propagated ones for frames that it had no time for.

    Args:
        detector3d: called in the run's thread.
        sink: takes the publications.
        clock: tells when they are published.
        stages: accounts for the steps' times.
    """

    def __init__(self, detector3d: Detector3D, sink: Sink, clock: Clock, stages: StageTimer) -> None:
        self._detector3d = detector3d
        self._stages = stages
        self._timeline: Timeline[None] = Timeline(HISTORY_FRAMES, coast_moment, TREATMENT)
        self._publisher = Publisher(self._timeline, sink, clock, stages)

    def process_frame(self, frame: Frame) -> FrameResult:
        """Detect, publish.

        Raises:
            ModelError: the detector failed on the sweep.
        """
        viewpoint = self._timeline.look(frame)
        self._publisher.begin()
        with self._stages.stage("predict"):
            predicted = self._timeline.tracks.predicted(frame.stamp_ns)
        detected = self._detect(frame)
        with self._stages.stage("update"):
            moment: Moment[None] = Moment(frame.index, viewpoint, None, detected)
            propagated = self._timeline.append(moment, coast_tracks(predicted), own_data=detected is not None)
            boxes = propagated if detected is None else detected_boxes(moment, detected)
        publication = self._publisher.publish(frame, boxes)
        self._publisher.forecast()
        decision = OffloadDecision(send=False, reason="detected on the device")
        return FrameResult(frame.index, publication, decision, self._stages.take_ms(), frame.missing)

    def skip_frame(self, item: FrameItem) -> Publication:
        """Publish propagated boxes for a frame that is bad, or that came while the agent was busy."""
        boxes: PublishedBoxes = self._timeline.coast(item, None)
        publication = self._publisher.publish(item, boxes)
        self._publisher.forecast()
        self._stages.take_ms()
        return publication

    def merge_answer(self, answer: Answer) -> MergeResult:
        """Nothing is asked, so that nothing is answered.

        Raises:
            ValueError: always.
        """
        raise ValueError(f"an answer about frame {answer.frame_index}, which nobody asked for")

    def give_up(self, loss: Loss) -> None:
        """Nothing was asked."""

    def _detect(self, frame: Frame) -> Detections3D | None:
        if frame.sweep is None:
            return None
        with self._stages.stage("detect3d"):
            return self._detector3d.detect(frame.sweep, frame.camera)

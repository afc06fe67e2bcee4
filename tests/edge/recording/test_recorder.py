"""What a run leaves in its record, topic by topic."""

from __future__ import annotations

import pytest

from vedette.clock import SimulatedClock
from vedette.config import Settings
from vedette.edge.lifting_agent import LiftingAgent
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.recording import NullRecorder, RunFacts, WritingRecorder
from vedette.errors import InvalidFrameError, ModelError
from vedette.frames import BadFrame, TimeBase
from vedette.geometry import SE3
from vedette.publication import NullSink
from vedette.telemetry.record.entry import Topic
from vedette.telemetry.stages import MeasuredStages

FRAME_NS = 100_000_000


class ListWriter:
    """Keeps entries; refuses numbers out of turn."""

    def __init__(self) -> None:
        self.entries = []

    def write(self, entry) -> None:
        assert entry.sequence == len(self.entries) + 1
        self.entries.append(entry)

    def close(self) -> None:
        pass

    def on(self, topic):
        return [entry.message for entry in self.entries if entry.topic == topic]

    @property
    def topics(self):
        return [entry.topic for entry in self.entries]


class CarDetector2D:
    """Sees the boxes it is given; fails on request."""

    name = "perfect"

    def __init__(self, street, boxes) -> None:
        self._seen = street.detections(boxes)
        self.fails = False

    def detect(self, image):
        if self.fails:
            raise ModelError("out of memory")
        return self._seen


@pytest.fixture
def parts(street):
    """A recorded agent on a street with one car, its writer, and its 2D detector."""
    car = street.box(15.0, 2.0)
    writer, detector = ListWriter(), CarDetector2D(street, [car])
    facts = RunFacts("replay", "moby-interval", "street", TimeBase.RECORDED, "simulated", Settings())
    recorder = WritingRecorder(writer, facts)
    clock = SimulatedClock(0)
    policy = recorder.policy(FixedInterval(2))
    agent = recorder.agent(LiftingAgent(detector, policy, recorder.sink(NullSink()), clock, MeasuredStages()))
    return agent, writer, detector, clock, car


def test_a_frame_leaves_all_its_parts(parts, street) -> None:
    """The header first, then the camera, then what happened, in order."""
    agent, writer, _, clock, car = parts
    for index in range(2):
        clock.advance_ns(FRAME_NS)
        agent.process_frame(street.frame(index, [car], pose=SE3.identity()))
    assert writer.topics[:4] == [Topic.RUN, Topic.CALIBRATION, Topic.FRAMES, Topic.BOXES]
    assert len(writer.on(Topic.RUN)) == len(writer.on(Topic.CALIBRATION)) == 1
    header = writer.on(Topic.RUN)[0]
    assert (header.command, header.policy, header.source) == ("replay", "moby-interval", "street")
    assert Settings.model_validate_json(header.settings_json) == Settings()
    assert [frame.frame_index for frame in writer.on(Topic.FRAMES)] == [0, 1]
    assert [(decision.send, decision.reason) for decision in writer.on(Topic.DECISIONS)] == [
        (True, "interval"),
        (False, "between anchors"),
    ]
    assert all(len(seen.detections) == 1 for seen in writer.on(Topic.DETECTIONS_2D))
    assert {"detect2d", "lift", "decide"} <= {stage.stage for stage in writer.on(Topic.STAGES)[1].stages}
    published, tracks = writer.on(Topic.BOXES)[1].boxes, writer.on(Topic.TRACKS)[1].tracks
    assert [box.track_id for box in published] == [track.track_id for track in tracks]
    assert published[0].x_m == pytest.approx(tracks[0].x_m, abs=0.01) == pytest.approx(15.0, abs=1.0)
    assert len(writer.on(Topic.FORECASTS)) >= 1


def test_answers_and_losses(parts, street) -> None:
    """With the review, and that the tracks took it in; an answer out of time is only the loss that it becomes."""
    agent, writer, _, clock, car = parts
    agent.process_frame(street.frame(0, [car], pose=SE3.identity()))
    clock.advance_ns(FRAME_NS)
    agent.merge_answer(Answer(0, 0, FRAME_NS, street.answer(car), 1000, 100, {"uplink": 20.0}))
    agent.give_up(Loss(1, FRAME_NS, 2 * FRAME_NS, LossReason.DEADLINE, "late", 17))
    (answer,), (loss,) = writer.on(Topic.ANSWERS), writer.on(Topic.LOSSES)
    assert (answer.frame_index, answer.bytes_up, answer.taken_in, answer.review.answered) == (0, 1000, True, 1)
    assert answer.boxes[0].x_m == 15.0
    assert (loss.frame_index, loss.reason, loss.bytes_up) == (1, "deadline", 17)


def test_frames_that_come_to_nothing(parts, street) -> None:
    """Skipped, bad, and one that fails half way, which is there twice: as it was taken up and as it ended."""
    agent, writer, detector, _, car = parts
    agent.skip_frame(street.frame(0, [car]))
    agent.skip_frame(BadFrame(1, "street", FRAME_NS, InvalidFrameError("cut short")))
    detector.fails = True
    with pytest.raises(ModelError):
        agent.process_frame(street.frame(2, [car]))
    agent.skip_frame(BadFrame(2, "street", 2 * FRAME_NS, ModelError("out of memory")))
    fates = [(frame.frame_index, frame.fate, frame.error) for frame in writer.on(Topic.FRAMES)]
    assert fates == [(0, 2, ""), (1, 3, "cut short"), (2, 1, ""), (2, 3, "out of memory")]
    assert writer.on(Topic.DECISIONS) == []


def test_a_recorder_that_records_nothing_changes_nothing() -> None:
    """Each part is the very same."""
    policy, sink, recorder = FixedInterval(2), NullSink(), NullRecorder()
    assert recorder.policy(policy) is policy
    assert recorder.sink(sink) is sink

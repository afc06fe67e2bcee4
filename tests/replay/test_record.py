"""What a run's recorder keeps of what it is told."""

from __future__ import annotations

import pytest

from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.offload.policy import OffloadDecision
from vedette.edge.offload.review import Review
from vedette.publication import Publication
from vedette.replay.record import RunRecorder

SENT = OffloadDecision(send=True, reason="worth it")
NOT_SENT = OffloadDecision(send=False, reason="not worth it")
STAGES = {"detect2d": 30.0, "lift": 8.0, "forecast": 0.4, "decide": 0.1}


@pytest.fixture
def recorder():
    """With a progress bar that nobody sees."""
    return RunRecorder("moby", lambda: None)


def own(index, stamp_ns=1000):
    """An empty publication from the frame's own data."""
    return Publication.empty(index, stamp_ns, stamp_ns + 50, stamp_ns)


def test_what_comes_after_publishing_is_no_part_of_a_latency(recorder):
    """Forecast and decision are kept among all stages of the agent alone; propagated frames have no stages at all."""
    recorder.on_frame(FrameResult(0, own(0), SENT, STAGES))
    recorder.on_frame(FrameResult(1, Publication.empty(1, 2000, 2050, 1000), NOT_SENT, STAGES))
    assert recorder.record.own_stage_ms == {0: {"detect2d": 30.0, "lift": 8.0}}
    assert recorder.record.agent_stage_ms == [STAGES, STAGES]


def test_decisions_are_all_kept(recorder):
    """With their reasons; offered are those that were sent."""
    recorder.on_frame(FrameResult(0, own(0), SENT, {}))
    recorder.on_frame(FrameResult(1, own(1), NOT_SENT, {}))
    assert recorder.record.decisions == {0: SENT, 1: NOT_SENT}
    assert recorder.record.offered == {0: "worth it"}


def test_a_held_frame_gets_its_answers_stages(recorder, car):
    """Its boxes came of the answer; what the agent did before is no longer what took the time."""
    review = Review(agreeing=1, own=2, answered=2)
    recorder.on_frame(FrameResult(0, None, SENT, STAGES))
    assert recorder.record.own_stage_ms == {}
    answer = Answer(0, 1000, 2000, car(20.0), 100, 10, {"uplink": 40.0, "detect3d": 150.0})
    recorder.on_answer(answer, MergeResult(own(0), review))
    assert recorder.record.own_stage_ms == {0: {"uplink": 40.0, "detect3d": 150.0}}
    assert recorder.record.answers == [answer]
    assert recorder.record.reviews == {0: review}


def test_losses_are_kept(recorder):
    """Whether something was held for them or not."""
    losses = [Loss(index, 0, 9, LossReason.DEADLINE, "", 0) for index in range(2)]
    recorder.on_loss(losses[0], None)
    recorder.on_loss(losses[1], own(1))
    assert recorder.record.losses == losses

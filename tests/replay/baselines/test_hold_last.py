"""The newest answer as it is, whatever moves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.frames import BadFrame
from vedette.geometry import SE3
from vedette.replay.baselines.hold_last import HoldLastAgent

MS = 1_000_000


@pytest.fixture
def agent(bench):
    """Of the bench."""
    return HoldLastAgent(bench.policy, bench.sink, bench.clock, bench.stages)


def answer_about(frame, detections):
    """An answer that comes at once."""
    return Answer(frame.index, frame.stamp_ns, frame.stamp_ns, detections, 100, 10, {})


def test_nothing_before_the_first_answer(agent, bench, street):
    """An empty publication that claims no data, and the frame offered to the policy."""
    frame = next(iter(street(1)))
    result = agent.process_frame(frame)
    assert len(result.publication.detections) == 0
    assert not result.publication.own
    assert result.decision.send
    assert bench.policy.decided == [0]
    assert result.stage_ms == {"update": 1.0, "decide": 1.0}


def test_boxes_stay_where_they_were(agent, bench, street, car):
    """The vehicle drives 5 m and turns; the box stays at 20 m ahead. Its age is that of the answer's frame."""
    frames = list(street(3))
    agent.process_frame(frames[0])
    merged = agent.merge_answer(answer_about(frames[0], car(20.0)))
    assert merged.publication.own
    assert merged.publication.frame_index == 0
    assert merged.publication.rungs == ("anchor",)
    moved = dataclasses.replace(frames[1], world_SE3_ego=SE3.from_yaw(0.5, np.array([5.0, 0.0, 0.0])))
    shown = agent.process_frame(moved).publication
    assert shown.detections.boxes_velo.tolist() == car(20.0).boxes_velo.tolist()
    assert np.isnan(shown.velocities_world_mps).all()
    assert (shown.own, shown.basis_stamp_ns, shown.stamp_ns) == (False, frames[0].stamp_ns, frames[1].stamp_ns)
    bad = BadFrame(2, "street", frames[2].stamp_ns, ValueError("gone"))
    assert agent.skip_frame(bad).detections.boxes_velo[0, 0] == 20.0
    assert [publication.frame_index for publication in bench.sink.publications] == [0, 0, 1, 2]
    assert not any(publication.forecast for publication in bench.sink.publications)


def test_an_older_answer_does_not_replace_a_newer(agent, street, car):
    """It is published for its own frame all the same."""
    frames = list(street(3))
    for frame in frames[:2]:
        agent.process_frame(frame)
    agent.merge_answer(answer_about(frames[1], car(30.0)))
    late = agent.merge_answer(answer_about(frames[0], car(10.0)))
    assert late.publication.detections.boxes_velo[0, 0] == 10.0
    shown = agent.process_frame(frames[2]).publication
    assert (shown.detections.boxes_velo[0, 0], shown.basis_stamp_ns) == (30.0, frames[1].stamp_ns)


def test_an_empty_answer_clears_the_view(agent, street, car):
    """The newest answer counts, also where it says: nothing there."""
    frames = list(street(3))
    agent.process_frame(frames[0])
    agent.merge_answer(answer_about(frames[0], car(20.0)))
    agent.process_frame(frames[1])
    agent.merge_answer(answer_about(frames[1], car(20.0).select(np.zeros(0, np.int64))))
    assert len(agent.process_frame(frames[2]).publication.detections) == 0


def test_losses_reach_the_policy(agent, bench, street):
    """Nothing is published for them."""
    frame = next(iter(street(1)))
    agent.process_frame(frame)
    agent.give_up(Loss(0, frame.stamp_ns, frame.stamp_ns + MS, LossReason.DEADLINE, "", 0))
    assert bench.policy.losses == [0]
    assert len(bench.sink.publications) == 1

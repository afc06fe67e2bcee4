"""The propagating agent: boxes from late answers alone."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.clock import SimulatedClock
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.link import Answer
from vedette.edge.propagating_agent import PropagatingAgent
from vedette.errors import DeadlineError, InvalidFrameError
from vedette.frames import BadFrame
from vedette.geometry import SE3
from vedette.publication import NullSink
from vedette.telemetry.stages import MeasuredStages

FRAME_NS = 100_000_000


class Run:
    """An agent on the simulated clock."""

    def __init__(self, street, **options):
        self.street, self.clock = street, SimulatedClock()
        self.agent = PropagatingAgent(FixedInterval(1), NullSink(), self.clock, MeasuredStages(), **options)

    def frame(self, index, pose=None):
        """Process an empty frame: this agent looks at nothing."""
        self.clock.sleep_until_ns(index * FRAME_NS)
        return self.agent.process_frame(self.street.frame(index, [], pose=pose)).publication

    def answer(self, index, *boxes, **kinds):
        """An answer about a frame, there now."""
        detections = self.street.answer(*boxes, **kinds)
        answer = Answer(index, index * FRAME_NS, self.clock.now_ns(), detections, 0, 0, {})
        return self.agent.merge_answer(answer).publication


@pytest.fixture
def run(street):
    """A run about to begin."""
    return Run(street)


def test_before_the_first_answer_nothing_is_known(run):
    """Empty, and without claim to data of its own."""
    publication = run.frame(0)
    assert (len(publication.detections), publication.own) == (0, False)


def test_an_answer_is_published_for_its_own_frame(street, run):
    """As it came, at the time it came, though later frames have been published."""
    for index in range(4):
        run.frame(index)
    boxes = street.box(20.0, 3.0, 0.2), street.box(30.0, -4.0, -2.0)
    publication = run.answer(1, *boxes)
    assert (publication.frame_index, publication.stamp_ns, publication.publish_ns) == (1, FRAME_NS, 3 * FRAME_NS)
    assert publication.own
    assert publication.detections.boxes_velo == pytest.approx(np.array(boxes))
    assert publication.track_ids.tolist() == [1500, 1501]
    assert publication.rungs == ("anchor", "anchor")


def test_two_answers_give_a_velocity(street, run):
    """A car at 10 m/s, answered twice half a second apart, is carried on at that speed."""
    for index in range(8):
        run.frame(index)
    run.answer(0, street.box(20.0, 3.0))
    run.answer(5, street.box(25.0, 3.0))
    publication = run.frame(10)
    assert publication.detections.boxes_velo[0, :2] == pytest.approx([30.0, 3.0], abs=1.0)
    assert publication.velocities_world_mps[0] == pytest.approx([10.0, 0.0], abs=1.5)
    assert (publication.rungs, publication.basis_stamp_ns) == (("predicted",), 5 * FRAME_NS)


def test_the_ego_drives_on(street, run):
    """What stands still comes nearer as the ego moves."""
    run.frame(0, SE3.identity())
    run.frame(1, SE3.from_yaw(0.0, [1.0, 0.0, 0.0]))
    run.answer(0, street.box(20.0, 3.0))
    publication = run.frame(2, SE3.from_yaw(0.0, [2.0, 0.0, 0.0]))
    assert publication.detections.boxes_velo[0, :2] == pytest.approx([18.0, 3.0])


def test_what_answers_no_longer_show_goes(street, run):
    """Two answers in a row without a car that they would see end it."""
    for index in range(4):
        run.frame(index)
    run.answer(0, street.box(20.0, 3.0))
    other = street.box(30.0, -4.0)
    run.answer(1, other)
    run.answer(2, other)
    assert run.frame(4).track_ids.tolist() == [1500]


def test_stale_boxes_end(street, run):
    """Three seconds after the last answer nothing is claimed any more."""
    run.frame(0)
    run.answer(0, street.box(20.0, 3.0))
    assert len(run.frame(30).detections) == 1
    assert len(run.frame(31).detections) == 0


def test_late_or_early_answers_end_alike(street):
    """Answers merged in order and out of order leave the same tracks."""
    publications = []
    for order in ((0, 3), (3, 0)):
        run = Run(street)
        for index in range(5):
            run.frame(index)
        for index in order:
            run.answer(index, street.box(20.0 + index, 3.0))
        publications.append(run.frame(5))
    first, second = publications
    assert np.array_equal(first.detections.boxes_velo, second.detections.boxes_velo)
    assert first.track_ids.tolist() == second.track_ids.tolist() == [500]


def test_too_late_is_refused(street):
    """Nothing is published and nothing changes for an answer older than the history."""
    run = Run(street, history_frames=2)
    for index in range(3):
        run.frame(index)
    with pytest.raises(DeadlineError, match="the answer for frame 0 came when that frame was kept no longer"):
        run.answer(0, street.box(20.0, 3.0))
    assert len(run.frame(3).detections) == 0


def test_an_empty_answer(run):
    """Nothing seen is an answer too."""
    run.frame(0)
    publication = run.answer(0)
    assert (len(publication.detections), publication.own) == (0, True)
    assert run.frame(1).basis_stamp_ns == 0


def test_weak_boxes_are_published_but_not_followed(street, run):
    """Below the score for tracks: shown for their frame, without a name."""
    run.frame(0)
    publication = run.answer(0, street.box(20.0, 3.0), score=0.1)
    assert publication.track_ids.tolist() == [-1]
    assert np.isnan(publication.velocities_world_mps).all()
    assert len(run.frame(1).detections) == 0


def test_skipped_and_bad_frames(street, run):
    """Both get propagated boxes; a bad one before all others gets none."""
    bad = BadFrame(0, "street", 0, InvalidFrameError("truncated"))
    assert len(run.agent.skip_frame(bad).detections) == 0
    run.frame(1)
    run.answer(1, street.box(20.0, 3.0))
    assert len(run.agent.skip_frame(street.frame(2, [])).detections) == 1
    assert len(run.agent.skip_frame(BadFrame(3, "street", 3 * FRAME_NS, bad.error)).detections) == 1

"""The lifting agent and what it offloads: held boxes, answers not believed, and the device's own detector."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from vedette.clock import SimulatedClock
from vedette.detections import Detections3D
from vedette.edge.offload.link import Answer, LossReason
from vedette.edge.offload.policy import FramePlan, Hold, OffloadDecision
from vedette.errors import DeadlineError, ImplausibleAnswerError, ModelError
from vedette.telemetry.stages import ProfiledStages

STEPS = ("predict", "detect2d", "associate", "lift", "detect3d", "update", "forecast", "decide")


@dataclass
class ScriptedPolicy:
    """Does with each frame what the test has listed, and keeps what it is told."""

    hold: frozenset[int] = frozenset()
    detect3d: frozenset[int] = frozenset()
    refuse: frozenset[int] = frozenset()
    overlook: frozenset[int] = frozenset()
    name: str = "scripted"
    situations: list = field(default_factory=list)
    reviews: dict = field(default_factory=dict)
    losses: list = field(default_factory=list)

    def plan(self, frame, now_ns):
        held = Hold.UNTIL_ANSWERED if frame.index in self.hold else Hold.NEVER
        return FramePlan(frame.index in self.detect3d, held, frame.index not in self.overlook)

    def decide(self, frame, situation):
        self.situations.append(situation)
        return OffloadDecision(send=frame.index in self.hold, reason="listed")

    def on_answer(self, answer, review):
        self.reviews[answer.frame_index] = review
        return answer.frame_index not in self.refuse

    def on_loss(self, loss):
        self.losses.append(loss)


class ScriptedDetector3D:
    """The device's own: answers with what the test has set, and counts its frames."""

    name = "scripted"

    def __init__(self, *boxes):
        self.boxes, self.calls = boxes, 0

    def detect(self, sweep, camera):
        self.calls += 1
        if self.boxes and isinstance(self.boxes[0], Exception):
            raise self.boxes[0]
        count = len(self.boxes)
        return Detections3D(np.array(self.boxes), np.full(count, 0.9), np.zeros(count, np.int64))


@pytest.fixture
def cars(street):
    """Two parked cars."""
    return [street.box(14.0, -3.0, 0.1), street.box(22.0, 3.0)]


def larger(street, car):
    """The car, as an answer has it: its size differs from the usual one."""
    return street.box(car[0], car[1], car[6], [4.7, 1.9, 1.45])


def sizes(publication):
    """Lengths, sorted."""
    return sorted(np.round(publication.detections.boxes_velo[:, 3], 2).tolist())


class TestHeld:
    """Boxes held for an answer."""

    @pytest.fixture
    def policy(self):
        return ScriptedPolicy(hold=frozenset({3}))

    @pytest.fixture
    def run(self, start_run, policy, cars):
        """Three frames published and the fourth held."""
        run = start_run(policy=policy)
        for index in range(3):
            run.frame(index, cars)
        self.result = run.frame(3, cars)
        return run

    def test_nothing_is_published_for_a_held_frame(self, run):
        """It is said to be held; what forecast there is names it as the newest frame seen."""
        assert self.result.held
        assert [publication.frame_index for publication in run.sink.publications] == [0, 1, 2]
        assert run.sink.forecasts[-1].frame_index == 3

    def test_the_answer_releases_and_corrects_it(self, street, run, cars):
        """The publication has the answer's boxes, comes when the answer does, and rests on the frame's own data."""
        run.clock.sleep_until_ns(550_000_000)
        published = run.answer(3, *(larger(street, car) for car in cars)).publication
        assert run.sink.publications[-1] is published
        assert (published.frame_index, published.stamp_ns, published.publish_ns) == (3, 300_000_000, 550_000_000)
        assert published.own
        assert sizes(published) == [4.7, 4.7]
        assert set(published.rungs) == {"anchor"}

    def test_an_answer_of_another_frame_releases_nothing(self, street, run, cars):
        """An earlier one that was still under way."""
        assert run.answer(1, larger(street, cars[0])).publication is None
        assert [publication.frame_index for publication in run.sink.publications] == [0, 1, 2]

    def test_a_loss_releases_it_uncorrected(self, run, policy):
        """With its own boxes, and the policy is told."""
        assert run.lose(2) is None
        published = run.lose(3)
        assert run.sink.publications[-1] is published
        assert (published.frame_index, len(published.detections), published.own) == (3, 2, True)
        assert "anchor" not in published.rungs
        assert [loss.frame_index for loss in policy.losses] == [2, 3]

    def test_it_is_released_once(self, street, run, cars):
        """Whatever comes after."""
        run.lose(3)
        assert run.lose(3) is None
        assert run.answer(3, larger(street, cars[0])).publication is None
        assert [publication.frame_index for publication in run.sink.publications] == [0, 1, 2, 3]

    def test_an_answer_not_believed_leaves_it_held(self, street, run):
        """Until its loss is told; it then comes with its own boxes."""
        with pytest.raises(ImplausibleAnswerError):
            run.answer(3, street.box(40.0, 0.0), street.box(50.0, -5.0))
        assert len(run.sink.publications) == 3
        assert len(run.lose(3).detections) == 2

    def test_an_answer_that_is_not_taken_in_releases_it_uncorrected(self, street, run, policy, cars):
        """The policy only wanted to know."""
        policy.refuse = frozenset({3})
        published = run.answer(3, *(larger(street, car) for car in cars)).publication
        assert 4.7 not in sizes(published)

    def test_without_data_of_its_own_it_does_not_claim_any(self, start_run, policy, cars):
        """No image and no answer: the boxes rest on the frame before."""
        run = start_run(policy=policy)
        for index in range(4):
            run.frame(index, cars, image=index < 3)
        published = run.lose(3)
        assert (published.own, published.basis_stamp_ns) == (False, 200_000_000)


class TestBelief:
    """Answers checked by the sweep they speak about."""

    @pytest.fixture
    def run(self, start_run, cars):
        run = start_run(policy=ScriptedPolicy())
        for index in range(3):
            run.frame(index, cars)
        return run

    def test_of_a_mostly_good_answer_the_bad_boxes_are_left_out(self, street, run, cars):
        """They are counted, begin nothing, and the others count."""
        review = run.answer(2, *(larger(street, car) for car in cars), street.box(45.0, -8.0)).review
        assert (review.own, review.answered, review.unsupported) == (2, 2, 1)
        assert sizes(run.frame(3, cars).publication) == [4.7, 4.7]

    def test_weak_boxes_do_not_discredit_the_sure_ones(self, street, run, cars):
        """A detector lists many boxes that mean little; they are left out all the same."""
        sure = street.answer(*(larger(street, car) for car in cars))
        weak = street.answer(*(street.box(45.0, y) for y in (-9.0, -5.0, 5.0, 9.0)), score=0.2)
        answer = Detections3D(
            np.vstack([sure.boxes_velo, weak.boxes_velo]),
            np.concatenate([sure.scores, weak.scores]),
            np.concatenate([sure.class_ids, weak.class_ids]),
        )
        review = run.agent.merge_answer(Answer(2, 200_000_000, 0, answer, 0, 0, {})).review
        assert review.unsupported == 0
        assert sizes(run.frame(3, cars).publication) == [4.7, 4.7]

    def test_what_the_camera_does_not_see_is_not_held_against_an_answer(self, street, run, cars):
        """A detector that looks all around names cars behind us too: they are shown, and what is ahead is corrected."""
        behind = [street.box(-12.0, y) for y in (-6.0, 0.0, 6.0)]
        review = run.answer(2, *(larger(street, car) for car in cars), *behind).review
        assert review.unsupported == 0
        boxes = run.frame(3, cars).publication.detections.boxes_velo
        assert sorted(np.round(boxes[:, 0]).astype(int).tolist()) == [-12, -12, -12, 14, 22]

    def test_an_empty_answer_is_believed(self, run, cars):
        """It may have missed them; it does not end what the image shows."""
        assert run.answer(2).review.answered == 0
        assert len(run.frame(3, cars).publication.detections) == 2

    def test_the_policy_never_hears_of_an_answer_not_believed(self, street, run):
        """As an answer, that is; as a loss it does."""
        with pytest.raises(ImplausibleAnswerError, match="2 of the 2 sure boxes of the answer for frame 2"):
            run.answer(2, street.box(40.0, 0.0), street.box(50.0, -5.0))
        policy = run.agent._policy
        assert policy.reviews == {}
        run.lose(2)
        assert [loss.reason for loss in policy.losses] == [LossReason.DEADLINE]

    def test_too_late_is_told_before_anything_else(self, street, start_run, cars):
        """An old answer is refused for its age, rubbish or not."""
        run = start_run(policy=ScriptedPolicy(), history_frames=2)
        for index in range(3):
            run.frame(index, cars)
        with pytest.raises(DeadlineError):
            run.answer(0, street.box(40.0, 0.0), street.box(50.0, -5.0))


class TestOnDevice:
    """The device's own 3D detector."""

    def test_it_runs_where_the_plan_says_so(self, start_run, cars):
        """Before the boxes are published, as a step of its own; without a sweep, or a detector, not at all."""
        policy, detector = ScriptedPolicy(detect3d=frozenset({1, 2})), ScriptedDetector3D(*cars)
        run = start_run(policy=policy, detector3d=detector)
        stages = [tuple(run.frame(0, cars).stage_ms), tuple(run.frame(1, cars).stage_ms)]
        assert stages == [tuple(step for step in STEPS if step != "detect3d"), STEPS]
        run.detector.next = run.street.detections(cars)
        run.agent.process_frame(run.street.frame(2, None))
        assert detector.calls == 1
        assert "detect3d" not in start_run(policy=policy).frame(1, cars).stage_ms
        assert [("detect3d" in situation.stage_ms) for situation in policy.situations] == [False, True, False, False]

    def test_its_boxes_are_in_the_very_publication(self, street, start_run, cars):
        """Size and place of its own frame, at once; and what the image did not show."""
        hidden = street.box(30.0, -6.0, 0.0, [4.4, 1.8, 1.5])
        detector = ScriptedDetector3D(larger(street, cars[0]), cars[1], hidden)
        run = start_run(policy=ScriptedPolicy(detect3d=frozenset({1})), detector3d=detector)
        before = run.frame(0, cars).publication
        after = run.frame(1, cars).publication
        assert (len(before.detections), len(after.detections)) == (2, 3)
        assert sizes(after) == [4.0, 4.4, 4.7]
        assert after.own

    def test_without_an_image_it_is_the_frames_own_data(self, start_run, cars):
        """The camera is gone, the detector is not; and what it has told is followed in the next frame's own sweep."""
        run = start_run(policy=ScriptedPolicy(detect3d=frozenset({1})), detector3d=ScriptedDetector3D(*cars))
        run.frame(0, cars)
        published = run.frame(1, cars, image=False).publication
        assert (published.own, set(published.rungs)) == (True, {"anchor"})
        followed = run.frame(2, cars, image=False).publication
        assert (followed.own, set(followed.rungs)) == (True, {"followed"})

    def test_a_frame_may_be_left_to_it_alone(self, start_run, cars):
        """The image is not looked at, and no step of that takes time; the boxes are the frame's own all the same."""
        policy = ScriptedPolicy(detect3d=frozenset({1}), overlook=frozenset({1, 2}))
        run = start_run(policy=policy, detector3d=ScriptedDetector3D(*cars))
        run.frame(0, cars)
        detected = run.frame(1, cars)
        assert tuple(detected.stage_ms) == ("predict", "detect3d", "update", "forecast", "decide")
        assert detected.detections2d is None
        assert (detected.publication.own, set(detected.publication.rungs)) == (True, {"anchor"})
        moved_on = run.frame(2, cars).publication
        assert (moved_on.own, len(moved_on.detections)) == (False, 2)

    def test_an_answer_about_the_same_frame_has_the_last_word(self, street, start_run, cars):
        """And is compared with what the agent knew without it: the device's boxes, which the cloud confirms."""
        policy = ScriptedPolicy(detect3d=frozenset({1}))
        run = start_run(policy=policy, detector3d=ScriptedDetector3D(*cars))
        run.frame(0, cars)
        run.frame(1, cars)
        assert run.answer(1, *cars).review.f1 == 1.0

    def test_replaying_does_not_detect_again(self, street, start_run, cars):
        """A late answer lifts later frames again with the detections they had."""
        detector = ScriptedDetector3D(*cars)
        run = start_run(policy=ScriptedPolicy(detect3d=frozenset({1, 3})), detector3d=detector)
        for index in range(5):
            run.frame(index, cars)
        run.answer(0, larger(street, cars[0]))
        assert detector.calls == 2
        assert len(run.frame(5, cars).publication.detections) == 2

    def test_its_time_counts(self, start_run, cars):
        """On the simulated clock the boxes come later by it."""
        clock = SimulatedClock()
        stages = ProfiledStages(clock, {step: 50.0 if step == "detect3d" else 1.0 for step in STEPS})
        options = {"clock": clock, "stages": stages, "detector3d": ScriptedDetector3D(*cars)}
        run = start_run(policy=ScriptedPolicy(detect3d=frozenset({0})), **options)
        assert run.frame(0, cars).publication.publish_ns == 55_000_000

    def test_its_failure_is_the_frames(self, start_run, cars):
        """The run skips the frame, and the next is as usual."""
        detector = ScriptedDetector3D(ModelError("no"))
        run = start_run(policy=ScriptedPolicy(detect3d=frozenset({1})), detector3d=detector)
        run.frame(0, cars)
        with pytest.raises(ModelError):
            run.frame(1, cars)
        assert len(run.agent.skip_frame(run.street.frame(1, cars)).detections) == 2
        assert len(run.frame(2, cars).publication.detections) == 2

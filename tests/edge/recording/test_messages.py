"""Values that decisions depend on come back bit for bit; boxes for people come back nearly."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.detections import Detections2D, Detections3D
from vedette.edge.offload.drift import Drift, TrackDrift
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.offload.package import Package, View
from vedette.edge.offload.policy import Expectation, FramePlan, Hold, OffloadDecision, Situation
from vedette.edge.offload.review import Review
from vedette.edge.recording.from_messages import answer_of, frame_of, loss_of, review_of, situation_of
from vedette.edge.recording.to_messages import (
    answer_message,
    decision_message,
    detections2d_message,
    frame_message,
    loss_message,
    publication_message,
)
from vedette.errors import InvalidFrameError
from vedette.frames import BadFrame
from vedette.geometry import SE3
from vedette.protos.v1alpha1 import record_pb2
from vedette.publication import Publication

THIRD = 1.0 / 3.0
NOW_NS = 1_317_000_000_123_456_789


def over_the_wire(message):
    """As a file gives it back."""
    return type(message).FromString(message.SerializeToString())


def test_a_situation_comes_back_exactly(street) -> None:
    """Numbers without end, none, infinity, and the order of the stages, on which sums depend."""
    tracks = [
        TrackDrift(np.array([0.1, 0.2, THIRD, 1e6 / 7]), 0.1 + 0.2, math.nan, math.inf),
        TrackDrift(np.array([1.0, 2.0, 3.0, 4.0]), THIRD, 2 * THIRD, 1e-9),
    ]
    stage_ms = {"predict": 0.1, "detect2d": THIRD, "associate": 0.2}
    told = Situation(NOW_NS, Drift(tracks, {"two-faces": 2, "anchor": 1}), stage_ms)
    frame = street.frame(3, [])
    again = situation_of(over_the_wire(decision_message(frame, FramePlan(), 5, told, OffloadDecision(False, "why"))))
    assert again.now_ns == NOW_NS
    assert list(again.stage_ms.items()) == list(stage_ms.items())
    assert again.drift.deficit == told.drift.deficit
    assert again.drift.rungs == {"two-faces": 2, "anchor": 1}
    for old, new in zip(tracks, again.drift.tracks, strict=True):
        assert new.box_px.tolist() == old.box_px.tolist()
        assert (new.right, new.anchor_age_s) == (old.right, old.anchor_age_s)
        assert new.overlap == old.overlap or (math.isnan(new.overlap) and math.isnan(old.overlap))


def test_a_decision_with_everything(street) -> None:
    """Plan, package with regions, and expectation lie where the definitions say."""
    decision = OffloadDecision(
        True,
        "worth it",
        Package(View.REGIONS, "polar", np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, THIRD]])),
        Expectation(12345, 250.5, THIRD),
    )
    plan = FramePlan(detect3d=True, hold=Hold.UNTIL_ANSWERED, look=False)
    message = over_the_wire(decision_message(street.frame(3, []), plan, 5, Situation(7, Drift(), {}), decision))
    assert (message.frame_index, message.capture_time_ns, message.now_ns) == (3, 300_000_000, 7)
    assert (message.detect3d, message.hold, message.send, message.reason) == (True, "until answered", True, "worth it")
    assert (message.package.view, message.package.codec) == ("regions", "polar")
    assert (message.skip_image, message.planned_ns) == (True, 5)
    assert list(message.package.regions_px) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, THIRD]
    assert (message.expected.bytes_up, message.expected.delay_ms, message.expected.gain) == (12345, 250.5, THIRD)


def test_a_decision_without_package_says_so(street) -> None:
    """None is not the same as one of defaults."""
    decision = OffloadDecision(True, "interval")
    message = decision_message(street.frame(3, []), FramePlan(), 5, Situation(7, Drift(), {}), decision)
    assert not message.HasField("package")
    assert not message.HasField("expected")


def test_an_answer_its_review_and_a_loss(street) -> None:
    """What the policy learns from is exact; boxes are off by less than 0.01 mm."""
    boxes = street.answer(street.box(20.1, -3.3, 0.7), score=THIRD, object_class=ObjectClass.BUS)
    answer = Answer(4, 400, 900, boxes, 30_001, 250, {"uplink": THIRD, "detect3d": 0.1, "downlink": 25.0})
    message = over_the_wire(answer_message(answer, Review(1, 2, 3, 4), taken_in=True))
    again = answer_of(message)
    assert (again.frame_index, again.stamp_ns, again.arrived_ns) == (4, 400, 900)
    assert (again.bytes_up, again.bytes_down, dict(again.stage_ms)) == (30_001, 250, dict(answer.stage_ms))
    np.testing.assert_allclose(again.detections.boxes_velo, boxes.boxes_velo, atol=1e-5)
    assert again.detections.class_ids.tolist() == [int(ObjectClass.BUS)]
    assert review_of(message) == Review(1, 2, 3, 4)
    assert message.taken_in
    loss = Loss(4, 400, 900, LossReason.DEADLINE, "late", 17)
    assert loss_of(over_the_wire(loss_message(loss))) == loss


@pytest.mark.parametrize("missing", ["sweep", "image", "pose", ""])
def test_a_frame_comes_back_as_far_as_policies_look(street, missing) -> None:
    """Numbers, times, and which of its parts are there."""
    pose = None if missing == "pose" else SE3.from_yaw(0.3, (10.0, -5.0, 1.0))
    frame = street.frame(7, None if missing == "sweep" else [], pose=pose, image=missing != "image")
    again = frame_of(over_the_wire(frame_message(frame, processed=True)), "street", street.camera)
    assert (again.index, again.stamp_ns, again.missing) == (7, 700_000_000, frame.missing)
    if pose is None:
        assert again.world_SE3_ego is None
    else:
        np.testing.assert_array_equal(again.world_SE3_ego.matrix, pose.matrix)


def test_fates_of_frames(street) -> None:
    """Processed, skipped, and bad with its error."""
    frame = street.frame(7, [])
    assert frame_message(frame, processed=True).fate == record_pb2.FRAME_FATE_PROCESSED
    assert frame_message(frame, processed=False).fate == record_pb2.FRAME_FATE_SKIPPED
    bad = frame_message(BadFrame(8, "street", 800, InvalidFrameError("cut short")), processed=True)
    assert (bad.fate, bad.frame_index, bad.error) == (record_pb2.FRAME_FATE_BAD, 8, "cut short")
    assert not bad.HasField("sweep")


def test_2d_detections(street) -> None:
    """Boxes, scores and classes by name."""
    detections = Detections2D(np.array([[1.0, 2.0, 30.0, 40.0]]), np.array([0.5]), np.array([5], np.int64))
    (found,) = detections2d_message(7, detections).detections
    assert (found.x1_px, found.y1_px, found.x2_px, found.y2_px) == (1.0, 2.0, 30.0, 40.0)
    assert (found.score, found.object_class) == (0.5, "cyclist")


def test_published_boxes(street) -> None:
    """No track and no velocity are absent, not -1 and not a number."""
    boxes = Detections3D(
        np.array([street.box(20.0, 1.0, 0.5), street.box(30.0, 2.0)]), np.array([0.5, 0.25]), np.array([0, 1], np.int64)
    )
    velocities = np.array([[1.5, -2.0], [np.nan, np.nan]])
    publication = Publication(3, 300, 350, 250, boxes, np.array([12, -1]), ("anchor", "image"), velocities)
    message = over_the_wire(publication_message(publication))
    first, second = message.boxes
    assert (message.frame_index, message.stamp_ns, message.publish_ns, message.basis_stamp_ns) == (3, 300, 350, 250)
    assert (first.x_m, first.yaw_rad, first.length_m, first.object_class) == (20.0, 0.5, 4.0, "car")
    assert (first.track_id, first.rung, first.vx_mps, first.vy_mps) == (12, "anchor", 1.5, -2.0)
    assert second.object_class == "van"
    assert not second.HasField("track_id")
    assert not second.HasField("vx_mps")

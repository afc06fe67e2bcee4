"""Values of the agent as messages of the record. Numbers that decisions depend on are kept exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from vedette.classes import ObjectClass
from vedette.detections import Detections2D, Detections3D
from vedette.edge.agent import FrameResult
from vedette.edge.offload.drift import TrackDrift
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.package import Package
from vedette.edge.offload.policy import FramePlan, OffloadDecision, Situation
from vedette.edge.offload.review import Review
from vedette.edge.tracking.track import Track
from vedette.frames import BadFrame, Frame, FrameItem
from vedette.geometry import NDArrayInt
from vedette.protos.v1alpha1 import common_pb2, record_pb2
from vedette.publication import Publication


def frame_message(item: FrameItem, *, processed: bool) -> record_pb2.FrameRecord:
    """What is known of a frame without its pixels and points."""
    if isinstance(item, BadFrame):
        bad = record_pb2.FRAME_FATE_BAD
        return record_pb2.FrameRecord(
            frame_index=item.index, capture_time_ns=item.stamp_ns, fate=bad, error=str(item.error)
        )
    fate = record_pb2.FRAME_FATE_PROCESSED if processed else record_pb2.FRAME_FATE_SKIPPED
    pose = item.world_SE3_ego
    return record_pb2.FrameRecord(
        frame_index=item.index,
        capture_time_ns=item.stamp_ns,
        fate=fate,
        sweep=_sweep(item),
        image=None if item.image is None else record_pb2.ImageInfo(exposure_time_ns=item.image.stamp_ns),
        world_se3_ego=None if pose is None else pose.matrix[:3].ravel().tolist(),
    )


def _sweep(frame: Frame) -> record_pb2.SweepInfo | None:
    sweep = frame.sweep
    if sweep is None:
        return None
    return record_pb2.SweepInfo(point_count=len(sweep), start_ns=sweep.start_ns, end_ns=sweep.end_ns)


def stages_message(result: FrameResult) -> record_pb2.StagesRecord:
    """The times of a processed frame."""
    return record_pb2.StagesRecord(frame_index=result.frame_index, stages=_stages(result.stage_ms))


def detections2d_message(frame_index: int, detections: Detections2D) -> record_pb2.Detections2DRecord:
    """What the 2D detector saw, without masks."""
    rows = zip(detections.boxes_px.tolist(), detections.scores.tolist(), _labels(detections.class_ids), strict=True)
    found = [
        record_pb2.Detection2D(x1_px=x1, y1_px=y1, x2_px=x2, y2_px=y2, score=score, object_class=label)
        for (x1, y1, x2, y2), score, label in rows
    ]
    return record_pb2.Detections2DRecord(frame_index=frame_index, detections=found)


def tracks_message(frame_index: int, tracks: Sequence[Track]) -> record_pb2.TracksRecord:
    """The tracks that are shown."""
    return record_pb2.TracksRecord(frame_index=frame_index, tracks=map(_track, tracks))


def _track(track: Track) -> record_pb2.TrackState:
    x, y, vx, vy, _ = track.motion.mean.tolist()
    return record_pb2.TrackState(
        track_id=track.track_id,
        object_class=track.object_class.label,
        x_m=x,
        y_m=y,
        vx_mps=vx,
        vy_mps=vy,
        position_sigma_m=track.motion.position_sigma_m,
        speed_sigma_mps=track.motion.speed_sigma_mps,
        bottom_z_m=track.bottom_z,
        rung=str(track.rung),
        sight_score=track.sight_score,
        anchor_score=track.anchor_score,
        seen_ns=track.seen_ns,
        anchored_ns=track.anchored_ns,
        hits=track.hits,
        misses=track.misses,
    )


def decision_message(
    frame: Frame, plan: FramePlan, planned_ns: int, situation: Situation, decision: OffloadDecision
) -> record_pb2.DecisionRecord:
    """What the policy was told of a frame, and what it said."""
    drift = situation.drift
    return record_pb2.DecisionRecord(
        frame_index=frame.index,
        capture_time_ns=frame.stamp_ns,
        now_ns=situation.now_ns,
        stages=_stages(situation.stage_ms),
        drift=map(_track_drift, drift.tracks),
        rungs=[record_pb2.RungCount(rung=rung, count=count) for rung, count in sorted(drift.rungs.items())],
        detect3d=plan.detect3d,
        hold=str(plan.hold),
        skip_image=not plan.look,
        planned_ns=planned_ns,
        send=decision.send,
        reason=decision.reason,
        package=None if decision.package is None else _package(decision.package),
        expected=_expected(decision),
    )


def _track_drift(track: TrackDrift) -> record_pb2.TrackDrift:
    return record_pb2.TrackDrift(
        box_px=track.box_px.tolist(), right=track.right, overlap=track.overlap, anchor_age_s=track.anchor_age_s
    )


def _package(package: Package) -> record_pb2.SweepPackage:
    regions_px = None if package.regions_px is None else package.regions_px.ravel().tolist()
    return record_pb2.SweepPackage(view=str(package.view), codec=package.codec, regions_px=regions_px)


def _expected(decision: OffloadDecision) -> record_pb2.OffloadExpectation | None:
    expected = decision.expected
    if expected is None:
        return None
    return record_pb2.OffloadExpectation(bytes_up=expected.bytes_up, delay_ms=expected.delay_ms, gain=expected.gain)


def answer_message(answer: Answer, review: Review, *, taken_in: bool) -> record_pb2.AnswerRecord:
    """An answer, how it compares, and whether the tracks were to take it in."""
    return record_pb2.AnswerRecord(
        frame_index=answer.frame_index,
        capture_time_ns=answer.stamp_ns,
        arrived_ns=answer.arrived_ns,
        bytes_up=answer.bytes_up,
        bytes_down=answer.bytes_down,
        stages=_stages(answer.stage_ms),
        boxes=_boxes(answer.detections),
        review=record_pb2.AnswerReview(
            agreeing=review.agreeing, own=review.own, answered=review.answered, unsupported=review.unsupported
        ),
        taken_in=taken_in,
    )


def loss_message(loss: Loss) -> record_pb2.LossRecord:
    """A request that came to nothing."""
    return record_pb2.LossRecord(
        frame_index=loss.frame_index,
        capture_time_ns=loss.stamp_ns,
        at_ns=loss.at_ns,
        reason=str(loss.reason),
        detail=loss.detail,
        bytes_up=loss.bytes_up,
    )


def publication_message(publication: Publication) -> record_pb2.PublicationRecord:
    """What was published."""
    boxes = _boxes(publication.detections)
    rows = zip(
        boxes,
        publication.track_ids.tolist(),
        publication.rungs,
        publication.velocities_world_mps.tolist(),
        strict=True,
    )
    for box, track_id, rung, (vx, vy) in rows:
        box.rung = rung
        if track_id >= 0:
            box.track_id = track_id
        if math.isfinite(vx) and math.isfinite(vy):
            box.vx_mps, box.vy_mps = vx, vy
    return record_pb2.PublicationRecord(
        frame_index=publication.frame_index,
        stamp_ns=publication.stamp_ns,
        publish_ns=publication.publish_ns,
        basis_stamp_ns=publication.basis_stamp_ns,
        boxes=boxes,
    )


def _boxes(detections: Detections3D) -> list[record_pb2.Box3D]:
    rows = zip(detections.boxes_velo.tolist(), detections.scores.tolist(), _labels(detections.class_ids), strict=True)
    return [
        record_pb2.Box3D(
            x_m=x,
            y_m=y,
            z_m=z,
            length_m=length,
            width_m=width,
            height_m=height,
            yaw_rad=yaw,
            score=score,
            object_class=label,
        )
        for (x, y, z, length, width, height, yaw), score, label in rows
    ]


def _labels(class_ids: NDArrayInt) -> list[str]:
    return [ObjectClass(class_id).label for class_id in class_ids.tolist()]


def _stages(stage_ms: Mapping[str, float]) -> list[common_pb2.StageTime]:
    """In order: sums of them depend on it in their last digit."""
    return [common_pb2.StageTime(stage=stage, duration_ms=ms) for stage, ms in stage_ms.items()]

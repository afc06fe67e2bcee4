"""Messages of the record as the values that a policy is told, bit for bit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.edge.offload.drift import Drift, TrackDrift
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.offload.policy import Situation
from vedette.edge.offload.review import Review
from vedette.frames import CameraImage, Frame, Sweep
from vedette.geometry import SE3, PinholeCamera
from vedette.protos.v1alpha1 import common_pb2, record_pb2

_CLASS_OF: Final = {object_class.label: object_class for object_class in ObjectClass}


def frame_of(message: record_pb2.FrameRecord, source: str, camera: PinholeCamera) -> Frame:
    """A frame as far as the record has it: of its sweep one point and of its image nothing but its size.

    Policies look at whether they are there, at numbers and times, not at what they show.

    Args:
        message: of a frame that was processed.
        source: name of the recording.
        camera: its calibration.
    """
    sweep = image = None
    if message.HasField("sweep"):
        sweep = Sweep(np.zeros((1, 4), np.float32), message.sweep.start_ns, message.sweep.end_ns)
    if message.HasField("image"):
        black = np.broadcast_to(np.uint8(0), (camera.height_px, camera.width_px, 3))
        image = CameraImage(black, message.image.exposure_time_ns)
    pose = None
    if message.world_se3_ego:
        matrix = np.array(message.world_se3_ego).reshape(3, 4)
        pose = SE3(matrix[:, :3], matrix[:, 3])
    return Frame(message.frame_index, source, message.capture_time_ns, camera, sweep, image, pose)


def situation_of(message: record_pb2.DecisionRecord) -> Situation:
    """What the policy knew when it decided."""
    tracks = [
        TrackDrift(np.array(track.box_px), track.right, track.overlap, track.anchor_age_s) for track in message.drift
    ]
    rungs = {entry.rung: entry.count for entry in message.rungs}
    return Situation(message.now_ns, Drift(tracks, rungs), _stage_ms(message.stages))


def answer_of(message: record_pb2.AnswerRecord) -> Answer:
    """An answer; its boxes are rounded to 32 bits."""
    return Answer(
        message.frame_index,
        message.capture_time_ns,
        message.arrived_ns,
        _detections(message.boxes),
        message.bytes_up,
        message.bytes_down,
        _stage_ms(message.stages),
    )


def review_of(message: record_pb2.AnswerRecord) -> Review:
    """What an answer was worth."""
    review = message.review
    return Review(review.agreeing, review.own, review.answered, review.unsupported)


def loss_of(message: record_pb2.LossRecord) -> Loss:
    """A request that came to nothing."""
    reason = LossReason(message.reason)
    return Loss(message.frame_index, message.capture_time_ns, message.at_ns, reason, message.detail, message.bytes_up)


def _detections(boxes: Iterable[record_pb2.Box3D]) -> Detections3D:
    rows = [
        (box.x_m, box.y_m, box.z_m, box.length_m, box.width_m, box.height_m, box.yaw_rad, box.score) for box in boxes
    ]
    table = np.array(rows, np.float64).reshape(-1, 8)
    class_ids = np.array([_CLASS_OF[box.object_class] for box in boxes], np.int64)
    return Detections3D(table[:, :7], table[:, 7].clip(0.0, 1.0), class_ids)


def _stage_ms(stages: Iterable[common_pb2.StageTime]) -> dict[str, float]:
    return {entry.stage: entry.duration_ms for entry in stages}

"""The vectorised metric against KITTI's rules written as plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vedette.evaluation.kitti_ap import precision_curve
from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR, EASY, MODERATE
from vedette.geometry import ioa_2d, iou_2d

TYPES = ("Car", "Van", "Cyclist", "DontCare")
MIN_OVERLAP = 0.3

boxes = st.tuples(st.integers(0, 6), st.sampled_from([20, 30, 45])).map(
    lambda place: (place[0] * 10.0, 0.0, place[0] * 10.0 + 40.0, float(place[1]))
)
labels = st.lists(st.tuples(st.sampled_from(TYPES), boxes, st.integers(0, 1), st.just(0.0)), max_size=6)
detections = st.lists(
    st.tuples(st.sampled_from(TYPES[:3]), boxes, st.just(0), st.sampled_from([0.2, 0.5, 0.8])), max_size=7
)


def camera_objects(rows, *, scored):
    count = len(rows)
    cam = np.tile([-1000.0, -1000.0, -1000.0, -1.0, -1.0, -1.0, 0.0], (count, 1))
    return CameraObjects(
        types=tuple(one[0] for one in rows),
        truncation=np.zeros(count),
        occlusion=np.array([one[2] for one in rows], np.int64),
        alpha=np.zeros(count),
        boxes_px=np.array([one[1] for one in rows], np.float64).reshape(count, 4),
        boxes_cam=cam,
        scores=np.array([one[3] for one in rows]) if scored else None,
    )


def walk(frame, difficulty, threshold):
    """Matches of one frame: (score of true positives, false positives); without a threshold the highest score wins."""
    gt, dt = frame.labels, frame.detections
    heights = dt.boxes_px[:, 3] - dt.boxes_px[:, 1]
    ignored_dt = [
        1 if h < difficulty.min_height_px else 0 if t == "Car" else -1 for t, h in zip(dt.types, heights, strict=True)
    ]
    there = [threshold is None or score >= threshold for score in dt.scores]
    overlap = iou_2d(gt.boxes_px, dt.boxes_px)
    taken, scores = set(), []
    for i, kind in enumerate(gt.types):
        if kind not in {"Car", "Van"}:
            continue
        tall = gt.boxes_px[i, 3] - gt.boxes_px[i, 1] >= difficulty.min_height_px
        counts = kind == "Car" and tall and gt.occlusion[i] <= difficulty.max_occlusion
        free = [
            j
            for j in range(len(dt))
            if ignored_dt[j] >= 0 and there[j] and j not in taken and overlap[i, j] > MIN_OVERLAP
        ]
        if not free:
            continue
        if threshold is None:
            best = max(free, key=lambda j: dt.scores[j])
        else:
            ordinary = [j for j in free if ignored_dt[j] == 0]
            best = max(ordinary, key=lambda j: overlap[i, j]) if ordinary else free[0]
        taken.add(best)
        if counts and ignored_dt[best] == 0:
            scores.append(dt.scores[best])
    regions = gt.boxes_px[[kind == "DontCare" for kind in gt.types]].reshape(-1, 4)
    share = ioa_2d(dt.boxes_px, regions).max(axis=1, initial=0.0)
    alarms = [
        j for j in range(len(dt)) if there[j] and ignored_dt[j] == 0 and j not in taken and share[j] <= MIN_OVERLAP
    ]
    return scores, len(alarms)


def looped_precision(frames, difficulty, label_count):
    """The 41 precisions; with at most 41 labels every true positive is a cut."""
    cuts = sorted((score for frame in frames for score in walk(frame, difficulty, None)[0]), reverse=True)
    assert len(cuts) <= label_count <= 41
    precision = [0.0] * 41
    for k, cut in enumerate(cuts):
        found = [walk(frame, difficulty, cut) for frame in frames]
        right, wrong = sum(len(scores) for scores, _ in found), sum(alarms for _, alarms in found)
        precision[k] = right / (right + wrong) if right + wrong else 0.0
    return [max(precision[k:]) for k in range(41)]


@settings(max_examples=120)
@given(st.lists(st.tuples(labels, detections), max_size=4))
def test_equals_the_loops(scenes):
    """Crowded frames with ties, neutral labels, low detections and regions score the same either way."""
    frames = [ScoredFrame(camera_objects(gt, scored=False), camera_objects(dt, scored=True)) for gt, dt in scenes]
    table = Table.from_frames(frames)
    for difficulty in (EASY, MODERATE):
        curve = precision_curve(table, CAR, difficulty, Metric.IMAGE, MIN_OVERLAP)
        assert curve.precision.tolist() == looped_precision(frames, difficulty, curve.label_count)

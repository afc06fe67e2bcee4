"""KITTI's metric on scenes small enough to count by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from vedette.evaluation.kitti_ap import precision_curve, recall_thresholds
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR, EASY, HARD, MODERATE, PEDESTRIAN, VEHICLE


def curve(frames, *, target=CAR, difficulty=MODERATE, metric=Metric.BOX, min_overlap=0.7):
    return precision_curve(Table.from_frames(frames), target, difficulty, metric, min_overlap)


def leading(curve):
    """Precision at the cuts that exist; the rest must be zero."""
    count = np.count_nonzero(curve.precision)
    assert not curve.precision[count:].any()
    return curve.precision[:count].tolist()


def counts(curve):
    return curve.label_count, curve.true_positives, curve.false_positives


def labels_as_detections(frame):
    kept = frame.labels.select([name != "DontCare" for name in frame.labels.types])
    return dataclasses.replace(frame, detections=dataclasses.replace(kept, scores=np.ones(len(kept))))


@pytest.mark.parametrize("metric", list(Metric))
def test_two_cars_found(frame, row, metric):
    """Two labels give two cuts of precision 1: R40 is the one that is not the first, R11 the first."""
    result = curve([frame([row(), row(x=9)], [row(score=0.8), row(x=9)])], metric=metric)
    assert leading(result) == [1.0, 1.0]
    assert result.ap_r40 == pytest.approx(100 / 40)
    assert result.ap_r11 == pytest.approx(100 / 11)
    assert counts(result) == (2, 2, 0)


def test_false_alarm_before_the_second_car(frame, row):
    """Scores 0.9 right, 0.8 wrong, 0.7 right: precision 1 at the first cut, 2 of 3 at the second."""
    detections = [row(score=0.9), row(x=30, score=0.8), row(x=9, score=0.7)]
    result = curve([frame([row(), row(x=9)], detections)])
    assert leading(result) == pytest.approx([1.0, 2 / 3])
    assert counts(result) == (2, 2, 1)


def test_precision_never_rises(frame, row):
    """A false alarm with the best score costs precision only until later cuts are better."""
    detections = [row(x=30, score=0.95), row(score=0.9), row(x=9, score=0.7)]
    assert leading(curve([frame([row(), row(x=9)], detections)])) == pytest.approx([2 / 3, 2 / 3])


def test_missed_car_shortens_the_curve(frame, row):
    """A label that nothing matches counts, and gives no cut."""
    result = curve([frame([row(), row(x=9)], [row()])])
    assert leading(result) == [1.0]
    assert counts(result) == (2, 1, 0)


@pytest.mark.parametrize(("x", "expected"), [(0.0, 1), (1.2, 0)])
def test_overlap_must_exceed_the_minimum(frame, row, x, expected):
    """1.2 m along a car of 4 m leaves IoU 2.8 / 5.2."""
    cam = (0.0, 1.5, 20.0, 1.5, 1.6, 4.0, 0.0)
    moved = (x, *cam[1:])
    result = curve([frame([row(cam=cam)], [row(cam=moved)])])
    assert result.true_positives == expected


def test_overlap_at_the_minimum_is_none(frame, row):
    """Image boxes of IoU exactly 0.5 do not match at 0.5."""
    result = curve([frame([row(px=(0, 0, 100, 100))], [row(px=(0, 0, 50, 100))])], metric=Metric.IMAGE, min_overlap=0.5)
    assert result.true_positives == 0


@pytest.mark.parametrize(
    ("label", "target", "expected"),
    [
        ({"type": "Van"}, CAR, (1, 1, 0)),  # neighbour: neutral
        ({"type": "van"}, CAR, (1, 1, 0)),  # in any case
        ({"type": "Truck"}, CAR, (1, 1, 1)),  # another class: a false alarm
        ({"type": "Van"}, VEHICLE, (2, 2, 0)),  # pooled
        ({"type": "Tram"}, VEHICLE, (1, 1, 0)),
        ({"occlusion": 2}, CAR, (1, 1, 0)),  # too occluded for moderate: neutral
        ({"truncation": 0.31}, CAR, (1, 1, 0)),
        ({"truncation": 0.30, "occlusion": 1}, CAR, (2, 2, 0)),  # on the limits: counts
        ({"px": (0, 0, 100, 24.9)}, CAR, (1, 1, 0)),
        ({"px": (0, 0, 100, 25.0)}, CAR, (2, 2, 0)),
    ],
)
def test_which_labels_count(frame, row, label, target, expected):
    """Beside an ordinary car, a second label that a car detection covers."""
    result = curve([frame([row(), row(x=9, **label)], [row(), row(x=9, score=0.95)])], target=target)
    assert counts(result) == expected


def test_person_sitting_is_neutral_to_pedestrian(frame, row):
    """The second neighbouring pair of KITTI's rules."""
    labels = [row(type="Pedestrian"), row(x=9, type="Person_sitting")]
    detections = [row(type="Pedestrian"), row(x=9, type="Pedestrian")]
    assert counts(curve([frame(labels, detections)], target=PEDESTRIAN)) == (1, 1, 0)


@pytest.mark.parametrize(
    ("difficulty", "expected"),
    [(EASY, (0, 0, 0)), (MODERATE, (1, 1, 1)), (HARD, (1, 1, 1))],
    ids=["easy", "moderate", "hard"],
)
def test_low_detections_are_neutral(frame, row, difficulty, expected):
    """30 px is too low for easy, of a label as of a false alarm."""
    low = (0.0, 100.0, 60.0, 130.0)
    detections = [row(px=low, score=0.5), row(x=30, px=low, score=0.8)]
    assert counts(curve([frame([row(px=low)], detections)], difficulty=difficulty)) == expected


@pytest.mark.parametrize("kind", ["Car", "Cyclist"])
def test_low_detection_takes_a_label_out_of_the_count(frame, row, kind):
    """A detection of 24 px on a label of 25 px is neither right nor wrong, whatever its class."""
    label = row(px=(0, 100, 100, 125))
    result = curve([frame([label, row(x=9)], [row(px=(0, 100, 100, 124), type=kind), row(x=9)])])
    assert counts(result) == (2, 1, 0)


def test_ordinary_detection_goes_before_a_low_one(frame, row):
    """A counting detection is preferred to a neutral one, whatever their overlap and order."""
    label = row(px=(0, 100, 100, 125))
    nearly = (0.3, 1.5, 20.0, 1.5, 1.6, 4.0, 0.0)
    detections = [row(px=(0, 100, 100, 124), score=0.5), row(px=label["px"], cam=nearly, score=0.8)]
    assert counts(curve([frame([label], detections)])) == (1, 1, 0)


@pytest.mark.parametrize(("metric", "false_positives"), [(Metric.IMAGE, 0), (Metric.GROUND, 1), (Metric.BOX, 1)])
def test_dont_care_regions_excuse_in_the_image_only(frame, row, region, metric, false_positives):
    """A detection inside a region is no false alarm in 2D; in BEV and 3D a region has no box."""
    detections = [row(score=0.5), row(x=30)]
    labels = [region(detections[1]["px"]), row()]
    assert counts(curve([frame(labels, detections)], metric=metric)) == (1, 1, false_positives)


@pytest.mark.parametrize(("width", "false_positives"), [(71.0, 0), (70.0, 1)])
def test_dont_care_needs_the_same_share_as_a_match(frame, row, region, width, false_positives):
    """More than 0.7 of the detection must lie inside the region, for cars."""
    labels = [region((2000, 0, 2000 + width, 500)), row()]
    detections = [row(score=0.5), row(px=(2000, 100, 2100, 150), x=30)]
    assert counts(curve([frame(labels, detections)], metric=Metric.IMAGE)) == (1, 1, false_positives)


def test_two_equal_detections_of_one_car(frame, row):
    """Identical boxes with tied scores: one is right, the other a false alarm."""
    result = curve([frame([row()], [row(), row()])])
    assert leading(result) == [0.5]
    assert counts(result) == (1, 1, 1)


def test_tied_scores_share_a_cut(frame, row):
    """A false alarm with the same score as the car is there at the car's cut."""
    assert leading(curve([frame([row()], [row(x=30), row()])])) == [0.5]


def test_degenerate_detection_is_a_false_alarm(frame, row):
    """A box without volume matches nothing."""
    detections = [row(), row(x=9, cam=(9, 1.5, 20, 1.5, 0.0, 4.0, 0.0))]
    assert counts(curve([frame([row(), row(x=9)], detections)])) == (2, 1, 1)


def test_cuts_take_scores_but_counts_take_overlap(frame, row):
    """The cut comes from the highest score, the match at that cut from the greatest overlap that is there."""
    nearly = (0.3, 1.5, 20.0, 1.5, 1.6, 4.0, 0.0)
    result = curve([frame([row()], [row(cam=nearly, score=0.9), row(score=0.2)])])
    assert counts(result) == (1, 1, 0)


@pytest.mark.parametrize(("alpha", "similarity"), [(0.0, 1.0), (np.pi / 2, 0.5), (np.pi, 0.0)])
def test_orientation_similarity(frame, row, alpha, similarity):
    """A right angle counts half, the opposite direction nothing."""
    result = curve([frame([row()], [row(alpha=alpha)])], metric=Metric.IMAGE)
    assert result.orientation[0] == pytest.approx(similarity)
    assert result.aos_r11 == pytest.approx(100 * similarity / 11)


def test_no_orientation_without_alpha(frame, row):
    """One detection without alpha, of any class, and the evaluation has no AOS; other overlaps never have it."""
    frames = [frame([row()], [row(), row(x=9, type="Cyclist", alpha=-10.0)])]
    assert curve(frames, metric=Metric.IMAGE).aos_r40 is None
    assert curve([frame([row()], [row()])], metric=Metric.BOX).aos_r11 is None


@pytest.mark.parametrize("count", [1, 2, 10, 40, 41, 42, 100, 1000])
@pytest.mark.parametrize("metric", list(Metric))
def test_labels_as_detections(frame, row, count, metric):
    """Perfect detections reach 100 from 41 labels on, below that (n - 1) / 40 in R40."""
    frames = [labels_as_detections(frame([row(), row(x=9, type="Van")], [])) for _ in range(count)]
    result = curve(frames, metric=metric)
    assert result.ap_r40 == pytest.approx(min(count - 1, 40) / 40 * 100)
    assert result.ap_r11 == pytest.approx((min(count - 1, 40) // 4 + 1) / 11 * 100)
    assert counts(result) == (count, count, 0)


def test_no_labels_and_no_detections(frame, row):
    """Without a matched label there is no cut: everything is zero."""
    for frames in ([], [frame([], [])], [frame([], [row()])], [frame([row()], [])]):
        result = curve(frames)
        assert result.ap_r40 == result.ap_r11 == 0.0
        assert result.true_positives == result.false_positives == 0


@pytest.mark.parametrize(
    ("scores", "label_count", "expected"),
    [
        ([], 5, []),
        ([0.3], 5, [0.3]),
        ([0.1, 0.9, 0.5], 3, [0.9, 0.5, 0.1]),  # any order in, best first out
        ([0.5, 0.5], 2, [0.5, 0.5]),  # ties are cuts of their own
    ],
)
def test_recall_thresholds(scores, label_count, expected):
    """Few true positives are all cuts."""
    assert recall_thresholds(np.array(scores), label_count).tolist() == expected


@pytest.mark.parametrize(("label_count", "cuts"), [(40, 40), (41, 41), (80, 41), (81, 41), (5000, 41)])
def test_at_most_41_thresholds(label_count, cuts):
    """From 41 true positives on there are 41 cuts, the first at the best score and the last at the worst."""
    thresholds = recall_thresholds(np.linspace(1.0, 0.0, label_count), label_count)
    assert len(thresholds) == cuts
    assert (thresholds[0], thresholds[-1]) == (1.0, 0.0)


def test_thresholds_lie_nearest_to_even_recalls():
    """With 400 labels, all found, the k-th cut has recall k / 40; half of them found gives half the cuts."""
    scores = np.linspace(1.0, 0.0, 400)
    recall = (np.searchsorted(-scores, -recall_thresholds(scores, 400)) + 1) / 400
    assert recall[1:] == pytest.approx(np.arange(1, 41) / 40, abs=1.5 / 400)
    assert len(recall_thresholds(scores[:200], 400)) == 21

"""F1 at a fixed score and overlap, on scenes small enough to count by hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vedette.evaluation.f1 import MatchCounts, count_matches, count_matches_by_frame
from vedette.evaluation.rows import Rows
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR, CYCLIST, TRUCK, VAN, VEHICLE


def counts(frames, *, target=CAR, metric=Metric.BOX, min_overlap=0.5, **settings):
    result = count_matches(Table.from_frames(frames), target, metric, min_overlap, **settings)
    return result.true_positives, result.false_positives, result.false_negatives


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (MatchCounts(3, 0, 0), 100.0),
        (MatchCounts(1, 1, 0), 100 * 2 / 3),
        (MatchCounts(1, 0, 1), 100 * 2 / 3),
        (MatchCounts(0, 0, 2), 0.0),
        (MatchCounts(0, 5, 2), 0.0),
        (MatchCounts(0, 0, 0), None),  # nothing to find, nothing claimed
        (MatchCounts(0, 5, 0), None),  # false alarms alone do not make an F1
    ],
)
def test_f1(found, expected):
    """2 TP / (2 TP + FP + FN), not defined without labels."""
    assert found.f1 == (None if expected is None else pytest.approx(expected))


def test_found_missed_and_invented(frame, row):
    """One car found, one missed, one false alarm; a detection below the score cut is not there."""
    detections = [row(), row(x=30), row(x=9, score=0.49)]
    assert counts([frame([row(), row(x=9)], detections)]) == (1, 1, 1)


def test_counts_of_each_frame(frame, row):
    """Found; missed and invented; nothing at all, and two frames at the end that the table does not know of."""
    frames = [frame([row()], [row()]), frame([row()], [row(x=30)]), frame([], []), frame([], [])]
    by_frame = count_matches_by_frame(Table.from_frames(frames), CAR, Metric.BOX, 0.5, frame_count=4)
    assert by_frame.tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0], [0, 0, 0]]
    assert counts(frames) == (1, 1, 1)


def test_the_score_cut_itself_takes_part(frame, row):
    """A score of exactly 0.5 is there at the cut 0.5."""
    assert counts([frame([row()], [row(score=0.5)])]) == (1, 0, 0)


def test_another_score_cut(frame, row):
    """The cut is an argument."""
    assert counts([frame([row()], [row(score=0.5)])], score_cut=0.6) == (0, 0, 1)


@pytest.mark.parametrize(
    ("kind", "target", "expected"),
    [
        ("Van", CAR, (0, 0, 0)),  # a car detection on a van: neutral
        ("Van", VAN, (0, 0, 1)),
        ("Van", VEHICLE, (1, 0, 0)),
        ("Truck", VEHICLE, (1, 0, 0)),
        ("Truck", CAR, (0, 1, 0)),
        ("Tram", VEHICLE, (0, 0, 0)),
        ("Cyclist", VEHICLE, (0, 1, 0)),
        ("Cyclist", CYCLIST, (0, 0, 1)),
        ("DontCare", CAR, (0, 0, 0)),
    ],
)
def test_a_car_detection_on_a_label_of_another_type(frame, row, kind, target, expected):
    """Vans are neutral to cars and pooled with them in vehicle; regions excuse by their 2D box."""
    assert counts([frame([row(type=kind)], [row()])], target=target) == expected


def test_van_detection_on_a_car_misses_the_car(frame, row):
    """For class car the van detection is not there; for class van the car absorbs it."""
    frames = [frame([row()], [row(type="Van")])]
    assert counts(frames, target=CAR) == (0, 0, 1)
    assert counts(frames, target=VAN) == (0, 0, 0)
    assert counts(frames, target=VEHICLE) == (1, 0, 0)


def test_bus_counts_as_truck(frame, row):
    """KITTI has no bus; whoever writes one finds it among trucks and vehicles."""
    frames = [frame([row(type="Truck")], [row(type="Bus")])]
    assert counts(frames, target=TRUCK) == counts(frames, target=VEHICLE) == (1, 0, 0)


@pytest.mark.parametrize(
    "hidden",
    [{"occlusion": 3}, {"truncation": 0.51}, {"px": (0, 100, 100, 124)}, {"cam": (0, 1.5, 50.1, 1.5, 1.6, 4, 0)}],
    ids=["occluded", "truncated", "low", "far"],
)
def test_labels_that_do_not_count_are_neutral(frame, row, hidden):
    """Neither missed when not found, nor right or wrong when found."""
    assert counts([frame([row(**hidden)], [])]) == (0, 0, 0)
    cam = hidden.get("cam", row()["cam"])
    assert counts([frame([row(**hidden)], [row(cam=cam)])]) == (0, 0, 0)


@pytest.mark.parametrize("limit", [{"occlusion": 2}, {"truncation": 0.5}, {"px": (0, 100, 100, 125)}])
def test_labels_on_the_limits_count(frame, row, limit):
    """KITTI's hard level includes its limits."""
    assert counts([frame([row(**limit)], [])]) == (0, 0, 1)


@pytest.mark.parametrize(
    ("label_z", "detection_z", "expected"),
    [
        (49.9, 50.1, (1, 0, 0)),  # a box just outside has found a label just inside
        (50.1, 49.9, (0, 0, 0)),  # a box just inside on a label just outside is not wrong
        (50.0, 50.0, (1, 0, 0)),
    ],
)
def test_the_border_of_the_range_is_fair(frame, row, label_z, detection_z, expected):
    """Centres on both sides of 50 m cost nothing."""
    label, detection = (row(cam=(0, 1.5, z, 1.5, 1.6, 4, 0)) for z in (label_z, detection_z))
    assert counts([frame([label], [detection])]) == expected


def test_range_is_along_the_ground(frame, row):
    """(30, 40) is 50 m away, whatever the height."""
    frames = [frame([row(cam=(30, 9.0, 40, 1.5, 1.6, 4, 0))], [])]
    assert counts(frames) == (0, 0, 1)
    assert counts(frames, max_range_m=49.0) == (0, 0, 0)


@pytest.mark.parametrize(
    ("detection", "expected"),
    [
        ({"cam": (0, 1.5, 50.1, 1.5, 1.6, 4, 0)}, 0),  # out of range
        ({"px": (0, 100, 100, 124.9)}, 0),  # too low in the image
        ({"px": (0, 100, 100, 125)}, 1),
        ({"px": (0, 0, 0, 0)}, 1),  # no 2D box is no excuse
        ({"px": (-1, -1, -1, -1)}, 1),
        ({"type": "Cyclist"}, 0),
    ],
)
def test_false_alarms(frame, row, detection, expected):
    """A detection without a label is wrong only where a label would have counted."""
    assert counts([frame([], [row(**detection)])]) == (0, expected, 0)


@pytest.mark.parametrize(("width", "expected"), [(50.0, 1), (51.0, 0)])
def test_regions_excuse_from_half_on(frame, row, region, width, expected):
    """More than half of the 2D box must lie inside."""
    assert counts([frame([region((0, 0, width, 500))], [row(px=(0, 100, 100, 150))])]) == (0, expected, 0)


def test_a_detection_in_a_region_still_finds_a_label(frame, row, region):
    """Regions excuse; they do not take away."""
    assert counts([frame([row(), region((0, 0, 5000, 500))], [row()])]) == (1, 0, 0)


def test_second_box_on_a_car_is_a_false_alarm(frame, row):
    """Matching is one to one, identical boxes included."""
    assert counts([frame([row()], [row(), row()])]) == (1, 1, 0)


def test_as_many_matches_as_possible(frame, row):
    """The middle detection fits both labels; greedy choice by IoU would leave one label without."""
    labels = [row(x=0.0), row(x=1.2)]
    detections = [row(x=0.5), row(x=-1.2)]
    assert counts([frame(labels, detections)], min_overlap=0.3) == (2, 0, 0)


def test_counting_labels_go_before_neutral_ones(frame, row):
    """One detection between a van, nearer, and a car: the car is found."""
    assert counts([frame([row(type="Van"), row(x=0.8)], [row(x=0.3)])]) == (1, 0, 0)


def test_detections_in_question_go_before_neutral_ones(frame, row):
    """Of two boxes on one label the one that would be a false alarm is matched."""
    low = (0, 100, 100, 124)
    assert counts([frame([row()], [row(px=low), row(x=0.4)])]) == (1, 0, 0)


def test_overlap_must_exceed_the_minimum(frame, row):
    """IoU exactly 0.5 is no match at 0.5."""
    frames = [frame([row(px=(0, 0, 100, 100))], [row(px=(0, 0, 50, 100))])]
    assert counts(frames, metric=Metric.IMAGE) == (0, 1, 1)
    assert counts(frames, metric=Metric.IMAGE, min_overlap=0.49) == (1, 0, 0)


def test_frames_add_up(frame, row):
    """Counts are over all frames together; objects of different frames never match."""
    assert counts([frame([row()], [row()]), frame([row()], []), frame([], [row()])]) == (1, 1, 1)


def test_nothing(frame):
    """No frames, no counts."""
    assert counts([]) == counts([frame([], [])]) == (0, 0, 0)


def best_by_enumeration(overlap, counting, in_question):
    """The best (true positives, detections in question matched) over all one-to-one matchings."""
    label_count, detection_count = overlap.shape
    slots = [*range(detection_count), *([-1] * label_count)]
    best = (0, 0, 0.0)
    for choice in set(permutations(slots, label_count)):
        pairs = [(i, j) for i, j in enumerate(choice) if j >= 0 and overlap[i, j] > 0.5]
        score = (
            sum(counting[i] for i, _ in pairs),
            sum(in_question[j] for _, j in pairs),
            sum(overlap[p] for p in pairs),
        )
        best = max(best, score)
    return best[:2]


@settings(max_examples=100)
@given(st.data())
def test_equals_enumeration(data):
    """In crowded frames the counts are those of the best of all matchings."""
    label_count, detection_count = data.draw(st.integers(0, 3)), data.draw(st.integers(0, 4))
    cells = st.sampled_from([0.0, 0.55, 0.7, 0.9])
    overlap = np.array(data.draw(st.lists(cells, min_size=12, max_size=12))).reshape(3, 4)[
        :label_count, :detection_count
    ]
    is_car = data.draw(st.lists(st.booleans(), min_size=label_count, max_size=label_count))
    is_near = data.draw(st.lists(st.booleans(), min_size=detection_count, max_size=detection_count))
    label, detection = np.nonzero(overlap)
    table = Table(
        labels=rows(["car" if car else "van" for car in is_car], [20.0] * label_count),
        detections=rows(["car"] * detection_count, [20.0 if near else 60.0 for near in is_near]),
        pair_label=label,
        pair_detection=detection,
        overlaps={Metric.BOX: overlap[label, detection]},
        dont_care_share=np.zeros(detection_count),
    )
    found = count_matches(table, CAR, Metric.BOX, 0.5)
    true_positives, questioned = best_by_enumeration(overlap, is_car, is_near)
    assert (found.true_positives, found.false_positives) == (true_positives, sum(is_near) - questioned)
    assert found.labels == sum(is_car)


def rows(types, distances):
    count = len(types)
    boxes_cam = np.zeros((count, 7))
    boxes_cam[:, 2] = distances
    return Rows(
        frame=np.zeros(count, np.int64),
        types=np.array(types, np.str_),
        truncation=np.zeros(count),
        occlusion=np.zeros(count, np.int64),
        alpha=np.zeros(count),
        boxes_px=np.tile([0.0, 0.0, 100.0, 50.0], (count, 1)),
        boxes_cam=boxes_cam,
        scores=np.ones(count),
        track_ids=np.full(count, -1),
    )

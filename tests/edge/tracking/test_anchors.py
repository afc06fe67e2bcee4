"""Answers of a 3D detector, taken into the tracks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.edge.lifting.lifted import Rung
from vedette.edge.lifting.priors import prior
from vedette.edge.tracking.anchors import AnchorRules, apply_answer
from vedette.edge.tracking.motion import Motion
from vedette.edge.tracking.size import SizeBelief
from vedette.edge.tracking.track import TrackSet, boxes_velo
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import SE3

KEEP = AnchorRules(0.5, 0.5, None)
CAR, VAN, PEDESTRIAN = ObjectClass.CAR, ObjectClass.VAN, ObjectClass.PEDESTRIAN


@pytest.fixture
def viewpoint(street):
    """A turned and shifted ego, so that mixing up frames shows."""
    return Viewpoint(0, SE3.from_yaw(0.7, [100.0, -50.0, 2.0]), street.camera)


@pytest.fixture
def started(street, viewpoint):
    """Tracks started by an answer."""
    return lambda *boxes, **kinds: apply_answer(TrackSet(), 3, viewpoint, street.answer(*boxes, **kinds), KEEP)[0]


def test_an_answer_starts_tracks_where_its_boxes_are(street, viewpoint, started):
    """Through the world frame and back the box is the same."""
    box = street.box(20.0, 5.0, 0.4, [4.4, 1.7, 1.5])
    tracks = started(box)
    assert boxes_velo(tracks.tracks, viewpoint)[0] == pytest.approx(box)
    assert tracks.tracks[0].track_id == 3500
    assert tracks.tracks[0].rung is Rung.ANCHOR


def test_it_moves_resizes_and_turns_a_track_of_its_class(street, viewpoint, started):
    """A car 0.4 m off comes towards where the answer has it, and looks like it."""
    tracks = started(street.box(20.0, 5.0, 0.3))
    box = street.box(20.3, 5.2, 0.1, [4.4, 1.8, 1.6])
    after, ids = apply_answer(tracks, 4, viewpoint, street.answer(box), KEEP)
    assert ids.tolist() == [3500]
    moved = boxes_velo(after.tracks, viewpoint)[0]
    # the track was as sure of its place as the answer is: it comes halfway
    assert moved[:2] == pytest.approx([20.15, 5.1], abs=0.02)
    assert moved[6] == pytest.approx(0.1)
    assert moved[3:6] == pytest.approx([4.2, 1.7, 1.55])


def test_a_car_only_answer_leaves_other_classes_alone(street, viewpoint, started):
    """Vans keep their size and place, pedestrians everything, however often the answer does not know them."""
    van_box = street.box(20.0, 5.0, 0.0, prior(VAN).size_m)
    tracks = started(van_box, object_class=VAN)
    belief = tracks.tracks[0].size
    for _ in range(3):
        belief = belief.observed_height(van_box[5])
    tracks = replace(tracks, tracks=(replace(tracks.tracks[0], size=belief),))
    walker = started(street.box(10.0, -2.0, 0.0, prior(PEDESTRIAN).size_m), object_class=PEDESTRIAN).tracks[0]
    tracks = replace(tracks, tracks=(*tracks.tracks, replace(walker, track_id=9)))
    harsh = AnchorRules(0.5, 0.5, 0)
    for frame in range(4, 8):
        wrong = street.answer(street.box(19.0, 5.3, 0.05, [3.9, 1.6, 1.5]))
        tracks, _ = apply_answer(tracks, frame, viewpoint, wrong, harsh)
    assert {track.track_id for track in tracks.tracks} == {3500, 9}
    van, walker = boxes_velo(tracks.tracks, viewpoint)
    assert van[:6] == pytest.approx(van_box[:6])
    assert van[6] == pytest.approx(0.05)
    assert [track.unconfirmed for track in tracks.tracks] == [0, 0]


def test_a_measured_van_is_not_made_a_car(street, viewpoint, started):
    """What the image calls car, but stands 2.1 m high, is not resized by a car-only answer."""
    belief = SizeBelief(CAR)
    for _ in range(3):
        belief = belief.observed_height(2.1)
    tracks = started(street.box(20.0, 5.0))
    tracks = replace(tracks, tracks=(replace(tracks.tracks[0], size=belief),))
    after, _ = apply_answer(tracks, 4, viewpoint, street.answer(street.box(20.0, 5.0, 0.0, [3.8, 1.6, 1.5])), KEEP)
    assert after.tracks[0].object_class is VAN
    assert after.tracks[0].size.size_m == pytest.approx(belief.size_m)


@pytest.mark.parametrize(
    ("place", "asked"),
    [
        pytest.param((20.0, 0.0), 1, id="in view and near"),
        pytest.param((70.0, 0.0), 0, id="too far for an answer to know"),
        pytest.param((5.0, 20.0), 0, id="out of view"),
    ],
)
def test_silence_counts_only_where_an_answer_would_speak(street, viewpoint, started, place, asked):
    """A track is questioned by an answer without it only in view, in range, and of a class that answers know."""
    tracks = started(street.box(*place))
    after, _ = apply_answer(tracks, 4, viewpoint, street.answer(), KEEP)
    assert after.tracks[0].unconfirmed == asked


def test_unconfirmed_tracks_go_where_the_rules_say_so(street, viewpoint, started):
    """More answers in a row without it than allowed; a confirmation in between starts the count again."""
    rules = AnchorRules(0.5, 0.5, 1)
    box = street.box(20.0, 0.0)
    tracks = started(box)
    for answer, alive in ((street.answer(), 1), (street.answer(box), 1), (street.answer(), 1), (street.answer(), 0)):
        tracks, _ = apply_answer(tracks, 4, viewpoint, answer, rules)
        assert len(tracks.tracks) == alive


def test_weak_boxes_are_ignored(street, viewpoint):
    """Below the score they start nothing and have no id."""
    tracks, ids = apply_answer(TrackSet(), 0, viewpoint, street.answer(street.box(20, 0), score=0.49), KEEP)
    assert (tracks.tracks, ids.tolist()) == ((), [-1])


def test_a_far_off_place_is_taken_at_once(street, viewpoint, started):
    """A track three metres off, and sure of it, jumps rather than creeps; it was misplaced, and moves as it did."""
    tracks = started(street.box(20.0, 5.0))
    motion = Motion(np.array([*tracks.tracks[0].motion.xy, 6.0, 2.0, 0.0]), np.diag([0.01, 0.01, 0.04, 0.04, 0.0]))
    tracks = replace(tracks, tracks=(replace(tracks.tracks[0], motion=motion),))
    box = street.box(22.9, 5.0)
    after, _ = apply_answer(tracks, 4, viewpoint, street.answer(box), KEEP)
    assert boxes_velo(after.tracks, viewpoint)[0][:2] == pytest.approx([22.9, 5.0])
    assert after.tracks[0].motion.velocity == pytest.approx([6.0, 2.0])


@pytest.mark.parametrize(
    ("score", "known", "born"),
    [
        pytest.param(0.6, False, True, id="sure enough to begin"),
        pytest.param(0.4, False, False, id="too weak to begin"),
        pytest.param(0.4, True, False, id="enough to confirm"),
        pytest.param(0.2, True, False, id="too weak for anything"),
    ],
)
def test_weak_boxes_confirm_but_do_not_begin(street, viewpoint, started, score, known, born):
    """Between the two scores a box counts for a track that is there, and starts none."""
    rules, box = AnchorRules(0.3, 0.5, None), street.box(20.0, 5.0)
    before = started(box) if known else TrackSet()
    after, ids = apply_answer(before, 4, viewpoint, street.answer(box, score=score), rules)
    confirmed = known and score >= 0.3
    assert ids.tolist() == [4500 if born else 3500 if confirmed else -1]
    assert len(after.tracks) == int(known or born)
    assert [track.unconfirmed for track in after.tracks] == [int(known and not confirmed)] * len(after.tracks)


def test_hidden_tracks_are_not_questioned(street, viewpoint, started):
    """An answer that does not show what stands behind a truck says nothing about it."""
    truck = street.box(12.0, 0.0, 0.0, [6.0, 2.5, 3.2])
    tracks = started(truck, street.box(30.0, 0.0))
    after, _ = apply_answer(tracks, 4, viewpoint, street.answer(truck), KEEP)
    assert [track.unconfirmed for track in after.tracks] == [0, 0]


@pytest.mark.parametrize("speed_mps", [15.0, 0.0, -15.0])
def test_traffic_seen_twice_is_one_object(street, speed_mps):
    """At 15 m/s of our own a car may go with us, stand or come: after a fifth of a second it is still the same."""
    velocity = np.array([15.0, 0.0])
    first = Viewpoint(0, SE3.identity(), street.camera, velocity)
    second = Viewpoint(200_000_000, SE3.from_yaw(0.0, [3.0, 0.0, 0.0]), street.camera, velocity)
    tracks, _ = apply_answer(TrackSet(), 0, first, street.answer(street.box(30.0, 3.0)), KEEP)
    box = street.box(30.0 + 0.2 * speed_mps - 3.0, 3.0)
    after, ids = apply_answer(tracks.predicted(second.stamp_ns), 2, second, street.answer(box), KEEP)
    assert ids.tolist() == [500]
    assert after.tracks[0].motion.velocity[0] == pytest.approx(speed_mps, abs=4.0)


def test_beyond_the_gate_it_is_another_object(street, viewpoint, started):
    """Five metres away: the old track stays, a new one starts."""
    after, _ = apply_answer(started(street.box(20.0, 5.0)), 4, viewpoint, street.answer(street.box(25.0, 5.0)), KEEP)
    assert [track.track_id for track in after.tracks] == [3500, 4500]


def test_a_moving_car_is_not_turned_round(street, viewpoint, started):
    """A detector without sense of direction does not undo what motion has shown."""
    tracks = started(street.box(20.0, 5.0, 0.0))
    heading = tracks.tracks[0].heading.observed_motion(viewpoint.yaw, 1.0)
    tracks = replace(tracks, tracks=(replace(tracks.tracks[0], heading=heading),))
    after, _ = apply_answer(tracks, 4, viewpoint, street.answer(street.box(20.0, 5.0, np.pi - 1e-9)), KEEP)
    assert np.cos(boxes_velo(after.tracks, viewpoint)[0][6]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("along_m", "across_m", "taken"),
    [
        pytest.param(3.0, 0.0, True, id="farther along the ray: its points were the wrong ones"),
        pytest.param(0.0, 2.6, False, id="beside it: the neighbour, 1.5 times 2.6 m off"),
        pytest.param(0.0, 2.2, True, id="beside it, but not by so much"),
    ],
)
def test_images_know_the_direction_better_than_the_range(street, viewpoint, started, along_m, across_m, taken):
    """Of a track that images have shown; the gate is 3.5 m along the ray."""
    place, ray = np.array([16.0, 12.0]), np.array([0.8, 0.6])
    tracks = started(street.box(*place))
    tracks = replace(tracks, tracks=(replace(tracks.tracks[0], hits=3),))
    box = street.box(*(place + along_m * ray + across_m * np.array([-ray[1], ray[0]])))
    after, ids = apply_answer(tracks, 4, viewpoint, street.answer(box), KEEP)
    assert ids.tolist() == [3500 if taken else 4500]
    assert len(after.tracks) == (1 if taken else 2)


def test_what_no_image_has_shown_may_be_off_either_way(street, viewpoint, started):
    """Nothing says that the direction of an answer's box is better than its range."""
    tracks = started(street.box(20.0, 0.0))
    _, ids = apply_answer(tracks, 4, viewpoint, street.answer(street.box(20.0, 2.6)), KEEP)
    assert ids.tolist() == [3500]


@pytest.mark.parametrize("known", [True, False])
def test_an_answer_says_where_a_car_was_when_the_sensor_looked(street, known):
    """25 ms after the capture time, to the left, at 27 m/s: at that time itself it was 0.675 m behind.

    Of a car whose velocity is known. What is seen for the first time is taken to stand where it was seen, 0.675 m
    farther on than the sensor has it from where it was at the capture time, until its velocity is learned.
    """
    view = Viewpoint(0, SE3.identity(), street.camera, np.array([27.0, 0.0]), (-0.05, 0.05))
    tracks = TrackSet()
    if known:
        flash, answer = replace(view, sweep_s=(0.0, 0.0)), street.answer(street.box(3.0, 10.0))
        tracks, _ = apply_answer(tracks, 0, flash, answer, KEEP)
        motion = Motion(np.array([3.0, 10.0, 27.0, 0.0, 0.0]), np.diag([0.01, 0.01, 0.04, 0.04, 0.0]))
        tracks = replace(tracks, tracks=(replace(tracks.tracks[0], motion=motion),))
    after, _ = apply_answer(tracks, 0, view, street.answer(street.box(0.0, 10.0)), KEEP)
    # three metres off its known place it jumps there
    assert after.tracks[0].motion.xy == pytest.approx([0.675 - 0.675 * known, 10.0])

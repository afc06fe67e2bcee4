"""Which tracks are published, and with which score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.edge.lifting.lifted import Rung
from vedette.edge.tracking.anchors import AnchorRules, apply_answer
from vedette.edge.tracking.chance import right_chance, score_of
from vedette.edge.tracking.motion import Motion
from vedette.edge.tracking.publish import PublishedBoxes, Trust, publishable_boxes, track_score
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import SE3

LIFE_NS = 1_000_000_000
TRUST = Trust(LIFE_NS, standing_half_life_s=1.5, moving_half_life_s=0.5)


@pytest.fixture
def viewpoint(street):
    """At the origin, at time 0."""
    return Viewpoint(0, SE3.identity(), street.camera)


@pytest.fixture
def anchored(street, viewpoint):
    """Tracks of an answer."""
    return lambda *boxes: (
        apply_answer(TrackSet(), 0, viewpoint, street.answer(*boxes), AnchorRules(0.5, 0.5, None))[0].tracks
    )


@pytest.fixture
def sighted(street, anchored):
    """A track that only the image vouches for."""
    return replace(
        anchored(street.box(20, 0))[0],
        anchored_ns=None, anchor_score=0.0, sight_score=0.8, hits=3, rung=Rung.TWO_FACES,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        pytest.param({"hits": 1}, True, id="first sight"),
        pytest.param({"hits": 1, "misses": 1}, False, id="seen once, then not"),
        pytest.param({"misses": 2}, True, id="short occlusion"),
        pytest.param({"misses": 3}, False, id="long occlusion"),
        pytest.param({"misses": 3, "anchored_ns": -LIFE_NS}, True, id="an answer still vouches"),
        pytest.param({"misses": 3, "anchored_ns": -LIFE_NS - 1}, False, id="an answer too old"),
        pytest.param({"hits": 0, "anchored_ns": None}, False, id="nobody vouches"),
    ],
)
def test_what_is_shown(sighted, viewpoint, changes, shown):
    """Each reason on its own, and both sides of its limit."""
    tracks = TrackSet(0, (replace(sighted, **changes),))
    assert len(publishable_boxes(tracks, viewpoint, TRUST).detections) == int(shown)


@pytest.mark.parametrize(
    ("changes", "low", "high"),
    [
        pytest.param({"sight_score": 0.42}, 0.49, 0.51, id="the working point"),
        pytest.param({"sight_score": 0.9}, 0.9, 1.0, id="clear"),
        pytest.param({"rung": Rung.PREDICTED}, 0.4, 0.55, id="predicted is worth less"),
        pytest.param({"misses": 2, "rung": Rung.PREDICTED}, 0.2, 0.4, id="and less by every miss"),
        pytest.param({"rung": Rung.IMAGE}, 0.0, 0.4, id="a guess"),
        pytest.param({"anchor_score": 0.95}, 0.95, 0.95, id="an answer counts as it says"),
        pytest.param({"sight_score": 0.0, "anchor_score": 0.9, "unconfirmed": 1}, 0.45, 0.45, id="questioned"),
        pytest.param({"sight_score": 1.0}, 1.0, 1.0, id="never above one"),
    ],
)
def test_scores(sighted, changes, low, high):
    """In [0, 1], with 0.5 as the point to cut at."""
    assert low <= track_score(replace(sighted, **changes), 0, TRUST) <= high


def unseen_share(track, unseen_s):
    """What is left of a track's score some time after it was last seen."""
    return track_score(track, round(unseen_s * 1e9), TRUST) / track_score(track, 0, TRUST)


def test_scores_fade_while_unseen(sighted):
    """Ever lower, never negative; at once as before where it is seen; after three seconds next to nothing is left."""
    standing = [unseen_share(sighted, seconds) for seconds in (0.0, 0.1, 0.5, 1.0, 3.0)]
    assert standing[0] == 1.0
    assert standing == sorted(standing, reverse=True)
    assert 0.0 < standing[-1] < 0.4


def test_what_moves_fades_faster(sighted):
    """A parked car is still there after a second; a driving one may be anywhere."""
    driving = Motion(np.array([*sighted.motion.xy, 10.0, 0.0, 0.0]), np.diag([0.01, 0.01, 0.04, 0.04, 0.0]))
    moving = replace(sighted, motion=driving)
    assert moving.motion.moving
    assert not sighted.motion.moving
    assert unseen_share(moving, 1.0) < 0.6 * unseen_share(sighted, 1.0)
    # half of the score is gone after the half-life of each, whatever it is: twice the time leaves the square
    for track in (sighted, moving):
        assert unseen_share(track, 2.0) == pytest.approx(unseen_share(track, 1.0) ** 2)


def test_an_answer_counts_as_seen(sighted):
    """What the image lost but an answer held half a second ago has faded half a second, not longer."""
    told = replace(sighted, anchored_ns=500_000_000, anchor_score=0.9, seen_ns=500_000_000)
    assert track_score(told, LIFE_NS, TRUST) > track_score(replace(told, seen_ns=0), LIFE_NS, TRUST)
    assert track_score(told, 500_000_000, TRUST) == pytest.approx(0.9)


def test_what_answers_speak_of_and_have_not_held_is_less_sure(sighted):
    """Only of the classes that they speak of, and only until one has held it."""
    known = frozenset({sighted.object_class})
    track = replace(sighted, sight_score=0.6)
    assert track_score(track, 0, TRUST, known) < track_score(track, 0, TRUST)
    assert track_score(track, 0, TRUST, frozenset({ObjectClass.PEDESTRIAN})) == track_score(track, 0, TRUST)
    held = replace(track, anchored_ns=0, anchor_score=0.1)
    assert track_score(held, 0, TRUST, known) == track_score(track, 0, TRUST)


def test_of_overlapping_boxes_the_surer_one_stays(street, viewpoint, anchored, sighted):
    """Two tracks on one object are published as one."""
    double = replace(sighted, track_id=77, sight_score=0.5)
    boxes = publishable_boxes(TrackSet(0, (double, *anchored(street.box(20.3, 0.1)))), viewpoint, TRUST)
    assert boxes.track_ids.tolist() == [500]
    assert boxes.rungs == ("anchor",)


def test_no_tracks(viewpoint):
    """An empty set is an empty publication, with all its parallel arrays."""
    boxes = publishable_boxes(TrackSet(), viewpoint, TRUST)
    publication = boxes.publication(5, 0, 10, -1)
    assert (len(publication.detections), publication.velocities_world_mps.shape) == (0, (0, 2))
    assert not publication.own
    assert len(PublishedBoxes.none().publication(5, 0, 10, 0).detections) == 0


def test_trust_without_half_lives_fades_nothing(sighted):
    """For agents that look at nothing themselves, so that nothing of theirs is ever unseen."""
    told = replace(sighted, anchored_ns=0, anchor_score=0.9)
    assert track_score(told, 2 * LIFE_NS, Trust(LIFE_NS)) == 0.9


def test_a_bad_fit_is_less_sure(sighted):
    """A box that agreed with neither points nor image says less; what has no faces is not fitted."""
    assert track_score(replace(sighted, fit_score=0.2), 0, TRUST) == pytest.approx(track_score(sighted, 0, TRUST) / 2)


def test_vehicles_are_scored_by_chance_where_trust_says_so(street, viewpoint, sighted):
    """At the range of the box, by the classes that answers speak of; people as ever."""
    person = replace(
        sighted, track_id=9, size=replace(sighted.size, object_class=ObjectClass.PEDESTRIAN), rung=Rung.CENTROID
    )
    person = replace(person, motion=person.motion.moved_to(np.array([20.0, 5.0]), 0.01 * np.eye(2)))
    known = frozenset({sighted.object_class})
    tracks = TrackSet(0, (sighted, person), known)
    boxes = publishable_boxes(tracks, viewpoint, replace(TRUST, by_chance=True))
    scores = dict(zip(boxes.track_ids.tolist(), boxes.detections.scores.tolist(), strict=True))
    assert scores[sighted.track_id] == pytest.approx(score_of(right_chance(sighted, 0, 20.0, known)))
    assert scores[9] == track_score(person, 0, TRUST, known)


def test_boxes_know_their_tracks(street, viewpoint, anchored):
    """One track for each box, in the boxes' order, with what answers speak of; also of some of them."""
    shown = anchored(street.box(20, 0), street.box(30, 5), street.box(12, -4))
    tracks = TrackSet(7, shown, frozenset({ObjectClass.CAR}))
    boxes = publishable_boxes(tracks, viewpoint, TRUST)
    some = boxes.select(np.array([2, 0]))
    for part in (boxes, some):
        assert [track.track_id for track in part.tracks.tracks] == part.track_ids.tolist()
        assert (part.tracks.stamp_ns, part.tracks.answered_classes) == (7, {ObjectClass.CAR})
    assert some.track_ids.tolist() == boxes.track_ids[[2, 0]].tolist()
    assert PublishedBoxes.none().select(np.zeros(0, np.int64)).tracks.tracks == ()

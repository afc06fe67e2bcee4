"""Which detection shows which track."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.detections import Detections2D
from vedette.edge.tracking.anchors import AnchorRules, apply_answer
from vedette.edge.tracking.association import UNMATCHED, associate, without_duplicates
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import SE3

RULES = AnchorRules(0.5, 0.5, None)


@pytest.fixture
def viewpoint(street):
    """At the origin, at time 0."""
    return Viewpoint(0, SE3.identity(), street.camera)


@pytest.fixture
def tracks_of(street, viewpoint):
    """Tracks at given boxes."""
    return lambda *boxes, **kinds: (
        apply_answer(TrackSet(), 0, viewpoint, street.answer(*boxes, **kinds), RULES)[0].tracks
    )


def test_each_to_its_own(street, viewpoint, tracks_of):
    """Detections in another order than the tracks find theirs; one that fits nothing is new."""
    boxes = [street.box(12, -3), street.box(20, 2), street.box(35, 8)]
    detections = street.detections([boxes[1], boxes[2], boxes[0]])
    assert associate(tracks_of(*boxes[:2]), detections, viewpoint).tolist() == [1, UNMATCHED, 0]


@pytest.mark.parametrize(("tracked", "seen"), [(0, 1), (1, 0), (0, 0)])
def test_nothing_to_match(street, viewpoint, tracks_of, tracked, seen):
    """No tracks, no detections, or neither."""
    box = street.box(12, 0)
    matches = associate(tracks_of(*[box] * tracked), street.detections([box] * seen), viewpoint)
    assert matches.tolist() == [UNMATCHED] * seen


def test_a_person_is_not_a_car(street, viewpoint, tracks_of):
    """Full overlap across groups is no match; a car called truck still is the same object."""
    box = street.box(12, 0)
    assert associate(tracks_of(box), street.detections([box], ObjectClass.PEDESTRIAN), viewpoint)[0] == UNMATCHED
    assert associate(tracks_of(box), street.detections([box], ObjectClass.TRUCK), viewpoint)[0] == 0


def test_a_track_behind_the_camera_matches_nothing(street, viewpoint, tracks_of):
    """Its mirrored image is none."""
    ahead, behind = street.box(12, 0), street.box(-12, 0)
    assert associate(tracks_of(behind), street.detections([ahead]), viewpoint)[0] == UNMATCHED


def test_duplicates_across_classes_are_dropped():
    """A van seen as car and as truck is one object, of the better score; a rider before a car stays."""
    box = [100.0, 100.0, 200.0, 180.0]
    detections = Detections2D(
        np.array([box, [102.0, 101.0, 203.0, 181.0], box, [400.0, 100.0, 500.0, 180.0]]),
        np.array([0.6, 0.7, 0.5, 0.9]),
        np.array([ObjectClass.CAR, ObjectClass.TRUCK, ObjectClass.CYCLIST, ObjectClass.CAR], np.int64),
    )
    kept = without_duplicates(detections)
    assert kept.scores.tolist() == [0.9, 0.7, 0.5]
    assert len(without_duplicates(Detections2D.empty())) == 0

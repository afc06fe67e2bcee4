"""Which tracks are looked for in the sweep alone, and where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vedette.edge.tracking.anchors import AnchorRules, apply_answer
from vedette.edge.tracking.association import UNMATCHED
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.unseen import expected, unseen_rows
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import SE3

NOW_NS = 5_000_000_000
SECOND_NS = 1_000_000_000
NONE_MATCHED = np.full(1, UNMATCHED, np.int64)


@pytest.fixture
def viewpoint(street):
    """Turned and shifted, so that mixing up frames shows."""
    return Viewpoint(NOW_NS, SE3.from_yaw(0.7, [100.0, -50.0, 2.0]), street.camera)


@pytest.fixture
def told(street, viewpoint):
    """Tracks of an answer about this very frame."""
    return lambda *boxes: (
        apply_answer(TrackSet(), 0, viewpoint, street.answer(*boxes), AnchorRules(0.5, 0.5, None))[0].tracks
    )


@pytest.mark.parametrize(
    ("changes", "followed"),
    [
        pytest.param({}, True, id="held just now"),
        pytest.param({"anchored_ns": None}, False, id="never held: the image alone may be wrong"),
        pytest.param({"unconfirmed": 1}, False, id="an answer since did not have it"),
        pytest.param({"anchored_ns": NOW_NS - SECOND_NS}, True, id="a second ago"),
        pytest.param({"anchored_ns": NOW_NS - SECOND_NS - 1}, False, id="longer ago"),
        pytest.param({"misses": 3}, True, id="images miss it: that is what it is for"),
    ],
)
def test_what_is_sure_enough(street, viewpoint, told, changes, followed):
    """Each reason on its own, and both sides of the limit."""
    tracks = TrackSet(NOW_NS, (replace(told(street.box(20.0, 2.0))[0], **changes),))
    assert unseen_rows(tracks, NONE_MATCHED, viewpoint) == ([0] if followed else [])


@pytest.mark.parametrize(
    ("place", "followed"),
    [
        pytest.param((20.0, 2.0), True, id="ahead"),
        pytest.param((-20.0, 0.0), False, id="behind"),
        pytest.param((5.0, 20.0), False, id="aside"),
    ],
)
def test_only_in_the_cameras_view(street, viewpoint, told, place, followed):
    """Of the sweep only what the camera sees is kept."""
    tracks = TrackSet(NOW_NS, told(street.box(*place)))
    assert unseen_rows(tracks, NONE_MATCHED, viewpoint) == ([0] if followed else [])


def test_what_a_detection_shows_is_left_out(street, viewpoint, told):
    """Rows are those of the tracks, whatever detections there are beside."""
    tracks = TrackSet(NOW_NS, told(street.box(20.0, 2.0), street.box(25.0, -4.0), street.box(30.0, 6.0)))
    assert unseen_rows(tracks, np.array([UNMATCHED, 1]), viewpoint) == [0, 2]
    assert unseen_rows(tracks, np.array([2, 0, 1]), viewpoint) == []
    assert unseen_rows(TrackSet(), NONE_MATCHED, viewpoint) == []


def test_where_it_is_expected(street, viewpoint, told):
    """In the frame's own axes: what is unsure along the road ahead is so along x."""
    (track,) = told(street.box(20.0, 2.0, 0.1))
    ahead = np.array([np.cos(0.7), np.sin(0.7)])
    spread = 4.0 * np.outer(ahead, ahead) + 0.01 * np.eye(2)
    unsure = replace(track, motion=track.motion.moved_to(track.motion.xy, spread))
    place = expected(unsure, viewpoint)
    assert place.xy_velo == pytest.approx([20.0, 2.0])
    assert place.covariance_m2 == pytest.approx(np.diag([4.01, 0.01]))
    assert place.hint.heading.yaw == pytest.approx(0.1)
    assert place.hint.anchored

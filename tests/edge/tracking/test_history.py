"""Rewinding: what a late answer changes, and that lateness and order change nothing."""

from __future__ import annotations

from itertools import permutations

import pytest

from vedette.detections import Detections3D
from vedette.edge.tracking.history import History, Moment
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import SE3


def advance(tracks, moment):
    """Not a tracker: appends what it is given, so that the order of steps can be read off."""
    return TrackSet(moment.viewpoint.stamp_ns, (*tracks.tracks, moment.evidence))


def apply(moment):
    """Appends the answer's number of boxes after a mark."""
    if moment.answer is None:
        return moment.tracks
    return TrackSet(moment.tracks.stamp_ns, (*moment.tracks.tracks, f"answer to {moment.frame_index}"))


@pytest.fixture
def history(street):
    """Five frames, a to e, of which the newest four are kept."""
    made = History(4, advance, apply)
    for index, letter in enumerate("abcde"):
        moment = Moment(index, Viewpoint(index * 10, SE3.identity(), street.camera), letter)
        made.append(moment, advance(made.tracks, moment))
    return made


def merge(history, index):
    """Merge an answer about a frame."""
    history.merge(history.find(index, index * 10), Detections3D.empty())


def test_an_answer_goes_where_it_belongs(history):
    """After its frame's own evidence, before that of the next."""
    merge(history, 2)
    assert history.tracks.tracks == ("a", "b", "c", "answer to 2", "d", "e")


def test_an_answer_to_the_newest_frame(history):
    """Nothing to do again."""
    merge(history, 4)
    assert history.tracks.tracks == ("a", "b", "c", "d", "e", "answer to 4")


@pytest.mark.parametrize("order", list(permutations((1, 3, 4))))
def test_the_order_of_arrival_does_not_matter(history, order):
    """Answers that overtake each other end up the same."""
    for index in order:
        merge(history, index)
    expected = ("a", "b", "answer to 1", "c", "d", "answer to 3", "e", "answer to 4")
    assert history.tracks.tracks == expected


def test_frames_after_a_merge_build_on_it(history, street):
    """What comes next starts from the corrected tracks."""
    merge(history, 3)
    moment = Moment(5, Viewpoint(50, SE3.identity(), street.camera), "f")
    history.append(moment, advance(history.tracks, moment))
    assert history.tracks.tracks[-3:] == ("answer to 3", "e", "f")


@pytest.mark.parametrize(
    ("index", "stamp_ns"), [pytest.param(0, 0, id="too old"), (9, 90), pytest.param(3, 31, id="another recording")]
)
def test_unknown_frames_are_not_found(history, index, stamp_ns):
    """Out of the buffer, never seen, or of another time."""
    assert history.find(index, stamp_ns) is None


def test_forget(history):
    """Nothing is left."""
    history.forget()
    assert history.tracks.tracks == ()
    assert history.find(4, 40) is None

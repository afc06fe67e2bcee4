"""Signs of error, read from the tracks themselves."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.edge.offload.drift import Drift, TrackDrift, drift_of
from vedette.edge.tracking.anchors import AnchorRules, apply_answer
from vedette.edge.tracking.association import projected_px
from vedette.edge.tracking.track import ImageTrace, TrackSet
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import SE3

SECOND_NS = 10**9
NOW_NS = 10 * SECOND_NS
EGO = SE3.from_yaw(0.5, [100.0, 20.0, 0.0])


@pytest.fixture
def viewpoint(street):
    """Away from the world's origin, so that mixing up frames shows."""
    return Viewpoint(NOW_NS, EGO, street.camera)


@pytest.fixture
def drift(street, viewpoint):
    """The drift of one car 15 m ahead, or elsewhere, with changes to its track; no class is answered but its own."""

    def read(place=(15.0, 1.0), seen_px=None, **changes):
        rules = AnchorRules(0.5, 0.5, None)
        (track,) = apply_answer(TrackSet(), 0, viewpoint, street.answer(street.box(*place)), rules)[0].tracks
        bounds = projected_px([track], viewpoint)
        if seen_px is not None:
            changes["trace"] = ImageTrace(bounds[0] + seen_px, np.zeros(4), NOW_NS)
        shown = TrackSet(NOW_NS, (replace(track, **changes),), frozenset({track.object_class}))
        return drift_of(shown, bounds, viewpoint)

    return read


def test_nothing_shown_nothing_drifts(viewpoint):
    """No tracks: no deficit, no shares of nothing."""
    none = drift_of(TrackSet(), np.zeros((0, 4)), viewpoint)
    assert (none.deficit, none.new_share) == (0, 0.0)
    assert math.isnan(none.median_overlap)
    assert Drift().deficit == 0


def test_what_an_answer_has_just_held_is_right(drift):
    """Nothing is left to put right of an object that images have long shown where it is."""
    fresh = drift(seen_px=0.0, hits=9, sight_score=0.8)
    assert fresh.deficit == pytest.approx(0.0, abs=1e-9)
    assert fresh.tracks[0].anchor_age_s == 0.0
    assert fresh.rungs == {"anchor": 1}


def test_the_chance_is_that_of_the_track(drift, monkeypatch):
    """At the frame's time and the range of the box, by the classes that answers speak of."""
    asked = []
    monkeypatch.setattr("vedette.edge.offload.drift.right_chance", lambda *told: asked.append(told) or 0.3)
    (entry,) = drift().tracks
    ((_, stamp_ns, range_m, answered_classes),) = asked
    assert (entry.right, stamp_ns, answered_classes) == (0.3, NOW_NS, {ObjectClass.CAR})
    # of the middle of the box, seen from above
    assert range_m == pytest.approx(math.hypot(15.0, 1.0))


def test_what_no_answer_holds_any_more_drifts(drift):
    """The longer ago the answer, the more another would put right."""
    stamps_ns = (NOW_NS, NOW_NS - SECOND_NS // 2, NOW_NS - 2 * SECOND_NS)
    deficits = [drift(anchored_ns=stamp_ns, hits=9, sight_score=0.6).deficit for stamp_ns in stamps_ns]
    assert deficits == sorted(deficits)
    assert deficits[0] < deficits[-1]


@pytest.mark.parametrize(("right", "deficit"), [(0.32, 0.5), (0.82, 0.0), (0.99, 0.0)])
def test_an_answer_makes_82_percent_right(right, deficit):
    """What is missing to that; nothing is taken away from what is surer."""
    assert TrackDrift(np.zeros(4), right, math.nan, math.inf).deficit == pytest.approx(deficit)


def test_overlap_is_that_of_this_very_frame(drift):
    """A box seen where it is projected overlaps fully; one last seen a frame ago says nothing about now."""
    assert drift(seen_px=0.0).median_overlap == pytest.approx(1.0)
    assert math.isnan(drift(trace=ImageTrace(np.array([0.0, 0, 9, 9]), np.zeros(4), NOW_NS - 1)).median_overlap)
    assert drift(seen_px=5000.0).median_overlap == 0.0


@pytest.mark.parametrize(("x", "counted"), [(49.0, 1), (51.0, 0)])
def test_only_what_is_near_counts(drift, x, counted):
    """Within 50 m of the ego, not of the world's origin."""
    assert len(drift(place=(x, 1.0)).tracks) == counted


def test_shares_of_many():
    """Two in three are new; the median of two overlaps is their mean; the sum of the deficits is the drift's."""
    box = np.array([0.0, 0, 10, 10])
    tracks = [
        TrackDrift(box, 0.85, 0.9, 0.1),
        TrackDrift(box, 0.5, 0.5, math.inf),
        TrackDrift(box, 0.25, math.nan, math.inf),
    ]
    drift = Drift(tracks)
    assert drift.new_share == pytest.approx(2 / 3)
    assert drift.median_overlap == pytest.approx(0.7)
    assert drift.deficit == pytest.approx(sum(track.deficit for track in tracks))
    assert TrackDrift(box, 1.0, 1.0, 0.0).deficit == 0.0

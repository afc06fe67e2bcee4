"""Signs of error, read from the tracks themselves."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from vedette.edge.lifting.lifted import Rung
from vedette.edge.offload.drift import WEIGHTS, Drift, Signs, TrackDrift, drift_of
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
    """The drift of one car 15 m ahead, or elsewhere, with changes to its track."""

    def read(place=(15.0, 1.0), seen_px=None, **changes):
        rules = AnchorRules(0.5, 0.5, None)
        (track,) = apply_answer(TrackSet(), 0, viewpoint, street.answer(street.box(*place)), rules)[0].tracks
        bounds = projected_px([track], viewpoint)
        if seen_px is not None:
            changes["trace"] = ImageTrace(bounds[0] + seen_px, np.zeros(4), NOW_NS)
        return drift_of([replace(track, **changes)], bounds, viewpoint)

    return read


def test_nothing_shown_nothing_drifts(viewpoint):
    """No tracks: no deficit, no shares of nothing."""
    none = drift_of([], np.zeros((0, 4)), viewpoint)
    assert (none.deficit, none.new_share) == (0, 0.0)
    assert math.isnan(none.median_overlap)
    assert Drift().deficit == 0


def test_what_an_answer_has_just_held_is_right(drift):
    """Nothing is left to put right of an object that images have long shown where it is."""
    fresh = drift(seen_px=0.0, hits=9)
    assert fresh.deficit == pytest.approx(0.0, abs=1e-9)
    assert fresh.tracks[0].anchor_age_s == 0.0
    assert fresh.rungs == {"anchor": 1}


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param(
            {"anchored_ns": NOW_NS - SECOND_NS, "rung": Rung.TWO_FACES},
            {"anchored_ns": NOW_NS - 3 * SECOND_NS, "rung": Rung.TWO_FACES},
            id="the answer is older",
        ),
        pytest.param(
            {"anchored_ns": NOW_NS - 3 * SECOND_NS, "rung": Rung.TWO_FACES},
            {"anchored_ns": None, "rung": Rung.TWO_FACES},
            id="no answer at all",
        ),
        pytest.param({"rung": Rung.TWO_FACES}, {"rung": Rung.CENTROID}, id="few points"),
        pytest.param({"rung": Rung.TWO_FACES}, {"rung": Rung.IMAGE}, id="no point"),
        pytest.param({"rung": Rung.TWO_FACES}, {"rung": Rung.PREDICTED}, id="not lifted"),
        pytest.param({"fit_score": 0.9}, {"fit_score": 0.3}, id="its fits do not agree"),
        pytest.param({"hits": 9}, {"hits": 1}, id="new"),
        pytest.param({"misses": 0}, {"misses": 2}, id="missed"),
        pytest.param(
            {"anchored_ns": None, "rung": Rung.TWO_FACES, "seen_px": 0.0},
            {"anchored_ns": None, "rung": Rung.TWO_FACES, "seen_px": 40.0},
            id="the image shows it elsewhere",
        ),
    ],
)
def test_each_sign_lowers_the_chance(drift, better, worse):
    """One at a time, of an object that no answer has held unless the case says so; chances stay chances."""
    usual = {"anchored_ns": None, "hits": 3}
    good, bad = drift(**usual | better), drift(**usual | worse)
    assert bad.tracks[0].right < good.tracks[0].right
    assert bad.deficit >= good.deficit
    assert all(0.0 <= entry.right <= 1.0 for entry in (*good.tracks, *bad.tracks))


def test_the_chance_is_that_of_the_weights(drift, monkeypatch):
    """By hand: 2 in log odds for what was seen by one answer 1.5 s ago, 1 / e of which is left."""
    only = dict.fromkeys(WEIGHTS, 0.0) | {"always": -1.0, "anchored": 2.0 * math.e}
    monkeypatch.setattr("vedette.edge.offload.drift.WEIGHTS", only)
    old = drift(anchored_ns=NOW_NS - 3 * SECOND_NS // 2)
    assert old.tracks[0].right == pytest.approx(1 / (1 + math.exp(1.0 - 2.0)))


def test_one_weight_for_every_sign(drift):
    """Each from 0 to 1, however long a track is shown or missed."""
    values = Signs(0.8, math.nan, math.inf, True, False, 6, 10**6, True, 25.0).values
    assert len(values) == len(WEIGHTS)
    assert values == (1.0, 0.8, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.5)


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

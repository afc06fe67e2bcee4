"""The chance that a vehicle's box is right, and the score that stands for it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from vedette.classes import ObjectClass
from vedette.edge.lifting.lifted import Rung
from vedette.edge.tracking.anchors import AnchorRules, apply_answer
from vedette.edge.tracking.chance import (
    FIT_BOUNDS,
    MOST_MISSES,
    MOST_UNCONFIRMED,
    MOST_UNSEEN_S,
    WORTH_SHOWING,
    evidence,
    right_chance,
    score_of,
)
from vedette.edge.tracking.track import TrackSet
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import SE3

SECOND_NS = 10**9
NOW_NS = 10 * SECOND_NS
RANGE_M = 20.0
CARS = frozenset({ObjectClass.CAR})


@pytest.fixture
def track(street):
    """A car that images have shown four times, the last one now, with both faces; no answer has held it."""
    viewpoint = Viewpoint(NOW_NS, SE3.identity(), street.camera)
    answer = street.answer(street.box(RANGE_M, 0.0))
    (held,) = apply_answer(TrackSet(), 0, viewpoint, answer, AnchorRules(0.5, 0.5, None))[0].tracks
    return replace(held, anchored_ns=None, anchor_score=0.0, sight_score=0.7, hits=4, rung=Rung.TWO_FACES)


def chance(track, range_m=RANGE_M, answered_classes=frozenset()):
    """Now."""
    return right_chance(track, NOW_NS, range_m, answered_classes)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param({"anchored_ns": NOW_NS}, {"anchored_ns": NOW_NS - SECOND_NS}, id="the answer is older"),
        pytest.param({"anchored_ns": NOW_NS - SECOND_NS}, {"anchored_ns": None}, id="no answer at all"),
        pytest.param({"anchor_score": 0.9}, {"anchor_score": 0.7}, id="the answer was less sure"),
        pytest.param({"fit_score": 0.9}, {"fit_score": 0.3}, id="its fits do not agree"),
        pytest.param({"rung": Rung.TWO_FACES}, {"rung": Rung.CENTROID}, id="few points"),
        pytest.param({"rung": Rung.TWO_FACES}, {"rung": Rung.IMAGE}, id="no point"),
        pytest.param({"rung": Rung.TWO_FACES}, {"rung": Rung.PREDICTED}, id="only moved on"),
        pytest.param({"rung": Rung.TWO_FACES}, {"rung": Rung.FOLLOWED}, id="the sweep alone shows it"),
        pytest.param({"seen_ns": NOW_NS}, {"seen_ns": NOW_NS - SECOND_NS // 2}, id="unseen for half a second"),
        pytest.param({"unconfirmed": 0}, {"unconfirmed": 1}, id="an answer did not have it"),
        pytest.param({"misses": 0}, {"misses": 2}, id="images did not show it"),
        pytest.param({"sight_score": 0.7}, {"sight_score": 0.4}, id="the image was less sure"),
    ],
)
def test_each_sign_lowers_the_chance(track, better, worse):
    """One at a time, of a car that an answer held just now and surely, unless the case says otherwise."""
    held = {"anchored_ns": NOW_NS, "anchor_score": 0.8}
    good, bad = chance(replace(track, **held | better)), chance(replace(track, **held | worse))
    assert 0.0 < bad < good < 1.0


def test_what_answers_speak_of_and_have_not_held(track):
    """Is less sure; of another class, or once it was held, their silence says nothing."""
    assert chance(track, answered_classes=CARS) < chance(track)
    assert chance(track, answered_classes=frozenset({ObjectClass.PEDESTRIAN})) == chance(track)
    held = replace(track, anchored_ns=NOW_NS, anchor_score=0.9)
    assert chance(held, answered_classes=CARS) == chance(held)


def test_by_hand(track, monkeypatch):
    """An answer of score 0.9 a second ago, 1 / e of which is left: -1 + (1 + 2 * 0.2) / e in log odds."""
    only = dict.fromkeys(evidence(track, NOW_NS, RANGE_M, frozenset()), 0.0)
    weights = only | {"recent answer": 1.0, "score of a recent answer": 2.0}
    monkeypatch.setattr("vedette.edge.tracking.chance._WEIGHTS", weights)
    monkeypatch.setattr("vedette.edge.tracking.chance._INTERCEPT", -1.0)
    held = replace(track, anchored_ns=NOW_NS - SECOND_NS, anchor_score=0.9)
    assert chance(held) == pytest.approx(1 / (1 + math.exp(1.0 - 1.4 / math.e)))


def test_evidence_of_a_plain_sight(track):
    """Nothing but what the image and the fit say: log odds of 0.8 are log 4."""
    told = evidence(replace(track, fit_score=0.8), NOW_NS, RANGE_M, frozenset())
    assert told.pop("fit") == pytest.approx(math.log(4.0))
    assert told.pop("score in the image") == 0.7
    assert set(told.values()) == {0.0}


@pytest.mark.parametrize(
    ("changes", "name", "limit"),
    [
        pytest.param({"fit_score": 0.0}, "fit", FIT_BOUNDS[0], id="no fit agrees"),
        pytest.param({"fit_score": 1.0}, "fit", FIT_BOUNDS[1], id="all fits agree"),
        pytest.param({"seen_ns": 0}, "unseen", MOST_UNSEEN_S, id="long unseen"),
        pytest.param({"unconfirmed": 9}, "unconfirmed", MOST_UNCONFIRMED, id="many answers without it"),
        pytest.param({"misses": 9}, "misses", MOST_MISSES, id="many images without it"),
    ],
)
def test_evidence_has_bounds(track, changes, name, limit):
    """What was not seen among the boxes that the weights were fitted to is taken as the most that was."""
    assert evidence(replace(track, **changes), NOW_NS, RANGE_M, frozenset())[name] == limit


@pytest.mark.parametrize(("range_m", "far"), [(5.0, 0.0), (20.0, 0.0), (30.0, 0.5), (50.0, 1.5)])
def test_far_counts_from_20_m(track, range_m, far):
    """In units of as much again."""
    assert evidence(track, NOW_NS, range_m, frozenset())["far"] == pytest.approx(far)


def test_points_without_faces_are_as_meant_of_people(track):
    """A pedestrian's box is always one around the middle of its points; a car's is so for want of better."""
    around = replace(track, rung=Rung.CENTROID)
    person = replace(around, size=replace(track.size, object_class=ObjectClass.PEDESTRIAN))
    assert evidence(around, NOW_NS, RANGE_M, frozenset())["few points"] == 1.0
    assert evidence(person, NOW_NS, RANGE_M, frozenset())["few points"] == 0.0


def test_a_chance_worth_showing_scores_one_half():
    """Scores of certain wrongs and rights are 0 and 1; more chance is more score."""
    assert score_of(WORTH_SHOWING) == pytest.approx(0.5)
    assert (score_of(0.0), score_of(1.0)) == (0.0, pytest.approx(1.0))
    scores = [score_of(step / 20) for step in range(21)]
    assert scores == sorted(set(scores))


def test_scores_of_odds_by_hand():
    """Odds of 3 are worth 3 * 0.6 / 0.4 = 4.5 where 0.4 is worth showing."""
    assert pytest.approx(0.4) == WORTH_SHOWING
    assert score_of(0.75) == pytest.approx(4.5 / 5.5)

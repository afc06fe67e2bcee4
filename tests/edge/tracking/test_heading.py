"""Heading: an axis averaged over time, a direction that only motion decides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.edge.tracking.heading import HeadingBelief, axis_gap

angles = st.floats(-np.pi, np.pi, exclude_max=True)


@given(angles, angles)
def test_an_axis_never_turns_the_object_round(yaw, axis):
    """However the axis is measured, the direction stays within a quarter turn of the old one."""
    seen = HeadingBelief(yaw, 2.0).observed_axis(axis, 1.0)
    assert np.cos(seen.yaw - yaw) > -1e-9


@given(angles)
def test_an_axis_and_its_opposite_are_one(axis):
    """Half a turn makes no difference to what is measured."""
    start = HeadingBelief(0.3, 1.0)
    assert start.observed_axis(axis, 1.0).yaw == pytest.approx(start.observed_axis(axis + np.pi, 1.0).yaw, abs=1e-9)


def test_first_sight_sets_the_axis():
    """Without earlier evidence the measurement is all there is."""
    assert HeadingBelief(0.0).observed_axis(0.4, 1.0).yaw == pytest.approx(0.4)


def test_two_equal_views_meet_in_the_middle():
    """Weight 1 that has faded to 0.9, and weight 0.9 now: halfway."""
    assert HeadingBelief(0.2, 1.0).observed_axis(0.4, 0.9).yaw == pytest.approx(0.3)


def test_what_moves_may_turn():
    """A heading ten views old gives way sooner once the object has been seen to move."""
    parked, moving = HeadingBelief(0.0, 5.0), HeadingBelief(0.0, 5.0, directed=True)
    for _ in range(3):
        parked, moving = parked.observed_axis(0.3, 1.0), moving.observed_axis(0.3, 1.0)
    # of the weights 5, 5.5, 5.95 nine tenths are kept against 1, and of 5, 4.5, 4.15 seven tenths
    assert (parked.yaw, moving.yaw) == (pytest.approx(0.128, abs=0.003), pytest.approx(0.168, abs=0.003))


def test_no_evidence_changes_nothing():
    """A measurement of no weight leaves a guess as it is."""
    assert HeadingBelief(1.0).observed_axis(2.0, 0.0).yaw == pytest.approx(1.0)


def test_motion_turns_the_object_round():
    """An object seen to go backwards of what was guessed points the other way from then on."""
    belief = HeadingBelief(0.0, 4.0).observed_motion(np.pi, 0.5)
    assert belief.directed
    assert abs(belief.yaw) == pytest.approx(np.pi)
    assert abs(belief.observed_axis(0.0, 1.0).yaw) == pytest.approx(np.pi)


@pytest.mark.parametrize(("directed", "expected"), [(False, np.pi), (True, 0.0)])
def test_an_answer_sets_the_direction_unless_motion_has_shown_it(directed, expected):
    """A detector that has it the wrong way round does not turn a moving car."""
    belief = HeadingBelief(0.0, 1.0, directed).anchored(np.pi)
    assert np.cos(belief.yaw - expected) == pytest.approx(1.0)


@given(angles, angles)
def test_rotation_and_back(yaw, turn):
    """Into another frame and back."""
    there_and_back = HeadingBelief(yaw, 1.0).rotated(turn).rotated(-turn)
    assert np.cos(there_and_back.yaw - yaw) == pytest.approx(1.0)


@pytest.mark.parametrize(("a", "b", "gap"), [(0, 0, 0), (0, np.pi, 0), (0, np.pi / 2, np.pi / 2), (0.1, -0.1, 0.2)])
def test_axis_gap(a, b, gap):
    """Between axes a quarter turn is the most."""
    assert axis_gap(a, b) == pytest.approx(gap)

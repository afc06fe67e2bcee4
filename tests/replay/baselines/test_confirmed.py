"""Boxes moved on, and shown where the image agrees."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.edge.offload.link import Answer
from vedette.replay.baselines.confirmed import ConfirmedAgent

SEEN = np.array([20.0, 2.0, -0.9, 4.0, 1.7, 1.5, 0.0])
UNSEEN = np.array([25.0, -6.0, -0.9, 4.0, 1.7, 1.5, 0.0])


@pytest.fixture
def frames(street):
    """Of the parked street."""
    return list(street(3))


@pytest.fixture
def seen_px(frames):
    """Where the first of the boxes is in the image: x1, y1, x2, y2."""
    return frames[0].camera.project_boxes(SEEN[None])[0][0]


def shown(agent, frames, image=True):
    """Lateral places of what is published for the second frame, after an answer with both boxes about the first."""
    agent.process_frame(frames[0])
    both = Detections3D(np.stack([SEEN, UNSEEN]), np.array([0.9, 0.8]), np.zeros(2, np.int64))
    agent.merge_answer(Answer(0, frames[0].stamp_ns, frames[0].stamp_ns, both, 100, 10, {}))
    second = frames[1] if image else dataclasses.replace(frames[1], image=None)
    return np.round(agent.process_frame(second).publication.detections.boxes_velo[:, 1], 1).tolist()


@pytest.mark.parametrize(
    ("shift", "class_id", "places"),
    [
        (0.0, ObjectClass.CAR, [2.0]),
        (0.0, ObjectClass.TRUCK, [2.0]),
        (0.0, ObjectClass.PEDESTRIAN, []),
        (0.5, ObjectClass.CAR, [2.0]),
        (0.6, ObjectClass.CAR, []),
    ],
    ids=["there", "taken for another vehicle", "a pedestrian is no car", "overlap 1/3", "overlap 1/4"],
)
def test_only_what_the_image_confirms(bench, frames, seen_px, detector2d_of, shift, class_id, places):
    """An IoU of 0.3 at least in the image; a box shifted by a share s of its width has (1 - s) / (1 + s)."""
    found_px = seen_px + shift * (seen_px[2] - seen_px[0]) * np.array([1, 0, 1, 0])
    detector = detector2d_of([found_px], [class_id])
    assert shown(ConfirmedAgent(detector, bench.policy, bench.sink, bench.clock, bench.stages), frames) == places


def test_an_image_of_nothing_confirms_nothing(bench, frames, detector2d_of):
    """No detections, no boxes."""
    agent = ConfirmedAgent(detector2d_of([], []), bench.policy, bench.sink, bench.clock, bench.stages)
    assert shown(agent, frames) == []


def test_without_an_image_all_are_shown(bench, frames, detector2d_of):
    """Nothing speaks against them; and what was not confirmed is not forgotten."""
    agent = ConfirmedAgent(detector2d_of([], []), bench.policy, bench.sink, bench.clock, bench.stages)
    assert sorted(shown(agent, frames, image=False)) == [-6.0, 2.0]
    assert len(agent.process_frame(frames[2]).publication.detections) == 0


def test_looking_takes_time(bench, frames, detector2d_of):
    """The stage is accounted for before publication."""
    agent = ConfirmedAgent(detector2d_of([], []), bench.policy, bench.sink, bench.clock, bench.stages)
    started_ns = bench.clock.now_ns()
    result = agent.process_frame(frames[0])
    assert result.stage_ms["detect2d"] == 1.0
    assert result.publication.publish_ns - started_ns == 3_000_000  # predict, update, detect2d

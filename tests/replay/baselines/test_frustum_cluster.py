"""The largest cluster behind a 2D box, in a box of the usual size."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.frames import BadFrame, Sweep
from vedette.replay.baselines.frustum_cluster import FrustumClusterAgent

CAR = np.array([[20.0, 2.0, -0.9, 4.0, 1.7, 1.5, 0.0]])
CAR_SIZE_M = (3.9, 1.63, 1.53)


@pytest.fixture
def frame(street):
    """Ground at z = -1.7 and the rear of one car: x = 18, y from 1.15 to 2.85, 18 to 1 m below and 4 cm above it."""
    return next(iter(street(1)))


@pytest.fixture
def car_px(frame):
    """The car in the image."""
    return frame.camera.project_boxes(CAR)[0][0]


def agent_of(bench, detector2d):
    """An agent on the bench."""
    return FrustumClusterAgent(detector2d, bench.sink, bench.clock, bench.stages)


def with_points(frame, xyz):
    """The frame with further points."""
    old = frame.sweep
    more = np.c_[xyz, np.full(len(xyz), 0.3)].astype(np.float32)
    return dataclasses.replace(frame, sweep=Sweep(np.concatenate([old.points_velo, more]), old.start_ns, old.end_ns))


def plane_at(x_m, y_m, count):
    """A patch of points 5 cm apart that faces the sensor, centred at some place, from 1.4 m below it upwards."""
    rows = math.ceil(math.sqrt(count))
    across, up = np.meshgrid(np.arange(rows) * 0.05, np.arange(rows) * 0.05)
    return np.c_[np.full(rows * rows, x_m), y_m + across.ravel() - (rows - 1) * 0.025, up.ravel() - 1.4]


def test_a_rear_becomes_a_car_that_stands_across(bench, frame, car_px, detector2d_of):
    """Worked out by hand: the middle of the points, 1.53 / 2 above the ground at -1.7, long where they are long.

    That the box lies in the rear face and stands across is what is naive about it.
    """
    agent = agent_of(bench, detector2d_of([car_px], [ObjectClass.CAR], [0.7]))
    result = agent.process_frame(frame)
    [box] = result.publication.detections.boxes_velo
    assert box[:3] == pytest.approx([18.0, 2.0, -1.7 + 1.53 / 2], abs=0.05)  # ground is fitted to 5 cm
    assert tuple(box[3:6]) == CAR_SIZE_M
    assert abs(math.sin(box[6])) == pytest.approx(1.0, abs=1e-3)
    assert result.publication.detections.scores.tolist() == [0.7]
    assert result.publication.rungs == ("cluster",)
    assert result.publication.track_ids.tolist() == [-1]
    assert result.publication.own
    assert not result.decision.send
    assert result.stage_ms == {"detect2d": 1.0, "lift": 1.0}


@pytest.mark.parametrize(
    ("x_m", "count", "place_x_m"),
    [(10.0, 16, 18.0), (30.0, 1600, 30.0)],
    ids=["a pole before", "a wall behind"],
)
def test_the_largest_cluster_wins(bench, frame, car_px, detector2d_of, x_m, count, place_x_m):
    """Few points before the car do not matter; many behind it take its place."""
    more = plane_at(x_m, 2.0 * x_m / 18.0, count)
    agent = agent_of(bench, detector2d_of([car_px], [ObjectClass.CAR]))
    [box] = agent.process_frame(with_points(frame, more)).publication.detections.boxes_velo
    assert box[0] == pytest.approx(place_x_m, abs=0.01)


def test_points_beside_the_box_do_not_count(bench, frame, car_px, detector2d_of):
    """A detection of the upper left quarter gets the points there: the middle moves up to y = 2.4."""
    left_px = car_px * 1.0
    left_px[2] = (car_px[0] + car_px[2]) / 2
    agent = agent_of(bench, detector2d_of([left_px], [ObjectClass.CAR]))
    [box] = agent.process_frame(frame).publication.detections.boxes_velo
    middle_px = (car_px[0] + car_px[2]) / 2
    right_end_m = (600 - middle_px) / 700 * 18.0
    assert box[1] == pytest.approx((2.85 + right_end_m) / 2, abs=0.06)


@pytest.mark.parametrize(
    ("boxes_px", "parts"),
    [([], {}), ([[10.0, 10, 40, 40]], {}), (None, {"sweep": None}), (None, {"image": None})],
    ids=["nothing seen", "sky", "no sweep", "no image"],
)
def test_nothing_is_made_of_nothing(bench, frame, car_px, detector2d_of, boxes_px, parts):
    """No detection, no points behind it, no sweep, no image: no box, and the run goes on."""
    found = [car_px] if boxes_px is None else boxes_px
    agent = agent_of(bench, detector2d_of(found, [ObjectClass.CAR] * len(found)))
    result = agent.process_frame(dataclasses.replace(frame, **parts))
    assert len(result.publication.detections) == 0


def test_frames_are_on_their_own(bench, frame, car_px, detector2d_of):
    """A bad frame shows nothing, though the one before had a car; nothing is foreseen; nothing was asked."""
    agent = agent_of(bench, detector2d_of([car_px], [ObjectClass.CAR]))
    agent.process_frame(frame)
    skipped = agent.skip_frame(BadFrame(1, "street", frame.stamp_ns + 1, ValueError("gone")))
    assert (len(skipped.detections), skipped.own) == (0, False)
    assert [publication.forecast for publication in bench.sink.publications] == [False, False]
    assert agent.give_up(Loss(0, 0, 0, LossReason.DEADLINE, "", 0)) is None
    with pytest.raises(ValueError, match="frame 0, which nobody asked for"):
        agent.merge_answer(Answer(0, 0, 0, skipped.detections, 0, 0, {}))

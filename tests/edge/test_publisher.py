"""Publications of frames, and forecasts of the next."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.clock import SimulatedClock
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.propagating_agent import PropagatingAgent
from vedette.errors import InvalidFrameError
from vedette.frames import BadFrame
from vedette.geometry import SE3
from vedette.telemetry.stages import MeasuredStages, ProfiledStages

FRAME_NS = 100_000_000


def seen(street, run, count, speed_mps=10.0):
    """Frames of a car that drives away, each answered at once in the image; the last result."""
    for index in range(count):
        result = run.frame(index, [street.box(12.0 + 0.1 * speed_mps * index, 2.0)])
    return result


def test_every_frame_is_followed_by_a_forecast(street, start_run):
    """For the time of the next capture, resting on the same data, named after the newest frame, and marked."""
    run = start_run()
    result = seen(street, run, 3)
    assert len(run.sink.publications) == len(run.sink.forecasts) == 3
    forecast = run.sink.forecasts[-1]
    assert (forecast.frame_index, forecast.stamp_ns, forecast.basis_stamp_ns) == (2, 3 * FRAME_NS, 2 * FRAME_NS)
    assert not forecast.own
    assert not result.publication.forecast
    assert forecast.track_ids.tolist() == result.publication.track_ids.tolist()


def test_a_forecast_is_where_the_object_will_be(street, start_run):
    """After ten frames of a car at 10 m/s, half a metre or better, and better than the boxes of now."""
    run = start_run()
    result = seen(street, run, 10)
    truth = street.box(22.0, 2.0)[:2]
    error_m = np.hypot(*(run.sink.forecasts[-1].detections.boxes_velo[0, :2] - truth))
    error_now_m = np.hypot(*(result.publication.detections.boxes_velo[0, :2] - truth))
    assert error_m < 0.4 < error_now_m


def test_our_own_way_is_foreseen_too(street, start_run):
    """We drive 10 m/s towards a parked car: the next frame will have it a metre nearer."""
    run = start_run()
    for index in range(6):
        result = run.frame(index, [street.box(30.0 - index, 3.0)], pose=SE3.from_yaw(0.0, [1.0 * index, 0.0, 0.0]))
    now = result.publication.detections.boxes_velo[0]
    foreseen = run.sink.forecasts[-1].detections.boxes_velo[0]
    assert foreseen[0] - now[0] == pytest.approx(-1.0, abs=0.15)


def test_a_forecast_is_less_sure(street, start_run):
    """What is not seen yet counts a little less."""
    run = start_run()
    result = seen(street, run, 5)
    assert 0.5 < run.sink.forecasts[-1].detections.scores[0] / result.publication.detections.scores[0] < 1.0


@pytest.fixture
def propagating(street, start_run):
    """A propagating agent that has seen frames 0 and 1 and an answer about the first, and where its words go."""
    run = start_run()
    run.agent = PropagatingAgent(FixedInterval(1), run.sink, run.clock, MeasuredStages())
    run.frame(0, [])
    run.frame(1, [])
    run.answer(0, street.box(20.0, 3.0))
    return run


@pytest.mark.parametrize(
    ("now_ns", "stamp_ns"),
    [
        pytest.param(FRAME_NS, 2 * FRAME_NS, id="at once"),
        pytest.param(2 * FRAME_NS, 2 * FRAME_NS, id="as the next is captured"),
        pytest.param(2 * FRAME_NS + 1, 3 * FRAME_NS, id="a frame late"),
        pytest.param(6 * FRAME_NS, 6 * FRAME_NS, id="half a second late"),
        pytest.param(6 * FRAME_NS + 1, None, id="too late to say anything"),
    ],
)
def test_the_next_capture_by_the_clock(street, propagating, now_ns, stamp_ns):
    """The first that is still to come, at the interval of the last two frames; nobody foresees over half a second."""
    propagating.clock.sleep_until_ns(now_ns)
    before = len(propagating.sink.forecasts)
    propagating.answer(1, street.box(20.0, 3.0))
    assert [forecast.stamp_ns for forecast in propagating.sink.forecasts[before:]] == (
        [] if stamp_ns is None else [stamp_ns]
    )


def slow_run(start_run, lift_ms):
    """A run whose frames take a while, each of them to be begun 50 ms after its capture."""
    clock = SimulatedClock()
    steps = ("predict", "detect2d", "associate", "update", "decide")
    stages = ProfiledStages(clock, dict.fromkeys(steps, 0.0) | {"forecast": 1.0, "lift": lift_ms})
    return start_run(clock=clock, stages=stages)


def process(street, run, index, pose=None):
    """One frame of a parked car, 30 m ahead of where we began."""
    ahead_m = 0.0 if pose is None else pose.translation[0]
    run.clock.sleep_until_ns(index * FRAME_NS + FRAME_NS // 2)
    return run.frame(index, [street.box(30.0 - ahead_m, 3.0)], pose=pose)


@pytest.mark.parametrize(
    ("lift_ms", "published_ms"),
    [
        pytest.param(30.0, {100: [81], 200: [181], 300: [281]}, id="each is done by the next capture"),
        pytest.param(80.0, {200: [131, 151], 300: [232, 251], 400: [332]}, id="each would leave one without"),
        pytest.param(98.0, {200: [149, 151], 300: [250, 251], 400: [350]}, id="each is done late"),
    ],
)
def test_work_that_outlasts_a_capture_begins_with_a_forecast(street, start_run, lift_ms, published_ms):
    """For the capture that comes first; as the frame before took so long, this one will."""
    run = slow_run(start_run, lift_ms)
    for index in range(3):
        process(street, run, index)
    found: dict[int, list[int]] = {}
    for forecast in run.sink.forecasts:
        found.setdefault(forecast.stamp_ns // 1_000_000, []).append(forecast.publish_ns // 1_000_000)
    assert found == published_ms


def test_that_forecast_knows_the_newest_pose(street, start_run):
    """We begin to move by 2 m a frame: before anything is seen of the frame, the car is foreseen nearer by it."""
    run = slow_run(start_run, 80.0)
    for index in range(4):
        process(street, run, index, pose=SE3.from_yaw(0.0, [0.0, 0.0, 0.0]))
    process(street, run, 4, pose=SE3.from_yaw(0.0, [2.0, 0.0, 0.0]))
    after_third, before_fourth = [p for p in run.sink.forecasts if p.stamp_ns == 5 * FRAME_NS]
    assert before_fourth.basis_stamp_ns == after_third.basis_stamp_ns == 3 * FRAME_NS
    nearer_m = after_third.detections.boxes_velo[0, 0] - before_fourth.detections.boxes_velo[0, 0]
    assert nearer_m == pytest.approx(4.0, abs=0.01)


def test_frames_passed_over_are_followed_by_forecasts(street, propagating):
    """A good one that came while busy, and a bad one."""
    propagating.agent.skip_frame(street.frame(2, []))
    propagating.agent.skip_frame(BadFrame(3, "street", 3 * FRAME_NS, InvalidFrameError("truncated")))
    last = propagating.sink.forecasts[-2:]
    assert [(forecast.frame_index, forecast.stamp_ns) for forecast in last] == [(2, 3 * FRAME_NS), (3, 4 * FRAME_NS)]
    assert [len(forecast.detections) for forecast in last] == [1, 1]


def test_before_any_good_frame_nothing_is_foreseen(start_run):
    """A bad frame is published, empty, and that is all."""
    run = start_run()
    run.agent.skip_frame(BadFrame(0, "street", 0, InvalidFrameError("truncated")))
    assert (len(run.sink.publications), len(run.sink.forecasts)) == (1, 0)

"""The agent of a device whose own detector keeps up: its boxes for every frame, propagated ones in between."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.clock import SimulatedClock
from vedette.edge.detecting_agent import DetectingAgent
from vedette.edge.offload.link import Answer
from vedette.telemetry.stages import ProfiledStages

FRAME_NS = 100_000_000
STAGES_MS = {"predict": 1.0, "detect3d": 30.0, "update": 1.0, "forecast": 1.0}


class ScriptedDetector:
    """Answers with what the test has set."""

    name = "scripted"

    def __init__(self):
        self.next = None

    def detect(self, sweep, camera):
        return self.next


class Collector:
    """Keeps what is published."""

    def __init__(self):
        self.publications = []

    def publish(self, publication):
        self.publications.append(publication)

    def close(self):
        """Nothing pending."""


class Run:
    """An agent on the simulated clock, and a street to drive it through."""

    def __init__(self, street, detect3d_ms=30.0):
        self.street, self.detector, self.sink = street, ScriptedDetector(), Collector()
        self.clock = SimulatedClock()
        stages = ProfiledStages(self.clock, STAGES_MS | {"detect3d": detect3d_ms})
        self.agent = DetectingAgent(self.detector, self.sink, self.clock, stages)

    def frame(self, index, *boxes, sweep=True):
        """Process a frame in which the detector sees boxes."""
        self.detector.next = self.street.answer(*boxes)
        self.clock.sleep_until_ns(index * FRAME_NS)
        return self.agent.process_frame(self.street.frame(index, [] if sweep else None))


@pytest.fixture
def run(street):
    """A run about to begin."""
    return Run(street)


def car_at(street, step):
    """A car that drives away at 8 m/s."""
    return street.box(20.0 + 0.8 * step, 2.0)


def test_the_detectors_boxes_are_published_as_the_frames_own(street, run):
    """After the time that the detection takes, and nothing is sent."""
    result = run.frame(3, car_at(street, 3))
    assert result.publication.own
    assert result.publication.detections.boxes_velo == pytest.approx(np.array([car_at(street, 3)]))
    assert result.publication.publish_ns == 3 * FRAME_NS + 32_000_000
    assert not result.decision.send


def test_a_slow_detection_begins_with_a_forecast(street):
    """Of 120 ms: it outlasts the next capture, for which something is to stand; of the first nobody knew that."""
    run = Run(street, detect3d_ms=120.0)
    for step in (0, 1):
        run.frame(step, car_at(street, step))
    foretold = [(p.stamp_ns, p.publish_ns) for p in run.sink.publications if p.forecast]
    assert foretold == [(200_000_000, 123_000_000), (200_000_000, 124_000_000), (300_000_000, 247_000_000)]


def test_frames_in_between_get_boxes_moved_on(street, run):
    """Where the car has driven meanwhile, without claim to the frame's own data."""
    for step in range(6):
        run.frame(step, car_at(street, step))
    publication = run.agent.skip_frame(street.frame(6, []))
    assert not publication.own
    assert publication.detections.boxes_velo[0, :2] == pytest.approx(car_at(street, 6)[:2], abs=0.3)
    assert publication.track_ids.tolist() == run.sink.publications[0].track_ids.tolist()


def test_every_frame_is_followed_by_what_the_next_should_show(street, run):
    """For readers of the present: the boxes at the next capture, said before it."""
    for step in range(6):
        run.frame(step, car_at(street, step))
    forecast = run.sink.publications[-1]
    assert (forecast.forecast, forecast.stamp_ns, forecast.frame_index) == (True, 6 * FRAME_NS, 5)
    assert forecast.detections.boxes_velo[0, :2] == pytest.approx(car_at(street, 6)[:2], abs=0.3)


def test_without_a_sweep_boxes_are_moved_on(street, run):
    """There is nothing to detect in."""
    run.frame(0, car_at(street, 0))
    result = run.frame(1, sweep=False)
    assert (result.publication.own, len(result.publication.detections), result.missing) == (False, 1, ("sweep",))


def test_nobody_was_asked_anything(run):
    """An answer is a defect."""
    with pytest.raises(ValueError, match="nobody asked"):
        run.agent.merge_answer(Answer(0, 0, 0, run.street.answer(), 0, 0, {}))

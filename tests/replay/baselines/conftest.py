"""What the baselines are driven with, as fixtures."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.clock import SimulatedClock
from vedette.detections import Detections2D
from vedette.edge.offload.policy import FramePlan, OffloadDecision
from vedette.telemetry.stages import ProfiledStages


class KeepingSink:
    """Keeps what is published."""

    def __init__(self):
        self.publications = []

    def publish(self, publication):
        self.publications.append(publication)

    def close(self):
        pass


class EveryFrame:
    """Sends every frame, in order, and keeps what it is told."""

    name = "every frame"

    def __init__(self):
        self.decided = []
        self.losses = []

    def plan(self, frame, now_ns):
        return FramePlan()

    def decide(self, frame, situation):
        assert not self.decided or frame.index > self.decided[-1]
        self.decided.append(frame.index)
        return OffloadDecision(send=True, reason="test")

    def on_answer(self, answer, review):
        return True

    def on_loss(self, loss):
        self.losses.append(loss.frame_index)


class FixedDetector2D:
    """Finds the same in every image.

    Args:
        boxes_px: rows of x1, y1, x2, y2.
        class_ids: of the boxes.
        scores: likewise; 0.9 each where not given.
    """

    name = "fixed-2d@1"

    def __init__(self, boxes_px, class_ids, scores=None):
        count = len(class_ids)
        self._found = Detections2D(
            np.array(boxes_px, np.float64).reshape(count, 4),
            np.full(count, 0.9) if scores is None else np.array(scores),
            np.array(class_ids, np.int64),
        )

    def detect(self, image):
        return self._found


class Bench:
    """A sink, a clock and stages that take a millisecond each."""

    def __init__(self):
        self.clock = SimulatedClock(1_000_000_000_000)
        self.sink = KeepingSink()
        self.policy = EveryFrame()
        names = ("detect2d", "lift", "predict", "update", "forecast", "decide")
        self.stages = ProfiledStages(self.clock, dict.fromkeys(names, 1.0))

    def advance_to(self, stamp_ns):
        """Let the time of a frame come."""
        self.clock.advance_ns(stamp_ns - self.clock.now_ns())


@pytest.fixture
def bench():
    """What an agent is given."""
    return Bench()


@pytest.fixture
def detector2d_of():
    """Makes 2D detectors."""
    return FixedDetector2D

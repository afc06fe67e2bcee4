"""An agent's memory: what it takes from each frame."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vedette.edge.lifting_agent import TREATMENT
from vedette.edge.tracking.timeline import Timeline
from vedette.errors import InvalidFrameError
from vedette.frames import BadFrame, Sweep

STAMP_NS = 300_000_000


@pytest.fixture
def timeline():
    """One whose frames move nothing."""
    return Timeline(5, lambda tracks, moment: tracks.predicted(moment.viewpoint.stamp_ns), TREATMENT)


def test_when_the_sweep_was_turned_is_known(street, timeline):
    """From the capture time of the frame, wherever in the turn that is."""
    frame = street.frame(3, [])
    turned = replace(frame, sweep=Sweep(frame.sweep.points_velo, STAMP_NS - 52_000_000, STAMP_NS + 48_000_000))
    assert timeline.look(turned).sweep_s == pytest.approx((-0.052, 0.048))


def test_without_a_sweep_nothing_lags(street, timeline):
    """A frame with an image alone, and a bad one after a good one."""
    assert timeline.look(street.frame(3, None)).sweep_s == (0.0, 0.0)
    boxes = timeline.coast(BadFrame(4, "street", STAMP_NS + 100_000_000, InvalidFrameError("torn")), None)
    assert len(boxes.detections) == 0

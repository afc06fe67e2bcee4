"""The detector on the device, on the simulated clock."""

from __future__ import annotations

import pytest

from vedette.edge.offload.link import Answer, LossReason
from vedette.replay.simulated_detector import SimulatedDetectorLink


@pytest.fixture
def device(rig):
    """A rig whose link is a detector that takes 100 ms."""

    def make(**options):
        rigged = rig("none", **options)
        rigged.link = SimulatedDetectorLink(rigged.clock, rigged.detector, 100.0)
        rigged.link.start()
        return rigged

    return make


def test_one_runs_one_waits_newest_wins(device):
    """Of three at once, the first runs, the third replaces the second and runs next."""
    local = device()
    for index in range(3):
        local.submit(index)
    assert local.link.pending_count == 3
    found = local.outcomes(1000)
    assert [(at, o.frame_index) for at, o in found] == [(0, 1), (100, 0), (200, 2)]
    assert found[0][1].reason is LossReason.SUPERSEDED
    last = found[2][1]
    assert isinstance(last, Answer)
    assert last.stage_ms == {"queue": 100, "detect3d": 100}
    assert (last.bytes_up, last.bytes_down) == (0, 0)
    assert local.link.pending_count == 0


def test_deadlines(device):
    """One that ends too late is lost when it ends; one that waits too long never starts."""
    local = device()
    local.submit(0, deadline_ms=50)
    local.submit(1, deadline_ms=60)
    found = local.outcomes(1000)
    assert [(at, o.frame_index, o.reason) for at, o in found] == [
        (100, 0, LossReason.DEADLINE),
        (100, 1, LossReason.DEADLINE),
    ]
    assert local.detector.seen == []


def test_failure_frees_the_detector(device):
    """An error of the model is a loss, and the next request runs."""
    local = device(fails_on=[1.0])
    local.submit(0)
    local.submit(1)
    assert [(at, type(o).__name__) for at, o in local.outcomes(1000)] == [(100, "Loss"), (200, "Answer")]

"""The link to nobody."""

from __future__ import annotations

from vedette.clock import SimulatedClock
from vedette.edge.offload.link import Loss, LossReason, NullLink


def test_every_request_is_lost_at_once(make_request) -> None:
    """Each request has one outcome, in order, known at once and without a byte; then the time passes."""
    clock = SimulatedClock(100)
    link = NullLink(clock)
    link.start()
    for index in (4, 5):
        link.submit(make_request(index, deadline_ns=1000, stamp_ns=40 + index))
    assert link.pending_count == 2
    assert link.wait(500) == Loss(4, 44, 100, LossReason.UNAVAILABLE, "no cloud set", 0)
    assert link.wait(500) == Loss(5, 45, 100, LossReason.UNAVAILABLE, "no cloud set", 0)
    assert clock.now_ns() == 100
    assert link.wait(500) is None
    assert clock.now_ns() == 500
    assert link.pending_count == 0
    link.close()

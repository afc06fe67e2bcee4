"""The link to a detector on the device."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from vedette.clock import WallClock
from vedette.detections import Detections3D
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.offload.local_link import LocalDetectorLink
from vedette.errors import ModelInputError
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera

SECOND_NS = 1_000_000_000


class GatedDetector:
    """Detects nothing, one gate opening at a time; fails where told to; refuses to be called from two threads."""

    name = "gated"

    def __init__(self) -> None:
        self.gate = threading.Semaphore(0)
        self.entered = threading.Semaphore(0)
        self.error: Exception | None = None
        self.calls = 0
        self._busy = threading.Lock()

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        assert self._busy.acquire(blocking=False), "called from two threads at a time"
        try:
            self.calls += 1
            self.entered.release()
            assert self.gate.acquire(timeout=20)
            if self.error is not None:
                raise self.error
            return Detections3D.empty()
        finally:
            self._busy.release()


@pytest.fixture
def clock() -> WallClock:
    return WallClock(starts_at_ns=0)


@pytest.fixture
def detector() -> GatedDetector:
    return GatedDetector()


@pytest.fixture
def link(detector: GatedDetector, clock: WallClock) -> Iterator[LocalDetectorLink]:
    link = LocalDetectorLink(detector, clock)
    link.start()
    yield link
    detector.gate.release(10)
    link.close()


def test_answer_has_the_times_of_its_stages(link, detector, clock, make_request, collect) -> None:
    """One request gives one answer that costs no bytes and speaks about the request's frame."""
    detector.gate.release()
    link.submit(make_request(3, deadline_ns=clock.now_ns() + 60 * SECOND_NS, stamp_ns=42))
    (answer,) = collect(link, clock, 1)
    assert isinstance(answer, Answer)
    assert (answer.frame_index, answer.stamp_ns, answer.bytes_up, answer.bytes_down) == (3, 42, 0, 0)
    assert list(answer.stage_ms) == ["queue", "detect3d"]
    assert answer.arrived_ns <= clock.now_ns()
    assert link.pending_count == 0


def test_newest_wins_in_the_queue(link, detector, clock, make_request, collect) -> None:
    """Of three requests behind a running one, the last is answered and the two before it are superseded."""
    deadline_ns = clock.now_ns() + 60 * SECOND_NS
    link.submit(make_request(0, deadline_ns=deadline_ns))
    assert detector.entered.acquire(timeout=20)
    for index in (1, 2, 3):
        link.submit(make_request(index, deadline_ns=deadline_ns))
    assert link.pending_count == 4
    detector.gate.release(2)
    outcomes = collect(link, clock, 4)
    assert [(o.frame_index, o.reason) for o in outcomes if isinstance(o, Loss)] == [
        (1, LossReason.SUPERSEDED),
        (2, LossReason.SUPERSEDED),
    ]
    assert [o.frame_index for o in outcomes if isinstance(o, Answer)] == [0, 3]
    assert link.pending_count == 0


def test_passed_deadline_is_not_worked_on(link, detector, clock, make_request, collect) -> None:
    """A request whose deadline has passed comes back without a detection."""
    link.submit(make_request(0, deadline_ns=clock.now_ns() - 1))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert loss.reason is LossReason.DEADLINE
    assert detector.calls == 0


def test_deadline_that_passes_during_the_detection(link, detector, clock, make_request, collect) -> None:
    """An answer after the deadline is worth nothing and comes back as a loss."""
    deadline_ns = clock.now_ns() + SECOND_NS // 2
    link.submit(make_request(0, deadline_ns=deadline_ns))
    assert detector.entered.acquire(timeout=20)
    clock.sleep_until_ns(deadline_ns + 1)
    detector.gate.release()
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert loss.reason is LossReason.DEADLINE


def test_model_error_is_a_failure_and_the_link_goes_on(link, detector, clock, make_request, collect) -> None:
    """A sweep that the model cannot use costs that request only."""
    detector.gate.release(2)
    detector.error = ModelInputError("no points in view")
    link.submit(make_request(0, deadline_ns=clock.now_ns() + 60 * SECOND_NS))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert (loss.reason, loss.detail) == (LossReason.FAILED, "no points in view")
    detector.error = None
    link.submit(make_request(1, deadline_ns=clock.now_ns() + 60 * SECOND_NS))
    assert isinstance(collect(link, clock, 1)[0], Answer)


def test_defect_of_the_detector_reaches_the_run(link, detector, clock, make_request) -> None:
    """A programming error in the worker is raised where the run waits, not swallowed."""
    detector.error = ZeroDivisionError("defect")
    detector.gate.release()
    link.submit(make_request(0, deadline_ns=clock.now_ns() + 60 * SECOND_NS))
    with pytest.raises(ZeroDivisionError, match="defect"):
        link.wait(clock.now_ns() + 20 * SECOND_NS)


def test_wait_passes_time(link, clock) -> None:
    """Without an outcome, wait returns None once the clock has reached the asked time, and at once for the present."""
    until_ns = clock.now_ns() + SECOND_NS // 50
    assert link.wait(until_ns) is None
    assert clock.now_ns() >= until_ns
    assert link.wait(clock.now_ns()) is None


def test_close_drops_what_is_queued(detector, clock, make_request: Callable[..., object]) -> None:
    """Closing waits for the running detection only; the queued request is never looked at."""
    link = LocalDetectorLink(detector, clock)
    link.start()
    for index in (0, 1):
        link.submit(make_request(index, deadline_ns=clock.now_ns() + 60 * SECOND_NS))  # type: ignore[arg-type]
        if index == 0:
            assert detector.entered.acquire(timeout=20)
    threading.Timer(0.05, detector.gate.release).start()
    link.close()
    assert detector.calls == 1
    assert link.pending_count == 2


def test_close_without_start() -> None:
    """A link that was never started can be closed."""
    LocalDetectorLink(GatedDetector(), WallClock()).close()

"""Our own policy: what it sends, when, and why not."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from vedette.detections import Detections3D
from vedette.edge.offload.adaptive import Adaptive, AdaptiveRules, regions_of
from vedette.edge.offload.budget import Budget
from vedette.edge.offload.drift import Drift, TrackDrift
from vedette.edge.offload.estimate import LinkEstimate
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.offload.package import View
from vedette.edge.offload.policy import Hold, OffloadDecision, Situation
from vedette.edge.offload.review import Review

MS = 1_000_000
FRAME_NS = 100 * MS
NO_REVIEW = Review(0, 0, 0)


def doubtful(count: int) -> Drift:
    """Objects that no answer has held, each rather wrong than right."""
    return Drift([TrackDrift(np.array([100.0, 50.0, 200.0, 100.0]), 0.3, math.nan, math.inf)] * count)


class Drive:
    """Frames every 0.1 s, and a link that answers as the test says."""

    def __init__(self, budget: dict[str, float] | None = None, **rules: Any) -> None:
        allowance = {"max_share": 1.0, "bytes_a_minute": 1e9, "bytes_a_month": 1e12} | (budget or {})
        self.policy = Adaptive(
            AdaptiveRules("polar", **rules), Budget(frame_ns=FRAME_NS, **allowance), LinkEstimate(3000.0)
        )

    def frame(
        self, index: int, drift: Drift | None = None, *, sweep: bool = True, **stage_ms: float
    ) -> OffloadDecision:
        """The decision about a frame."""
        stamp_ns = index * FRAME_NS
        frame = SimpleNamespace(index=index, stamp_ns=stamp_ns, ready_ns=stamp_ns, sweep=object() if sweep else None)
        plan = self.policy.plan(frame, stamp_ns)  # type: ignore[arg-type]
        assert plan.hold is Hold.NEVER
        self.detects = plan.detect3d
        undone = ({"lift"} if not plan.look else set()) | ({"detect3d"} if not plan.detect3d else set())
        times_ms = {stage: ms for stage, ms in stage_ms.items() if stage not in undone}
        situation = Situation(index * FRAME_NS, drift or Drift(), times_ms)
        return self.policy.decide(frame, situation)  # type: ignore[arg-type]

    def answer(self, index: int, at_ms: int, *, byte_count: int = 30_000, uplink_ms: float = 60.0) -> None:
        """The answer about a frame is there."""
        stages = {"encode": 5.0, "uplink": uplink_ms, "detect3d": 25.0, "downlink": 10.0}
        answer = Answer(index, index * FRAME_NS, at_ms * MS, Detections3D.empty(), byte_count, 100, stages)
        assert self.policy.on_answer(answer, NO_REVIEW), "every answer is taken in"

    def lose(self, index: int, at_ms: int, byte_count: int = 30_000, reason: LossReason = LossReason.DEADLINE) -> None:
        """The request about a frame is lost."""
        self.policy.on_loss(Loss(index, index * FRAME_NS, at_ms * MS, reason, "", byte_count))


def test_the_first_frame_is_sent() -> None:
    """Nobody knows yet what only an answer can show; the decision says what it expects."""
    decision = Drive().frame(0)
    assert (decision.send, decision.reason) == (True, "worth it")
    assert decision.package is not None
    assert (decision.package.view, decision.package.codec) == (View.CAMERA, "polar")
    assert decision.expected is not None
    assert decision.expected.gain > 0
    assert decision.expected.bytes_up > 0


def test_one_request_at_a_time() -> None:
    """Until its outcome, whichever it is; one that says nothing about the link costs no pause."""
    drive = Drive()
    drive.frame(0)
    assert drive.frame(1, doubtful(9)).reason == "an answer is under way"
    drive.lose(0, 150, reason=LossReason.IMPLAUSIBLE)
    assert drive.frame(2, doubtful(9)).send


@pytest.mark.parametrize(
    ("prepare", "options", "reason"),
    [
        pytest.param(lambda _: None, {"sweep": False}, "no sweep", id="nothing to send"),
        pytest.param(lambda drive: drive.lose(7, 900), {}, "link down", id="just lost one"),
    ],
)
def test_obstacles(prepare, options, reason) -> None:
    """Each is named; what was expected is recorded all the same."""
    drive = Drive()
    prepare(drive)
    decision = drive.frame(10, doubtful(9), **options)
    assert (decision.send, decision.reason) == (False, reason)
    assert decision.expected is not None


def test_budgets_are_named() -> None:
    """A share of frames, and bytes of the minute, that are spent."""
    frames, minute = Drive({"max_share": 0.04}), Drive({"bytes_a_minute": 35_000.0})
    assert frames.frame(0, doubtful(9)).send
    frames.answer(0, 90)
    assert frames.frame(1, doubtful(9)).reason == "share of frames used up"
    minute.frame(0)
    minute.answer(0, 90)
    assert minute.frame(2, doubtful(9)).reason == "bytes of the minute used up"


def test_gain_is_weighed_against_what_is_left_to_spend() -> None:
    """Half of the allowance is left three frames after the first: only much doubt is worth it; later less is."""
    reasons = {}
    for index, count in [(3, 0), (3, 9), (9, 0)]:
        drive = Drive({"max_share": 0.5})
        drive.frame(0)
        drive.answer(0, 90)
        reasons[index, count] = drive.frame(index, doubtful(count)).reason
    assert reasons == {(3, 0): "not worth it", (3, 9): "worth it", (9, 0): "worth it"}


def test_what_is_in_doubt_is_asked_about_sooner() -> None:
    """After an answer a street in doubt is sent with the first frame that may be, a calm one some frames later."""
    waits = {}
    for count in (0, 6):
        drive = Drive({"max_share": 0.5})
        drive.frame(0)
        drive.answer(0, 90)
        waits[count] = next(index for index in range(1, 50) if drive.frame(index, doubtful(count)).send)
    assert waits[6] == 3
    assert waits[0] >= 5


def test_the_share_is_kept_over_any_street() -> None:
    """Whatever there is to gain."""
    for count in (0, 6):
        drive, sent = Drive({"max_share": 0.1}), 0
        for index in range(300):
            if drive.frame(index, doubtful(count)).send:
                sent += 1
                drive.answer(index, 100 * index + 90)
        assert 0 < sent <= 300 * 0.1


def test_silence_makes_answers_worth_more() -> None:
    """Nothing in doubt, but nobody has looked for long: what the image misses adds up."""
    gains = []
    for index in (1, 10, 50):
        drive = Drive()
        drive.frame(0)
        drive.answer(0, 90)
        expected = drive.frame(index).expected
        assert expected is not None
        gains.append(expected.gain)
    assert gains == sorted(gains)
    assert gains[0] < 0.1 < gains[2]


def slow(drive: Drive) -> None:
    """Teach it a link of 0.1 Mbit/s."""
    for index in range(12):
        drive.answer(index, 100 * index, byte_count=30_000, uplink_ms=2410.0)


def test_over_a_slow_link_only_regions_in_doubt() -> None:
    """Where something is in doubt, and where the rules allow it."""
    drive = Drive()
    slow(drive)
    decision = drive.frame(12, doubtful(9))
    assert decision.package is not None
    assert decision.package.view is View.REGIONS
    assert decision.package.regions_px is not None
    assert decision.package.regions_px.shape == (9, 4)
    allowed_not = Drive(regions=False)
    slow(allowed_not)
    package = allowed_not.frame(12, doubtful(9)).package
    assert package is None or package.view is View.CAMERA


def test_an_answer_that_would_be_too_late_is_not_asked_for() -> None:
    """It would take over three seconds; ten seconds on the link is tried again, and found better, used again."""
    drive = Drive(regions=False)
    for index in range(12):
        drive.lose(index, 100 * index)
    assert drive.frame(60, doubtful(9)).reason == "answer would be too late"
    later = [drive.frame(index, doubtful(9)) for index in range(61, 130)]
    assert [decision.send for decision in later].count(True) == 1
    sent = next(index for index, decision in enumerate(later, start=61) if decision.send)
    drive.answer(sent, sent * 100 + 90)
    assert drive.frame(130, doubtful(9)).send


def test_expectations_are_kept_by_the_link_they_were_learned_on() -> None:
    """After ten answers over one link the expected delay is what they took from capture, to a tenth."""
    drive = Drive()
    for index in range(10):
        drive.frame(2 * index, doubtful(9))
        drive.answer(2 * index, 200 * index + 100, byte_count=20_000)
    expected = drive.frame(20, doubtful(9)).expected
    assert expected is not None
    assert expected.delay_ms == pytest.approx(100.0, rel=0.1)
    assert expected.bytes_up == pytest.approx(20_000, rel=0.05)


def test_only_what_was_looked_at_is_sent() -> None:
    """A frame of detections alone shows no signs of drift, and has nothing to check an answer by."""
    drive = Drive(detect3d=True)
    assert drive.frame(0, detect3d=30.0, lift=10.0).reason == "not looked at"
    assert drive.frame(1, detect3d=30.0, lift=10.0).reason == "worth it"


def test_without_a_detector_or_a_sweep_nothing_is_detected() -> None:
    """On the device."""
    drive = Drive()
    drive.frame(0)
    assert not drive.detects
    drive = Drive(detect3d=True)
    drive.frame(0, sweep=False)
    assert not drive.detects
    drive.frame(1, detect3d=10.0)
    assert drive.detects


def test_regions_surround_what_is_in_doubt() -> None:
    """A quarter of its size beyond each side; what is known well is left out."""
    known = TrackDrift(np.array([400.0, 0.0, 500.0, 100.0]), 0.84, 1.0, 0.1)
    drift = Drift([known, *doubtful(1).tracks])
    assert regions_of(drift) == pytest.approx(np.array([[75.0, 37.5, 225.0, 112.5]]))
    assert regions_of(Drift([known])).shape == (0, 4)

"""Test and anchor frames."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from vedette.detections import Detections3D
from vedette.edge.offload.drift import Drift
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.offload.paper import TestAndAnchor
from vedette.edge.offload.policy import Hold, Situation
from vedette.edge.offload.review import Review
from vedette.errors import ConfigError

GOOD, BAD = Review(agreeing=4, own=5, answered=5), Review(agreeing=1, own=5, answered=5)


class Script:
    """Asks the policy frame by frame, and answers where the test says so."""

    def __init__(self, test_interval: int = 3, min_f1: float = 0.7) -> None:
        self.policy = TestAndAnchor(test_interval, min_f1)

    def frame(self, index: int, *, sweep: bool = True) -> str:
        """What becomes of a frame: the reason, in capitals where its boxes are held."""
        frame = SimpleNamespace(index=index, sweep=object() if sweep else None)
        hold = self.policy.plan(frame, 0).hold  # type: ignore[arg-type]
        decision = self.policy.decide(frame, Situation(0, Drift(), {}))  # type: ignore[arg-type]
        assert decision.send == (decision.reason in {"anchor", "test"})
        return decision.reason.upper() if hold is Hold.UNTIL_ANSWERED else decision.reason

    def answer(self, index: int, review: Review) -> bool:
        """Whether the answer is to be taken into the tracks."""
        return self.policy.on_answer(Answer(index, 0, 0, Detections3D.empty(), 0, 0, {}), review)

    def lose(self, index: int, reason: LossReason = LossReason.DEADLINE) -> None:
        """No answer."""
        self.policy.on_loss(Loss(index, 0, 0, reason, "", 0))


def test_the_first_frame_with_a_sweep_is_an_anchor() -> None:
    """It is held, and its answer taken in."""
    script = Script()
    assert script.frame(0, sweep=False) == "no sweep"
    assert script.frame(1) == "ANCHOR"
    assert script.answer(1, BAD)


def test_tests_come_at_their_interval_and_are_not_taken_in() -> None:
    """Three frames after the last sent; a good one is followed by the next test, not by an anchor."""
    script = Script()
    script.frame(0)
    script.answer(0, GOOD)
    assert [script.frame(index) for index in (1, 2, 3)] == ["between tests", "between tests", "test"]
    assert not script.answer(3, GOOD)
    assert [script.frame(index) for index in (4, 5, 6)] == ["between tests", "between tests", "test"]


def test_a_bad_test_makes_the_next_frame_an_anchor() -> None:
    """F1 of 2 * 1 / 10 is below 0.7; the anchor needs a sweep."""
    script = Script()
    script.frame(0)
    script.answer(0, GOOD)
    assert script.frame(3) == "test"
    assert script.frame(4) == "between tests"
    assert not script.answer(3, BAD)
    assert script.frame(5, sweep=False) == "no sweep"
    assert script.frame(6) == "ANCHOR"
    assert script.answer(6, BAD)
    assert script.frame(7) == "between tests"


@pytest.mark.parametrize(("agreeing", "expected"), [(6, "ANCHOR"), (7, "between tests")])
def test_the_threshold_itself_is_good_enough(agreeing: int, expected: str) -> None:
    """F1 of 0.6 and of exactly 0.7."""
    script = Script(min_f1=0.7)
    script.frame(0)
    script.answer(0, GOOD)
    script.frame(3)
    script.answer(3, Review(agreeing, 10, 10))
    assert script.frame(4) == expected


def test_one_test_at_a_time() -> None:
    """While a test is under way no other is sent, however long it takes."""
    script = Script()
    script.frame(0)
    script.answer(0, GOOD)
    assert script.frame(3) == "test"
    assert {script.frame(index) for index in range(4, 20)} == {"between tests"}
    script.answer(3, GOOD)
    assert script.frame(20) == "test"


@pytest.mark.parametrize("reason", [LossReason.DEADLINE, LossReason.IMPLAUSIBLE])
def test_a_lost_test_says_nothing(reason: LossReason) -> None:
    """No anchor follows; the next test comes when it is due."""
    script = Script()
    script.frame(0)
    script.answer(0, GOOD)
    script.frame(3)
    script.lose(3, reason)
    assert [script.frame(index) for index in (4, 5, 6)] == ["between tests", "between tests", "test"]


def test_a_lost_anchor_is_not_asked_for_again_at_once() -> None:
    """A dead link would otherwise hold every frame; a test probes first."""
    script = Script()
    assert script.frame(0) == "ANCHOR"
    script.lose(0)
    assert [script.frame(index) for index in (1, 2, 3)] == ["between tests", "between tests", "test"]
    script.answer(3, BAD)
    assert script.frame(4) == "ANCHOR"


@pytest.mark.parametrize(
    ("interval", "min_f1", "message"),
    [(0, 0.7, "test interval is 0"), (5, 1.1, "least F1 of a test is 1.1"), (5, -0.1, "least F1 of a test is -0.1")],
)
def test_refuses_values_out_of_range(interval: int, min_f1: float, message: str) -> None:
    """With what was met."""
    with pytest.raises(ConfigError, match=message):
        TestAndAnchor(interval, min_f1)

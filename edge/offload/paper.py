"""The scheduling that is told of the paper: test frames probe, and a bad test makes the next frame an anchor.

Only its outline is known (docs/moby.md says what was read where); the numbers are ours. The first frame is an anchor.
Every few frames a *test* frame is sent; the tracks go on without waiting, and when the answer is there, the F1 of the
agent's own boxes for that frame is taken with the answer's boxes as truth. Below a threshold, the next frame becomes an
*anchor*: it is sent and its boxes are published only when its answer is there, or its deadline has passed.
"""

from __future__ import annotations

from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.policy import FramePlan, Hold, OffloadDecision, Situation
from vedette.edge.offload.review import Review
from vedette.errors import ConfigError
from vedette.frames import Frame


class TestAndAnchor:
    """Tests at a fixed interval; anchors when a test was bad.

    Args:
        test_interval: frames from one test to the next. A larger one saves bytes, and notices drift later.
        min_f1: agreement, 0 to 1, below which the next frame becomes an anchor. A higher one asks for more, each
            of which blocks publication for as long as the network takes.

    Raises:
        ConfigError: a value out of range.
    """

    __test__ = False  # no test case, whatever the name suggests to pytest

    def __init__(self, test_interval: int, min_f1: float) -> None:
        if test_interval < 1:
            raise ConfigError(f"test interval is {test_interval}; expected 1 or more frames")
        if not 0.0 <= min_f1 <= 1.0:
            raise ConfigError(f"least F1 of a test is {min_f1:g}; expected 0 to 1")
        self._test_interval = test_interval
        self._min_f1 = min_f1
        self._anchor_due = True
        self._last_sent: int | None = None
        self._tests: set[int] = set()

    @property
    def name(self) -> str:
        """As reports show it."""
        return f"test every {self._test_interval}, anchor below {self._min_f1:g}"

    def plan(self, frame: Frame, now_ns: int) -> FramePlan:  # noqa: ARG002
        """Hold the boxes of an anchor."""
        anchor = self._anchor_due and frame.sweep is not None
        return FramePlan(hold=Hold.UNTIL_ANSWERED if anchor else Hold.NEVER)

    def decide(self, frame: Frame, situation: Situation) -> OffloadDecision:  # noqa: ARG002
        """Send anchors when they are due, and tests at their interval."""
        if frame.sweep is None:
            return OffloadDecision(send=False, reason="no sweep")
        if self._anchor_due:
            self._anchor_due = False
            self._last_sent = frame.index
            return OffloadDecision(send=True, reason="anchor")
        if self._tests or (self._last_sent is not None and frame.index - self._last_sent < self._test_interval):
            return OffloadDecision(send=False, reason="between tests")
        self._last_sent = frame.index
        self._tests.add(frame.index)
        return OffloadDecision(send=True, reason="test")

    def on_answer(self, answer: Answer, review: Review) -> bool:
        """Take anchors into the tracks; of tests only the score."""
        if answer.frame_index not in self._tests:
            return True
        self._tests.discard(answer.frame_index)
        self._anchor_due = review.f1 < self._min_f1
        return False

    def on_loss(self, loss: Loss) -> None:
        """A test without an answer says nothing; an anchor without one is not asked for again before the next test."""
        self._tests.discard(loss.frame_index)

"""What there is time for, on boards that differ in how fast they are."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest

from vedette.edge.offload.pace import Pace

MS = 1_000_000
FRAME_MS = 100.0
READY_MS = 50.0


class Board:
    """Takes the same times in every frame, one frame after the other, and skips none.

    Args:
        look_ms: of the look at an image, in two steps.
        detect_ms: of a detection.
        rest_ms: of the other steps, before or after publication.
    """

    def __init__(self, look_ms: float, detect_ms: float, rest_ms: float = 4.0) -> None:
        self.look_ms, self.detect_ms, self.rest_ms = look_ms, detect_ms, rest_ms
        self.pace = Pace(int(FRAME_MS * MS))
        self.free_ms = 0.0
        self.ages_ms: list[float] = []

    def frame(self, index: int) -> str:
        """What the plan has it do, in letters; the time goes on by that."""
        stamp_ms = index * FRAME_MS
        begun_ms = max(self.free_ms, stamp_ms + READY_MS)
        frame = SimpleNamespace(index=index, stamp_ns=int(stamp_ms * MS), ready_ns=int((stamp_ms + READY_MS) * MS))
        plan = self.pace.plan(frame, int(begun_ms * MS))  # type: ignore[arg-type]
        stage_ms = {"predict": self.rest_ms / 2, "update": self.rest_ms / 2}
        if plan.look:
            stage_ms |= {"detect2d": 0.75 * self.look_ms, "lift": 0.25 * self.look_ms}
        if plan.detect3d:
            stage_ms["detect3d"] = self.detect_ms
        self.pace.learn(index, stage_ms)
        self.free_ms = begun_ms + sum(stage_ms.values())
        self.ages_ms.append(self.free_ms - stamp_ms)
        return "D" * plan.detect3d + "L" * plan.look or "-"

    def frames(self, count: int) -> list[str]:
        """The next frames from the first."""
        return [self.frame(index) for index in range(count)]


@pytest.mark.parametrize(("detect_ms", "begin"), [(30.0, ["D", "DL"]), (115.0, ["D", "L"])])
def test_the_first_boxes_come_soon(detect_ms, begin) -> None:
    """Of the detector alone; then what a look takes is found out, on a slow board alone as well."""
    assert Board(60.0, detect_ms).frames(2) == begin


@pytest.mark.parametrize(
    ("look_ms", "detect_ms", "pattern"),
    [
        pytest.param(15.0, 29.0, "DL DL DL DL DL DL", id="50 and 4 and 44 ms: both are done by the next capture"),
        pytest.param(15.0, 32.0, "D D D D D D", id="50 and 4 and 47 ms: not both any more"),
        pytest.param(30.0, 70.0, "L L L L L L", id="only the look is done by then"),
        pytest.param(60.0, 115.0, "D D L D D L", id="by the second, twice; then a look is left"),
        pytest.param(170.0, 115.0, "D D - D D -", id="a look takes too long: leave the frame, be in time for the next"),
        pytest.param(60.0, 500.0, "L L L L L L", id="a detection does"),
    ],
)
def test_what_fits_is_done(look_ms, detect_ms, pattern) -> None:
    """Once it has settled: what is done by the goal, the detection first."""
    board = Board(look_ms, detect_ms)
    seen = board.frames(20)
    assert seen[8:20] in [[*pattern.split()[k:], *pattern.split(), *pattern.split()[:k]] for k in range(3)]


@pytest.mark.parametrize(
    ("look_ms", "detect_ms", "goal_ms"), [(15.0, 29.0, 100), (60.0, 115.0, 200), (66.0, 115.0, 200)]
)
def test_what_is_published_is_of_the_newest_data_there_can_be(look_ms, detect_ms, goal_ms) -> None:
    """Every frame is done by its goal."""
    board = Board(look_ms, detect_ms)
    board.frames(20)
    assert max(board.ages_ms[6:]) <= goal_ms


@pytest.mark.parametrize(("look_ms", "detect_ms", "rare"), [(170.0, 115.0, "L"), (60.0, 500.0, "D")])
def test_what_never_fits_is_done_now_and_then(look_ms, detect_ms, rare) -> None:
    """Every hundredth frame, alone."""
    seen = Board(look_ms, detect_ms).frames(450)
    done = [index for index, letters in enumerate(seen) if letters == rare]
    assert [later - earlier for earlier, later in pairwise(done)] == [100] * 4


def test_a_board_that_gets_slower_does_less() -> None:
    """And more again when it is as fast as before: what was left out is timed anew."""
    board = Board(15.0, 29.0)
    board.frames(10)
    board.look_ms = 70.0
    slow = [board.frame(index) for index in range(10, 80)]
    board.look_ms = 15.0
    fast = [board.frame(index) for index in range(80, 200)]
    assert set(slow[5:]) == {"D"}
    assert fast.index("L") <= 40
    assert set(fast[fast.index("L") + 1 :]) == {"DL"}

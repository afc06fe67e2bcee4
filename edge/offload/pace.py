"""What a device has time for with a frame: its image, its own 3D detector, both, or neither.

     capture ─ ready ─► work ─► forecast
    ─────┼────────────────┼────────────────┼──►   goal: the first capture by which one of the two, begun as soon as the
         t               t+1              t+2           frame is ready, can be done: what stands published then rests
                                                        on data as new as can be

A device on which both are done by the goal does both in every frame. A slower one does what it still can by then: the
detection rather than the look at the image, and where it is too late for either, nothing, so that it is ready for the
next frame. Whatever was left out for ten seconds is done once all the same: what it takes may have changed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from vedette.edge.offload.policy import FramePlan
from vedette.frames import Frame

_LOOK_STAGES: Final = frozenset({"detect2d", "associate", "lift"})
_DETECT_STAGES: Final = frozenset({"detect3d"})
_OVERDUE_FRAMES: Final = 100
_MEMORY: Final = 0.8


class Pace:
    """Plans frames by the times that the steps of earlier ones took.

    Args:
        frame_ns: time from one frame to the next.
    """

    def __init__(self, frame_ns: int) -> None:
        self._frame_ms = frame_ns / 1e6
        self._look = _Work()
        self._detect = _Work()
        self._rest = _Work()

    def plan(self, frame: Frame, now_ns: int) -> FramePlan:
        """What is to be done with a frame that has a sweep.

        Args:
            frame: the next one.
            now_ns: the present.
        """
        if self._detect.is_overdue(frame.index):
            return FramePlan(detect3d=True, look=False)
        left_ms = self._goal_ms(frame) - (now_ns - frame.stamp_ns) / 1e6 - self._rest.took_ms
        detect3d = self._detect.took_ms <= left_ms
        if detect3d:
            left_ms -= self._detect.took_ms
        look = self._look.took_ms <= left_ms
        if not look and self._look.is_overdue(frame.index):
            return FramePlan()
        return FramePlan(detect3d=detect3d, look=look)

    def learn(self, frame_index: int, stage_ms: Mapping[str, float]) -> None:
        """Take in the times of a frame."""
        self._look.learn(frame_index, [ms for stage, ms in stage_ms.items() if stage in _LOOK_STAGES])
        self._detect.learn(frame_index, [ms for stage, ms in stage_ms.items() if stage in _DETECT_STAGES])
        known = _LOOK_STAGES | _DETECT_STAGES
        self._rest.learn(frame_index, [ms for stage, ms in stage_ms.items() if stage not in known])

    def _goal_ms(self, frame: Frame) -> float:
        """From a frame's capture to the one by which its work should be done."""
        ready_ms = (frame.ready_ns - frame.stamp_ns) / 1e6
        done_ms = ready_ms + self._rest.took_ms + min(self._look.took_ms, self._detect.took_ms)
        return self._frame_ms * math.ceil(done_ms / self._frame_ms)


class _Work:
    """How long one kind of work takes, and when it was last done."""

    def __init__(self) -> None:
        self.took_ms = 0.0
        self._last: int | None = None

    def is_overdue(self, frame_index: int) -> bool:
        """Whether it has not been done for long, or never."""
        return self._last is None or frame_index - self._last >= _OVERDUE_FRAMES

    def learn(self, frame_index: int, steps_ms: list[float]) -> None:
        """Take in what its steps took; none where it was not done."""
        if steps_ms:
            spent_ms = sum(steps_ms)
            forgotten = self.is_overdue(frame_index)
            self.took_ms = spent_ms if forgotten else _MEMORY * self.took_ms + (1 - _MEMORY) * spent_ms
            self._last = frame_index

"""Our own policy: send when the answer is worth its bytes, by signs of drift, the link, and what is left to spend.

    gain of an answer = boxes it would put right  x  the share of its useful life that is left when it comes
    price             = rises as the allowance empties: with all of it left anything is worth a try

One request is under way at a time. What a device with a detector of its own does with a frame is a matter of pace.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.edge.offload.budget import Budget
from vedette.edge.offload.drift import Drift
from vedette.edge.offload.estimate import LinkEstimate
from vedette.edge.offload.link import Answer, Loss
from vedette.edge.offload.pace import Pace
from vedette.edge.offload.package import Package, View
from vedette.edge.offload.policy import Expectation, FramePlan, OffloadDecision, Situation
from vedette.edge.offload.review import Review
from vedette.frames import Frame
from vedette.geometry import NDArrayFloat

_USEFUL_MS: Final = 3000.0
_UNSEEN_GAIN: Final = 0.15
_UNSEEN_MEMORY_S: Final = 2.0
_FULL_PRICE: Final = 1.0
_MIN_GAIN: Final = 0.05
_SLOW_MS: Final = 600.0
_REGION_MARGIN: Final = 0.25
_REGION_DEFICIT: Final = 0.1
_DETECT_LOAD: Final = 0.9
_MAX_DETECT_INTERVAL: Final = 20
_MEMORY: Final = 0.8


@dataclass(frozen=True)
class AdaptiveRules:
    """What the policy may do.

    Args:
        codec: name of the sweep codec.
        view: what is sent as a rule: the whole sweep or the camera's view.
        regions: whether a slow link may be sent regions of the image alone.
        detect3d: whether the device has a 3D detector of its own to run.
        frame_ns: time from one frame to the next.
    """

    codec: str
    view: View = View.CAMERA
    regions: bool = True
    detect3d: bool = False
    frame_ns: int = 100_000_000


class Adaptive:
    """Weighs gain against price, frame by frame.

    Args:
        rules: what it may do.
        budget: what may be spent.
        link: what is known of the link.
    """

    def __init__(self, rules: AdaptiveRules, budget: Budget, link: LinkEstimate) -> None:
        self._rules = rules
        self._budget = budget
        self._link = link
        self._under_way: dict[int, str] = {}
        self._answered_ns: int | None = None
        self._plan = FramePlan()
        self._pace = Pace(rules.frame_ns) if rules.detect3d else None

    @property
    def name(self) -> str:
        """As reports show it."""
        return "adaptive with the device's detector" if self._rules.detect3d else "adaptive"

    def plan(self, frame: Frame, now_ns: int) -> FramePlan:
        """Look at every frame; where the device has a 3D detector, do with a sweep what there is time for."""
        paced = None if frame.sweep is None else self._pace
        self._plan = FramePlan() if paced is None else paced.plan(frame, now_ns)
        return self._plan

    def decide(self, frame: Frame, situation: Situation) -> OffloadDecision:
        """Send when nothing forbids it and the gain is worth the price."""
        if self._pace is not None:
            self._pace.learn(frame.index, situation.stage_ms)
        self._budget.fill(situation.now_ns)
        self._link.doubt(situation.now_ns)
        package = self._package(situation.drift)
        expected = self._expectation(frame, situation, package)
        why_not = self._obstacle(frame, situation, expected)
        if why_not is not None:
            return OffloadDecision(send=False, reason=why_not, expected=expected)
        self._budget.take_frame()
        self._under_way[frame.index] = str(package.view)
        return OffloadDecision(send=True, reason="worth it", package=package, expected=expected)

    def on_answer(self, answer: Answer, review: Review) -> bool:  # noqa: ARG002
        """Learn about the link; every answer is taken in."""
        self._link.on_answer(answer, self._under_way.pop(answer.frame_index, str(self._rules.view)))
        self._budget.take_bytes(answer.bytes_up)
        self._answered_ns = max(self._answered_ns or 0, answer.stamp_ns)
        return True

    def on_loss(self, loss: Loss) -> None:
        """Learn about the link."""
        self._under_way.pop(loss.frame_index, None)
        self._link.on_loss(loss)
        self._budget.take_bytes(loss.bytes_up)

    def _obstacle(self, frame: Frame, situation: Situation, expected: Expectation) -> str | None:
        if frame.sweep is None or not self._plan.look:
            # without a look there are no signs of drift, and nothing that an answer could be checked by
            return "no sweep" if frame.sweep is None else "not looked at"
        if self._under_way:
            return "an answer is under way"
        if not self._link.is_open(situation.now_ns):
            return "link down"
        shortage = self._budget.shortage(expected.bytes_up)
        if shortage is not None:
            return shortage
        if expected.delay_ms >= _USEFUL_MS:
            return "answer would be too late"
        price = max(_MIN_GAIN, _FULL_PRICE * (1.0 - self._budget.fullness))
        return "not worth it" if expected.gain < price else None

    def _package(self, drift: Drift) -> Package:
        """All of the usual view; over a slow link only where the objects in doubt are."""
        rules = self._rules
        if rules.regions and rules.view is View.CAMERA:
            usual_ms = self._link.delay_ms(self._link.bytes_of(str(View.CAMERA)))
            regions_px = regions_of(drift)
            if usual_ms > _SLOW_MS and len(regions_px):
                return Package(View.REGIONS, rules.codec, regions_px)
        return Package(rules.view, rules.codec)

    def _expectation(self, frame: Frame, situation: Situation, package: Package) -> Expectation:
        byte_count = self._link.bytes_of(str(package.view))
        delay_ms = (situation.now_ns - frame.stamp_ns) / 1e6 + self._link.delay_ms(byte_count)
        left = max(0.0, 1.0 - delay_ms / _USEFUL_MS)
        return Expectation(round(byte_count), delay_ms, left * (situation.drift.deficit + self._unseen(frame)))

    def _unseen(self, frame: Frame) -> float:
        """Boxes that only an answer can add, by the time since the last one."""
        if self._answered_ns is None:
            return _FULL_PRICE
        silent_s = max(frame.stamp_ns - self._answered_ns, 0) / 1e9
        return _UNSEEN_GAIN * silent_s + _FULL_PRICE * (1.0 - math.exp(-silent_s / _UNSEEN_MEMORY_S))


def regions_of(drift: Drift) -> NDArrayFloat:
    """Rectangles of the image around the objects in doubt.

    Args:
        drift: of the frame.

    Returns:
        ``(R,4)`` x1, y1, x2, y2; none where nothing is in doubt.
    """
    boxes = [track.box_px for track in drift.tracks if track.deficit > _REGION_DEFICIT]
    if not boxes:
        return np.zeros((0, 4))
    boxes_px = np.array(boxes)
    margin = _REGION_MARGIN * (boxes_px[:, 2:] - boxes_px[:, :2])
    return np.concatenate([boxes_px[:, :2] - margin, boxes_px[:, 2:] + margin], axis=1)

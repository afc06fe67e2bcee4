"""The loop of every run: live sensors, a recording at its own pace, and the simulated clock.

    source ──► feed ──► link.wait(until the frame is complete) ──► agent.process_frame ──► link.submit
                              │ late answers                    └► agent.skip_frame
                              └──► agent.merge_answer

Only the clock, the stage timer and the link differ between the kinds of run. The rule for a busy agent is *newest
wins*: when it gets to a frame and the next one is complete as well, the earlier one gets propagated boxes only.
Every item of the source gets exactly one publication, and every request exactly one outcome.
"""

from __future__ import annotations

import hashlib
import threading
from typing import Final, Protocol

from vedette.clock import Clock
from vedette.edge.agent import Agent, FrameResult, MergeResult
from vedette.edge.feed import DirectFeed, FrameFeed, PrefetchFeed
from vedette.edge.offload.link import Answer, Link, Loss, LossReason, OffloadRequest, Outcome
from vedette.edge.offload.package import Package
from vedette.errors import (
    CodecError,
    DataError,
    DeadlineError,
    ImplausibleAnswerError,
    ModelError,
    VedetteError,
)
from vedette.frames import BadFrame, Frame, FrameItem, FrameSource
from vedette.publication import Publication

_IDLE_S: Final = 0.01
"""How long to wait for a live frame before looking after the link; a frame itself is taken at once."""
_SLICE_NS: Final = 200_000_000
"""Longest wait in one piece, so that a stop is noticed soon."""
_REPORT_GRACE_NS: Final = 500_000_000
"""What a link may need after a deadline to report that it passed."""

_FRAME_ERRORS = (DataError, CodecError, ModelError)
"""What may be wrong with one frame; anything else is wrong with the run and ends it."""


class RunObserver(Protocol):
    """Is told what happens in a run: counters, metrics, reports."""

    def on_frame(self, result: FrameResult) -> None:
        """A frame was processed."""
        ...

    def on_skipped(self, frame: Frame, publication: Publication) -> None:
        """A frame got propagated boxes because a newer one was complete already."""
        ...

    def on_bad_frame(self, bad: BadFrame, publication: Publication) -> None:
        """A frame could not be delivered, or the agent could not use it; it got propagated boxes."""
        ...

    def on_answer(self, answer: Answer, result: MergeResult) -> None:
        """An answer was merged."""
        ...

    def on_loss(self, loss: Loss, publication: Publication | None) -> None:
        """A request came back without an answer; with the publication that had been held for it, if any."""
        ...


class EdgeRunner:
    """Drives frames through an agent and its requests through a link, until the source ends or `stop` is called.

    Args:
        source: closed by its owner, not here.
        agent: publishes to its own sink.
        link: started and closed here.
        clock: on which frames come due and requests expire.
        deadline_ns: an answer later than this after capture is worth nothing.
        observer: told what happens.
        prefetch_frames: items to read ahead in a thread, for runs on the wall clock; 0 reads in the run's own thread,
            as the simulated clock needs.
    """

    def __init__(
        self,
        source: FrameSource,
        agent: Agent,
        link: Link,
        *,
        clock: Clock,
        deadline_ns: int,
        observer: RunObserver,
        prefetch_frames: int = 0,
    ) -> None:
        self._source = source
        self._agent = agent
        self._link = link
        self._clock = clock
        self._deadline_ns = deadline_ns
        self._observer = observer
        self._prefetch_frames = prefetch_frames
        self._pending: dict[int, OffloadRequest] = {}
        self._overdue: set[int] = set()
        self._stopping = threading.Event()

    def run(self) -> None:
        """Process the whole source, then wait for the answers that are still worth something.

        Raises:
            VedetteError: the source or the set-up failed, not just one frame.
        """
        self._link.start()
        try:
            self._process_all()
            self._await_pending()
        finally:
            self._link.close()
            self._abandon_pending()

    def stop(self) -> None:
        """End the run after the frame in hand; from any thread or signal handler."""
        self._stopping.set()

    def _process_all(self) -> None:
        feed = self._open_feed()
        try:
            while (item := self._next_item(feed)) is not None:
                self._pass_time(item.ready_ns)
                if self._stopping.is_set():
                    return
                self._handle(item, newer_is_complete=feed.newer_is_complete(self._clock.now_ns()))
        finally:
            feed.close()

    def _open_feed(self) -> FrameFeed:
        if self._prefetch_frames == 0:
            return DirectFeed(self._source)
        return PrefetchFeed(self._source, self._prefetch_frames)

    def _next_item(self, feed: FrameFeed) -> FrameItem | None:
        while not (self._stopping.is_set() or feed.exhausted):
            item = feed.take(_IDLE_S)
            if item is not None:
                return item
            self._pass_time(self._clock.now_ns())
        return None

    def _handle(self, item: FrameItem, *, newer_is_complete: bool) -> None:
        if isinstance(item, BadFrame):
            self._set_aside(item)
        elif newer_is_complete:
            self._observer.on_skipped(item, self._agent.skip_frame(item))
        else:
            self._process(item)

    def _process(self, frame: Frame) -> None:
        try:
            result = self._agent.process_frame(frame)
        except _FRAME_ERRORS as error:
            self._set_aside(BadFrame(frame.index, frame.source, frame.stamp_ns, error))
            return
        self._observer.on_frame(result)
        if result.decision.send:
            request = self._request(frame, result.decision.package)
            self._pending[frame.index] = request
            self._link.submit(request)
        if result.held:
            self._await_outcome(frame.index)

    def _set_aside(self, bad: BadFrame) -> None:
        self._observer.on_bad_frame(bad, self._agent.skip_frame(bad))

    def _request(self, frame: Frame, package: Package | None) -> OffloadRequest:
        if frame.sweep is None:
            raise ValueError(f"the policy sends frame {frame.index}, which has no sweep")
        deadline_ns = frame.stamp_ns + self._deadline_ns
        return OffloadRequest(
            frame.index, frame.stamp_ns, deadline_ns, frame.sweep, frame.camera, trace_id(frame), package
        )

    def _pass_time(self, until_ns: int) -> None:
        """Settle all outcomes that are there by then, as they come."""
        while (self._wait_once(until_ns) or self._clock.now_ns() < until_ns) and not self._stopping.is_set():
            pass

    def _await_outcome(self, frame_index: int) -> None:
        """Hold everything until a request has its outcome; what is captured meanwhile waits, and the newest wins."""
        give_up_ns = self._pending[frame_index].deadline_ns + _REPORT_GRACE_NS
        while frame_index in self._pending and not self._stopping.is_set() and self._clock.now_ns() < give_up_ns:
            self._wait_once(give_up_ns)
        if frame_index in self._pending and not self._stopping.is_set():
            self._lose_overdue(self._pending.pop(frame_index))

    def _lose_overdue(self, request: OffloadRequest) -> None:
        self._overdue.add(request.frame_index)
        detail = "no outcome long after the deadline"
        self._lose(_lost_request(request, self._clock.now_ns(), LossReason.ABANDONED, detail))

    def _await_pending(self) -> None:
        last_deadline_ns = max((request.deadline_ns for request in self._pending.values()), default=0)
        give_up_ns = last_deadline_ns + _REPORT_GRACE_NS
        while self._pending and not self._stopping.is_set() and self._clock.now_ns() < give_up_ns:
            self._wait_once(give_up_ns)

    def _wait_once(self, until_ns: int) -> bool:
        """Settle the next outcome, or let a slice of the time pass; tell which."""
        now_ns = self._clock.now_ns()
        outcome = self._link.wait(max(now_ns, min(until_ns, now_ns + _SLICE_NS)))
        if outcome is not None:
            self._settle(outcome)
        return outcome is not None

    def _settle(self, outcome: Outcome) -> None:
        if outcome.frame_index in self._overdue:
            self._overdue.remove(outcome.frame_index)
            return  # its loss was told already
        del self._pending[outcome.frame_index]
        if isinstance(outcome, Loss):
            self._lose(outcome)
            return
        try:
            result = self._agent.merge_answer(outcome)
        except DeadlineError as error:
            self._lose(_lost_answer(outcome, LossReason.DEADLINE, error))
        except ImplausibleAnswerError as error:
            self._lose(_lost_answer(outcome, LossReason.IMPLAUSIBLE, error))
        except _FRAME_ERRORS as error:
            self._lose(_lost_answer(outcome, LossReason.FAILED, error))
        else:
            self._observer.on_answer(outcome, result)

    def _lose(self, loss: Loss) -> None:
        self._observer.on_loss(loss, self._agent.give_up(loss))

    def _abandon_pending(self) -> None:
        for request in self._pending.values():
            detail = "the run ended before the outcome was known"
            self._lose(_lost_request(request, self._clock.now_ns(), LossReason.ABANDONED, detail))
        self._pending.clear()


def _lost_answer(answer: Answer, reason: LossReason, error: VedetteError) -> Loss:
    return Loss(answer.frame_index, answer.stamp_ns, answer.arrived_ns, reason, str(error), answer.bytes_up)


def _lost_request(request: OffloadRequest, now_ns: int, reason: LossReason, detail: str) -> Loss:
    return Loss(request.frame_index, request.stamp_ns, now_ns, reason, detail, 0)


def trace_id(frame: Frame) -> str:
    """32 lower-case hex digits that name a frame from sensor to merged answer; the same in every run of a recording."""
    name = f"{frame.source}\0{frame.index}\0{frame.stamp_ns}"
    return hashlib.blake2b(name.encode(), digest_size=16).hexdigest()

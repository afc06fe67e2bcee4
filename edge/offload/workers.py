"""What links on the wall clock have in common: threads that answer requests, and a queue of one, newest wins."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Final

from vedette.clock import Clock
from vedette.edge.offload.link import Loss, LossReason, OffloadRequest, Outcome
from vedette.edge.offload.outbox import Outbox

_JOIN_TIMEOUT_S: Final = 10.0


class WorkerLink(ABC):
    """A link of threads that each answer one request at a time; one more waits, and is superseded by a newer one.

    Args:
        clock: a wall clock.
        count: of threads, and so of requests under way.
        name: of the threads.
    """

    def __init__(self, clock: Clock, *, count: int, name: str) -> None:
        self._clock = clock
        self._outbox = Outbox(clock)
        self._waiting: tuple[OffloadRequest, int] | None = None
        self._closing = False
        self._changed = threading.Condition()
        self._threads = [threading.Thread(target=self._work, name=f"{name}-{i}", daemon=True) for i in range(count)]

    def start(self) -> None:
        """Start the threads."""
        for thread in self._threads:
            thread.start()

    def submit(self, request: OffloadRequest) -> None:
        """Queue the request in place of an older one that still waits; returns at once."""
        now_ns = self._clock.now_ns()
        self._outbox.expect()
        with self._changed:
            superseded, self._waiting = self._waiting, (request, now_ns)
            self._changed.notify()
        if superseded is not None:
            self._outbox.put(loss_of(superseded[0], now_ns, LossReason.SUPERSEDED, f"by frame {request.frame_index}"))

    def wait(self, until_ns: int) -> Outcome | None:
        """The next outcome as soon as it is there, or None once the clock has reached ``until_ns``."""
        return self._outbox.wait(until_ns)

    @property
    def pending_count(self) -> int:
        """Requests without an outcome yet."""
        return self._outbox.pending_count

    def close(self) -> None:
        """Stop after what runs; what waits is dropped."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(_JOIN_TIMEOUT_S)

    @abstractmethod
    def _answer(self, request: OffloadRequest, submitted_ns: int) -> Outcome:
        """Answer a request, in one of the threads; blocks meanwhile, and raises nothing but defects."""

    def _work(self) -> None:
        try:
            while (job := self._next_job()) is not None:
                self._outbox.put(self._answer(*job))
        except BaseException as error:  # a defect: raised where the run waits
            self._outbox.fail(error)

    def _next_job(self) -> tuple[OffloadRequest, int] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._closing or self._waiting is not None)
            job, self._waiting = self._waiting, None
            return None if self._closing else job


def loss_of(request: OffloadRequest, at_ns: int, reason: LossReason, detail: str, bytes_up: int = 0) -> Loss:
    """The loss of a request.

    Args:
        request: what was lost.
        at_ns: when that became known.
        reason: the cause.
        detail: for the log.
        bytes_up: bytes that were sent nevertheless.
    """
    return Loss(request.frame_index, request.stamp_ns, at_ns, reason, detail, bytes_up)

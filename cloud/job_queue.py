"""A bounded queue of work for threads, which forgets work that nobody waits for any more."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from vedette.errors import LinkUnavailableError, OverloadedError

Result = TypeVar("Result")


class Job(Generic[Result]):
    """Work, and the future that takes its result.

    Args:
        work: done by the thread that takes the job.
    """

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self.future: Future[Result] = Future()

    def run(self) -> None:
        """Do the work; whatever comes of it, an error too, goes to whoever waits for the future."""
        try:
            result = self._work()
        except Exception as error:
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class JobQueue(Generic[Result]):
    """First in, first out; refuses at once what is too much.

    A job whose future was cancelled gives up its place. The bound counts jobs for which no thread is free.

    Args:
        max_waiting: jobs that may wait while all threads are busy.
    """

    def __init__(self, max_waiting: int) -> None:
        self._max_waiting = max_waiting
        self._waiting: deque[Job[Result]] = deque()
        self._idle_threads = 0
        self._changed = threading.Condition()
        self._closed = False

    def __len__(self) -> int:
        with self._changed:
            self._forget_abandoned()
            # a job that an idle thread is about to take does not wait
            return max(0, len(self._waiting) - self._idle_threads)

    def put(self, work: Callable[[], Result]) -> Future[Result]:
        """Add work.

        Args:
            work: to be done by a thread later.

        Returns:
            Takes the result; cancelling it takes the work back as long as it has not begun.

        Raises:
            OverloadedError: too much is waiting.
            LinkUnavailableError: the queue is closed.
        """
        with self._changed:
            if self._closed:
                raise LinkUnavailableError("the server is stopping; try another or try again later")
            self._forget_abandoned()
            if len(self._waiting) >= self._max_waiting + self._idle_threads:
                raise OverloadedError(
                    f"{len(self._waiting)} requests are waiting for the model and {self._max_waiting} may;"
                    " send fewer, or start the server with more workers"
                )
            job = Job(work)
            self._waiting.append(job)
            self._changed.notify()
            return job.future

    def take(self) -> Job[Result] | None:
        """The next job that somebody still waits for, marked as running; blocks until there is one.

        Returns:
            None once the queue is closed.
        """
        with self._changed:
            self._idle_threads += 1
            try:
                while not self._closed:
                    while self._waiting:
                        job = self._waiting.popleft()
                        if job.future.set_running_or_notify_cancel():
                            return job
                    self._changed.wait()
                return None
            finally:
                self._idle_threads -= 1

    def close(self) -> None:
        """Fail what is waiting, refuse what comes, and let the threads go."""
        with self._changed:
            self._closed = True
            abandoned, self._waiting = self._waiting, deque()
            self._changed.notify_all()
        for job in abandoned:
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(LinkUnavailableError("the server stopped before the request's turn came"))

    def _forget_abandoned(self) -> None:
        self._waiting = deque(job for job in self._waiting if not job.future.cancelled())

"""How a run takes frames from a source: read one by one, or ahead of time by a bounded thread.

Reading ahead keeps the decoding of a recording's files out of the latency that a run measures, and lets a live source
be waited for without stopping the link.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Final, Protocol

from vedette.errors import VedetteError
from vedette.frames import FrameItem, FrameSource

_JOIN_TIMEOUT_S: Final = 1.0
"""Longer than one frame takes to read; a source that waits for its sensors ends when its owner closes it."""


class FrameFeed(Protocol):
    """Hands out a source's items one by one and can tell whether the next one is there as well."""

    @property
    def exhausted(self) -> bool:
        """Whether `take` will never return an item again."""
        ...

    def take(self, timeout_s: float) -> FrameItem | None:
        """The next item, or None when none came within the timeout or there are no more.

        Raises:
            VedetteError: the source ended with this error; items before it have all been handed out.
        """
        ...

    def newer_is_complete(self, now_ns: int) -> bool:
        """Whether the item after the last one taken is at hand and had been captured by ``now_ns``."""
        ...

    def close(self) -> None:
        """Stop reading."""
        ...


class DirectFeed:
    """Reads the source in the caller's thread: for the simulated clock, on which reading takes no time.

    Args:
        source: read one item ahead, so that `newer_is_complete` has an answer that does not depend on timing.
    """

    def __init__(self, source: FrameSource) -> None:
        self._items: Iterator[FrameItem] = iter(source)
        self._next: FrameItem | None = None
        self._error: VedetteError | None = None
        self._read()

    @property
    def exhausted(self) -> bool:
        """Whether `take` will never return an item again."""
        return self._next is None and self._error is None

    def take(self, timeout_s: float) -> FrameItem | None:  # noqa: ARG002 - reading never waits here
        """The next item, or None when there are no more.

        Raises:
            VedetteError: the source ended with this error; items before it have all been handed out.
        """
        item = self._next
        if item is not None:
            self._read()
        elif self._error is not None:
            raise self._error
        return item

    def newer_is_complete(self, now_ns: int) -> bool:
        """Whether the item after the last one taken had been captured by ``now_ns``."""
        return self._next is not None and self._next.ready_ns <= now_ns

    def close(self) -> None:
        """Nothing runs in the background."""

    def _read(self) -> None:
        try:
            self._next = next(self._items, None)
        except VedetteError as error:
            self._next, self._error = None, error


class PrefetchFeed:
    """Reads the source ahead in a thread of its own.

    Args:
        source: iterated in the thread.
        capacity: items read ahead at most, about 3 MB each; the source waits when they are not taken. Live sources drop
            on their own side meanwhile.
    """

    def __init__(self, source: FrameSource, capacity: int) -> None:
        self._source = source
        self._capacity = capacity
        self._items: deque[FrameItem] = deque()
        self._changed = threading.Condition()
        self._ended = False
        self._closing = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._read_all, name="frame-prefetch", daemon=True)
        self._thread.start()

    @property
    def exhausted(self) -> bool:
        """Whether `take` will never return an item again."""
        with self._changed:
            return self._ended and not self._items and self._error is None

    def take(self, timeout_s: float) -> FrameItem | None:
        """The next item, or None when none came within the timeout or there are no more.

        Raises:
            VedetteError: the source ended with this error; items before it have all been handed out.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._ended, timeout_s)
            if self._items:
                self._changed.notify_all()
                return self._items.popleft()
            if self._error is not None:
                raise self._error
            return None

    def newer_is_complete(self, now_ns: int) -> bool:
        """Whether the item after the last one taken has been read and had been captured by ``now_ns``."""
        with self._changed:
            return bool(self._items) and self._items[0].ready_ns <= now_ns

    def close(self) -> None:
        """Stop reading."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(_JOIN_TIMEOUT_S)

    def _read_all(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._source:
                if not self._put(item):
                    break
        except BaseException as met:  # handed to the taker, whose thread it concerns
            error = met
        with self._changed:
            self._ended, self._error = True, error
            self._changed.notify_all()

    def _put(self, item: FrameItem) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._closing or len(self._items) < self._capacity)
            if self._closing:
                return False
            self._items.append(item)
            self._changed.notify_all()
            return True

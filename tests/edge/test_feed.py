"""Reading a source one by one, and ahead of time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from vedette.edge.feed import DirectFeed, FrameFeed, PrefetchFeed
from vedette.errors import InvalidFrameError, MissingDataError
from vedette.frames import BadFrame, FrameItem, TimeBase

LONG_S = 20.0


class Source:
    """Bad frames at 0, 10, 20 ..., which need no content; counts how far it was read."""

    name = "fake"
    time_base = TimeBase.RECORDED
    frame_count = None

    def __init__(self, count: int, error: Exception | None = None) -> None:
        self._count, self._error = count, error
        self.read = 0
        self.ended = threading.Event()

    def __iter__(self) -> Iterator[FrameItem]:
        try:
            for index in range(self._count):
                self.read += 1
                yield BadFrame(index, self.name, 10 * index, InvalidFrameError("empty"))
            if self._error is not None:
                raise self._error
        finally:
            self.ended.set()

    def close(self) -> None:
        pass


def prefetch(source: Source) -> FrameFeed:
    return PrefetchFeed(source, capacity=2)


both = pytest.mark.parametrize("make", [DirectFeed, prefetch])


def take_all(feed: FrameFeed) -> list[int]:
    indices: list[int] = []
    while not feed.exhausted:
        item = feed.take(LONG_S)
        if item is not None:
            indices.append(item.index)
    return indices


@both
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_all_items_in_order(make: Callable[[Source], FrameFeed], count: int) -> None:
    """Every item comes once, and then none."""
    feed = make(Source(count))
    assert take_all(feed) == list(range(count))
    assert feed.take(0) is None
    assert not feed.newer_is_complete(10**18)
    feed.close()


@both
def test_newer_is_complete(make: Callable[[Source], FrameFeed]) -> None:
    """The item after the one taken counts from the time of its capture on."""
    source = Source(2)
    feed = make(source)
    assert feed.take(LONG_S) is not None
    assert isinstance(feed, DirectFeed) or source.ended.wait(LONG_S)
    assert not feed.newer_is_complete(9)
    assert feed.newer_is_complete(10)
    feed.close()


@both
def test_error_comes_after_the_items(make: Callable[[Source], FrameFeed]) -> None:
    """A source that fails is not exhausted until the error has been met, which stays."""
    feed = make(Source(2, MissingDataError("the folder is gone")))
    assert [feed.take(LONG_S), feed.take(LONG_S)] != [None, None]
    for _ in range(2):
        assert not feed.exhausted
        with pytest.raises(MissingDataError, match="the folder is gone"):
            feed.take(LONG_S)
    feed.close()


def test_defect_of_a_source_reaches_the_run() -> None:
    """A programming error in the reading thread is raised where frames are taken."""
    feed = PrefetchFeed(Source(0, ZeroDivisionError()), capacity=2)
    with pytest.raises(ZeroDivisionError):
        feed.take(LONG_S)
    feed.close()


def test_reading_ahead_is_bounded() -> None:
    """No more than the capacity is read ahead of what was taken, and closing ends the reading."""
    source = Source(1000)
    feed = PrefetchFeed(source, capacity=3)
    for _ in range(5):
        assert feed.take(LONG_S) is not None
    assert source.read <= 5 + 3 + 1
    feed.close()
    assert source.ended.wait(LONG_S)
    assert source.read <= 5 + 3 + 1


def test_taking_from_a_slow_source_times_out() -> None:
    """When nothing comes, take returns None, and the feed is not exhausted."""
    gate = threading.Event()

    class Slow(Source):
        def __iter__(self) -> Iterator[FrameItem]:
            assert gate.wait(LONG_S)
            yield from super().__iter__()

    feed = PrefetchFeed(Slow(1), capacity=2)
    assert feed.take(0.001) is None
    assert not feed.exhausted
    gate.set()
    assert take_all(feed) == [0]
    feed.close()

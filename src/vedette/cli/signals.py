"""Stopping a run that would go on for ever."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def calling_on_stop(stop: Callable[[], None]) -> Iterator[None]:
    """While inside, Ctrl-C and SIGTERM call a function once; a second Ctrl-C interrupts as usual.

    Args:
        stop: asks for a graceful end; must return at once. Called in the main thread.
    """

    def handle(number: int, _: FrameType | None) -> None:
        signal.signal(number, previous[signal.Signals(number)] or signal.SIG_DFL)
        stop()

    previous = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in previous:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler or signal.SIG_DFL)

"""One direction of a link: how long bytes take from end to end, the same for modelled messages and for real ones.

    sender ──► buffer ──► bottleneck ──► delay + jitter ──► stall ──► receiver
               finite     rate trace     at least delay     frozen: what would arrive
               first in, first out       order is kept      comes at its end, all at once

*Buffer.* What a TCP sender sees before a bottleneck: a packet that does not fit is dropped, the sender slows down and
sends it again, and to whoever writes into the connection that is nothing but waiting. So nothing is lost here either:
what does not fit stays with the sender. But what is in the buffer can no longer be taken back: when a message is given
up, as much of it as fits goes on through the bottleneck, and the next message has to wait for that (bufferbloat).

*Black hole.* What is under way while one lasts never arrives, and nobody is told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vedette.datasets.traces import NEVER, RateTrace, Spans


@dataclass(frozen=True)
class DirectionModel:
    """What one direction of a link is like; times of its spans count from where the trace begins.

    Args:
        trace: rate of the bottleneck; None takes no time.
        delay_ns: from the last bit leaving the bottleneck to its arrival, at least.
        jitter_ns: most that is added to the delay, uniform for each message or piece; order is kept.
        jitter_seed: of what is added.
        buffer_bytes: before the bottleneck; None for what is usual where the model is used.
        stalls: nothing arrives meanwhile; it does at the end.
        black_holes: what is under way meanwhile never arrives.
    """

    trace: RateTrace | None = None
    delay_ns: int = 0
    jitter_ns: int = 0
    jitter_seed: tuple[int, ...] = (0,)
    buffer_bytes: int | None = None
    stalls: Spans = NEVER
    black_holes: Spans = NEVER


@dataclass(frozen=True)
class _Carried:
    """The last message: when it could be sent, when its first bit left the buffer, its size."""

    start_ns: int
    first_ns: int
    byte_count: int


class LinkDirection:
    """Times of what is sent in one direction, on a clock that never goes back.

    Args:
        model: what the direction is like.
    """

    def __init__(self, model: DirectionModel) -> None:
        self._model = model
        self._begin_ns: int | None = None
        self._reset()

    def _reset(self) -> None:
        self._free_ns = 0
        self._arrived_ns = 0
        self._last = _Carried(0, 0, 0)
        self._random = np.random.default_rng(self._model.jitter_seed)

    def begin(self, at_ns: int) -> None:
        """Let the trace begin, again if it had; what was sent before is forgotten.

        Args:
            at_ns: its zero on the clock; may be to come. Before it only the delay applies.
        """
        self._begin_ns = at_ns
        self._reset()

    def carry(self, start_ns: int, byte_count: int) -> int | None:
        """Send a message after all before it.

        Args:
            start_ns: when its first byte is there to be sent; not before that of the message before.
            byte_count: its size.

        Returns:
            When it has left the bottleneck; None when the trace will never carry it.
        """
        first_ns = max(start_ns, self._free_ns)
        self._last = _Carried(start_ns, first_ns, byte_count)
        left_ns = self._finish_ns(first_ns, byte_count)
        if left_ns is not None:
            self._free_ns = left_ns
        return left_ns

    def give_up(self, at_ns: int) -> int:
        """Stop sending the last message; what is in the buffer goes on.

        Args:
            at_ns: before it has left the bottleneck.

        Returns:
            How much of it the sender has sent.
        """
        last = self._last
        sent = 0
        if at_ns > last.start_ns:
            # before its first bit is through, the rest of what went before it takes its place in the buffer
            through = self._bytes_between(last.first_ns, at_ns) - self._bytes_between(at_ns, last.first_ns)
            sent = min(last.byte_count, max(0, through + (self._model.buffer_bytes or 0)))
        left_ns = self._finish_ns(last.first_ns, sent)
        if left_ns is None:  # a link that never carries anything takes nothing either
            return 0
        self._free_ns = left_ns
        return sent

    def arrive(self, since_ns: int, left_ns: int) -> int | None:
        """When what has left the bottleneck arrives; to be asked once for each message, in order.

        Args:
            since_ns: when it came to be under way: a black hole from then on swallows it.
            left_ns: as `carry` says.

        Returns:
            The time, not before that of the message before; None when it never arrives.
        """
        model = self._model
        added_ns = int(self._random.integers(0, model.jitter_ns, endpoint=True)) if model.jitter_ns else 0
        arrival_ns = max(left_ns + model.delay_ns + added_ns, self._arrived_ns)
        if self._begin_ns is not None:
            arrival_ns = model.stalls.end_ns(arrival_ns - self._begin_ns) + self._begin_ns
            if model.black_holes.touch(since_ns - self._begin_ns, arrival_ns - self._begin_ns):
                return None
        self._arrived_ns = arrival_ns
        return arrival_ns

    def _finish_ns(self, first_ns: int, byte_count: int) -> int | None:
        if self._model.trace is None or self._begin_ns is None or first_ns < self._begin_ns:
            return first_ns
        finish_ns = self._model.trace.finish_ns(first_ns - self._begin_ns, byte_count)
        return None if finish_ns is None else finish_ns + self._begin_ns

    def _bytes_between(self, first_ns: int, last_ns: int) -> int:
        """Whole bytes through the bottleneck, none when ``last_ns`` is not the later."""
        if self._model.trace is None or self._begin_ns is None or last_ns <= first_ns:
            return 0
        return self._model.trace.bytes_between(first_ns - self._begin_ns, last_ns - self._begin_ns)

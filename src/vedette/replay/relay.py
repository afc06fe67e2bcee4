"""One connection through the relay: its bytes wait for room, take the link's time, and are written on.

    read a piece ─► wait for room in the buffer ─► bottleneck, delay (times computed) ─► queue ─► at its time: write

Everything has a bound. What the buffer does not take is not read, so that the sender's own socket fills, as it does
before a slow link; what is on its way is at most a receiver's window. The kernel's socket buffers on this machine are
kept small for the same reason: what they hold has not been sent yet, as the model sees it.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections import deque
from contextlib import suppress
from typing import Final

from vedette.replay.direction import DirectionModel, LinkDirection

PIECE_BYTES: Final = 4096
"""Relayed at a time; about three packets, a few milliseconds of a slow uplink."""
DEFAULT_BUFFER_BYTES: Final = 128_000
"""Before the bottleneck, when the network does not say; all connections share it."""
READER_BYTES: Final = 16_384
_WINDOW_PIECES: Final = 1024
"""On their way at most, of one connection and direction: 4 MiB, as a receiver's window."""
_SOCKET_BYTES: Final = 65_536
_CONNECT_TIMEOUT_S: Final = 5.0
_FOR_EVER_S: Final = 3600.0

_Pieces = asyncio.Queue[tuple[int | None, bytes]]
"""Time of arrival and content; nothing is the end, which never arrives when its time is None."""


class RelayedDirection:
    """One direction of the link, shared by all connections.

    Args:
        model: what it is like.
    """

    def __init__(self, model: DirectionModel) -> None:
        self._times = LinkDirection(model)
        self._limit_bytes = model.buffer_bytes or DEFAULT_BUFFER_BYTES
        self._held: deque[tuple[int, int]] = deque()
        self._held_bytes = 0
        self.piece_bytes = min(PIECE_BYTES, self._limit_bytes)
        self.forwarded_bytes = 0

    def begin(self, at_ns: int) -> None:
        """Let the trace begin, with an empty buffer.

        Args:
            at_ns: its zero on the monotonic clock.
        """
        self._times.begin(at_ns)
        self._held.clear()
        self._held_bytes = 0

    async def send(self, byte_count: int, since_ns: int) -> int | None:
        """Wait until the buffer takes a piece.

        Args:
            byte_count: of the piece, at most `piece_bytes`.
            since_ns: when its connection was made.

        Returns:
            When it arrives, on the monotonic clock; None when a black hole has swallowed the connection.
        """
        while (wait_ns := self._room_in_ns(byte_count)) > 0:
            await asyncio.sleep(wait_ns / 1e9)
        left_ns = self._times.carry(time.monotonic_ns(), byte_count)
        while left_ns is None:  # a link that never carries anything again, until the connection is cut
            await asyncio.sleep(_FOR_EVER_S)
        self._held.append((left_ns, byte_count))
        self._held_bytes += byte_count
        return self._times.arrive(since_ns, left_ns)

    def _room_in_ns(self, byte_count: int) -> int:
        """0 when there is room; else until something more will have left."""
        now_ns = time.monotonic_ns()
        while self._held and self._held[0][0] <= now_ns:
            self._held_bytes -= self._held.popleft()[1]
        if self._held_bytes + byte_count <= self._limit_bytes:
            return 0
        return self._held[0][0] - now_ns


async def open_to(host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the server.

    Raises:
        OSError: refused, unreachable, or no answer in time.
        UnicodeError: a name that cannot be one.
    """
    async with asyncio.timeout(_CONNECT_TIMEOUT_S):  # TimeoutError is an OSError
        return await asyncio.open_connection(host, port, limit=READER_BYTES)


async def pump(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, direction: RelayedDirection, since_ns: int
) -> None:
    """Relay one direction of one connection, until the sender closes it.

    Args:
        reader: of the sender's end.
        writer: of the receiver's end.
        direction: of the link.
        since_ns: when the connection was made, on the monotonic clock.

    Raises:
        ExceptionGroup: of OSError: an end has broken.
    """
    under_way: _Pieces = asyncio.Queue(_WINDOW_PIECES)
    async with asyncio.TaskGroup() as group:
        group.create_task(_read(reader, under_way, direction, since_ns))
        group.create_task(_write(under_way, writer, direction))


async def _read(reader: asyncio.StreamReader, under_way: _Pieces, direction: RelayedDirection, since_ns: int) -> None:
    """Once a black hole has swallowed the connection, what comes is read as if it had been sent, and forgotten."""
    while True:
        piece = await reader.read(direction.piece_bytes)
        arrival_ns = await direction.send(max(len(piece), 1), since_ns)  # the end is sent, too
        if arrival_ns is not None or not piece:
            await under_way.put((arrival_ns, piece))
        if not piece:
            return


async def _write(under_way: _Pieces, writer: asyncio.StreamWriter, direction: RelayedDirection) -> None:
    while True:
        arrival_ns, piece = await under_way.get()
        if arrival_ns is None:
            return
        await asyncio.sleep((arrival_ns - time.monotonic_ns()) / 1e9)
        if not piece:
            with suppress(OSError):
                writer.write_eof()
            return
        writer.write(piece)
        await writer.drain()
        direction.forwarded_bytes += len(piece)


def keep_sockets_small(*writers: asyncio.StreamWriter) -> None:
    """Let the kernel hold little of what has arrived and not been read."""
    for writer in writers:
        _socket_of(writer).setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SOCKET_BYTES)


def cut(*writers: asyncio.StreamWriter) -> None:
    """Break connections off: the other end is told that they were reset, not that they were closed."""
    for writer in writers:
        if not writer.transport.is_closing():
            with suppress(OSError):
                _socket_of(writer).setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()


def _socket_of(writer: asyncio.StreamWriter) -> socket.socket:
    found: socket.socket = writer.get_extra_info("socket")
    return found

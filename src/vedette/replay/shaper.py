"""A relay in front of a real server that lets bytes through as a network model says.

    agent ──► relay ──────────────────────────► server
              each piece leaves when the trace has carried everything before it,
              and arrives one delay later; a full buffer stops the reading, as a
              full socket does

The relay runs in a thread of its own. All connections share the link, each direction has its own trace. Before the
trace begins, only the delay applies: connections are built up then.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from vedette.datasets.traces import RateTrace
from vedette.replay.network import NetworkModel

PIECE_BYTES: Final = 4096
"""Relayed at a time; about three packets, a few milliseconds of a slow uplink."""
BUFFER_PIECES: Final = 32
"""Read from one side and not yet written to the other, of one connection and direction."""
_CONNECT_TIMEOUT_S: Final = 5.0
_STOP_TIMEOUT_S: Final = 10.0
_LAST_TURNS_S: Final = 0.05
"""In which connections that were being accepted when the relay was stopped come to be ours, to be cut."""


class ShapedDirection:
    """When bytes that are sent in one direction of a link arrive.

    Args:
        trace: its rate; None takes no time.
        delay_ns: from the last bit leaving to the last bit arriving.
    """

    def __init__(self, trace: RateTrace | None, delay_ns: int) -> None:
        self._trace = trace
        self._delay_ns = delay_ns
        self._begin_ns: int | None = None
        self._free_ns = 0

    def begin(self, at_ns: int) -> None:
        """Let the trace begin.

        Args:
            at_ns: its zero on the clock of `arrival_ns`; may be to come.
        """
        self._begin_ns = at_ns

    def arrival_ns(self, now_ns: int, byte_count: int) -> int | None:
        """Send a piece after all pieces before it.

        Args:
            now_ns: of a clock that never goes back.
            byte_count: of the piece.

        Returns:
            When it arrives, on the same clock; None when the trace will never carry it.
        """
        start_ns = max(now_ns, self._free_ns)
        if self._trace is not None and self._begin_ns is not None and start_ns >= self._begin_ns:
            finish_ns = self._trace.finish_ns(start_ns - self._begin_ns, byte_count)
            if finish_ns is None:
                return None
            start_ns = finish_ns + self._begin_ns
        self._free_ns = start_ns
        return start_ns + self._delay_ns


class LinkShaper:
    """The relay; made by `shaped_link`.

    Args:
        target: ``HOST:PORT`` of the server.
        network: how slow the link is.
    """

    def __init__(self, target: str, network: NetworkModel) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host.strip("[]"), int(port))
        self._up = ShapedDirection(network.up, network.delay_ns)
        self._down = ShapedDirection(network.down, network.delay_ns)
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._connections: set[asyncio.Task[None]] = set()
        self.address = ""

    def begin(self, lead_ns: int) -> None:
        """Let both traces begin, again if they had: each run meets the same network.

        Args:
            lead_ns: from now to their zero.
        """
        at_ns = time.monotonic_ns() + lead_ns
        self._loop.call_soon_threadsafe(self._up.begin, at_ns)
        self._loop.call_soon_threadsafe(self._down.begin, at_ns)

    def run(self, ready: threading.Event, stop: asyncio.Event) -> None:
        """Relay until told to stop; in a thread of its own.

        Args:
            ready: set when `address` can be connected to.
            stop: set, in this loop, to end.
        """
        with self._runner:  # cancels what is under way in the end
            self._runner.run(self._serve(ready, stop))

    def stop_soon(self, stop: asyncio.Event) -> None:
        """Tell the thread to end.

        Args:
            stop: as given to `run`.
        """
        self._loop.call_soon_threadsafe(stop.set)

    async def _serve(self, ready: threading.Event, stop: asyncio.Event) -> None:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()[:2]
        self.address = f"{host}:{port}"
        ready.set()
        await stop.wait()
        # a connection that is being accepted while its server closes is never closed itself: accept no more, then close
        self._loop.remove_reader(server.sockets[0].fileno())
        await asyncio.sleep(_LAST_TURNS_S)
        server.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._relay(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Both directions of one connection; when either breaks, both end, as with a cut line."""
        writers = [writer]
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                server_reader, server_writer = await asyncio.open_connection(*self._target)
            writers.append(server_writer)
            async with asyncio.TaskGroup() as group:
                group.create_task(_pump(reader, server_writer, self._up))
                group.create_task(_pump(server_reader, writer, self._down))
        except (OSError, TimeoutError, ExceptionGroup):
            pass  # a refused or broken connection is the agent's to see: its own end closes now
        except asyncio.CancelledError:
            for one in writers:
                one.transport.abort()
            raise
        finally:
            for one in writers:
                one.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, direction: ShapedDirection) -> None:
    """Relay one direction of one connection, until the sender closes it."""
    under_way: asyncio.Queue[tuple[int | None, bytes]] = asyncio.Queue(BUFFER_PIECES)
    async with asyncio.TaskGroup() as group:
        group.create_task(_read(reader, under_way, direction))
        group.create_task(_write(under_way, writer))


async def _read(
    reader: asyncio.StreamReader, under_way: asyncio.Queue[tuple[int | None, bytes]], direction: ShapedDirection
) -> None:
    while piece := await reader.read(PIECE_BYTES):
        await under_way.put((direction.arrival_ns(time.monotonic_ns(), len(piece)), piece))
    await under_way.put((0, b""))


async def _write(under_way: asyncio.Queue[tuple[int | None, bytes]], writer: asyncio.StreamWriter) -> None:
    while True:
        arrival_ns, piece = await under_way.get()
        if arrival_ns is None:
            await asyncio.Event().wait()  # a link that never carries anything again, until the relay is stopped
        elif not piece:
            with suppress(OSError):
                writer.write_eof()
            return
        else:
            await asyncio.sleep((arrival_ns - time.monotonic_ns()) / 1e9)
            writer.write(piece)
            await writer.drain()


@contextmanager
def shaped_link(target: str, network: NetworkModel) -> Iterator[LinkShaper]:
    """Put a relay in front of a server.

    Args:
        target: ``HOST:PORT`` of the server.
        network: how slow the link is.

    Yields:
        The relay; connect to its `address` in the server's place.
    """
    shaper = LinkShaper(target, network)
    ready, stop = threading.Event(), asyncio.Event()
    thread = threading.Thread(target=shaper.run, args=(ready, stop), name="link shaper", daemon=True)
    thread.start()
    try:
        ready.wait()
        yield shaper
    finally:
        shaper.stop_soon(stop)
        thread.join(_STOP_TIMEOUT_S)

"""A relay in front of a real server that lets bytes through as a network model says.

    agent ──► relay ──────────────────────────► server
              each piece leaves when the trace has carried everything before it,
              and arrives one delay later; a full buffer stops the reading, as a
              full socket does

The relay runs in a thread of its own. All connections share the link, each direction has its own trace. Before the
trace begins, only the delay applies: connections are built up then. Making a connection takes no time of the link's;
one that the server refuses is reset, which is as near to a refusal as a relay gets that has accepted it already.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from vedette.errors import ConfigError
from vedette.replay.network import NetworkModel
from vedette.replay.relay import READER_BYTES, RelayedDirection, cut, keep_sockets_small, open_to, pump

MAX_CONNECTIONS: Final = 256
"""At once; more are reset, so that what waits in an outage has a bound."""
_STOP_TIMEOUT_S: Final = 10.0
_LAST_TURNS_S: Final = 0.05
"""In which connections that were being accepted when the relay was stopped come to be ours, to be cut."""


@dataclass(frozen=True)
class Traffic:
    """What a relay has done so far.

    Args:
        up_bytes: written to the server.
        down_bytes: written to agents.
        connection_count: accepted.
        open_count: of them, open now.
        refused_count: of them, reset for want of a server, or because there were too many.
        reset_count: of them, broken as the network says.
    """

    up_bytes: int
    down_bytes: int
    connection_count: int
    open_count: int
    refused_count: int
    reset_count: int


class LinkShaper:
    """The relay; made by `shaped_link`.

    Args:
        target: ``HOST:PORT`` of the server.
        network: how slow the link is.
        listener: bound and listening; closed by `run`.
    """

    def __init__(self, target: str, network: NetworkModel, listener: socket.socket) -> None:
        self._target = _place(target)
        self._up = RelayedDirection(network.up)
        self._down = RelayedDirection(network.down)
        self._resets = network.resets
        self._breaking: asyncio.Task[None] | None = None
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._listener = listener
        self._connections: set[asyncio.Task[None]] = set()
        self._connection_count = self._refused_count = self._reset_count = 0
        host, port = listener.getsockname()[:2]
        self.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def begin(self, lead_ns: int) -> None:
        """Let both traces begin, again if they had: each run meets the same network.

        Args:
            lead_ns: from now to their zero.
        """
        self._loop.call_soon_threadsafe(self._begin, time.monotonic_ns() + lead_ns)

    def traffic(self) -> Traffic:
        """What has been done so far."""
        return Traffic(
            up_bytes=self._up.forwarded_bytes,
            down_bytes=self._down.forwarded_bytes,
            connection_count=self._connection_count,
            open_count=len(self._connections),
            refused_count=self._refused_count,
            reset_count=self._reset_count,
        )

    def run(self, stop: asyncio.Event) -> None:
        """Relay until told to stop; in a thread of its own.

        Args:
            stop: set, in this loop, to end.
        """
        with self._runner:  # cancels what is under way in the end
            self._runner.run(self._serve(stop))

    def stop_soon(self, stop: asyncio.Event) -> None:
        """Tell the thread to end.

        Args:
            stop: as given to `run`.
        """
        self._loop.call_soon_threadsafe(stop.set)

    async def _serve(self, stop: asyncio.Event) -> None:
        server = await asyncio.start_server(self._accept, sock=self._listener, limit=READER_BYTES)
        await stop.wait()
        # a connection that is being accepted while its server closes is never closed itself: accept no more, then close
        self._loop.remove_reader(self._listener.fileno())
        await asyncio.sleep(_LAST_TURNS_S)
        server.close()

    def _begin(self, at_ns: int) -> None:
        self._up.begin(at_ns)
        self._down.begin(at_ns)
        if self._breaking is not None:
            self._breaking.cancel()
        self._breaking = self._loop.create_task(self._break_when_due(at_ns))

    async def _break_when_due(self, begin_ns: int) -> None:
        due_ns = self._resets.next_start_ns(time.monotonic_ns() - begin_ns)
        while due_ns is not None:
            await asyncio.sleep((begin_ns + due_ns - time.monotonic_ns()) / 1e9)
            self._reset_count += len(self._connections)
            for connection in self._connections:
                connection.cancel()
            due_ns = self._resets.next_start_ns(due_ns)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connection_count += 1
        if len(self._connections) >= MAX_CONNECTIONS:
            self._refused_count += 1
            cut(writer)
            return
        task = self._loop.create_task(self._relay(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Both directions of one connection; when either breaks, both end, as with a cut line."""
        since_ns = time.monotonic_ns()
        writers = [writer]
        try:
            server_reader, server_writer = await open_to(*self._target)
            writers.append(server_writer)
            keep_sockets_small(*writers)
            async with asyncio.TaskGroup() as group:
                group.create_task(pump(reader, server_writer, self._up, since_ns))
                group.create_task(pump(server_reader, writer, self._down, since_ns))
        except (OSError, UnicodeError):  # nobody is where the server should be: the agent's to see
            self._refused_count += 1
            cut(*writers)
        except ExceptionGroup:
            cut(*writers)
        except asyncio.CancelledError:
            cut(*writers)
            raise
        finally:
            for one in writers:
                one.close()


@contextmanager
def shaped_link(target: str, network: NetworkModel, listen: str = "127.0.0.1:0") -> Iterator[LinkShaper]:
    """Put a relay in front of a server.

    Args:
        target: ``HOST:PORT`` of the server.
        network: how slow the link is.
        listen: ``HOST:PORT`` to connect to in the server's place; port 0 takes a free one.

    Yields:
        The relay; connect to its `address`.

    Raises:
        ConfigError: it cannot listen there.
    """
    with _listening(listen) as listener:
        shaper = LinkShaper(target, network, listener)
        stop = asyncio.Event()
        thread = threading.Thread(target=shaper.run, args=(stop,), name="link shaper", daemon=True)
        thread.start()
        try:
            yield shaper
        finally:
            shaper.stop_soon(stop)
            thread.join(_STOP_TIMEOUT_S)


def _listening(address: str) -> socket.socket:
    host, port = _place(address)
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, UnicodeError) as error:
        raise ConfigError(
            f"cannot listen on {address}: {error}; choose another port (0 takes a free one) or an address of this"
            " machine"
        ) from error


def _place(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)

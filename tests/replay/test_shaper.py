"""The relay: when bytes arrive by the network model, and that they arrive whole."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

import pytest

from vedette.errors import ConfigError
from vedette.replay import shaper
from vedette.replay.network import parse_network
from vedette.replay.shaper import shaped_link


@contextmanager
def echo_server() -> Iterator[str]:
    """Sends everything back on each connection, then closes it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def echo(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                while data := connection.recv(65536):
                    connection.sendall(data)

        def serve() -> None:
            with suppress(OSError):  # the listener has been closed
                while True:
                    threading.Thread(target=echo, args=listener.accept()[:1], daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def exchange(address: str, data: bytes) -> bytes:
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=30) as connection:

        def send() -> None:
            with suppress(OSError):  # the other side may have closed already
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send)
        sender.start()
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
        sender.join()
    return answer


@pytest.mark.parametrize("spec", ["none", "constant:200mbps,delay=1ms", "fading:1,mean=100mbps"])
def test_bytes_arrive_whole_and_the_end_is_passed_on(spec: str) -> None:
    """More than the relay buffers, both ways, then the close."""
    data = bytes(range(256)) * 2000
    with echo_server() as target, shaped_link(target, parse_network(spec)) as link:
        link.begin(0)
        assert exchange(link.address, data) == data


def connect(address: str, timeout_s: float = 30.0) -> socket.socket:
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=timeout_s)


def eventually(holds: Callable[[], bool]) -> None:
    """Wait for something that happens in the relay's thread; the test's own timeout ends it."""
    while not holds():
        time.sleep(0.01)


def test_an_absent_server_shows_as_a_reset_connection() -> None:
    """The agent sees what it would see without the relay: it cannot talk to the server."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with shaped_link(f"127.0.0.1:{port}", parse_network("none")) as link:
        with pytest.raises(ConnectionResetError), connect(link.address) as connection:
            connection.recv(1)
        eventually(lambda: link.traffic().open_count == 0)
        assert (link.traffic().connection_count, link.traffic().refused_count) == (1, 1)


def test_a_name_that_cannot_be_one_is_refused_like_an_absent_server() -> None:
    """And leaves nothing behind."""
    with shaped_link("a..b:80", parse_network("none")) as link:
        with pytest.raises(ConnectionResetError), connect(link.address) as connection:
            connection.recv(1)
        eventually(lambda: link.traffic().refused_count == 1)


def test_traffic_is_counted() -> None:
    """What was written on, either way."""
    with echo_server() as target, shaped_link(target, parse_network("none")) as link:
        assert exchange(link.address, b"x" * 30_000) == b"x" * 30_000
        eventually(lambda: link.traffic().open_count == 0)
        traffic = link.traffic()
    assert (traffic.up_bytes, traffic.down_bytes, traffic.connection_count) == (30_000, 30_000, 1)


def test_a_reset_breaks_connections_and_new_ones_can_be_made() -> None:
    """The agent is told at once."""
    with echo_server() as target, shaped_link(target, parse_network("constant:8mbps,reset=@300ms")) as link:
        with connect(link.address) as connection:
            connection.sendall(b"a")
            assert connection.recv(1) == b"a"
            link.begin(0)
            with pytest.raises(ConnectionResetError):
                connection.recv(1)
        assert exchange(link.address, b"again") == b"again"
        assert link.traffic().reset_count == 1


def test_a_black_hole_swallows_a_connection_for_ever_and_tells_nobody() -> None:
    """What was made before its end stays open and dead, both ways; one made after it is alive."""
    with echo_server() as target, shaped_link(target, parse_network("constant:8mbps,blackhole=300ms@0s")) as link:
        with connect(link.address) as dead:
            dead.sendall(b"before")
            assert dead.recv(6) == b"before"
            link.begin(0)
            dead.sendall(b"in it")

            def alive() -> bool:
                with connect(link.address, 0.2) as fresh, suppress(TimeoutError):
                    fresh.sendall(b"new")
                    return fresh.recv(3) == b"new"
                return False

            eventually(alive)
            dead.sendall(b"after it")
            dead.settimeout(0.2)
            with pytest.raises(TimeoutError):
                dead.recv(1)
        # the server is never told that it was closed
        assert link.traffic().open_count >= 1
    assert link.traffic().open_count == 0


@pytest.mark.parametrize(("spec", "all_taken"), [("constant:1gbps,delay=60s", True), ("constant:0bps", False)])
def test_a_long_way_holds_much_and_a_dead_link_little(spec: str, all_taken: bool) -> None:
    """A window of 4 MiB is on its way; before a bottleneck that carries nothing the sender has to wait."""
    with echo_server() as target, shaped_link(target, parse_network(spec)) as link:
        link.begin(0)
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32_768)
        connection.settimeout(10.0 if all_taken else 0.5)
        host, port = link.address.rsplit(":", 1)
        with connection:
            connection.connect((host, int(port)))
            with nullcontext() if all_taken else pytest.raises(TimeoutError):
                connection.sendall(bytes(3_000_000))


def test_connections_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """One too many is reset, the others go on."""
    monkeypatch.setattr(shaper, "MAX_CONNECTIONS", 1)
    with echo_server() as target, shaped_link(target, parse_network("none")) as link, connect(link.address) as first:
        first.sendall(b"a")
        assert first.recv(1) == b"a"
        # the reset may be there before the connection is used
        with pytest.raises(ConnectionResetError), connect(link.address) as second:
            second.recv(1)
        first.sendall(b"b")
        assert first.recv(1) == b"b"
        assert link.traffic().refused_count == 1


def test_a_place_that_is_taken_or_not_ours_is_refused() -> None:
    """At once, with the address and what to do; port 0 is a free one, also on IPv6."""
    none = parse_network("none")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        for listen in (place, "192.0.2.1:0", "no-such-host.invalid:0", "a..b:0"):
            with (
                pytest.raises(ConfigError, match=f"cannot listen on {listen}.*0 takes a free"),
                shaped_link("127.0.0.1:1", none, listen),
            ):
                pass
    if socket.has_ipv6:
        with suppress(ConfigError), shaped_link("[::1]:1", none, "[::1]:0") as link:
            assert link.address.startswith("[::1]:")


def test_stopping_cuts_connections_that_a_dead_link_holds() -> None:
    """Nothing hangs when a run is over."""
    with echo_server() as target:
        with shaped_link(target, parse_network("constant:0bps")) as link:
            link.begin(0)
            host, port = link.address.rsplit(":", 1)
            connection = socket.create_connection((host, int(port)), timeout=30)
            connection.sendall(b"lost")
        with connection, suppress(ConnectionError):  # a reset says the same
            assert connection.recv(100) == b""

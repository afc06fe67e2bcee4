"""The relay: when bytes arrive by the network model, and that they arrive whole."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from vedette.datasets.traces import constant_trace, step_trace
from vedette.replay.network import NetworkModel, parse_network
from vedette.replay.shaper import ShapedDirection, shaped_link

MS = 1_000_000


def test_pieces_follow_one_another_at_the_rate() -> None:
    """8 Mbit/s carry 1000 bytes a millisecond: sent together, the second arrives a millisecond after the first."""
    link = ShapedDirection(constant_trace(8_000_000), 20 * MS)
    link.begin(100 * MS)
    assert link.arrival_ns(100 * MS, 1000) == 121 * MS
    assert link.arrival_ns(100 * MS, 1000) == 122 * MS
    assert link.arrival_ns(300 * MS, 500) == 320 * MS + MS // 2


def test_an_outage_holds_what_is_under_way() -> None:
    """One second at 8 Mbit/s, one without anything: a piece sent in the middle of the outage leaves at its end."""
    link = ShapedDirection(step_trace([8_000_000, 0], 1000 * MS), 0)
    link.begin(0)
    assert link.arrival_ns(1500 * MS, 1000) == 2001 * MS


def test_before_the_trace_begins_only_the_delay_counts() -> None:
    """Connections are built up then."""
    link = ShapedDirection(constant_trace(8_000), 5 * MS)
    assert link.arrival_ns(7 * MS, 10**6) == 12 * MS
    link.begin(100 * MS)
    assert link.arrival_ns(50 * MS, 10**6) == 55 * MS
    assert link.arrival_ns(100 * MS, 1) == 106 * MS


def test_a_trace_can_begin_again() -> None:
    """Each run meets the same network: the outage is again in its second second."""
    link = ShapedDirection(step_trace([8_000_000, 0], 1000 * MS), 0)
    link.begin(0)
    assert link.arrival_ns(200 * MS, 1000) == 201 * MS
    link.begin(1500 * MS)
    assert link.arrival_ns(1500 * MS, 1000) == 1501 * MS


def test_a_dead_link_never_carries_anything() -> None:
    """No time of arrival, and not an endless loop."""
    link = ShapedDirection(constant_trace(0), 0)
    link.begin(0)
    assert link.arrival_ns(0, 1) is None


@contextmanager
def echo_server() -> Iterator[str]:
    """Sends everything back, then closes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                while data := connection.recv(65536):
                    connection.sendall(data)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
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


def test_an_absent_server_shows_as_a_closed_connection() -> None:
    """The agent sees what it would see without the relay: it cannot talk to the server."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    none = NetworkModel("none", None, None, 0)
    # reset when it is closed before the greeting was out
    with shaped_link(f"127.0.0.1:{port}", none) as link, suppress(ConnectionError):
        assert exchange(link.address, b"hello") == b""


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

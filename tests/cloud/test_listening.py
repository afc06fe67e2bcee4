"""Where the server can listen."""

from __future__ import annotations

import socket

import pytest

from vedette.cloud.listening import check_address
from vedette.errors import ConfigError


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_free_ports(host: str) -> None:
    """Any port, and one that was free a moment ago; looking does not take it."""
    check_address(host, 0)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    check_address(host, port)
    check_address(host, port)


def test_a_taken_port() -> None:
    """Says so in the system's words, and what to do."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"127\.0\.0\.1:{port}: Address already in use; .* --port"):
            check_address("127.0.0.1", port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid", "x" * 70])
def test_hosts_that_are_not_here(host: str) -> None:
    """An address of another machine, a name that nobody has, and no name at all."""
    with pytest.raises(ConfigError, match=f"cannot listen on {host}:0: .* --host"):
        check_address(host, 0)

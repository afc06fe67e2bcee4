"""Addresses of servers."""

from __future__ import annotations

import pytest

from vedette.protos.address import is_address


@pytest.mark.parametrize("text", ["cloud:1", "127.0.0.1:50551", "a.b-c:65535", "[::1]:50551"])
def test_addresses(text: str) -> None:
    """Names, IPv4 and bracketed IPv6."""
    assert is_address(text)


@pytest.mark.parametrize(
    "text", ["cloud:0", "cloud:65536", "cloud:99999", "::1:50551", "[::1]", "a b:1", "a:\u0661", ""]
)
def test_no_addresses(text: str) -> None:
    """A port that gRPC would take modulo 65536 is none."""
    assert not is_address(text)

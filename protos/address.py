"""Addresses of servers as users write them."""

from __future__ import annotations

import re
from typing import Final

_ADDRESS: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})")
_LAST_PORT: Final = 65535


def is_address(text: str, first_port: int = 1) -> bool:
    """Whether a text is ``HOST:PORT`` with a port up to 65535; an IPv6 address stands in brackets.

    gRPC takes a larger port too, modulo 65536, and so would talk to a server that nobody named.

    Args:
        text: what the user wrote.
        first_port: lowest that will do; 0 where a free one may be taken.
    """
    match = _ADDRESS.fullmatch(text)
    return match is not None and first_port <= int(match["port"]) <= _LAST_PORT

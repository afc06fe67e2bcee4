"""Whether the server can listen where it is told to: found out before gRPC tries, which writes lines of its own."""

from __future__ import annotations

import socket

from vedette.errors import ConfigError


def check_address(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on.

    Args:
        host: a name or an address; IPv6 in brackets.
        port: 0 stands for any.

    Raises:
        ConfigError: none of the host's addresses can be listened on.
    """
    address = f"{host}:{port}"
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise cannot_listen(address, _reason(error)) from error
    refusals = []
    for family, kind, protocol, _, place in found:
        try:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as gRPC does
                probe.bind(place)
        except OSError as error:
            refusals.append(_reason(error))
        else:
            return
    raise cannot_listen(address, "; ".join(dict.fromkeys(refusals)))


def cannot_listen(address: str, reason: str) -> ConfigError:
    """The error of an address that cannot be listened on.

    Args:
        address: HOST:PORT.
        reason: why.
    """
    return ConfigError(
        f"cannot listen on {address}: {reason}; choose another with --port (0 takes a free one) or --host (an address"
        " of this machine)"
    )


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)

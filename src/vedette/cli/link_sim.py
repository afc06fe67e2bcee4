"""`vedette link-sim`: a slow link in front of a real server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from vedette.replay.shaper import Traffic

_REPORT_EVERY_S: Final = 5.0


def link_sim(
    *,
    to: Annotated[str, typer.Option(metavar="HOST:PORT", help="The server.", show_default=False)],
    network: Annotated[
        str,
        typer.Option(
            metavar="SPEC",
            help="As in vedette replay --network: constant:12mbps,delay=20ms, blackout:8mbps,gone=30s@20s,"
            " fading:SEED,mean=8mbps, trace:FILE,uplink=0.25 …",
            show_default=False,
        ),
    ],
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where agents connect instead; port 0 takes a free one.")
    ] = "127.0.0.1:0",
) -> None:
    """Relay TCP connections to a server as slowly as a network would, until SIGTERM or Ctrl-C.

    Prints one line, 'listening on HOST:PORT', when agents can connect; the network's trace begins then. After that, a
    line whenever something went through in five seconds, and one at the end.

    Example: vedette link-sim --listen 127.0.0.1:50552 --to 127.0.0.1:50551 --network fading:1,mean=4mbps,delay=25ms
    """
    import threading

    from vedette.cli.signals import calling_on_stop
    from vedette.errors import ConfigError
    from vedette.protos.address import is_address
    from vedette.replay.network import parse_network
    from vedette.replay.shaper import shaped_link

    if not is_address(to):
        raise ConfigError(f"--to {to!r}: expected HOST:PORT, the port from 1 to 65535")
    if not is_address(listen, first_port=0):
        raise ConfigError(f"--listen {listen!r}: expected HOST:PORT, the port from 0 to 65535")
    stop = threading.Event()
    with calling_on_stop(stop.set), shaped_link(to, parse_network(network), listen) as link:
        link.begin(0)
        _say(f"listening on {link.address}")
        said = link.traffic()
        while not stop.wait(_REPORT_EVERY_S):
            if link.traffic() != said:
                said = link.traffic()
                _say(_line(said))
    _say(_line(link.traffic()))


def _line(traffic: Traffic) -> str:
    return (
        f"up {traffic.up_bytes / 1e6:.3f} MB, down {traffic.down_bytes / 1e6:.3f} MB; connections:"
        f" {traffic.connection_count}, open {traffic.open_count}, refused {traffic.refused_count}, reset"
        f" {traffic.reset_count}"
    )


def _say(line: str) -> None:
    import sys

    typer.echo(line)
    sys.stdout.flush()

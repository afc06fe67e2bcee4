"""Prometheus metrics: a registry per process, handed to whoever counts, and an HTTP endpoint that shows it."""

from __future__ import annotations

from types import TracebackType

from prometheus_client import CollectorRegistry, start_http_server

from vedette.errors import ConfigError


class MetricsEndpoint:
    """Serves a registry at ``http://HOST:PORT/metrics`` from a background thread.

    Args:
        registry: what to show.
        host: address to listen on.
        port: 0 takes a free one.

    Raises:
        ConfigError: the port is taken, or the host is not an address of this machine.
    """

    def __init__(self, registry: CollectorRegistry, host: str, port: int) -> None:
        try:
            self._server, self._thread = start_http_server(port, addr=host, registry=registry)
        except OSError as error:
            raise ConfigError(
                f"cannot serve metrics on {host}:{port}: {error.strerror}; choose another telemetry.metrics_port (0"
                " takes a free one) or telemetry.metrics_host"
            ) from error

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_port)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> MetricsEndpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

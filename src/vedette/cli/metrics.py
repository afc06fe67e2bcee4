"""The metrics endpoint of a command that runs for long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from prometheus_client import CollectorRegistry

from vedette.config import TelemetryConfig
from vedette.telemetry.metrics import MetricsEndpoint


@contextmanager
def metrics_shown(registry: CollectorRegistry, config: TelemetryConfig) -> Iterator[None]:
    """Serve metrics while inside, where the settings name a port, and say at which address.

    Args:
        registry: what to show.
        config: tells host and port.

    Raises:
        ConfigError: the port is taken, or the host is not an address of this machine.
    """
    if config.metrics_port is None:
        yield
        return
    with MetricsEndpoint(registry, config.metrics_host, config.metrics_port) as endpoint:
        typer.echo(f"metrics on http://{config.metrics_host}:{endpoint.port}/metrics", err=True)
        yield

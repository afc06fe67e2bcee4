"""`vedette cloud serve`: the server."""

from __future__ import annotations

from typing import Annotated

import typer

from vedette.cli.options import ConfigOption, MetricsPortOption, ModelsDirOption

app = typer.Typer(name="cloud", help="The server that answers agents.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keeps `serve` a sub-command while it is the only one."""


@app.command()
def serve(
    *,
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default=False)] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.", show_default=False)] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="3D detector that answers.", show_default=False)
    ] = None,
    models_dir: ModelsDirOption = None,
    metrics_port: MetricsPortOption = None,
    config: ConfigOption = None,
) -> None:
    """Answer agents until SIGTERM or Ctrl-C.

    Prints one line, 'listening on HOST:PORT', once the model has answered for the first time.

    Example: vedette cloud serve --port 50551 --model point-gnn-car
    """
    import asyncio

    from prometheus_client import CollectorRegistry

    from vedette.cli.metrics import metrics_shown
    from vedette.cloud.local_engine import LocalEngine
    from vedette.cloud.metrics import CloudMetrics
    from vedette.cloud.server import serve as serve_until_stopped
    from vedette.config_loader import load_settings
    from vedette.models.registry import ModelRegistry
    from vedette.telemetry.logs import configure_logging

    flags = {
        "cloud.host": host,
        "cloud.port": port,
        "cloud.detector3d": model,
        "models.folder": models_dir,
        "telemetry.metrics_port": metrics_port,
    }
    settings = load_settings(config, flags)
    configure_logging(settings.telemetry)
    models = ModelRegistry(settings.models.folder, settings.models.providers, settings.models.threads)
    detector = models.load_detector3d(settings.cloud.detector3d, full_circle=settings.cloud.full_circle)
    engine = LocalEngine(detector, settings.cloud.max_queue, settings.cloud.workers)
    registry = CollectorRegistry()
    with metrics_shown(registry, settings.telemetry):
        asyncio.run(serve_until_stopped(settings.cloud, engine, CloudMetrics(registry), _announce))


def _announce(address: str) -> None:
    import sys

    typer.echo(f"listening on {address}")
    sys.stdout.flush()

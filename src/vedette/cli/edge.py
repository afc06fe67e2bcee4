"""`vedette edge run`: the agent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vedette.cli.options import ConfigOption, MetricsPortOption, ModelsDirOption

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from vedette.edge.recording import Recorder, RunFacts
    from vedette.edge.session import EdgeSession

app = typer.Typer(name="edge", help="The agent that runs beside the sensors.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keeps `run` a sub-command while it is the only one."""


@app.command()
def run(
    source: Annotated[
        str,
        typer.Argument(
            help="kitti-tracking:DIR:SEQ[:FIRST-LAST], kitti-raw:DIR:DATE_drive_NNNN, kitti-object:DIR,"
            " synth:SCENARIO[:SEED[:FIRST-LAST]], opv2v:DIR[:VEHICLE], or live:"
            " camera:DEV_OR_FILE+lidar:DIR[+calib:FILE].",
            show_default=False,
        ),
    ],
    *,
    cloud: Annotated[
        str, typer.Option(metavar="HOST:PORT|none", help="Server that is asked; none: the device is on its own.")
    ] = "none",
    sink: Annotated[
        str, typer.Option(metavar="jsonl|null", help="jsonl: one line of JSON for each frame; null: nothing.")
    ] = "jsonl",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File for the sink; default: stdout.", show_default=False)
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Record the run there, as MCAP (docs/record.md).", show_default=False),
    ] = None,
    interval: Annotated[
        int | None,
        typer.Option(help="Send one frame in so many, whatever happens: the policy interval.", show_default=False),
    ] = None,
    detector2d: Annotated[str | None, typer.Option(metavar="NAME", help="2D detector.", show_default=False)] = None,
    models_dir: ModelsDirOption = None,
    metrics_port: MetricsPortOption = None,
    config: ConfigOption = None,
) -> None:
    """Publish 3D boxes for every frame of a source, at the pace of its capture, until it ends, SIGTERM or Ctrl-C.

    Exit status 1 when not one of the frames could be used.

    The keys of a line are frame, stamp_ns, publish_ns, latency_ms, age_ms, own, forecast and boxes, each box with
    class, score, center_m, size_m, yaw_rad, track_id, rung and velocity_mps (docs/edge-run.md). A summary goes to
    stderr.

    Example: vedette edge run kitti-tracking:kitti:0001 --cloud 127.0.0.1:50551 --out boxes.jsonl
    """
    from contextlib import ExitStack, closing

    from prometheus_client import CollectorRegistry

    from vedette.cli.metrics import metrics_shown
    from vedette.cli.signals import calling_on_stop
    from vedette.clock import WallClock
    from vedette.config_loader import load_settings
    from vedette.edge.recording import RunFacts
    from vedette.edge.session import EdgeSession
    from vedette.edge.sinks import open_sink
    from vedette.edge.sources import open_source
    from vedette.telemetry.logs import configure_logging

    flags = {
        "edge.offload.interval": interval,
        "edge.offload.policy": None if interval is None else "interval",
        "edge.detector2d.model": detector2d,
        "models.folder": models_dir,
        "telemetry.metrics_port": metrics_port,
    }
    settings = load_settings(config, flags)
    configure_logging(settings.telemetry)
    clock, registry = WallClock(), CollectorRegistry()
    target = None if cloud == "none" else cloud
    with ExitStack() as running:
        running.enter_context(_ending_with_the_reader())
        running.enter_context(metrics_shown(registry, settings.telemetry))
        frames = running.enter_context(closing(open_source(source, live=settings.edge.live, clock=clock)))
        boxes = running.enter_context(closing(open_sink(sink, out)))
        facts = RunFacts("edge run", settings.edge.offload.policy, frames.name, frames.time_base, cloud, settings)
        recorder = running.enter_context(_recorder(record, facts, registry))
        session = EdgeSession(
            settings, frames, sink=boxes, target=target, live_clock=clock, registry=registry, recorder=recorder
        )
        typer.echo(f"running {frames.name} (times: {frames.time_base}), cloud: {cloud}", err=True)
        with calling_on_stop(session.stop), _summary_at_the_end(session):
            session.run()
        if session.counters.nothing_usable:
            typer.echo(
                f"vedette: not one of the {session.counters.bad} frames of {frames.name} could be used", err=True
            )
            raise typer.Exit(1)


@contextmanager
def _recorder(path: Path | None, facts: RunFacts, registry: CollectorRegistry) -> Iterator[Recorder]:
    """The recorder for as long as the run goes; a record that is not whole is an error at its end, never before."""
    from contextlib import closing

    from vedette.edge.recording import NullRecorder, WritingRecorder
    from vedette.telemetry.record.queued import QueuedWriter
    from vedette.telemetry.record.writer import RecordWriter

    if path is None:
        yield NullRecorder()
        return
    with closing(QueuedWriter(RecordWriter(path), registry)) as writer:
        yield WritingRecorder(writer, facts)


@contextmanager
def _summary_at_the_end(session: EdgeSession) -> Iterator[None]:
    try:
        yield
    finally:
        typer.echo(session.counters.summary(), err=True)
        if session.counters.last_error:
            typer.echo(f"last bad frame: {session.counters.last_error}", err=True)


@contextmanager
def _ending_with_the_reader() -> Iterator[None]:
    """End quietly when whoever reads standard output has gone, as `head` does."""
    from contextlib import suppress

    from vedette.errors import SinkClosedError

    with suppress(SinkClosedError):
        yield

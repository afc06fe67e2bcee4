"""`vedette replay`: drive a recording through agent and cloud under several policies and report them side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from vedette.cli.options import ConfigOption, JsonOption, ModelsDirOption

if TYPE_CHECKING:
    from rich.progress import Progress

    from vedette.config import Settings
    from vedette.datasets.recording import Recording
    from vedette.replay.request import ReplayRequest
    from vedette.replay.session import ReplayResult

SNAPSHOT_COUNT: Final = 6


def replay(
    source: Annotated[
        str,
        typer.Argument(
            help="kitti-tracking:DIR:SEQ[:FIRST-LAST], kitti-raw:DIR:DATE_drive_NNNN, kitti-object:DIR,"
            " synth:SCENARIO[:SEED[:FIRST-LAST]], opv2v:DIR[:VEHICLE]; or mcap:FILE, a recorded run, to see whether"
            " its policy decides again as it did (exit status 1 where not; takes only --json).",
            show_default=False,
        ),
    ],
    *,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:VARIANT]",
            help="May be repeated. edge-only[:MODEL], cloud-only[:raw|crop|coded], hold-last, constant-velocity,"
            " constant-velocity-2d, frustum-cluster, moby-paper, moby-interval, moby, moby-device. Default: edge-only,"
            " cloud-only and moby.",
            show_default=False,
        ),
    ] = None,
    cloud: Annotated[
        str,
        typer.Option(
            metavar="embedded|simulated|HOST:PORT",
            help="embedded: start a server here; simulated: both halves on a simulated clock; HOST:PORT: that server.",
        ),
    ] = "embedded",
    network: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="To the cloud: none, constant:12mbps,delay=20ms, step:8mbps/0mbps,every=2s,"
            " blackout:8mbps,gone=30s@20s, fading:SEED,mean=8mbps,outage=0.05 or trace:FILE,uplink=0.25. Default:"
            " constant:20mbps,delay=20ms for a simulated cloud, the real network otherwise.",
            show_default=False,
        ),
    ] = None,
    interval: Annotated[
        int | None,
        typer.Option(
            help="Frames from one offload to the next under moby-interval, hold-last, constant-velocity and"
            " constant-velocity-2d.",
            show_default=False,
        ),
    ] = None,
    detector2d: Annotated[
        str | None, typer.Option(metavar="NAME", help="2D detector of the agent.", show_default=False)
    ] = None,
    detector3d: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="3D detector of our cloud, and of the device.", show_default=False),
    ] = None,
    edge_detector3d: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Another 3D detector on the device, under edge-only and moby-device.",
            show_default=False,
        ),
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|NAME",
            help="Device profile of a simulated cloud: one that comes with the program, x86-2core (the default),"
            " x86-2core-4x-slower or x86-2core-point-gnn, or a file.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Save settings, figures, page and publications there.", show_default=False),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Record each policy's run there, as MCAP.", show_default=False),
    ] = None,
    json_file: JsonOption = None,
    config: ConfigOption = None,
    models_dir: ModelsDirOption = None,
) -> None:
    """Replay a recording and report accuracy, latency and bytes of each policy.

    Example: vedette replay kitti-tracking:~/kitti:0001:0-24 --cloud embedded --out runs/first

    Example: vedette replay synth:junction:3 --detector2d camera2d-world

    Example: vedette replay kitti-tracking:~/kitti:0001 --cloud simulated --network fading:1,mean=6mbps,delay=25ms
    """
    from contextlib import closing

    from vedette.cli.decisions import RECORD_PREFIX, replay_decisions
    from vedette.cli.output import prepare_result, text_console
    from vedette.config_loader import load_settings
    from vedette.datasets.source_spec import open_recording
    from vedette.replay.report.terminal import terminal_report
    from vedette.replay.request import replay_request
    from vedette.replay.save import prepare_folder
    from vedette.replay.session import run_replay
    from vedette.telemetry.logs import configure_logging

    if source.startswith(RECORD_PREFIX):
        others = (policy, network, interval, detector2d, detector3d, edge_detector3d, profile, out, record, config)
        replay_decisions(source, json_file, alone=cloud == "embedded" and not any(others))
        return
    overrides = {
        "edge.offload.interval": interval,
        "edge.detector2d.model": detector2d,
        "cloud.detector3d": detector3d,
        "edge.detector3d": edge_detector3d,
        "models.folder": models_dir,
    }
    settings = load_settings(config, overrides)
    configure_logging(settings.telemetry)
    request = replay_request(source, policy or [], cloud, network, profile)
    with closing(open_recording(source)) as recording:
        prepare_result(json_file)
        for folder in (out, record):
            if folder is not None:
                prepare_folder(folder)
        with _progress() as shown:
            result = run_replay(request, settings, recording, _PolicyProgress(shown), record)
        report = _Report(request, settings, recording, result)
        # standard output belongs to the JSON when that is asked for there
        console = text_console(stderr=str(json_file) == "-")
        console.print(terminal_report(report.title, result.runs, report.notes, console.width))
        report.write(out, json_file)
    if record is not None:
        console.print(f"Recorded to {record}; vedette replay mcap:FILE asks the policies again", soft_wrap=True)
    if out is not None:
        console.print(f"Saved to {out}; open {out / 'report.html'}", soft_wrap=True)


def _progress() -> Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from vedette.cli.output import text_console

    console = text_console(stderr=True)
    columns = (TextColumn("{task.description:>10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


class _PolicyProgress:
    """A bar for each pass over the recording."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown

    def start(self, what: str, frame_count: int | None) -> Callable[[], None]:
        task = self._shown.add_task(what, total=frame_count)
        return lambda: self._shown.advance(task)


class _Report:
    """The result as table, document and page."""

    def __init__(self, request: ReplayRequest, settings: Settings, recording: Recording, result: ReplayResult) -> None:
        from vedette.replay.notes import class_notes, facts_of, notes_of, profile_notes, training_notes

        self._settings = settings
        self._recording = recording
        self._result = result
        self._facts = facts_of(request, settings, recording, result.cards)
        self.title = f"Replay of {recording.name}"
        self.notes = [
            *notes_of(request, recording, result.records, result.truth),
            *class_notes(result.cards, result.truth),
            *training_notes(request, result.cards),
            *profile_notes(request, result.cards),
        ]

    def write(self, out: Path | None, json_file: Path | None) -> None:
        from vedette.cli.output import write_result
        from vedette.replay.save import save_replay

        document = self._document()
        if out is not None:
            save_replay(
                out,
                settings=self._settings,
                document=document,
                page=self._page(document),
                records=self._result.records,
                measured=self._result.measured,
            )
        if json_file is not None:
            write_result(document, json_file)

    def _document(self) -> dict[str, Any]:
        from vedette.cli.output import result_document

        settings = self._settings.model_dump(mode="json", exclude={"telemetry"})
        facts = {name.lower().replace(" ", "_"): value for name, value in self._facts.items()}
        return result_document("replay", {**facts, "notes": self.notes, "settings": settings}, self._result.runs)

    def _page(self, document: dict[str, Any]) -> str:
        from vedette.replay.report.input import ReportInput
        from vedette.replay.report.page import render_page
        from vedette.replay.report.pictures import choose_frames, snapshots_of

        wanted = choose_frames([frame.index for frame in self._result.truth], SNAPSHOT_COUNT)
        report = ReportInput(
            title=self.title,
            facts=self._facts,
            notes=self.notes,
            document=document,
            records=self._result.records,
            truth=self._result.truth,
            snapshots=snapshots_of(self._recording, wanted),
        )
        return render_page(report)

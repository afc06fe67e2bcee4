"""`vedette data`: what a recording holds, and recordings of a world of our own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vedette.cli.options import JsonOption
from vedette.datasets.synth.layouts import Layout

if TYPE_CHECKING:
    from rich.progress import Progress

    from vedette.datasets.summary import RecordingSummary

app = typer.Typer(name="data", help="Look at recorded data, or make some.", no_args_is_help=True)

PROBLEMS_SHOWN: Final = 20


@app.command()
def info(
    source: Annotated[
        str,
        typer.Argument(
            help="kitti-object:DIR, kitti-tracking:DIR:SEQ[:FIRST-LAST], kitti-raw:DIR:DATE_drive_NNNN,"
            " opv2v:DIR[:VEHICLE] or synth:SCENARIO[:SEED[:FIRST-LAST]].",
            show_default=False,
        ),
    ],
    json: JsonOption = None,
) -> None:
    """Read a whole recording and say what it holds: frames, times, sweeps, images, labels, ego motion, problems.

    Example: vedette data info kitti-tracking:~/kitti:0001:0-24
    """
    from contextlib import closing

    from rich.table import Table

    from vedette.cli.output import result_document, text_console, write_result
    from vedette.datasets.source_spec import open_recording
    from vedette.datasets.summary import summarise

    with closing(open_recording(source)) as recording:
        summary = summarise(recording)
    if json is not None:
        write_result(result_document("data info", {"source": source}, [_run(summary)]), json)
        if str(json) == "-":
            return
    table = Table("of the recording", "found", title=summary.name, title_justify="left")
    for row in _rows(summary):
        table.add_row(*row)
    text_console().print(table)
    _print_problems(summary.problems)


@app.command()
def synth(
    scenario: Annotated[
        str,
        typer.Argument(help="town, junction, motorway, car-park, convoy, rush-hour, ...", show_default=False),
    ],
    *,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="Folder to write: new, or empty.", show_default=False),
    ],
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same world.")] = 0,
    frames: Annotated[int, typer.Option("--frames", help="How many, ten a second.")] = 100,
    layout: Annotated[Layout, typer.Option("--layout", help="How they are written.")] = Layout.KITTI_TRACKING,
    vehicles: Annotated[
        int | None,
        typer.Option("--vehicles", help="Connected vehicles, 2 to 6, in convoy.", show_default=False),
    ] = None,
) -> None:
    """Make a world, drive through it, and write what LiDAR, camera and GNSS/IMU deliver, with labels.

    Example: vedette data synth town --seed 7 --frames 60 --out town
    """
    import shlex

    from vedette.datasets.synth.write import WriteRequest, write_synth
    from vedette.paths import path_from_user

    folder = path_from_user(out)
    with _progress() as shown:
        task = shown.add_task(scenario, total=frames)
        request = WriteRequest(scenario, seed, frames, layout, vehicles)
        source = write_synth(request, folder, lambda: shown.advance(task))
    typer.echo(f"Wrote {frames} frames of {scenario}, seed {seed}, to {folder}")
    typer.echo(f"Look at them: vedette data info {shlex.quote(source)}")


def _progress() -> Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from vedette.cli.output import text_console

    console = text_console(stderr=True)
    columns = (TextColumn("{task.description:>10}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


def _print_problems(problems: tuple[str, ...]) -> None:
    for problem in problems[:PROBLEMS_SHOWN]:
        typer.echo(f"problem: {problem}")
    if len(problems) > PROBLEMS_SHOWN:
        typer.echo(f"and {len(problems) - PROBLEMS_SHOWN} more problems; --json - lists all")
    if not problems:
        typer.echo("no problems found")


def _rows(summary: RecordingSummary) -> Iterator[tuple[str, str]]:
    count = summary.frame_count
    yield "frames", f"{count}, numbered {summary.first_index} to {summary.last_index}, {summary.bad_frame_count} bad"
    yield "missing frames", f"{summary.missing_frame_count} that timestamps or other vehicles speak of"
    yield "times", f"{summary.time_base}, {summary.duration_ns / 1e9:.3f} s"
    points = f", {summary.point_count / summary.sweep_count:,.0f} points on average" if summary.sweep_count else ""
    yield "sweeps", f"{summary.sweep_count} of {count}{points}"
    yield "images", f"{summary.image_count} of {count}"
    yield "ego motion", f"{summary.pose_count} of {count}"
    yield "labels", f"{summary.labelled_count} of {count} frames"
    for name, objects in summary.labels_by_type.items():
        yield f"  {name}", str(objects)


def _run(summary: RecordingSummary) -> dict[str, object]:
    return {
        "recording": summary.name,
        "time_base": str(summary.time_base),
        "duration_s": summary.duration_ns / 1e9,
        "frames": summary.frame_count,
        "bad_frames": summary.bad_frame_count,
        "missing_frames": summary.missing_frame_count,
        "sweeps": summary.sweep_count,
        "points": summary.point_count,
        "images": summary.image_count,
        "poses": summary.pose_count,
        "labelled_frames": summary.labelled_count,
        "labels": dict(summary.labels_by_type),
        "problems": list(summary.problems),
    }

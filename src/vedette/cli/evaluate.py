"""`vedette evaluate`: score files of detections against files of labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vedette.cli.options import JsonOption
from vedette.errors import ConfigError, MissingDataError

if TYPE_CHECKING:
    from rich.console import Group as RichGroup

    from vedette.evaluation.kitti_ap import PrecisionCurve
    from vedette.evaluation.objects import ScoredFrame
    from vedette.evaluation.summary import CurveCell

app = typer.Typer(name="evaluate", help="Score detections against labels.", no_args_is_help=True)

_COLUMNS: Final = ("class", "IoU >", "difficulty", "labels", "2D", "AOS", "BEV", "3D")


@app.callback()
def _group() -> None:
    """Keeps `kitti-object` a sub-command while it is the only one."""


@app.command("kitti-object")
def kitti_object(
    labels: Annotated[Path, typer.Option(metavar="DIR", help="Folder of label files, one a frame (label_2).")],
    detections: Annotated[Path, typer.Option(metavar="DIR", help="Folder of result files of the same names.")],
    frames: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names of the frames to score, one a line; default: every label file."),
    ] = None,
    json_file: JsonOption = None,
) -> None:
    """Score result files as KITTI's official evaluator does: 2D, AOS, BEV and 3D; R40 and R11.

    A labelled frame without a result file counts as a frame without detections.

    Example: vedette evaluate kitti-object --labels training/label_2 --detections results --frames val.txt
    """
    from vedette.cli.output import result_document, text_console, write_result
    from vedette.evaluation.summary import DEFINITIONS, precision_cells, precision_metrics
    from vedette.evaluation.table import Metric, Table
    from vedette.evaluation.targets import TARGETS

    files = _FrameFiles.find(labels, detections, frames)
    scored = files.read()
    cells = precision_cells(Table.from_frames(scored), TARGETS, Metric)
    # standard output belongs to the JSON when that is asked for there
    console = text_console(stderr=str(json_file) == "-")
    console.print(_report(cells, detected_types=_types(scored)))
    for line in [DEFINITIONS["ap"], *files.remarks(), *_remarks(scored)]:
        console.print(line, soft_wrap=True)
    if json_file is not None:
        config = {
            "labels": str(labels),
            "detections": str(detections),
            "frames": None if frames is None else str(frames),
            "definition": DEFINITIONS["ap"],
        }
        run = files.counts() | _counts(scored) | precision_metrics(cells, with_r11=True)
        write_result(result_document("evaluate kitti-object", config, [run]), json_file)


@dataclass(frozen=True)
class _FrameFiles:
    """Files to score: names of all frames, and of those without a result file."""

    labels: Path
    detections: Path
    names: tuple[str, ...]
    undetected: frozenset[str]
    left_out: int

    @classmethod
    def find(cls, labels: Path, detections: Path, frames: Path | None) -> _FrameFiles:
        labelled, detected = _names(labels, "label"), _names(detections, "result")
        wanted = labelled if frames is None else _listed(frames, labelled)
        if frames is None and (unknown := sorted(detected - labelled)):
            raise MissingDataError(
                f"{detections}: {_counted(len(unknown), 'result file')} without a label file in {labels}, first "
                f"{unknown[0]}.txt; remove them or name the frames to score with --frames"
            )
        return cls(labels, detections, tuple(sorted(wanted)), wanted - detected, len(detected - wanted))

    def read(self) -> list[ScoredFrame]:
        from vedette.datasets.kitti.labels import parse_label_file
        from vedette.evaluation.objects import CameraObjects, ScoredFrame

        nothing = CameraObjects.empty(scored=True)
        return [
            ScoredFrame(
                parse_label_file(self.labels / f"{name}.txt", scored=False),
                nothing if name in self.undetected else parse_label_file(self.detections / f"{name}.txt", scored=True),
            )
            for name in self.names
        ]

    def counts(self) -> dict[str, float]:
        return {"frames": len(self.names), "frames_without_result_file": len(self.undetected)}

    def remarks(self) -> Iterable[str]:
        if self.undetected:
            first = min(self.undetected)
            yield (
                f"{len(self.undetected)} of {_counted(len(self.names), 'frame')} have no result file "
                f"(first {first}.txt) and count as frames without detections; --frames FILE scores a part only."
            )
        if self.left_out:
            yield f"{_counted(self.left_out, 'result file')} of frames that are not listed left out."


def _names(folder: Path, kind: str) -> frozenset[str]:
    if not folder.is_dir():
        raise MissingDataError(f"{folder}: no such folder; expected {kind} files such as 000000.txt in it")
    names = frozenset(path.stem for path in folder.glob("*.txt"))
    if not names:
        raise MissingDataError(f"{folder}: no {kind} files; expected one .txt file a frame, such as 000000.txt")
    return names


def _listed(frames: Path, labelled: frozenset[str]) -> frozenset[str]:
    try:
        names = frames.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{frames}: cannot read the list of frames: {error}") from None
    if not names:
        raise ConfigError(f"{frames}: no frame is listed; expected one name a line, such as 000000")
    if unlabelled := [name for name in names if name not in labelled]:
        raise MissingDataError(f"{frames}: frame {unlabelled[0]} has no label file; expected {unlabelled[0]}.txt")
    return frozenset(names)


def _types(scored: Iterable[ScoredFrame]) -> frozenset[str]:
    return frozenset(name.lower() for frame in scored for name in frame.detections.types)


def _counts(scored: Iterable[ScoredFrame]) -> dict[str, float]:
    frames = list(scored)
    return {
        "labels": sum(len(frame.labels) for frame in frames),
        "detections": sum(len(frame.detections) for frame in frames),
    }


def _remarks(scored: Sequence[ScoredFrame]) -> Iterable[str]:
    counts = _counts(scored)
    yield (
        f"{_counted(len(scored), 'frame')}, {counts['labels']} rows of labels (DontCare regions included), "
        f"{_counted(int(counts['detections']), 'detection')}."
    )
    boxes = [frame.detections.boxes_px for frame in scored]
    if flat := sum(int((rows[:, 3] <= rows[:, 1]).sum()) for rows in boxes):
        yield (
            f"{_counted(flat, 'detection')} with an empty 2D box: KITTI's metric ignores what is lower than 25 px in "
            "the image, in BEV and 3D too; fill columns 5 to 8 with the projected box."
        )
    if any((frame.detections.alpha == -10).any() for frame in scored):
        yield "No AOS: at least one detection has no alpha (-10)."


def _report(cells: Sequence[CurveCell], detected_types: frozenset[str]) -> RichGroup:
    """One table for R40 and one for R11, with a row for each class, IoU minimum and difficulty that has both sides."""
    from rich.console import Group as RichGroup
    from rich.table import Table as RichTable

    shown = [cell for cell in cells if cell.curve.label_count and cell.target.types & detected_types]
    by_r40, by_r11 = (RichTable(*_COLUMNS, title=f"AP {positions}") for positions in ("R40", "R11"))
    for row in _rows(shown):
        by_r40.add_row(*_head(row), *_figures(row, lambda curve: (curve.ap_r40, curve.aos_r40)))
        by_r11.add_row(*_head(row), *_figures(row, lambda curve: (curve.ap_r11, curve.aos_r11)))
    return RichGroup(by_r40, by_r11)


def _rows(cells: Iterable[CurveCell]) -> Iterable[list[CurveCell]]:
    """Cells that differ in the overlap alone: 2D, BEV and 3D."""
    rows: dict[tuple[str, float, str], list[CurveCell]] = {}
    for cell in cells:
        rows.setdefault((cell.target.name, cell.min_overlap, cell.difficulty.name), []).append(cell)
    return rows.values()


def _head(row: Sequence[CurveCell]) -> list[str]:
    first = row[0]
    return [first.target.name, f"{first.min_overlap:g}", first.difficulty.name, str(first.curve.label_count)]


def _figures(
    row: Sequence[CurveCell], averages: Callable[[PrecisionCurve], tuple[float, float | None]]
) -> Iterable[str]:
    """2D, AOS, BEV and 3D."""
    (image, orientation), (ground, _), (box, _) = (averages(cell.curve) for cell in row)
    return ("-" if figure is None else f"{figure:.2f}" for figure in (image, orientation, ground, box))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

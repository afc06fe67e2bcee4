"""Label and result files: the object layout's (one file a frame) and the tracking layout's (one file a sequence).

Object rows: type, truncated, occluded, alpha, 4 of the image box, height, width, length, x, y, z, rotation_y[, score].
Tracking rows open with frame and track id, and their `truncated` is a level 0, 1 or 2 instead of a share. The level is
kept as it stands: 1 and 2 exceed every limit that a share can, just as KITTI's tracking benchmark ignores whatever is
truncated. (KITTI development kits, readme.txt of object and tracking.)
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from vedette.classes import KITTI_TO_CLASS
from vedette.datasets.kitti.fields import parse_numbers, read_text
from vedette.errors import FileFormatError
from vedette.evaluation.objects import DONT_CARE, CameraObjects
from vedette.geometry import NDArrayFloat

_COLUMNS: Final = 15
_TRACKING_COLUMNS: Final = _COLUMNS + 2
_TRUNCATION_UNKNOWN: Final = -1.0
_ALPHA_UNKNOWN: Final = -10.0

_Row = tuple[int, list[str]]
"""A row's 1-based line and its fields."""


def parse_label_file(path: Path, *, scored: bool | None = None) -> CameraObjects:
    """Read a label or result file of the object layout.

    Args:
        path: for example ``label_2/000000.txt``.
        scored: True demands a score in every row, False refuses scores, None takes what is there.

    Raises:
        MissingDataError: no such file.
        FileFormatError: a row is not one of this layout, or some have scores and others do not.
    """
    return parse_labels(read_text(path, "label file"), path, scored=scored)


def parse_labels(text: str, path: Path, *, scored: bool | None = None) -> CameraObjects:
    """Read the text of a label or result file of the object layout.

    Args:
        text: its content.
        path: named in errors.
        scored: True demands a score in every row, False refuses scores, None takes what is there.

    Raises:
        FileFormatError: a row is not one of this layout, or some have scores and others do not.
    """
    rows = _rows(text)
    has_scores = _check_columns(rows, path, _COLUMNS, scored)
    return _objects(rows, path, has_scores=has_scores)


def parse_tracking_label_file(path: Path, *, scored: bool | None = None) -> dict[int, CameraObjects]:
    """Read a label or result file of the tracking layout.

    Args:
        path: for example ``label_02/0001.txt``.
        scored: True demands a score in every row, False refuses scores, None takes what is there.

    Returns:
        Objects with track ids, by frame, in the order of the file; a frame without rows is absent.

    Raises:
        MissingDataError: no such file.
        FileFormatError: a row is not one of this layout, or some have scores and others do not.
    """
    return parse_tracking_labels(read_text(path, "label file"), path, scored=scored)


def parse_tracking_labels(text: str, path: Path, *, scored: bool | None = None) -> dict[int, CameraObjects]:
    """Read the text of a label or result file of the tracking layout.

    Args:
        text: its content.
        path: named in errors.
        scored: True demands a score in every row, False refuses scores, None takes what is there.

    Returns:
        Objects with track ids, by frame, in the order of the file; a frame without rows is absent.

    Raises:
        FileFormatError: a row is not one of this layout, or some have scores and others do not.
    """
    rows = _rows(text)
    has_scores = _check_columns(rows, path, _TRACKING_COLUMNS, scored)
    by_frame: dict[int, list[_Row]] = {}
    for line, fields in rows:
        frame = _whole(fields[0], path, line, "a frame number, 0 or more, first")
        if frame < 0:
            raise FileFormatError(path, line=line, met=f"frame {frame}", expected="a frame number, 0 or more, first")
        by_frame.setdefault(frame, []).append((line, fields))
    return {frame: _tracked_objects(part, path, has_scores) for frame, part in by_frame.items()}


def format_labels(objects: CameraObjects) -> str:
    """Write objects as a file of the object layout, at KITTI's precision of two decimals; scores get six.

    Args:
        objects: labels or scored detections; track ids are dropped.
    """
    return "".join(f"{_object_row(objects, row)}\n" for row in range(len(objects)))


def format_tracking_labels(by_frame: Mapping[int, CameraObjects]) -> str:
    """Write objects as a file of the tracking layout, at its precision of six decimals.

    Args:
        by_frame: objects by frame number; those without track ids get -1.
    """
    lines = []
    for frame, objects in by_frame.items():
        for row in range(len(objects)):
            track_id = -1 if objects.track_ids is None else int(objects.track_ids[row])
            lines.append(f"{frame} {track_id} {_tracking_row(objects, row)}\n")
    return "".join(lines)


def _rows(text: str) -> list[_Row]:
    return [(number, line.split()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]


def _check_columns(rows: list[_Row], path: Path, columns: int, scored: bool | None) -> bool:
    """Whether the rows carry scores; raises on any that is not of this layout."""
    has_scores = scored if scored is not None else bool(rows) and len(rows[0][1]) == columns + 1
    wanted = columns + 1 if has_scores else columns
    for line, fields in rows:
        if len(fields) != wanted:
            kind = _kind(fields)
            raise FileFormatError(path, line=line, met=f"{len(fields)} columns{kind}", expected=_shape(columns, scored))
    return has_scores


def _shape(columns: int, scored: bool | None) -> str:
    layout = "object" if columns == _COLUMNS else "tracking"
    counts = {None: f"{columns} ({columns + 1} with a score), the same in every row", False: f"{columns}"}
    return f"the {layout} layout's {counts.get(scored, f'{columns + 1} (with a score)')}"


def _kind(fields: list[str]) -> str:
    if fields[0] in KITTI_TO_CLASS or fields[0] == DONT_CARE:
        return " (as in the object layout)"
    if len(fields) > 2 and (fields[2] in KITTI_TO_CLASS or fields[2] == DONT_CARE):
        return " (as in the tracking layout)"
    return ""


def _whole(field: str, path: Path, line: int, expected: str) -> int:
    (value,) = parse_numbers([field], path, line, expected)
    if value != int(value):
        raise FileFormatError(path, line=line, met=f"{field!r} is not a whole number", expected=expected)
    return int(value)


def _tracked_objects(rows: list[_Row], path: Path, has_scores: bool) -> CameraObjects:
    ids = [_whole(fields[1], path, line, "a track id second") for line, fields in rows]
    plain = [(line, fields[2:]) for line, fields in rows]
    return _objects(plain, path, has_scores=has_scores, track_ids=ids)


def _objects(rows: list[_Row], path: Path, *, has_scores: bool, track_ids: list[int] | None = None) -> CameraObjects:
    for line, fields in rows:
        if fields[0] not in KITTI_TO_CLASS and fields[0] != DONT_CARE:
            known = ", ".join((*KITTI_TO_CLASS, DONT_CARE))
            raise FileFormatError(path, line=line, met=f"the type {fields[0]!r}", expected=f"one of {known}")
        _whole(fields[2], path, line, "a whole number as occlusion")
    width = _COLUMNS - 1 + has_scores
    numbers = [parse_numbers(fields[1:], path, line, f"{width} numbers after the type") for line, fields in rows]
    table: NDArrayFloat = np.array(numbers, dtype=np.float64).reshape(-1, width)
    return CameraObjects(
        types=tuple(fields[0] for _, fields in rows),
        truncation=table[:, 0],
        occlusion=table[:, 1].astype(np.int64),
        alpha=table[:, 2],
        boxes_px=table[:, 3:7],
        boxes_cam=table[:, [10, 11, 12, 7, 8, 9, 13]],
        scores=table[:, 14] if has_scores else None,
        track_ids=None if track_ids is None else np.array(track_ids, dtype=np.int64),
    )


def _kitti_order(objects: CameraObjects, row: int) -> NDArrayFloat:
    """(7,) height, width, length, x, y, z, rotation_y."""
    return objects.boxes_cam[row, [3, 4, 5, 0, 1, 2, 6]]


def _object_row(objects: CameraObjects, row: int) -> str:
    truncation, alpha = objects.truncation[row], objects.alpha[row]
    # KITTI writes its placeholders as whole numbers
    places = 0 if objects.types[row] == DONT_CARE else 2
    fields = [
        objects.types[row],
        "-1" if truncation == _TRUNCATION_UNKNOWN else f"{truncation:.2f}",
        str(objects.occlusion[row]),
        "-10" if alpha == _ALPHA_UNKNOWN else f"{alpha:.2f}",
        *(f"{value:.2f}" for value in objects.boxes_px[row]),
        *(f"{value:.{places}f}" for value in _kitti_order(objects, row)),
    ]
    if objects.scores is not None:
        fields.append(f"{objects.scores[row]:.6f}")
    return " ".join(fields)


def _tracking_row(objects: CameraObjects, row: int) -> str:
    numbers = [objects.alpha[row], *objects.boxes_px[row], *_kitti_order(objects, row)]
    if objects.scores is not None:
        numbers.append(objects.scores[row])
    head = f"{objects.types[row]} {int(objects.truncation[row])} {objects.occlusion[row]}"
    return " ".join([head, *(f"{value:.6f}" for value in numbers)])

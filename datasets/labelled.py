"""Recordings as evaluations need them: every frame with its labels, and with the drive and the fold that it is of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from vedette.datasets.kitti.convert import camera_objects_from_detections
from vedette.datasets.kitti.splits import load_splits
from vedette.datasets.recording import Recording
from vedette.datasets.source_spec import open_recording
from vedette.detections import Detections3D
from vedette.errors import DataError
from vedette.evaluation.detector3d import Examined
from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.frames import Frame, FrameItem
from vedette.geometry import NDArrayInt, boxes_velo_from_cam, points_in_boxes


@dataclass(frozen=True)
class LabelledFrame:
    """A frame of a recording.

    Args:
        frame: what was captured, or that it could not be read.
        labels: None where there are none, or none that can be read.
        drive: frames of one drive show the same streets. That of an object frame is known to the splits; any other
            recording is one.
        fold: of the object frames, as the splits have it; None for all others.
    """

    frame: FrameItem
    labels: CameraObjects | None
    drive: str
    fold: int | None


def labelled_frames(source: str, folds: Collection[int] | None = None) -> Iterator[LabelledFrame]:
    """All frames of a recording, in order.

    Args:
        source: its name (module `source_spec`).
        folds: of object frames, only those of these folds; None for all.

    Raises:
        ConfigError, MissingDataError, MissingPackageError, FileFormatError: as `open_recording`.
    """
    places = _object_places() if source.startswith("kitti-object:") else None
    with closing(open_recording(source)) as recording:
        for frame in recording:
            place = _sequence_place(frame) if places is None else _object_place(places, frame)
            if places is None or folds is None or place[1] in folds:
                yield LabelledFrame(frame, _labels(recording, frame), *place)


def examined(frame: Frame, labels: CameraObjects, found: Detections3D, drive: str) -> Examined:
    """What a 3D detector found in a frame, ready to be judged.

    Args:
        frame: has a sweep.
        labels: of the frame.
        found: what the image does not show is dropped.
        drive: as in `LabelledFrame`.
    """
    scored = ScoredFrame(labels, camera_objects_from_detections(found, frame.camera))
    return Examined(scored, points_on_labels(frame, labels), drive)


def points_on_labels(frame: Frame, labels: CameraObjects) -> NDArrayInt:
    """``(L,) int64`` points of the sweep in each label's box; 0 for regions without one.

    Args:
        frame: has a sweep.
        labels: of the frame.
    """
    assert frame.sweep is not None
    real = np.flatnonzero(labels.boxes_cam[:, 3:6].min(axis=1, initial=np.inf) > 0)
    boxes = boxes_velo_from_cam(frame.camera.cam_SE3_velo, labels.boxes_cam[real])
    points = np.zeros(len(labels), np.int64)
    points[real] = points_in_boxes(frame.sweep.points_velo, boxes).sum(axis=1)
    return points


def _labels(recording: Recording, frame: FrameItem) -> CameraObjects | None:
    try:
        return recording.labels(frame.index) if isinstance(frame, Frame) else None
    except DataError:
        return None


def _sequence_place(frame: FrameItem) -> tuple[str, None]:
    """Its recording, whichever part of it was asked for, by the name that drives have in the splits."""
    return frame.source.partition(":")[0].removeprefix("kitti-raw/"), None


def _object_place(places: Mapping[int, tuple[str, int | None]], frame: FrameItem) -> tuple[str, int | None]:
    return places.get(frame.index, (f"object frame {frame.index}", None))


def _object_places() -> dict[int, tuple[str, int | None]]:
    """Drive and fold of every object frame of the splits."""
    return {
        index: (drive, fold)
        for fold, drives in enumerate(load_splits().object_folds)
        for drive, indices in drives.items()
        for index in indices
    }

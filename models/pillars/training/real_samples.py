"""Samples from labelled recordings, `vedette models samples recordings`: the camera's view, and the boxes people drew.

KITTI's object frames are taken by the folds of `datasets/kitti/splits.yaml`, which keep drives together; of other
sources every frame with labels. Points in a region that the annotators left out (``DontCare``) are left out too: what
stands there nobody knows. Labels of objects that are none of the network's classes, sitting people among them, stay as
boxes of no class, around which nothing is asked.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.kitti.splits import load_splits
from vedette.datasets.source_spec import open_recording
from vedette.errors import ConfigError
from vedette.evaluation.objects import CameraObjects
from vedette.frames import Frame
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, PinholeCamera, points_in_boxes
from vedette.models.camera_view import in_view
from vedette.models.pillars.training.shards import NOBODY, REACH_M, Sample, write_manifest, write_shard

_DONT_CARE: Final = "DontCare"
_SITTING: Final = ("Person_sitting", "Person")
_NO_CLASS: Final = "Misc"
_MARGIN_M: Final = 0.05  # boxes are drawn by hand: a point this far outside may still be the object's


def samples_of_source(source: str, frames: Collection[int] | None = None) -> Iterator[Sample]:
    """The labelled frames of a recording.

    Args:
        source: its name.
        frames: indices of those that are used; None for all.

    Raises:
        ConfigError: malformed name.
        MissingDataError: no such recording.
    """
    with closing(open_recording(source)) as recording:
        for frame in recording:
            if (
                not isinstance(frame, Frame)
                or frame.sweep is None
                or (frames is not None and frame.index not in frames)
            ):
                continue
            labels = recording.labels(frame.index)
            if labels is not None:
                yield sample_of(frame.sweep.points_velo, labels, frame.camera)


def sample_of(points_velo_m: NDArrayFloat32, labels: CameraObjects, camera: PinholeCamera) -> Sample:
    """One frame as a sample.

    Args:
        points_velo_m: ``(N,3 or more) float32`` all around, velo frame.
        labels: of the frame.
        camera: tells the view.
    """
    usable = in_view(points_velo_m, camera) & (np.abs(points_velo_m[:, :3]) < REACH_M).all(axis=1)
    points = points_velo_m[usable, :3]
    types = tuple(_NO_CLASS if name in _SITTING else name for name in labels.types)
    objects = detections_from_camera_objects(replace(labels, types=types), camera)
    owners = _owners(points, objects.boxes_velo)
    kept = np.flatnonzero((owners != NOBODY) | ~_in_regions(points, labels, camera))
    return Sample(points[kept], owners[kept], objects.boxes_velo, objects.class_ids)


def _owners(points: NDArrayFloat32, boxes_velo: NDArrayFloat) -> NDArrayInt:
    """Row of the box that each point is in, the first of several, or `NOBODY`."""
    wider = boxes_velo.copy()
    wider[:, 3:5] += 2 * _MARGIN_M
    owners = np.full(len(points), NOBODY)
    for row, inside in reversed(list(enumerate(points_in_boxes(points, wider)))):
        owners[inside] = row
    return owners


def _in_regions(points: NDArrayFloat32, labels: CameraObjects, camera: PinholeCamera) -> NDArrayBool:
    """Which points lie in the image where the annotators left a region out."""
    regions = labels.boxes_px[np.array(labels.types, dtype=np.str_) == _DONT_CARE]
    pixels, _ = camera.project_cam(camera.cam_SE3_velo.transform_points(points.astype(np.float64)))
    inside = (pixels[:, None] >= regions[:, :2]) & (pixels[:, None] <= regions[:, 2:])
    hidden: NDArrayBool = inside.all(axis=2).any(axis=1)
    return hidden


def write_real_samples(folder: Path, sources: Sequence[str], folds: Sequence[int]) -> int:
    """Make samples and store them, a shard for each source.

    Args:
        folder: for the shards and the manifest; created.
        sources: names of recordings.
        folds: which of the object frames are used.

    Returns:
        How many there are.

    Raises:
        ConfigError: an object source without folds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    count, shards = 0, {}
    for number, source in enumerate(sources):
        samples = list(samples_of_source(source, _frames(source, folds)))
        name = f"source-{number}.npz"
        shards[name] = write_shard(folder / name, samples)
        count += len(samples)
        sys.stdout.write(f"{source}: {len(samples)} samples\n")
    kinds = [source.partition(":")[0] for source in sources]
    write_manifest(folder, {"sources": kinds, "folds": list(folds)}, shards)
    return count


def _frames(source: str, folds: Sequence[int]) -> Collection[int] | None:
    if not source.startswith("kitti-object:"):
        return None
    if not folds:
        raise ConfigError(f"{source}: say which --folds of the object frames to use")
    splits = load_splits()
    return frozenset(index for fold in folds for index in splits.object_frames(fold))

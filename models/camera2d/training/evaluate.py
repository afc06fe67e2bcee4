"""What a 2D detector is worth on pictures of worlds that it has not seen.

    python -m vedette.models.camera2d.training.evaluate camera2d-world --pictures DIR
    python -m vedette.models.camera2d.training.evaluate nanodet-plus --source kitti-tracking:DIR:0000

- AP: KITTI's, R40, of 2D boxes (`evaluation.kitti_ap`), on the labels that KITTI's annotators would have given.
- Mask IoU: objects in the height band, at least a quarter visible, that a detection of score 0.4 finds with a box of
  IoU 0.5: visible pixels against the detection's mask, mean; beside it the share of objects found so.
- CPU time of `detect` at score 0.4, one thread, median over pictures.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from vedette.classes import CLASS_TO_KITTI, ObjectClass
from vedette.config_loader import load_settings
from vedette.datasets.source_spec import open_recording
from vedette.datasets.synth.labels import kitti_objects
from vedette.datasets.synth.rig import KITTI_RIG
from vedette.detections import Detections2D, Detector2D
from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.evaluation.summary import precision_cells, precision_metrics
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR, CYCLIST, PEDESTRIAN, TRUCK, VAN, VEHICLE
from vedette.frames import CameraImage, Frame
from vedette.geometry import NDArrayFloat, iou_2d
from vedette.models.camera2d.decode import PIXEL_CENTRE
from vedette.models.camera2d.training.pictures import observed_again
from vedette.models.camera2d.training.samples import LabelledPicture, PictureSet, StoredPicture
from vedette.models.registry import ModelRegistry

SCORE_THRESHOLD: Final = 0.05
"""Of the detector: AP needs the low scores too."""
GOOD_SCORE: Final = 0.4
"""From which on a detection is taken for an object."""
_GOOD_IOU: Final = 0.5
_LEAST_VISIBLE_SHARE: Final = 0.25
HEIGHT_BANDS_PX: Final = ((12.0, 25.0), (25.0, 40.0), (40.0, np.inf))
_TARGETS: Final = (CAR, VAN, TRUCK, VEHICLE, PEDESTRIAN, CYCLIST)
_NOWHERE: Final = np.array([0.0, 0.0, -1000.0, 1.0, 1.0, 1.0, 0.0])
"""3D box of a detection that has none."""
_ALPHA_UNKNOWN: Final = -10.0


@dataclass(frozen=True, eq=False)
class TruePicture:
    """A picture and what is known of it.

    Args:
        image: the picture.
        labels: as KITTI has them.
        truth: with masks, where it is a stored picture.
    """

    image: CameraImage
    labels: CameraObjects
    truth: LabelledPicture | None


def figures(detector: Detector2D, pictures: Iterable[TruePicture]) -> dict[str, float]:
    """Run a detector over pictures and compare.

    Args:
        detector: with `SCORE_THRESHOLD`.
        pictures: any number.

    Returns:
        ``ap.r40.…`` and ``labels.…``, ``mask_iou.…`` and ``found.…`` for height bands, and ``pictures``.
    """
    frames = []
    overlaps: list[NDArrayFloat] = []
    for picture in pictures:
        found = detector.detect(picture.image)
        frames.append(ScoredFrame(picture.labels, _as_rows(found)))
        if picture.truth is not None and found.masks is not None:
            overlaps.append(mask_overlaps(picture.truth, found))
    table = Table.from_frames(frames)
    measured = precision_metrics(precision_cells(table, _TARGETS, (Metric.IMAGE,)))
    if overlaps:
        measured |= _in_bands(np.concatenate(overlaps))
    return {**measured, "pictures": len(frames)}


def milliseconds(detector: Detector2D, pictures: Iterable[TruePicture]) -> float:
    """CPU time of a picture, median.

    Args:
        detector: with `GOOD_SCORE`: a lower threshold finds, and pays for, more than is ever used.
        pictures: at least one.
    """
    seconds = []
    for picture in pictures:
        started = time.process_time()
        detector.detect(picture.image)
        seconds.append(time.process_time() - started)
    return 1e3 * float(np.median(seconds))


def mask_overlaps(truth: LabelledPicture, found: Detections2D) -> NDArrayFloat:
    """IoU of masks of objects that show enough.

    Args:
        truth: of the picture.
        found: in it, with masks.

    Returns:
        ``(K,2) float64`` height of the box and IoU of the masks, NaN where the object was not found.
    """
    assert found.masks is not None
    good = found.select(found.scores >= GOOD_SCORE)
    assert good.masks is not None
    rows = np.flatnonzero((truth.visible_share >= _LEAST_VISIBLE_SHARE) & (truth.channels >= 0))
    boxes_px = truth.boxes_px[rows]
    table = np.stack([boxes_px[:, 3] - boxes_px[:, 1], np.full(len(rows), np.nan)], axis=1)
    overlaps = iou_2d(boxes_px, good.boxes_px + PIXEL_CENTRE)
    for place in np.flatnonzero(overlaps.max(axis=1, initial=0.0) >= _GOOD_IOU):
        mask, visible = good.masks[overlaps[place].argmax()], truth.owners == rows[place]
        table[place, 1] = (mask & visible).sum() / max((mask | visible).sum(), 1)
    return table


def _in_bands(overlaps: NDArrayFloat) -> dict[str, float]:
    measured = {}
    for low, high in HEIGHT_BANDS_PX:
        of_band = overlaps[(overlaps[:, 0] >= low) & (overlaps[:, 0] < high), 1]
        hit = np.isfinite(of_band)
        name = f"{low:g}px" if np.isinf(high) else f"{low:g}-{high:g}px"
        measured[f"found.{name}"] = 100.0 * float(hit.mean()) if len(hit) else 0.0
        measured[f"mask_iou.{name}"] = 100.0 * float(of_band[hit].mean()) if hit.any() else 0.0
    return measured


def _as_rows(found: Detections2D) -> CameraObjects:
    """Detections as rows of a KITTI result file without 3D boxes."""
    count = len(found)
    return CameraObjects(
        types=tuple(CLASS_TO_KITTI[ObjectClass(one)] for one in found.class_ids),
        truncation=np.full(count, -1.0),
        occlusion=np.full(count, -1, dtype=np.int64),
        alpha=np.full(count, _ALPHA_UNKNOWN),
        boxes_px=found.boxes_px,
        boxes_cam=np.tile(_NOWHERE, (count, 1)),
        scores=found.scores,
    )


def of_shards(pictures: Iterable[StoredPicture]) -> Iterator[TruePicture]:
    """Stored pictures with all that is known of them.

    Args:
        pictures: of shards.
    """
    for stored in pictures:
        picture = stored.read()
        labels = kitti_objects(observed_again(stored.entry["objects"]), KITTI_RIG.camera)
        yield TruePicture(CameraImage(picture.pixels_bgr, 0), labels, picture)


def of_recordings(specs: Sequence[str]) -> Iterator[TruePicture]:
    """Labelled pictures of recordings.

    Args:
        specs: as commands take them.
    """
    for spec in specs:
        recording = open_recording(spec)
        for frame in recording:
            labels = recording.labels(frame.index)
            if isinstance(frame, Frame) and frame.image is not None and labels is not None:
                yield TruePicture(frame.image, labels, None)


def _pictures(asked: argparse.Namespace) -> Iterator[TruePicture]:
    return of_shards(PictureSet(asked.pictures).pictures) if asked.pictures else of_recordings(asked.source)


def main() -> None:
    """Measure from the command line; prints JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--pictures", type=Path, help="folder of shards")
    what.add_argument("--source", nargs="+", help="recordings with labels")
    asked = parser.parse_args()
    settings = load_settings().models
    registry = ModelRegistry(settings.folder, settings.providers, threads=1)
    found = figures(registry.load_detector2d(asked.model, SCORE_THRESHOLD), _pictures(asked))
    found["ms"] = milliseconds(registry.load_detector2d(asked.model, GOOD_SCORE), _pictures(asked))
    measured = {key: round(value, 2) for key, value in found.items()}
    sys.stdout.write(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()

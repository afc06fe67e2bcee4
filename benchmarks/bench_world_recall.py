"""Does a 3D detector that learnt on real scans find the cars of the generated world, and only them?

    python benchmarks/bench_world_recall.py point-gnn-car synth:town:1:0-99 kitti-tracking:build/kitti:0000 --every 5

Recall: of the labelled cars within 45 m that hold at least 10 points of the camera's view, the share that some
detection with a score above the cut (0.5; Point-GNN's own score of 3) overlaps with a BEV IoU of at least 0.5.

Precision: of the detections above the cut within 45 m, the share with such an overlap with any labelled car. Not
counted, right or wrong: detections of which the greatest BEV overlap, above 0.1, is with a label of another type (vans
look like cars), and those of which more than half the image box lies in a DontCare region.

Both by distance of the label (recall) or the detection (precision). Real labels are people's, who leave out what they
cannot see; the world's follow the same rule. Counts are pooled over the sources between two ``/``, so
that worlds can stand beside real scans: each group is a row.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from labelled_sweeps import groups, labelled_sweeps

from vedette.config_loader import load_settings
from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.kitti.splits import load_splits
from vedette.detections import Detections3D, Detector3D
from vedette.evaluation.objects import DONT_CARE, CameraObjects
from vedette.frames import Frame
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt, bev_iou, corners, points_in_boxes
from vedette.models.registry import ModelRegistry

EDGES_M = (0.0, 15.0, 30.0, 45.0)
SCORE = 0.5
MIN_POINTS = 10
MIN_IOU = 0.5
CONFUSED_IOU = 0.1


@dataclass
class Counts:
    """What is pooled, by distance."""

    wanted: NDArrayInt = field(default_factory=lambda: np.zeros(len(EDGES_M) - 1, np.int64))
    found: NDArrayInt = field(default_factory=lambda: np.zeros(len(EDGES_M) - 1, np.int64))
    detections: NDArrayInt = field(default_factory=lambda: np.zeros(len(EDGES_M) - 1, np.int64))
    right: NDArrayInt = field(default_factory=lambda: np.zeros(len(EDGES_M) - 1, np.int64))
    frames: int = 0

    def row(self, name: str) -> dict[str, object]:
        """Shares, 0 to 100, over all distances and by distance."""
        return {
            "sources": name,
            "frames": self.frames,
            "cars": int(self.wanted.sum()),
            "detections": int(self.detections.sum()),
            "recall": _share(self.found.sum(), self.wanted.sum()),
            "precision": _share(self.right.sum(), self.detections.sum()),
            "recall_by_distance": [_share(a, b) for a, b in zip(self.found, self.wanted, strict=True)],
            "precision_by_distance": [_share(a, b) for a, b in zip(self.right, self.detections, strict=True)],
            "false_boxes_per_frame": round(float((self.detections - self.right).sum()) / max(self.frames, 1), 3),
        }


def _share(part: int, whole: int) -> float | None:
    return round(100.0 * float(part) / float(whole), 1) if whole else None


def main() -> None:
    """Measure groups of sources with one model and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("sources", nargs="+", help="pooled into one row up to a '/'")
    parser.add_argument(
        "--every", type=int, default=1, help="use one frame in so many; of kitti-object with --fold, all"
    )
    parser.add_argument("--fold", type=int, help="of kitti-object sources, only the frames of this fold")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    settings = load_settings().models
    detector = ModelRegistry(settings.folder, settings.providers, settings.threads).load_detector3d(arguments.model)
    fold = None if arguments.fold is None else set(load_splits().object_frames(arguments.fold))
    rows = []
    for group in groups(arguments.sources):
        rows.append(measure(detector, group, arguments.every, fold).row(" ".join(group)))
        print(json.dumps(rows[-1]), flush=True)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"model": arguments.model, "edges_m": EDGES_M, "rows": rows}, indent=1))


def measure(detector: Detector3D, sources: Sequence[str], every: int, fold: Collection[int] | None) -> Counts:
    """Pool the counts of some sources.

    Args:
        detector: of cars.
        sources: names of recordings with labels.
        every: one frame in so many is used.
        fold: frame numbers that are used of object sources; None for all.
    """
    counts = Counts()
    for source in sources:
        for frame, labels in labelled_sweeps(source, every, fold):
            assert frame.sweep is not None
            if labels is not None:
                _count(counts, frame, labels, detector.detect(frame.sweep, frame.camera))
                counts.frames += 1
    return counts


def _count(counts: Counts, frame: Frame, labels: CameraObjects, detections: Detections3D) -> None:
    assert frame.sweep is not None
    objects = labels.select([kind != DONT_CARE for kind in labels.types])
    true = detections_from_camera_objects(objects, frame.camera).boxes_velo
    is_car = np.array([kind == "Car" for kind in objects.types], dtype=bool)
    seen = detections.select(detections.scores >= SCORE)
    overlaps = bev_iou(true, seen.boxes_velo)

    wanted = is_car & (_points_in_view(frame, true) >= MIN_POINTS)
    found = wanted & (overlaps >= MIN_IOU).any(axis=1)
    _add(counts.wanted, true[wanted])
    _add(counts.found, true[found])

    right = (overlaps[is_car] >= MIN_IOU).any(axis=0)
    excused = ~right & (_confused(overlaps, is_car) | _in_dont_care(frame, labels, seen.boxes_velo))
    _add(counts.detections, seen.boxes_velo[~excused])
    _add(counts.right, seen.boxes_velo[right])


def _points_in_view(frame: Frame, boxes_velo: NDArrayFloat) -> NDArrayInt:
    assert frame.sweep is not None
    points = frame.sweep.points_velo[:, :3].astype(np.float64)
    points = points[frame.camera.in_image(*frame.camera.project_velo(points))]
    return np.asarray(points_in_boxes(points, boxes_velo).sum(axis=1), dtype=np.int64)


def _confused(overlaps: NDArrayFloat, is_car: NDArrayBool) -> NDArrayBool:
    best_other = overlaps[~is_car].max(axis=0, initial=0.0)
    return np.asarray((best_other > CONFUSED_IOU) & (best_other > overlaps[is_car].max(axis=0, initial=0.0)))


def _in_dont_care(frame: Frame, labels: CameraObjects, boxes_velo: NDArrayFloat) -> NDArrayBool:
    regions = labels.boxes_px[[kind == DONT_CARE for kind in labels.types]]
    inside = np.zeros(len(boxes_velo), dtype=bool)
    for row, box in enumerate(boxes_velo):
        uv, depth_m = frame.camera.project_velo(corners(box[None])[0])
        if not (depth_m > 0).all():
            continue
        limits = [frame.camera.width_px - 1.0, frame.camera.height_px - 1.0]
        low, high = np.clip(uv.min(axis=0), 0.0, limits), np.clip(uv.max(axis=0), 0.0, limits)
        shared = np.clip(np.minimum(high, regions[:, 2:]) - np.maximum(low, regions[:, :2]), 0.0, None).prod(axis=1)
        inside[row] = bool((shared > 0.5 * max(float((high - low).prod()), 1e-9)).any())
    return inside


def _add(histogram: NDArrayInt, boxes_velo: NDArrayFloat) -> None:
    histogram += np.histogram(np.hypot(boxes_velo[:, 0], boxes_velo[:, 1]), bins=EDGES_M)[0]


if __name__ == "__main__":
    main()

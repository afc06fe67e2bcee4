"""How many labelled vehicles a model finds, and how long it takes.

    python benchmarks/bench_model_accuracy.py nanodet-plus kitti-tracking:DIR:0001:0-24 --iou 0.5 --score 0.4
    python benchmarks/bench_model_accuracy.py point-gnn-car kitti-tracking:DIR:0001:0-24 --iou 0.7 --score 0.5

Recall: the share of labelled vehicles (2D: Car, Van, Truck; 3D: Car), at least 25 pixels tall and at most partly
occluded, that some detection of a vehicle overlaps with at least the IoU given (2D boxes, or 3D boxes). Labels of 2D
boxes are projections of 3D boxes and wider than what is visible. CPU time is that of one thread, median over frames.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from vedette.classes import VEHICLES
from vedette.config_loader import load_settings
from vedette.datasets.kitti.convert import detections_from_camera_objects
from vedette.datasets.source_spec import open_recording
from vedette.evaluation.objects import DONT_CARE, CameraObjects
from vedette.frames import Frame
from vedette.geometry import NDArrayFloat, PinholeCamera, iou_2d, iou_3d
from vedette.models.registry import ModelRegistry

MIN_HEIGHT_PX = 25
MAX_OCCLUSION = 1
Overlaps = Callable[[Frame, CameraObjects], NDArrayFloat]


def main() -> None:
    """Measure one model on one recording and print one line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("--iou", type=float, default=0.5)
    parser.add_argument("--score", type=float, default=0.4)
    arguments = parser.parse_args()
    settings = load_settings().models
    registry = ModelRegistry(settings.folder, settings.providers, settings.threads)
    task = registry.store.find(arguments.model).card.task
    types = ("Car",) if task == "detect3d" else ("Car", "Van", "Truck")
    overlaps = (_overlaps_3d if task == "detect3d" else _overlaps_2d)(registry, arguments.model, arguments.score)
    found, counted, seconds = _recall(arguments.source, overlaps, types, arguments.iou)
    print(
        f"{arguments.model} on {arguments.source}: {found} of {counted} = {100 * found / max(counted, 1):.1f} %"
        f" at IoU {arguments.iou:g}, score {arguments.score:g}; {1e3 * float(np.median(seconds)):.0f} ms a frame"
    )


def _recall(source: str, overlaps: Overlaps, types: tuple[str, ...], iou: float) -> tuple[int, int, list[float]]:
    recording = open_recording(source)
    found, counted, seconds = 0, 0, []
    for frame in recording:
        labels = recording.labels(frame.index)
        if not isinstance(frame, Frame) or labels is None or frame.image is None or frame.sweep is None:
            continue
        started = time.process_time()
        matrix = overlaps(frame, labels)
        seconds.append(time.process_time() - started)
        tall = labels.boxes_px[:, 3] - labels.boxes_px[:, 1] >= MIN_HEIGHT_PX
        wanted = np.isin(labels.types, types) & tall & (labels.occlusion <= MAX_OCCLUSION)
        found += int((matrix[wanted].max(axis=1, initial=0.0) >= iou).sum())
        counted += int(wanted.sum())
    return found, counted, seconds


def _overlaps_2d(registry: ModelRegistry, model: str, score: float) -> Overlaps:
    detector = registry.load_detector2d(model, score)

    def overlaps(frame: Frame, labels: CameraObjects) -> NDArrayFloat:
        assert frame.image is not None
        seen = detector.detect(frame.image)
        return iou_2d(labels.boxes_px, seen.boxes_px[np.isin(seen.class_ids, list(VEHICLES))])

    return overlaps


def _overlaps_3d(registry: ModelRegistry, model: str, score: float) -> Overlaps:
    detector = registry.load_detector3d(model)

    def overlaps(frame: Frame, labels: CameraObjects) -> NDArrayFloat:
        assert frame.sweep is not None
        seen = detector.detect(frame.sweep, frame.camera)
        boxes = seen.boxes_velo[seen.scores >= score]
        matrix = np.zeros((len(labels.types), len(boxes)))
        matrix[[kind != DONT_CARE for kind in labels.types]] = iou_3d(_label_boxes(labels, frame.camera), boxes)
        return matrix

    return overlaps


def _label_boxes(labels: CameraObjects, camera: PinholeCamera) -> NDArrayFloat:
    return detections_from_camera_objects(labels, camera).boxes_velo


if __name__ == "__main__":
    main()

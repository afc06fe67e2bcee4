"""Average precision and F1 of cars on samples, by the project's own evaluation.

    python -m vedette.models.pillars.training.evaluate MODEL SAMPLES

Definition: the metrics are those of `vedette.evaluation` (`kitti_ap`: R40, IoU more than the minimum; `f1`: one-to-one
assignment, within 50 m). What differs is which labels count, since samples know the points on an object and not what an
annotator would say of it: cars with at least 10 points. Cars with fewer, and vans, are neutral. All other detections
are false alarms, whatever stands there. For AP there is no least height in the image; for F1 it is 25 pixels.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.config_loader import load_settings
from vedette.datasets.kitti.convert import camera_objects_from_detections
from vedette.datasets.synth.rig import KITTI_RIG
from vedette.detections import Detections3D
from vedette.evaluation.f1 import count_matches
from vedette.evaluation.kitti_ap import precision_curve
from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR, Difficulty
from vedette.models.pillars.decode import Found, decode
from vedette.models.pillars.features import pillarise
from vedette.models.pillars.network import PillarsNetwork
from vedette.models.pillars.training.shards import Sample, SampleSet
from vedette.models.registry import ModelRegistry

Finder = Callable[[Sample], Found]
MIN_POINTS: Final = 10
"""On a car that counts."""
LEAST_SCORE: Final = 0.05
"""Detections below are left out: their precision is near 0 at any rate."""
_EVERY_HEIGHT: Final = Difficulty("any", 0.0, 3, 1.0)
_SCORE_CUTS: Final = tuple(np.round(np.arange(0.1, 0.9, 0.02), 2).tolist())


def evaluate(samples: Iterable[Sample], find: Finder) -> dict[str, float]:
    """Measure a detector of cars.

    Args:
        samples: not those it was trained on.
        find: the detector.

    Returns:
        By name, 0 to 100: `ap.r40.car.OVERLAP.IOU` for BEV and 3D, IoU 0.5 and 0.7; `f1.car.bev.0.5.r50` at the score
        cut that makes it greatest, and at a cut of 0.5; recall and precision there. `best_cut` is that score.
    """
    table = Table.from_frames([_scored(sample, find(sample)) for sample in samples])
    figures = {
        f"ap.r40.car.{metric}.{overlap:g}": precision_curve(table, CAR, _EVERY_HEIGHT, metric, overlap).ap_r40
        for metric in (Metric.GROUND, Metric.BOX)
        for overlap in (0.5, 0.7)
    }
    cuts = {cut: _at_cut(table, cut) for cut in (*_SCORE_CUTS, 0.5)}
    best = max(cuts, key=lambda cut: cuts[cut]["f1"])
    at_best = {f"{name}.car.bev.0.5.r50.best_cut": value for name, value in cuts[best].items()}
    at_half = {f"{name}.car.bev.0.5.r50": value for name, value in cuts[0.5].items()}
    return {name: round(value, 2) for name, value in {**figures, **at_half, **at_best, "best_cut": best}.items()}


def model_finder(network: PillarsNetwork) -> Finder:
    """An exported model as a detector of samples.

    Args:
        network: in ONNX Runtime.
    """
    return lambda sample: decode(*network.run(pillarise(sample.points_velo_m)), LEAST_SCORE)


def _scored(sample: Sample, found: Found) -> ScoredFrame:
    hit = sample.points_hit
    is_car, is_van = sample.class_ids == ObjectClass.CAR, sample.class_ids == ObjectClass.VAN
    counts = is_car & (hit >= MIN_POINTS)
    kept = np.flatnonzero((is_car | is_van) & (hit > 0))
    kinds = np.where(counts, int(ObjectClass.CAR), int(ObjectClass.VAN)).astype(np.int64)
    labels = Detections3D(sample.boxes_velo[kept], np.ones(len(kept)), kinds[kept])
    cars = np.full(len(found.scores), int(ObjectClass.CAR), np.int64)
    return ScoredFrame(replace(_rows(labels), scores=None), _rows(Detections3D(found.boxes_velo, found.scores, cars)))


def _rows(detections: Detections3D) -> CameraObjects:
    return camera_objects_from_detections(detections, KITTI_RIG.camera)


def _at_cut(table: Table, cut: float) -> Mapping[str, float]:
    counts = count_matches(table, CAR, Metric.GROUND, 0.5, score_cut=cut)
    found = max(counts.true_positives + counts.false_positives, 1)
    return {
        "f1": counts.f1 or 0.0,
        "recall": 100.0 * counts.true_positives / max(counts.labels, 1),
        "precision": 100.0 * counts.true_positives / found,
    }


def main() -> None:
    """Measure one model on one folder of samples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="name, or name@version")
    parser.add_argument("samples", type=Path)
    arguments = parser.parse_args()
    network = PillarsNetwork(ModelRegistry(load_settings().models.folder).open(arguments.model, "detect3d"))
    figures = evaluate(SampleSet(arguments.samples), model_finder(network))
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()

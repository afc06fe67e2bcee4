"""Average precision and F1 on samples, by the project's own evaluation.

    python -m vedette.models.pillars.training.evaluate MODEL SAMPLES

Definition: the metrics are those of `vedette.evaluation` (`kitti_ap`: R40, IoU more than the minimum; `f1`: one-to-one
assignment, within 50 m). What differs is which labels count, since samples know the points on an object and not what an
annotator would say of it: objects with at least 10 points. Where one with fewer stands in the image is a don't-care
region; cars and vans are neutral to each other, and trucks and buses count as vans. All other detections are false
alarms, whatever stands there. For AP there is no least height in the image; for F1 it is 25 pixels.
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
import torch

from vedette.classes import ObjectClass
from vedette.config_loader import load_settings
from vedette.datasets.kitti.convert import camera_objects_from_detections
from vedette.datasets.synth.rig import KITTI_RIG
from vedette.detections import Detections3D
from vedette.evaluation.f1 import count_matches
from vedette.evaluation.kitti_ap import precision_curve
from vedette.evaluation.objects import CameraObjects, ScoredFrame
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR, CYCLIST, PEDESTRIAN, VAN, Difficulty, Target
from vedette.models.pillars.decode import Found, decode
from vedette.models.pillars.detector import PEOPLE
from vedette.models.pillars.features import pillarise
from vedette.models.pillars.ground import unlevelled
from vedette.models.pillars.network import PillarsNetwork
from vedette.models.pillars.training.batches import scenes_of
from vedette.models.pillars.training.network import PillarNet, scores_of
from vedette.models.pillars.training.shards import Sample, SampleSet, level
from vedette.models.pillars.training.targets import NO_CHANNEL, channels_of
from vedette.models.registry import ModelRegistry

Finder = Callable[[Sample], Found]
MIN_POINTS: Final = 10
"""On an object that counts."""
LEAST_SCORE: Final = 0.05
"""Detections below are left out: their precision is near 0 at any rate."""
_EVERY_HEIGHT: Final = Difficulty("any", 0.0, 3, 1.0)
_SCORE_CUTS: Final = tuple(np.round(np.arange(0.1, 0.9, 0.02), 2).tolist())
_CLASSES: Final = (ObjectClass.CAR, ObjectClass.VAN, ObjectClass.PEDESTRIAN, ObjectClass.CYCLIST)
RIVALS: Final = np.isin(_CLASSES, PEOPLE).astype(np.int64)
"""Of the heat maps: no car is a van, no pedestrian a cyclist; see `decode`."""
_MEASURED: Final = {
    CAR: (Metric.GROUND, (0.5, 0.7)),
    VAN: (Metric.GROUND, (0.5, 0.7)),
    PEDESTRIAN: (Metric.GROUND, (0.25, 0.5)),
    CYCLIST: (Metric.GROUND, (0.25, 0.5)),
}
"""IoU minima of each class' AP, and the metric of F1, whose IoU minimum is the lower of the two."""


def evaluate(samples: Iterable[Sample], find: Finder) -> dict[str, float]:
    """Measure a detector.

    Args:
        samples: not those it was trained on.
        find: the detector.

    Returns:
        By name, 0 to 100: `ap.r40.CLASS.OVERLAP.IOU` for BEV and 3D, IoU 0.5 and 0.7 (of people 0.25 and 0.5);
        `f1.CLASS.bev.IOU.r50`, recall and precision at a score cut of 0.5, and at `best_cut.CLASS`, where F1 is
        greatest; that cut is in [0, 1].
    """
    table = Table.from_frames([_scored(sample, find(sample)) for sample in samples])
    figures: dict[str, float] = {}
    for target, (metric, overlaps) in _MEASURED.items():
        figures |= _precisions(table, target, overlaps)
        figures |= _at_cuts(table, target, metric, overlaps[0])
    return {name: round(value, 2) for name, value in figures.items()}


def network_finder(network: PillarNet) -> Finder:
    """A network in torch as a detector of samples.

    Args:
        network: put into the state for use, not for training.
    """
    network.eval()

    def find(sample: Sample) -> Found:
        flat, plane = level(sample)
        scenes = scenes_of([flat])
        with torch.no_grad():
            said = network(scenes.features, scenes.slots, scenes.cells, 1, bf16=True)
        found = decode(scores_of(said)[0].numpy(), said.code[0].numpy(), RIVALS, LEAST_SCORE)
        return replace(found, boxes_velo=unlevelled(found.boxes_velo, plane))

    return find


def model_finder(network: PillarsNetwork) -> Finder:
    """An exported model as a detector of samples.

    Args:
        network: in ONNX Runtime.
    """

    def find(sample: Sample) -> Found:
        flat, plane = level(sample)
        found = decode(*network.run(pillarise(flat.points_velo_m)), RIVALS, LEAST_SCORE)
        return replace(found, boxes_velo=unlevelled(found.boxes_velo, plane))

    return find


def _precisions(table: Table, target: Target, overlaps: tuple[float, float]) -> dict[str, float]:
    return {
        f"ap.r40.{target.name}.{metric}.{overlap:g}": precision_curve(
            table, target, _EVERY_HEIGHT, metric, overlap
        ).ap_r40
        for metric in (Metric.GROUND, Metric.BOX)
        for overlap in overlaps
    }


def _at_cuts(table: Table, target: Target, metric: Metric, overlap: float) -> dict[str, float]:
    cuts = {cut: _at_cut(table, target, metric, overlap, cut) for cut in (*_SCORE_CUTS, 0.5)}
    best = max(cuts, key=lambda cut: cuts[cut]["f1"])
    key = f"{target.name}.{metric}.{overlap:g}.r50"
    at_half = {f"{name}.{key}": value for name, value in cuts[0.5].items()}
    at_best = {f"{name}.{key}.best_cut": value for name, value in cuts[best].items()}
    return {**at_half, **at_best, f"best_cut.{target.name}": best}


def _scored(sample: Sample, found: Found) -> ScoredFrame:
    """Labels of what has points enough, trucks and buses as vans; what has fewer is left out of the count."""
    channels = channels_of(sample.class_ids)
    usable = np.flatnonzero((channels != NO_CHANNEL) & (sample.points_hit > 0))
    enough = sample.points_hit[usable] >= MIN_POINTS
    kinds = np.array(_CLASSES)[channels[usable]]
    labels = Detections3D(sample.boxes_velo[usable], np.ones(len(usable)), kinds.astype(np.int64))
    rows = replace(_rows(labels), scores=None)
    names = [name if sure else "DontCare" for name, sure in zip(rows.types, enough, strict=True)]
    kinds_found = np.array(_CLASSES, np.int64)[found.channels]
    return ScoredFrame(
        replace(rows, types=tuple(names)), _rows(Detections3D(found.boxes_velo, found.scores, kinds_found))
    )


def _rows(detections: Detections3D) -> CameraObjects:
    return camera_objects_from_detections(detections, KITTI_RIG.camera)


def _at_cut(table: Table, target: Target, metric: Metric, overlap: float, cut: float) -> Mapping[str, float]:
    counts = count_matches(table, target, metric, overlap, score_cut=cut)
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

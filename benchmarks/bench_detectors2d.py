"""All 2D runtimes side by side on real pictures: F1 by the height of the boxes, AP, and the time of one frame.

    python benchmarks/bench_detectors2d.py build/kitti --json detectors2d.json

Data: the pictures of the look split (tracking 0000; of the object frames, fold 0), against KITTI's labelled boxes.
Definitions and keys: `vedette.evaluation.detector2d`. Tracking 0000 has vans, pedestrians and cyclists, but no car:
cars are those of the ten pictures of fold 0. Other models may be named; models that are not there are refused.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from vedette.cli.models_evaluate import evaluate

MODELS: Final = (
    "nanodet-plus",
    "nanodet-plus+deeplab-cityscapes",
    "yolox-nano",
    "yolox-nano+deeplab-cityscapes",
    "camera2d-world",
)
FOLD: Final = "0"
SEQUENCE: Final = "0000"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kitti", help="folder of an unpacked KITTI tree")
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--resamples", type=int, default=200)
    arguments = parser.parse_args()
    evaluate(
        arguments.models,
        data=[f"kitti-object:{arguments.kitti}", f"kitti-tracking:{arguments.kitti}:{SEQUENCE}"],
        folds=FOLD,
        resamples=arguments.resamples,
        json=arguments.json,
    )


if __name__ == "__main__":
    main()

"""Things that a network took for objects and that are none, cut out to be pasted into other samples.

After Dalal and Triggs, "Histograms of oriented gradients for human detection", CVPR 2005: what fooled a first network
is shown to the next more often than chance would.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from vedette.geometry import bev_iou, points_in_boxes
from vedette.models.pillars.training.evaluate import Finder
from vedette.models.pillars.training.pasting import Cutting
from vedette.models.pillars.training.shards import NOBODY, Sample
from vedette.models.pillars.training.targets import MIN_POINTS

LEAST_SCORE: Final = 0.15
"""Of what is cut out: a network that hardly believed it learns little."""
_MARGIN_M: Final = 0.4
_HIGHER_M: Final = 2.0  # a pole or a bush goes on above the box that was seen in it


def hard_negatives(samples: Iterable[Sample], find: Finder) -> list[Cutting]:
    """What is found where nothing is.

    Args:
        samples: labelled, of which every object of the classes has a box.
        find: the network that is fooled.
    """
    return [cutting for sample in samples for cutting in _of_sample(sample, find)]


def _of_sample(sample: Sample, find: Finder) -> list[Cutting]:
    found = find(sample)
    boxes = found.boxes_velo[found.scores >= LEAST_SCORE]
    false = boxes[~(bev_iou(boxes, sample.boxes_velo) > 0).any(axis=1)]
    wider = false + np.array([0.0, 0.0, _HIGHER_M / 2, _MARGIN_M, _MARGIN_M, _HIGHER_M, 0.0])
    free = sample.points_velo_m[sample.owners == NOBODY]
    inside = points_in_boxes(free, wider)
    return [
        Cutting(free[own], box, NOBODY)
        for box, own in zip(false, inside, strict=True)
        if np.count_nonzero(own) >= MIN_POINTS
    ]

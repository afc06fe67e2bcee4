"""Where to cut scores: the network's rank boxes well, but what users set is one number for all detectors.

The export shifts the score logits so that the cut with the best F1 lies at `USUAL_CUT`, the setting's default. F1 here
counts objects of all classes that are at least a quarter visible and 12 pixels high. A detection hits one if it is of
its class, or both are vehicles, and the IoU of their boxes is at least 0.5; the best score comes first. Detections of
other objects are neutral.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np

from vedette.classes import VEHICLES
from vedette.detections import Detections2D, Detector2D
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayInt, iou_2d
from vedette.models.camera2d.decode import PIXEL_CENTRE
from vedette.models.camera2d.training.evaluate import TruePicture
from vedette.models.camera2d.training.samples import CLASSES, NOBODY, LabelledPicture, is_ignored

USUAL_CUT: Final = 0.4
"""`edge.detector2d.score_threshold` by default."""
_GOOD_IOU: Final = 0.5
_LEAST_HEIGHT_PX: Final = 12.0
_LEAST_VISIBLE_SHARE: Final = 0.25


def best_cut(detector: Detector2D, pictures: Iterable[TruePicture]) -> float:
    """The score at which F1 is best.

    Args:
        detector: at a low threshold.
        pictures: with truth; others are passed over.

    Returns:
        Between 0 and 1; the lowest of equally good ones; `USUAL_CUT` when nothing was hit at any.
    """
    scores, hits, count = [np.zeros(0)], [np.zeros(0, dtype=np.bool_)], 0
    for picture in pictures:
        if picture.truth is None:
            continue
        found, counting = detector.detect(picture.image), _counting(picture.truth)
        hit, neutral = _judged(found, picture.truth, counting)
        scores.append(found.scores[~neutral])
        hits.append(hit[~neutral])
        count += int(counting.sum())
    return _best(np.concatenate(scores), np.concatenate(hits), count)


def logit_shift(cut: float) -> float:
    """What to add to score logits, so that a cut comes to lie at `USUAL_CUT`.

    Args:
        cut: between 0 and 1.
    """
    return _logit(USUAL_CUT) - _logit(cut)


def _logit(share: float) -> float:
    return math.log(share / (1.0 - share))


def _best(scores: NDArrayFloat, hits: NDArrayBool, count: int) -> float:
    if not hits.any():
        return USUAL_CUT
    order = np.argsort(-scores, kind="stable")
    true_positives = np.cumsum(hits[order])
    f1 = 2.0 * true_positives / (np.arange(1, len(order) + 1) + count)
    return float(scores[order][np.flatnonzero(f1 == f1.max())[-1]])


def _counting(truth: LabelledPicture) -> NDArrayBool:
    ignored = is_ignored(truth.boxes_px, truth.visible_share, _LEAST_HEIGHT_PX, _LEAST_VISIBLE_SHARE)
    return np.asarray(~ignored & (truth.channels != NOBODY))


def _judged(found: Detections2D, truth: LabelledPicture, counting: NDArrayBool) -> tuple[NDArrayBool, NDArrayBool]:
    """Of each detection, best score first: whether it hits a counting object, and whether it is neutral."""
    good = iou_2d(found.boxes_px + PIXEL_CENTRE, truth.boxes_px) >= _GOOD_IOU
    good &= _kinds(found.class_ids)[:, None] == _kinds(_class_ids(truth.channels))
    hit = np.zeros(len(found), dtype=np.bool_)
    free = counting.copy()
    for row in range(len(found)):
        wanted = np.flatnonzero(good[row] & free)
        if len(wanted):
            hit[row], free[wanted[0]] = True, False
    neutral = ~hit & (good & ~counting).any(axis=1)
    return hit, neutral


def _class_ids(channels: NDArrayInt) -> NDArrayInt:
    ids = np.array([int(member) for member in CLASSES])
    return np.where(channels == NOBODY, NOBODY, ids[channels])


def _kinds(class_ids: NDArrayInt) -> NDArrayInt:
    """Classes, with all vehicles one."""
    return np.where(np.isin(class_ids, list(VEHICLES)), int(min(VEHICLES)), class_ids)

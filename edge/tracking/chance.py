"""How likely it is that the box of a vehicle is right, from all that speaks for it: image, points, answers, time.

A logistic regression. Right means a 3D IoU above 0.5 with a label; it was fitted on the boxes that `moby`,
`moby-interval` and `moby-device` show on tuning data: generated worlds, and two real recordings, which count thrice,
for on real streets the same detector is less sure of what is there (`benchmarks/fit_chance.py`, docs/moby.md).
"""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet
from typing import Final

from vedette.classes import ObjectClass
from vedette.edge.lifting.lifted import Rung
from vedette.edge.lifting.priors import prior
from vedette.edge.tracking.track import Track

FIT_BOUNDS: Final = (-3.0, 4.0)
ANSWER_MEMORY_S: Final = 1.0
USUAL_ANSWER_SCORE: Final = 0.7
MOST_UNSEEN_S: Final = 2.0
MOST_UNCONFIRMED: Final = 2
MOST_MISSES: Final = 4
NEAR_M: Final = 20.0
# where a box is worth showing to whoever acts on scores of 0.5: F1 was best there
WORTH_SHOWING: Final = 0.4

_INTERCEPT: Final = -2.85
_WEIGHTS: Final = {
    "recent answer": 2.19,
    "score of a recent answer": 14.6,
    "fit": 0.53,
    "few points": -0.89,
    "predicted": -2.33,
    "followed": -1.59,
    "unseen": -4.14,
    "unconfirmed": -0.11,
    "misses": -0.31,
    "score in the image": 4.31,
    "untold": -1.35,
    "far": 1.81,
}


def evidence(
    track: Track, stamp_ns: int, range_m: float, answered_classes: AbstractSet[ObjectClass]
) -> dict[str, float]:
    """What speaks for a box, and against it.

    Args:
        track: of a vehicle; of people and riders it is a guess, as their points show no faces to begin with.
        stamp_ns: time of the frame.
        range_m: of the box.
        answered_classes: what answers speak of: of those, one that no answer has held yet is less sure.
    """
    recent = 0.0 if track.anchored_ns is None else math.exp(-(stamp_ns - track.anchored_ns) / 1e9 / ANSWER_MEMORY_S)
    faces = prior(track.object_class).has_faces
    fit = min(max(track.fit_score, 1e-3), 0.999)
    return {
        "recent answer": recent,
        "score of a recent answer": recent * (track.anchor_score - USUAL_ANSWER_SCORE),
        "fit": min(max(math.log(fit / (1 - fit)), FIT_BOUNDS[0]), FIT_BOUNDS[1]),
        "few points": float(track.rung is Rung.IMAGE or (track.rung is Rung.CENTROID and faces)),
        "predicted": float(track.rung is Rung.PREDICTED),
        "followed": float(track.rung is Rung.FOLLOWED),
        "unseen": min((stamp_ns - track.seen_ns) / 1e9, MOST_UNSEEN_S),
        "unconfirmed": min(track.unconfirmed, MOST_UNCONFIRMED),
        "misses": min(track.misses, MOST_MISSES),
        "score in the image": track.sight_score,
        "untold": float(track.anchored_ns is None and track.object_class in answered_classes),
        "far": max(range_m - NEAR_M, 0.0) / NEAR_M,
    }


def right_chance(
    track: Track, stamp_ns: int, range_m: float, answered_classes: AbstractSet[ObjectClass] = frozenset()
) -> float:
    """The chance that a vehicle's box is right, in [0, 1]; see `evidence`."""
    told = evidence(track, stamp_ns, range_m, answered_classes)
    return 1 / (1 + math.exp(-_INTERCEPT - sum(weight * told[name] for name, weight in _WEIGHTS.items())))


def score_of(chance: float) -> float:
    """The score to publish: 0.5 for a chance at which a box is just worth showing."""
    odds = chance / max(1 - chance, 1e-9) * (1 - WORTH_SHOWING) / WORTH_SHOWING
    return odds / (1 + odds)

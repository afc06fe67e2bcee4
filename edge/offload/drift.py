"""Signs that the tracks have gone wrong, read from the tracks themselves: no label and no upload is needed.

For every object that is shown, the chance that its box is right, from what made the box and what has confirmed it
since. What the answer of a 3D detector would put right is the sum of what is missing to its own accuracy.

The chance is a logistic regression of 3D IoU above 0.5 with a label, on 13,866 boxes of vehicles that `moby` and
`moby-interval` showed on generated worlds (four scenarios, seeds 11 and 12); `benchmarks/fit_drift.py` repeats it and
prints how far it is to be believed. For people and cyclists it is a guess.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from vedette.edge.lifting.lifted import Rung
from vedette.edge.lifting.priors import prior
from vedette.edge.tracking.track import Track
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayFloat

RANGE_M: Final = 50.0
"""Objects farther away are left aside."""
_RIGHT_WHEN_ANCHORED: Final = 0.82
_ANCHOR_MEMORY_S: Final = 1.5
_MANY_HITS: Final = 20
_MANY_MISSES: Final = 3
WEIGHTS: Final = {
    "always": -5.49,
    "fit": 2.54,
    "overlap": 2.77,
    "unseen": 1.17,
    "anchored": 3.05,
    "guessed": -1.13,
    "predicted": -1.60,
    "missed": -0.12,
    "settled": 3.30,
    "moving": -0.37,
    "range": 0.72,
}
"""Of the signs, in log odds; fitted."""


@dataclass(frozen=True)
class Signs:
    """What one object's track says of its box.

    Args:
        fit_score: how well its lifted boxes agreed with points and image, smoothed, 0 to 1.
        overlap: IoU of the projected box with the detection in this frame; NaN where there is none.
        anchor_age_s: since the last answer that held it; infinite where none did.
        guessed: whether few points placed it, which show no face.
        predicted: whether it is only moved on.
        misses: images since the last that showed it.
        hits: images that showed it.
        moving: whether it moves over ground.
        range_m: from the sensor, along the ground.
    """

    fit_score: float
    overlap: float
    anchor_age_s: float
    guessed: bool
    predicted: bool
    misses: int
    hits: int
    moving: bool
    range_m: float

    @classmethod
    def of(cls, track: Track, box_px: NDArrayFloat, range_m: float, stamp_ns: int) -> Signs:
        """Read them.

        Args:
            track: shown in the frame, after it.
            box_px: ``(4,)`` image box of its 3D box.
            range_m: from the sensor.
            stamp_ns: of the frame.
        """
        seen = track.trace is not None and track.trace.stamp_ns == stamp_ns
        return cls(
            track.fit_score,
            _overlap(track.trace.box_px, box_px) if seen and track.trace is not None else math.nan,
            math.inf if track.anchored_ns is None else max(stamp_ns - track.anchored_ns, 0) / 1e9,
            track.rung is Rung.IMAGE or (track.rung is Rung.CENTROID and prior(track.object_class).has_faces),
            track.rung is Rung.PREDICTED,
            track.misses,
            track.hits,
            track.motion.moving,
            range_m,
        )

    @property
    def values(self) -> tuple[float, ...]:
        """What the regression weighs, in the order of `WEIGHTS`; each about 0 to 1."""
        unseen = math.isnan(self.overlap)
        return (
            1.0,
            self.fit_score,
            0.0 if unseen else self.overlap,
            float(unseen),
            math.exp(-self.anchor_age_s / _ANCHOR_MEMORY_S),
            float(self.guessed),
            float(self.predicted),
            min(self.misses / _MANY_MISSES, 1.0),
            min(math.log1p(self.hits) / math.log1p(_MANY_HITS), 1.0),
            float(self.moving),
            self.range_m / RANGE_M,
        )

    @property
    def right(self) -> float:
        """Chance that the box is right, 0 to 1."""
        evidence = sum(weight * value for weight, value in zip(WEIGHTS.values(), self.values, strict=True))
        return 1 / (1 + math.exp(-evidence))


@dataclass(frozen=True)
class TrackDrift:
    """One object that is shown.

    Args:
        box_px: ``(4,)`` where the image shows its box.
        right: guessed chance that the box is right, 0 to 1.
        overlap: IoU of the projected box with the detection in this frame; NaN where there is none.
        anchor_age_s: since the last answer that held it; infinite where none did.
    """

    box_px: NDArrayFloat
    right: float
    overlap: float
    anchor_age_s: float

    @property
    def deficit(self) -> float:
        """What an answer would add to the chance, 0 to 1."""
        return max(0.0, _RIGHT_WHEN_ANCHORED - self.right)


@dataclass(frozen=True)
class Drift:
    """All objects that are shown within reach.

    Args:
        tracks: one entry each.
        rungs: how many boxes each rung made.
    """

    tracks: Sequence[TrackDrift] = ()
    rungs: Mapping[str, int] = field(default_factory=dict)

    @property
    def deficit(self) -> float:
        """Boxes that an answer would put right, as far as one can guess."""
        return sum(track.deficit for track in self.tracks)

    @property
    def new_share(self) -> float:
        """Share of the objects that no answer has held."""
        new = sum(math.isinf(track.anchor_age_s) for track in self.tracks)
        return new / len(self.tracks) if self.tracks else 0.0

    @property
    def median_overlap(self) -> float:
        """Median IoU of projected boxes with their detections; NaN without any."""
        overlaps = [track.overlap for track in self.tracks if not math.isnan(track.overlap)]
        return float(np.median(overlaps)) if overlaps else math.nan


def drift_of(tracks: Sequence[Track], projected_px: NDArrayFloat, viewpoint: Viewpoint) -> Drift:
    """Read the signs.

    Args:
        tracks: those shown in the frame, after it.
        projected_px: ``(N,4)`` image boxes of their 3D boxes.
        viewpoint: of the frame.
    """
    origin = viewpoint.world_SE3_ego.translation[:2]
    ranges_m = [math.hypot(*(track.motion.xy - origin).tolist()) for track in tracks]
    near = [row for row in zip(tracks, projected_px, ranges_m, strict=True) if row[2] < RANGE_M]
    entries = [_track_drift(*row, viewpoint.stamp_ns) for row in near]
    return Drift(entries, Counter(str(track.rung) for track, _, _ in near))


def _track_drift(track: Track, box_px: NDArrayFloat, range_m: float, stamp_ns: int) -> TrackDrift:
    signs = Signs.of(track, box_px, range_m, stamp_ns)
    return TrackDrift(box_px, signs.right, signs.overlap, signs.anchor_age_s)


def _overlap(a: NDArrayFloat, b: NDArrayFloat) -> float:
    """IoU of two image boxes; a tenth of the time of the general way."""
    ax1, ay1, ax2, ay2 = a.tolist()
    bx1, by1, bx2, by2 = b.tolist()
    shared = max(0.0, min(ax2, bx2) - max(ax1, bx1)) * max(0.0, min(ay2, by2) - max(ay1, by1))
    union = (ax2 - ax1) * (ay2 - ay1) + (bx2 - bx1) * (by2 - by1) - shared
    return shared / union if union > 0 else 0.0

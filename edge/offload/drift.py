"""Signs that the tracks have gone wrong, read from the tracks themselves: no label and no upload is needed.

For every object that is shown, a guess at the chance that its box is right, from what made the box and what has
confirmed it since. What the answer of a 3D detector would put right is the sum of what is missing to its own accuracy.
The chances are rough, set by eye on generated worlds that are used for tuning alone; what matters is which objects are
worse than others, and that more of them are worth more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from vedette.edge.lifting.lifted import Rung
from vedette.edge.tracking.track import Track
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayFloat

_RIGHT_WHEN_ANCHORED: Final = 0.85
_RIGHT_WHEN_LIFTED: Final = 0.62
_ANCHOR_MEMORY_S: Final = 1.5
_OF_RUNG: Final = {Rung.IMAGE: 0.3, Rung.PREDICTED: 0.6, Rung.CENTROID: 0.8}
_GOOD_OVERLAP: Final = 0.7
_RANGE_M: Final = 50.0


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
    near = [float(np.hypot(*(track.motion.xy - origin))) < _RANGE_M for track in tracks]
    entries = [
        _track_drift(track, box_px, viewpoint.stamp_ns)
        for track, box_px, close in zip(tracks, projected_px, near, strict=True)
        if close
    ]
    return Drift(entries, Counter(str(track.rung) for track, close in zip(tracks, near, strict=True) if close))


def _track_drift(track: Track, box_px: NDArrayFloat, stamp_ns: int) -> TrackDrift:
    age_s = math.inf if track.anchored_ns is None else max(stamp_ns - track.anchored_ns, 0) / 1e9
    overlap = math.nan
    if track.trace is not None and track.trace.stamp_ns == stamp_ns:
        overlap = _overlap(track.trace.box_px, box_px)
    kept = math.exp(-age_s / _ANCHOR_MEMORY_S)
    lifted = _RIGHT_WHEN_LIFTED * _OF_RUNG.get(track.rung, 1.0)
    if not math.isnan(overlap):
        lifted *= min(1.0, 0.3 + overlap / _GOOD_OVERLAP * 0.7)
    return TrackDrift(box_px, kept * _RIGHT_WHEN_ANCHORED + (1 - kept) * lifted, overlap, age_s)


def _overlap(a: NDArrayFloat, b: NDArrayFloat) -> float:
    """IoU of two image boxes; a tenth of the time of the general way."""
    ax1, ay1, ax2, ay2 = a.tolist()
    bx1, by1, bx2, by2 = b.tolist()
    shared = max(0.0, min(ax2, bx2) - max(ax1, bx1)) * max(0.0, min(ay2, by2) - max(ay1, by1))
    union = (ax2 - ax1) * (ay2 - ay1) + (bx2 - bx1) * (by2 - by1) - shared
    return shared / union if union > 0 else 0.0

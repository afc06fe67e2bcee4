"""Signs that the tracks have gone wrong, read from the tracks themselves: no label and no upload is needed.

For every object that is shown, the chance that its box is right (`vedette.edge.tracking.chance`). What the answer of a
3D detector would put right is the sum of what is missing to its own accuracy.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from vedette.edge.tracking.chance import right_chance
from vedette.edge.tracking.track import Track, TrackSet
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayFloat

RANGE_M: Final = 50.0
"""Objects farther away are left aside."""
_RIGHT_WHEN_ANCHORED: Final = 0.82


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


def drift_of(shown: TrackSet, projected_px: NDArrayFloat, viewpoint: Viewpoint) -> Drift:
    """Read the signs.

    Args:
        shown: the tracks that are shown in the frame, after it.
        projected_px: ``(N,4)`` image boxes of their 3D boxes.
        viewpoint: of the frame.
    """
    origin = viewpoint.world_SE3_ego.translation[:2]
    entries, rungs = [], Counter[str]()
    for track, box_px in zip(shown.tracks, projected_px, strict=True):
        range_m = math.hypot(*(track.motion.xy - origin).tolist())
        if range_m < RANGE_M:
            right = right_chance(track, viewpoint.stamp_ns, range_m, shown.answered_classes)
            entries.append(_track_drift(track, box_px, right, viewpoint.stamp_ns))
            rungs[str(track.rung)] += 1
    return Drift(entries, rungs)


def _track_drift(track: Track, box_px: NDArrayFloat, right: float, stamp_ns: int) -> TrackDrift:
    detected = track.trace is not None and track.trace.stamp_ns == stamp_ns
    overlap = _overlap(track.trace.box_px, box_px) if detected and track.trace is not None else math.nan
    age_s = math.inf if track.anchored_ns is None else max(stamp_ns - track.anchored_ns, 0) / 1e9
    return TrackDrift(box_px, right, overlap, age_s)


def _overlap(a: NDArrayFloat, b: NDArrayFloat) -> float:
    """IoU of two image boxes; a tenth of the time of the general way."""
    ax1, ay1, ax2, ay2 = a.tolist()
    bx1, by1, bx2, by2 = b.tolist()
    shared = max(0.0, min(ax2, bx2) - max(ax1, bx1)) * max(0.0, min(ay2, by2) - max(ay1, by1))
    union = (ax2 - ax1) * (ay2 - ay1) + (bx2 - bx1) * (by2 - by1) - shared
    return shared / union if union > 0 else 0.0

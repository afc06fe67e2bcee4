"""From tracks to boxes that are published: which are sure enough, with which score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.detections import Detections3D
from vedette.edge.lifting.lifted import Rung
from vedette.edge.lifting.priors import prior
from vedette.edge.tracking.track import Track, TrackSet, boxes_velo
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayFloat, NDArrayInt
from vedette.geometry.nms import rotated_nms
from vedette.publication import Publication

_MAX_OVERLAP: Final = 0.15
_SHORT_COAST_MISSES: Final = 2
_UNCONFIRMED_SHARE: Final = 0.5
_MISSED_SHARE: Final = 0.8
# lifts the score 0.42 of a 2D detection, at which half of the boxes were right on the tuning data, to 0.5
_SIGHT_EXPONENT: Final = 0.8
# of a vehicle's boxes: how much less often than one behind faces those of the other rungs were right
_RUNG_QUALITY: Final = {
    Rung.TWO_FACES: 1.0,
    Rung.ONE_FACE: 1.0,
    Rung.CENTROID: 0.7,
    Rung.ANCHOR: 1.0,
    Rung.PREDICTED: 0.6,
    Rung.IMAGE: 0.4,
}


@dataclass(frozen=True)
class PublishedBoxes:
    """The boxes of one frame, but for the time of publication.

    Args:
        detections: velo frame.
        track_ids: ``(N,) int64``.
        rungs: N names.
        velocities_world_mps: ``(N,2)``.
    """

    detections: Detections3D
    track_ids: NDArrayInt
    rungs: tuple[str, ...]
    velocities_world_mps: NDArrayFloat

    @classmethod
    def none(cls) -> PublishedBoxes:
        """Nothing to show."""
        return cls(Detections3D.empty(), np.zeros(0, np.int64), (), np.zeros((0, 2)))

    def publication(self, frame_index: int, stamp_ns: int, publish_ns: int, basis_stamp_ns: int) -> Publication:
        """The publication of these boxes at a time.

        Args:
            frame_index: of the frame.
            stamp_ns: capture time that the boxes speak about.
            publish_ns: now.
            basis_stamp_ns: capture time of the newest data they rest on.
        """
        return Publication(
            frame_index,
            stamp_ns,
            publish_ns,
            basis_stamp_ns,
            self.detections,
            self.track_ids,
            self.rungs,
            self.velocities_world_mps,
        )


def publishable_boxes(tracks: TrackSet, viewpoint: Viewpoint, anchor_life_ns: int) -> PublishedBoxes:
    """Choose and score the boxes to publish; of boxes that overlap seen from above the surer one stays.

    Args:
        tracks: at the frame's time.
        viewpoint: of the frame.
        anchor_life_ns: how long an answer vouches for an object that no image shows.
    """
    shown = [track for track in tracks.tracks if _is_shown(track, viewpoint.stamp_ns, anchor_life_ns)]
    boxes = boxes_velo(shown, viewpoint)
    scores = np.array([track_score(track) for track in shown], np.float64)
    kept = rotated_nms(boxes, scores, _MAX_OVERLAP) if shown else np.zeros(0, np.int64)
    chosen = [shown[int(index)] for index in kept]
    return PublishedBoxes(
        Detections3D(boxes[kept], scores[kept], np.array([int(t.object_class) for t in chosen], np.int64)),
        np.array([track.track_id for track in chosen], np.int64),
        tuple(str(track.rung) for track in chosen),
        np.array([track.motion.velocity for track in chosen]).reshape(-1, 2),
    )


def track_score(track: Track) -> float:
    """How sure it is that the object is there and its box is right, in [0, 1]."""
    as_meant = track.rung is Rung.CENTROID and not prior(track.object_class).has_faces
    quality = 1.0 if as_meant else _RUNG_QUALITY[track.rung]
    sight = track.sight_score**_SIGHT_EXPONENT * quality * _MISSED_SHARE**track.misses
    return float(min(1.0, max(sight, track.anchor_score * _UNCONFIRMED_SHARE**track.unconfirmed)))


def _is_shown(track: Track, stamp_ns: int, anchor_life_ns: int) -> bool:
    if track.misses == 0 and track.hits > 0:
        return True
    if track.hits > 1 and track.misses <= _SHORT_COAST_MISSES:
        return True
    return track.anchored_ns is not None and stamp_ns - track.anchored_ns <= anchor_life_ns

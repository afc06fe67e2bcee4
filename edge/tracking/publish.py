"""From tracks to boxes that are published: which are sure enough, with which score."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.edge.lifting.lifted import Rung
from vedette.edge.lifting.priors import Group, prior
from vedette.edge.tracking.chance import right_chance, score_of
from vedette.edge.tracking.track import Track, TrackSet, boxes_velo
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayFloat, NDArrayInt
from vedette.geometry.nms import rotated_nms
from vedette.publication import Publication

_MAX_OVERLAP: Final = 0.15
_SHORT_COAST_MISSES: Final = 2
_UNCONFIRMED_SHARE: Final = 0.5
_MISSED_SHARE: Final = 0.85
# lifts the score 0.42 of a 2D detection, at which half of the boxes were right on the tuning data, to 0.5
_SIGHT_EXPONENT: Final = 0.8
# and, where answers are to be had and none has held the object yet, 0.58
_UNTOLD_EXPONENT: Final = 1.0
# of a vehicle's boxes: how much less often than one behind faces those of the other rungs were right
_GOOD_FIT: Final = 0.8
_RUNG_QUALITY: Final = {
    Rung.TWO_FACES: 1.0,
    Rung.ONE_FACE: 1.0,
    Rung.CENTROID: 0.7,
    Rung.FOLLOWED: 1.0,
    Rung.ANCHOR: 1.0,
    Rung.PREDICTED: 0.6,
    Rung.IMAGE: 0.4,
}


@dataclass(frozen=True)
class Trust:
    """How long what was seen last is believed.

    Args:
        anchor_life_ns: how long a 3D detection vouches for an object that no image shows.
        standing_half_life_s: time unseen after which the score of an object that stands is half of what it was.
        moving_half_life_s: the same of one that moves.
        by_chance: whether vehicles are scored by the chance that their boxes are right, as lifting makes them.
    """

    anchor_life_ns: int
    standing_half_life_s: float = math.inf
    moving_half_life_s: float = math.inf
    by_chance: bool = False


@dataclass(frozen=True)
class PublishedBoxes:
    """The boxes of one frame, but for the time of publication.

    Args:
        detections: velo frame.
        track_ids: ``(N,) int64``.
        rungs: N names.
        velocities_world_mps: ``(N,2)``.
        tracks: that made them, parallel to them; none where no tracks did.
    """

    detections: Detections3D
    track_ids: NDArrayInt
    rungs: tuple[str, ...]
    velocities_world_mps: NDArrayFloat
    tracks: TrackSet = field(default_factory=TrackSet)

    @classmethod
    def none(cls) -> PublishedBoxes:
        """Nothing to show."""
        return cls(Detections3D.empty(), np.zeros(0, np.int64), (), np.zeros((0, 2)))

    def select(self, rows: NDArrayInt) -> PublishedBoxes:
        """Some of the boxes."""
        chosen = rows.tolist()
        tracks = tuple(self.tracks.tracks[row] for row in chosen) if self.tracks.tracks else ()
        return PublishedBoxes(
            self.detections.select(rows),
            self.track_ids[rows],
            tuple(self.rungs[row] for row in chosen),
            self.velocities_world_mps[rows],
            replace(self.tracks, tracks=tracks),
        )

    def publication(
        self, frame_index: int, stamp_ns: int, publish_ns: int, basis_stamp_ns: int, *, forecast: bool = False
    ) -> Publication:
        """The publication of these boxes at a time.

        Args:
            frame_index: of the frame.
            stamp_ns: time that the boxes speak about.
            publish_ns: now.
            basis_stamp_ns: capture time of the newest data they rest on.
            forecast: whether that time is still to come.
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
            forecast,
        )


def publishable_boxes(tracks: TrackSet, viewpoint: Viewpoint, trust: Trust) -> PublishedBoxes:
    """Choose and score the boxes to publish; of boxes that overlap seen from above the surer one stays.

    Args:
        tracks: at the frame's time.
        viewpoint: of the frame.
        trust: in what nobody has seen of late.
    """
    shown = [track for track in tracks.tracks if _is_shown(track, viewpoint.stamp_ns, trust.anchor_life_ns)]
    boxes = boxes_velo(shown, viewpoint)
    scores = np.array([_score(track, box, tracks, viewpoint, trust) for track, box in zip(shown, boxes, strict=True)])
    kept = rotated_nms(boxes, scores, _MAX_OVERLAP) if shown else np.zeros(0, np.int64)
    chosen = [shown[int(index)] for index in kept]
    return PublishedBoxes(
        Detections3D(boxes[kept], scores[kept], np.array([int(t.object_class) for t in chosen], np.int64)),
        np.array([track.track_id for track in chosen], np.int64),
        tuple(str(track.rung) for track in chosen),
        np.array([track.motion.velocity for track in chosen]).reshape(-1, 2),
        replace(tracks, tracks=tuple(chosen)),
    )


def _score(track: Track, box_velo: NDArrayFloat, tracks: TrackSet, viewpoint: Viewpoint, trust: Trust) -> float:
    if not trust.by_chance or track.group is not Group.VEHICLE:
        return track_score(track, viewpoint.stamp_ns, trust, tracks.answered_classes)
    range_m = math.hypot(box_velo.item(0), box_velo.item(1))
    return score_of(right_chance(track, viewpoint.stamp_ns, range_m, tracks.answered_classes))


def track_score(
    track: Track, stamp_ns: int, trust: Trust, answered_classes: frozenset[ObjectClass] = frozenset()
) -> float:
    """How sure it is that the object is there and its box is right, in [0, 1].

    Args:
        track: the object.
        stamp_ns: time of the frame.
        trust: in what nobody has seen of late.
        answered_classes: what answers speak of: of those, one that no answer has held yet is less sure.
    """
    as_meant = track.rung is Rung.CENTROID and not prior(track.object_class).has_faces
    quality = 1.0 if as_meant else _RUNG_QUALITY[track.rung]
    half_life_s = trust.moving_half_life_s if track.motion.moving else trust.standing_half_life_s
    unseen = 0.5 ** ((stamp_ns - track.seen_ns) / 1e9 / half_life_s)
    doubt = _MISSED_SHARE**track.misses * _UNCONFIRMED_SHARE**track.unconfirmed * unseen
    untold = track.anchored_ns is None and track.object_class in answered_classes
    sight = track.sight_score ** (_UNTOLD_EXPONENT if untold else _SIGHT_EXPONENT) * quality * _fit(track)
    return float(min(1.0, max(sight, track.anchor_score) * doubt))


def _fit(track: Track) -> float:
    """How much its fits take from a vehicle's score; what has no faces is not fitted."""
    if not prior(track.object_class).has_faces:
        return 1.0
    return math.sqrt(min(1.0, track.fit_score / _GOOD_FIT))


def _is_shown(track: Track, stamp_ns: int, anchor_life_ns: int) -> bool:
    if track.misses == 0 and track.hits > 0:
        return True
    if track.hits > 1 and track.misses <= _SHORT_COAST_MISSES:
        return True
    return track.anchored_ns is not None and stamp_ns - track.anchored_ns <= anchor_life_ns

"""The tracks after a frame: what was seen moves them, what was not seen fades, what is new begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections2D
from vedette.edge.lifting.lifted import LiftedBox, Rung
from vedette.edge.tracking.association import UNMATCHED, projected_px
from vedette.edge.tracking.birth import newborn
from vedette.edge.tracking.track import Birthplace, ImageTrace, Track, TrackSet, birth_id
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayFloat, NDArrayInt
from vedette.geometry.iou import ioa_2d

_SCORE_MEMORY: Final = 0.6
_VOTE_MEMORY: Final = 0.9
_FIT_MEMORY: Final = 0.6
_DISTRUST: Final = 10.0
_BOTTOM_GAIN: Final = 0.4
_OUTLIER_SURPRISE: Final = 30.0
# an answer of late is believed rather than a cluster that lies elsewhere
_VOUCHED_SURPRISE: Final = 16.0
_KNOWN_SPEED_MPS: Final = 1.0
_VOUCHED_NS: Final = 3_000_000_000
_HELD_NS: Final = 3_000_000_000
_SETTLED_HITS: Final = 3
_MAX_OUTLIERS: Final = 2
_MOTION_WEIGHT: Final = 0.5
_MAX_MISSES: Final = 6
_UNSEEN_LIFE_NS: Final = 3_000_000_000
_MIN_VIEW_PX: Final = 10.0
# a box is hidden that a nearer one covers by this share, as the image has them
_HIDDEN_SHARE: Final = 0.6
_BEHIND_M: Final = 1.5


def update_tracks(
    predicted: TrackSet,
    frame_index: int,
    viewpoint: Viewpoint,
    *,
    detections: Detections2D,
    matches: NDArrayInt,
    lifted: Sequence[LiftedBox | None],
    followed: Mapping[int, LiftedBox] = MappingProxyType({}),
) -> TrackSet:
    """Take a frame's image and sweep into the tracks.

    Args:
        predicted: the tracks at the frame's time.
        frame_index: of the frame.
        viewpoint: of the frame.
        detections: of its image.
        matches: ``(D,)`` track index of each detection, or `UNMATCHED`.
        lifted: box of each detection; None where it could not be lifted.
        followed: by the row of their track, boxes of objects that no detection shows but the sweep.

    Returns:
        The tracks after the frame; those not seen for too long are gone.
    """
    found = {int(row): index for index, row in enumerate(matches) if row != UNMATCHED}
    in_view = visible(predicted.tracks, viewpoint)
    tracks: list[Track] = []
    for row, track in enumerate(predicted.tracks):
        if row in found and not _is_of_another(track, lifted[found[row]], viewpoint):
            index = found.pop(row)
            tracks.append(_seen(track, detections, index, lifted[index], viewpoint))
        elif row in followed:
            tracks.append(_followed(track, followed[row], viewpoint))
        else:
            tracks.append(_unseen(_parted(track) if row in found else track, missed=in_view[row]))
    others = set(found.values())
    for index, box in enumerate(lifted):
        if box is not None and (matches[index] == UNMATCHED or index in others):
            tracks.append(_born(frame_index, detections, index, box, viewpoint))
    return replace(predicted, tracks=tuple(track for track in tracks if alive(track, viewpoint.stamp_ns)))


def _is_of_another(track: Track, box: LiftedBox | None, viewpoint: Viewpoint) -> bool:
    """Whether a detection that the image gives to a track shows something else, by where its points are, once more.

    Of two parked cars one behind the other the image shows one box, and half a box; an answer of late knows better
    which stands where.
    """
    if box is None or track.outliers < _MAX_OUTLIERS or not _held_of_late(track, viewpoint.stamp_ns):
        return False
    return _surprise(track, box, viewpoint) > _VOUCHED_SURPRISE


def _parted(track: Track) -> Track:
    """Without what the detections of something else told of it."""
    return replace(track, outliers=0, trace=None, size=track.size.without_heights(), sight_score=0.0)


def coast_tracks(
    predicted: TrackSet, viewpoint: Viewpoint | None = None, followed: Mapping[int, LiftedBox] = MappingProxyType({})
) -> TrackSet:
    """The tracks after a frame that had no image, or was not looked at.

    Args:
        predicted: the tracks at the frame's time.
        viewpoint: of the frame; None where nothing was followed.
        followed: by the row of their track, boxes of objects that its sweep shows.
    """
    tracks = (
        _unseen(track, missed=False)
        if viewpoint is None or row not in followed
        else _followed(track, followed[row], viewpoint)
        for row, track in enumerate(predicted.tracks)
    )
    return replace(predicted, tracks=tuple(track for track in tracks if alive(track, predicted.stamp_ns)))


def visible(tracks: Sequence[Track], viewpoint: Viewpoint) -> list[bool]:
    """Whether a sensor should see each track: the image shows enough of its box, and no nearer one hides it."""
    if not tracks:
        return []
    bounds = projected_px(tracks, viewpoint)
    in_image = (bounds[:, 2:] - bounds[:, :2]).min(axis=1) > _MIN_VIEW_PX
    offset = np.array([track.motion.xy for track in tracks]) - viewpoint.world_SE3_ego.translation[:2]
    range_m = np.hypot(offset[:, 0], offset[:, 1])
    nearer = range_m[None, :] + _BEHIND_M < range_m[:, None]
    hidden = np.where(nearer, ioa_2d(bounds, bounds), 0.0).max(axis=1) > _HIDDEN_SHARE
    return [bool(row) for row in in_image & ~hidden]


def alive(track: Track, stamp_ns: int) -> bool:
    """Whether the track may still be found again."""
    return track.misses <= _MAX_MISSES and stamp_ns - track.seen_ns <= _UNSEEN_LIFE_NS


def _unseen(track: Track, *, missed: bool) -> Track:
    return track.but(rung=Rung.PREDICTED, misses=track.misses + int(missed))


def _seen(track: Track, detections: Detections2D, index: int, box: LiftedBox | None, viewpoint: Viewpoint) -> Track:
    score = float(detections.scores[index])
    votes = _VOTE_MEMORY * track.class_votes
    votes[detections.class_ids[index]] += score
    stamp_ns, box_px = viewpoint.stamp_ns, detections.boxes_px[index]
    trace = track.trace.followed(box_px, stamp_ns) if track.trace else ImageTrace(box_px, np.zeros(4), stamp_ns)
    sighted = track.but(
        class_votes=votes,
        sight_score=_SCORE_MEMORY * track.sight_score + (1 - _SCORE_MEMORY) * score if track.hits else score,
        seen_ns=stamp_ns,
        hits=track.hits + 1,
        misses=0,
        trace=trace,
        rung=Rung.PREDICTED,
    )
    return sighted if box is None else _moved(sighted, box, viewpoint)


def _followed(track: Track, box: LiftedBox, viewpoint: Viewpoint) -> Track:
    moved = _moved(track.but(seen_ns=viewpoint.stamp_ns, misses=0, rung=Rung.PREDICTED), box, viewpoint)
    return moved if moved.rung is Rung.PREDICTED else moved.but(rung=Rung.FOLLOWED)


def _moved(track: Track, box: LiftedBox, viewpoint: Viewpoint) -> Track:
    """Take a lifted box into a track, unless it is an outlier."""
    place, lag_s, covariance = _seen_at(box, viewpoint)
    vouched = _vouched(track, viewpoint.stamp_ns)
    limit = _VOUCHED_SURPRISE if vouched else _OUTLIER_SURPRISE
    surprise = track.motion.surprise(place[:2], covariance, lag_s)
    if surprise < limit or (track.hits <= _SETTLED_HITS and not vouched):
        motion = track.motion.updated(place[:2], covariance, lag_s)
    elif vouched or track.outliers < _MAX_OUTLIERS:
        return track.but(outliers=track.outliers + 1)
    else:
        motion = newborn(place[:2], covariance, track.size.object_class, viewpoint, lag_s)
    heading = box.heading.rotated(viewpoint.yaw)
    if motion.moving:
        heading = heading.observed_motion(motion.course, _MOTION_WEIGHT)
    return track.but(
        motion=motion,
        bottom_z=track.bottom_z + _BOTTOM_GAIN * (float(place[2]) - track.bottom_z),
        heading=heading,
        size=box.size.of_class(ObjectClass(int(np.argmax(track.class_votes)))),
        rung=box.rung,
        fit_score=_FIT_MEMORY * track.fit_score + (1 - _FIT_MEMORY) * box.score,
        outliers=0,
    )


def _surprise(track: Track, box: LiftedBox, viewpoint: Viewpoint) -> float:
    place, lag_s, covariance = _seen_at(box, viewpoint)
    return track.motion.surprise(place[:2], covariance, lag_s)


def _seen_at(box: LiftedBox, viewpoint: Viewpoint) -> tuple[NDArrayFloat, float, NDArrayFloat]:
    """``(3,)`` place of a lifted box in the world, when it was there, and its ``(2,2)`` covariance."""
    place, lag_s = viewpoint.seen_place(np.array([*box.xy_velo, box.bottom_z]))
    covariance = viewpoint.covariance_to_world(box.covariance_m2) * _distrust(box)
    return place, lag_s, covariance


def _distrust(box: LiftedBox) -> float:
    """By how much the variance of a lifted place grows with the doubt whether it is the right one at all."""
    return 1.0 + _DISTRUST * (1.0 - box.score) ** 2


def _vouched(track: Track, stamp_ns: int) -> bool:
    """Whether an answer of late said where the object is, and its velocity is known too."""
    known = track.motion.speed_sigma_mps < _KNOWN_SPEED_MPS
    return known and track.anchored_ns is not None and stamp_ns - track.anchored_ns <= _VOUCHED_NS


def _held_of_late(track: Track, stamp_ns: int) -> bool:
    held_ns = track.anchored_ns
    return held_ns is not None and track.unconfirmed == 0 and stamp_ns - held_ns <= _HELD_NS


def _born(frame_index: int, detections: Detections2D, index: int, box: LiftedBox, viewpoint: Viewpoint) -> Track:
    place, lag_s = viewpoint.seen_place(np.array([*box.xy_velo, box.bottom_z]))
    object_class = ObjectClass(int(detections.class_ids[index]))
    votes = np.zeros(len(ObjectClass))
    votes[object_class] = score = float(detections.scores[index])
    covariance = viewpoint.covariance_to_world(box.covariance_m2)
    return Track(
        track_id=birth_id(frame_index, Birthplace.IMAGE, index),
        class_votes=votes,
        motion=newborn(place[:2], covariance, object_class, viewpoint, lag_s),
        bottom_z=float(place[2]),
        heading=box.heading.rotated(viewpoint.yaw),
        size=box.size,
        sight_score=score,
        anchor_score=0.0,
        rung=box.rung,
        fit_score=box.score,
        seen_ns=viewpoint.stamp_ns,
        hits=1,
        trace=ImageTrace(detections.boxes_px[index], np.zeros(4), viewpoint.stamp_ns),
    )

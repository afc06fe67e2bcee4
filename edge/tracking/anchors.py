"""An answer of the 3D detector, taken into the tracks as they were when its sweep was captured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.edge.lifting.lifted import Rung, ray_covariance_m2
from vedette.edge.lifting.placement import quick_bounds_px
from vedette.edge.lifting.priors import Group, prior
from vedette.edge.tracking.association import UNMATCHED
from vedette.edge.tracking.birth import newborn
from vedette.edge.tracking.heading import HeadingBelief
from vedette.edge.tracking.size import SizeBelief
from vedette.edge.tracking.track import Birthplace, Track, TrackSet, birth_id, boxes_velo
from vedette.edge.tracking.update import visible
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayFloat, NDArrayInt
from vedette.geometry.iou import iou_2d

_GATE_M: Final = {Group.VEHICLE: 3.5, Group.PERSON: 1.5, Group.OTHER: 3.0}
_GATE_SIGMAS: Final = 2.5
_MAX_GATE_M: Final = 8.0
_TOO_FAR_M: Final = 1e3
_ACROSS_WEIGHT: Final = 1.5
_FLOWING_MPS: Final = 3.0
_UNSURE_MPS: Final = 3.0
_IMAGE_OVERLAP: Final = 0.45
_ALONG_SIGMA_M: Final = 0.1
_ACROSS_SIGMA_M: Final = 0.08
_JUMP_SURPRISE: Final = 30.0
_BOTTOM_GAIN: Final = 0.7
_ANSWERED_RANGE_M: Final = 50.0


@dataclass(frozen=True)
class AnchorRules:
    """How answers act on tracks.

    Args:
        min_score: boxes below are ignored, where no track awaits them.
        birth_score: boxes below begin no track. Lower finds more objects that the image missed, with false alarms.
        max_unconfirmed: a track of a class that answers know, in their view and within 50 m, is dropped after more
            than this many answers in a row without it; None never drops.
    """

    min_score: float
    birth_score: float
    max_unconfirmed: int | None


def apply_answer(
    tracks: TrackSet, frame_index: int, viewpoint: Viewpoint, answer: Detections3D, rules: AnchorRules
) -> tuple[TrackSet, NDArrayInt]:
    """Correct, confirm, start and question tracks by an answer.

    Args:
        tracks: at the answer's capture time, its own frame taken in.
        frame_index: of that frame.
        viewpoint: of that frame.
        answer: boxes in the velo frame of that frame.
        rules: how answers act.

    Returns:
        The tracks after the answer, and ``(N,) int64`` the track id of each box of the answer, -1 for boxes ignored.
    """
    strong = np.flatnonzero(answer.scores >= rules.min_score)
    boxes = answer.select(strong)
    matches = _match(tracks.tracks, boxes, viewpoint)
    found = {int(row): index for index, row in enumerate(matches) if row != UNMATCHED}
    known = tracks.answered_classes | {ObjectClass(int(c)) for c in answer.class_ids}
    in_view = visible(tracks.tracks, viewpoint)
    after: list[Track] = []
    for row, track in enumerate(tracks.tracks):
        if row in found:
            after.append(_anchored(track, boxes, found[row], viewpoint))
        elif in_view[row] and track.object_class in known and _in_reach(track, viewpoint):
            after.append(track.but(unconfirmed=track.unconfirmed + 1))
        else:
            after.append(track)
    ids = np.full(len(answer), -1, np.int64)
    for index, row in enumerate(matches):
        if row != UNMATCHED:
            ids[strong[index]] = tracks.tracks[row].track_id
        elif boxes.scores[index] >= rules.birth_score:
            after.append(_born(frame_index, boxes, index, int(strong[index]), viewpoint))
            ids[strong[index]] = after[-1].track_id
    kept = tuple(t for t in after if rules.max_unconfirmed is None or t.unconfirmed <= rules.max_unconfirmed)
    return replace(tracks, tracks=kept, answered_classes=frozenset(known)), ids


def _match(tracks: Sequence[Track], boxes: Detections3D, viewpoint: Viewpoint) -> NDArrayInt:
    """``(N,)`` row of the track that each box of the answer shows, or `UNMATCHED`.

    By distance over ground; and, because a lifted box may sit on the wrong points while the image knows its object
    well, by overlap with the detection that the track had in the very frame of the answer.
    """
    matched = np.full(len(boxes), UNMATCHED, np.int64)
    if not tracks or len(boxes) == 0:
        return matched
    own = boxes_velo(tracks, viewpoint)
    distance_m = _distances_m(tracks, own, boxes, viewpoint)
    overlap = iou_2d(_detected_px(tracks, viewpoint), quick_bounds_px(boxes.boxes_velo, viewpoint.camera))
    cost = np.where(overlap > _IMAGE_OVERLAP, np.minimum(distance_m, 2 * (1 - overlap) + 0.3), distance_m)
    groups = [prior(ObjectClass(int(class_id))).group for class_id in boxes.class_ids]
    for row, track in enumerate(tracks):
        other_group = np.array([group is not track.group for group in groups])
        cost[row, other_group | (cost[row] > _gate_m(track))] = _TOO_FAR_M
    rows, columns = linear_sum_assignment(cost)
    good = cost[rows, columns] < _TOO_FAR_M
    matched[columns[good]] = rows[good]
    return matched


def _distances_m(tracks: Sequence[Track], own: NDArrayFloat, boxes: Detections3D, viewpoint: Viewpoint) -> NDArrayFloat:
    """``(T,N)`` over ground, from where each track may be; across the ray it counts more.

    A lifted box may sit on the wrong points along the ray, but the image knows the direction well: what stands beside
    is the neighbour. Of a track that one answer began the velocity is not known: it may stand, go with us, or come
    towards us, and the nearest of the three places counts.
    """
    offset = boxes.boxes_velo[None, :, :2] - own[:, None, :2]
    stretch = _stretches(tracks, own)
    distance_m = _lengths(stretch, offset)
    flow_mps = viewpoint.ego_SE3_world.rotation[:2, :2] @ viewpoint.velocity_world_mps
    if np.hypot(*flow_mps) < _FLOWING_MPS:
        return distance_m
    unsure = np.array([track.hits == 0 and track.motion.speed_sigma_mps > _UNSURE_MPS for track in tracks])
    elapsed_s = np.array([(viewpoint.stamp_ns - track.seen_ns) / 1e9 for track in tracks]) * unsure
    for way in (1.0, -1.0):
        shifted = offset - way * elapsed_s[:, None, None] * flow_mps
        distance_m = np.minimum(distance_m, _lengths(stretch, shifted))
    return distance_m


def _stretches(tracks: Sequence[Track], own: NDArrayFloat) -> NDArrayFloat:
    """``(T,2,2)`` maps of offsets in which a metre across the ray is longer than one along it, for what images show."""
    unit = own[:, :2] / np.maximum(np.hypot(own[:, 0], own[:, 1]), 1e-6)[:, None]
    across = np.stack([-unit[:, 1], unit[:, 0]], axis=1)
    shown = np.array([track.hits > 0 for track in tracks])
    weight = np.where(shown, _ACROSS_WEIGHT, 1.0)[:, None, None]
    stretches: NDArrayFloat = unit[:, :, None] * unit[:, None, :] + weight * across[:, :, None] * across[:, None, :]
    return stretches


def _lengths(stretch: NDArrayFloat, offset: NDArrayFloat) -> NDArrayFloat:
    stretched = np.einsum("tij,tnj->tni", stretch, offset)
    lengths_m: NDArrayFloat = np.hypot(stretched[..., 0], stretched[..., 1])
    return lengths_m


def _gate_m(track: Track) -> float:
    """How far off an answer may have a track's object; farther for one whose velocity is not known yet."""
    spread_m = _GATE_SIGMAS * track.motion.position_sigma_m
    return min(max(_GATE_M[track.group], spread_m), _MAX_GATE_M)


def _detected_px(tracks: Sequence[Track], viewpoint: Viewpoint) -> NDArrayFloat:
    """The tracks' detections in this very frame; of no area where there was none."""
    boxes = np.zeros((len(tracks), 4))
    for row, track in enumerate(tracks):
        if track.trace is not None and track.trace.stamp_ns == viewpoint.stamp_ns:
            boxes[row] = track.trace.box_px
    return boxes


def _in_reach(track: Track, viewpoint: Viewpoint) -> bool:
    offset = track.motion.xy - viewpoint.world_SE3_ego.translation[:2]
    return bool(np.hypot(*offset) < _ANSWERED_RANGE_M)


def _anchored(track: Track, boxes: Detections3D, index: int, viewpoint: Viewpoint) -> Track:
    """Set heading, place and size; of a box whose height the image contradicts only the heading.

    A detector that knows cars alone calls a van a car, and puts it too low and too short.
    """
    object_class = ObjectClass(int(boxes.class_ids[index]))
    box, score = boxes.boxes_velo[index], float(boxes.scores[index])
    heading = track.heading.rotated(-viewpoint.yaw).anchored(float(box[6])).rotated(viewpoint.yaw)
    confirmed = track.but(heading=heading, unconfirmed=0, seen_ns=max(track.seen_ns, viewpoint.stamp_ns))
    if track.size.contradicts(float(box[5])):
        return confirmed
    size = track.size.anchored(object_class, box[3:6])
    place, covariance, lag_s = _place(box, viewpoint)
    motion = track.motion.updated(place[:2], covariance, lag_s)
    if track.motion.surprise(place[:2], covariance, lag_s) > _JUMP_SURPRISE:
        motion = track.motion.moved_to(place[:2] - lag_s * track.motion.velocity, covariance)
    votes = track.class_votes.copy()
    votes[object_class] += score
    return confirmed.but(
        class_votes=votes,
        motion=motion,
        bottom_z=track.bottom_z + _BOTTOM_GAIN * (float(place[2]) - track.bottom_z),
        size=size,
        anchor_score=score,
        anchored_ns=viewpoint.stamp_ns,
        rung=Rung.ANCHOR,
    )


def _born(frame_index: int, boxes: Detections3D, index: int, slot: int, viewpoint: Viewpoint) -> Track:
    object_class = ObjectClass(int(boxes.class_ids[index]))
    box, score = boxes.boxes_velo[index], float(boxes.scores[index])
    place, covariance, lag_s = _place(box, viewpoint)
    votes = np.zeros(len(ObjectClass))
    votes[object_class] = score
    return Track(
        track_id=birth_id(frame_index, Birthplace.ANSWER, slot),
        class_votes=votes,
        motion=newborn(place[:2], covariance, object_class, viewpoint, lag_s),
        bottom_z=float(place[2]),
        heading=HeadingBelief(0.0).anchored(float(box[6])).rotated(viewpoint.yaw),
        size=SizeBelief(object_class).anchored(object_class, box[3:6]),
        sight_score=0.0,
        anchor_score=score,
        rung=Rung.ANCHOR,
        seen_ns=viewpoint.stamp_ns,
        anchored_ns=viewpoint.stamp_ns,
    )


def _place(box_velo: NDArrayFloat, viewpoint: Viewpoint) -> tuple[NDArrayFloat, NDArrayFloat, float]:
    """``(3,)`` middle of the box's bottom in the world, the ``(2,2)`` covariance of where it is, and when it was."""
    bottom = box_velo[:3] - np.array([0.0, 0.0, box_velo[5] / 2])
    covariance = ray_covariance_m2(box_velo[:2], _ALONG_SIGMA_M, _ACROSS_SIGMA_M)
    place, lag_s = viewpoint.seen_place(bottom)
    return place, viewpoint.covariance_to_world(covariance), lag_s

"""Lifting and tracking without anchors over a film, and what came of each labelled object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from lifting_films import FilmFrame

from vedette.classes import KITTI_TO_CLASS, ObjectClass
from vedette.datasets.labelled import points_on_labels
from vedette.detections import Detections2D
from vedette.edge.lifting import lift as lifting
from vedette.edge.lifting import scene as seeing
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.tracking import association, update
from vedette.edge.tracking.track import Birthplace, Track, TrackSet, birth_id, boxes_velo
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.evaluation.objects import CameraObjects
from vedette.geometry import NDArrayFloat, NDArrayInt, PinholeCamera, boxes_velo_from_cam

MOVING_FROM_MPS = 1.0
FRAME_MS = 100.0
SCORE = 0.9


@dataclass(frozen=True)
class Outcome:
    """One labelled object in one frame, and its track's box.

    Args:
        object_class: as labelled.
        truth: ``(7,)`` velo frame.
        box: ``(7,)`` its track's; None where it has none.
        rung: of that box, or "none".
        points: of the sweep in the labelled box.
        occlusion: as labelled.
        moving: whether the object moves.
        track_frames: images that showed the track so far, this one included.
    """

    object_class: ObjectClass
    truth: NDArrayFloat
    box: NDArrayFloat | None
    rung: str
    points: int
    occlusion: int
    moving: bool
    track_frames: int


@dataclass(frozen=True)
class Trial:
    """What a run is given.

    Args:
        masks: whether detections have masks.
        camera: changes the calibration that lifting and tracking are given; None leaves it.
        late_ms: how long after the sweep the image was taken; boxes are interpolated between frames.
        noise_px: spread of the error of each edge of the detections.
        cars_only: whether the detector calls every vehicle a car.
    """

    masks: bool = False
    camera: Callable[[PinholeCamera], PinholeCamera] | None = None
    late_ms: float = 0.0
    noise_px: float = 0.0
    cars_only: bool = False


def run(frames: Sequence[FilmFrame], trial: Trial) -> list[Outcome]:
    """Lift and track all frames of a film.

    Args:
        frames: of one recording, in order, with poses.
        trial: what is given.
    """
    moving = moving_ids(frames)
    tracks = TrackSet()
    outcomes: list[Outcome] = []
    for item, following in zip(frames, [*frames[1:], frames[-1]], strict=True):
        assert item.frame.world_SE3_ego is not None
        camera = trial.camera(item.frame.camera) if trial.camera else item.frame.camera
        viewpoint = Viewpoint(item.frame.stamp_ns, item.frame.world_SE3_ego, camera)
        rows = object_rows(item.labels)
        tracks, ids = step(tracks, item, viewpoint, perfect_detections(item, rows, following, trial))
        found = {track.track_id: track for track in tracks.tracks}
        outcomes += _outcomes(item, rows, [found.get(track_id) for track_id in ids], viewpoint, moving)
    return outcomes


def step(
    tracks: TrackSet, item: FilmFrame, viewpoint: Viewpoint, detections: Detections2D
) -> tuple[TrackSet, list[int]]:
    """One frame, as the agent does it: the tracks after it, and the track id of each detection."""
    predicted = tracks.predicted(viewpoint.stamp_ns)
    matches = association.associate(predicted.tracks, detections, viewpoint)
    assert item.frame.sweep is not None
    is_new = matches == association.UNMATCHED
    hints = [
        LiftHint.of_class(ObjectClass(int(class_id))) if new else predicted.tracks[row].hint(viewpoint)
        for row, new, class_id in zip(matches, is_new, detections.class_ids, strict=True)
    ]
    scene = seeing.view_scene(item.frame.sweep, viewpoint.camera, detections)
    lifted = lifting.lift_frame(detections, hints, scene, viewpoint.camera).seen
    index = item.frame.index
    after = update.update_tracks(predicted, index, viewpoint, detections=detections, matches=matches, lifted=lifted)
    ids = [
        birth_id(index, Birthplace.IMAGE, column) if new else predicted.tracks[row].track_id
        for column, (row, new) in enumerate(zip(matches, is_new, strict=True))
    ]
    return after, ids


def object_rows(labels: CameraObjects) -> NDArrayInt:
    """Rows of the labels that are objects with a 3D box."""
    real = labels.boxes_cam[:, 3:6].min(axis=1, initial=np.inf) > 0
    return np.array([row for row, name in enumerate(labels.types) if name in KITTI_TO_CLASS and real[row]], np.int64)


def perfect_detections(item: FilmFrame, rows: NDArrayInt, following: FilmFrame, trial: Trial) -> Detections2D:
    """The labels' own 2D boxes and classes, worsened as the trial says."""
    boxes_px = item.labels.boxes_px[rows].copy()
    if trial.late_ms:
        boxes_px += trial.late_ms / FRAME_MS * (_boxes_px_of(following.labels, item.labels, rows) - boxes_px)
    if trial.noise_px:
        rng = np.random.default_rng(item.frame.index)
        boxes_px += rng.normal(0.0, trial.noise_px, boxes_px.shape)
        boxes_px[:, 2:] = np.maximum(boxes_px[:, 2:], boxes_px[:, :2] + 1.0)
    camera = item.frame.camera
    boxes_px = np.clip(boxes_px, 0.0, [camera.width_px - 1.0, camera.height_px - 1.0] * 2)
    classes = np.array([int(KITTI_TO_CLASS[item.labels.types[row]]) for row in rows], np.int64)
    if trial.cars_only:
        classes[np.isin(classes, [ObjectClass.VAN, ObjectClass.TRUCK])] = ObjectClass.CAR
    return Detections2D(boxes_px, np.full(len(rows), SCORE), classes, item.masks(rows) if trial.masks else None)


def _boxes_px_of(labels: CameraObjects, earlier: CameraObjects, rows: NDArrayInt) -> NDArrayFloat:
    """2D boxes that the same objects have in other labels; their earlier ones where they are not in them."""
    boxes_px = earlier.boxes_px[rows].copy()
    if labels.track_ids is not None and earlier.track_ids is not None:
        there = {int(track_id): row for row, track_id in enumerate(labels.track_ids) if track_id >= 0}
        for place, track_id in enumerate(earlier.track_ids[rows]):
            if int(track_id) in there:
                boxes_px[place] = labels.boxes_px[there[int(track_id)]]
    return boxes_px


def _outcomes(
    item: FilmFrame, rows: NDArrayInt, tracks: Sequence[Track | None], viewpoint: Viewpoint, moving: set[int]
) -> Iterator[Outcome]:
    truth = boxes_velo_from_cam(item.frame.camera.cam_SE3_velo, item.labels.boxes_cam[rows])
    points, track_ids = points_on_labels(item.frame, item.labels), item.labels.track_ids
    for place, (row, track) in enumerate(zip(rows.tolist(), tracks, strict=True)):
        yield Outcome(
            ObjectClass(int(KITTI_TO_CLASS[item.labels.types[row]])),
            truth[place],
            None if track is None else boxes_velo([track], viewpoint)[0],
            "none" if track is None else str(track.rung),
            int(points[row]),
            int(item.labels.occlusion[row]),
            track_ids is not None and int(track_ids[row]) in moving,
            0 if track is None else track.hits,
        )


def moving_ids(frames: Sequence[FilmFrame]) -> set[int]:
    """Labelled objects that move, on the whole, faster than a slow walk."""
    places: dict[int, list[tuple[int, NDArrayFloat]]] = {}
    for item in frames:
        if item.labels.track_ids is None or item.frame.world_SE3_ego is None:
            continue
        rows = object_rows(item.labels)
        boxes = boxes_velo_from_cam(item.frame.camera.cam_SE3_velo, item.labels.boxes_cam[rows])
        world = item.frame.world_SE3_ego.transform_points(boxes[:, :3])
        for row, place in zip(rows, world, strict=True):
            places.setdefault(int(item.labels.track_ids[row]), []).append((item.frame.stamp_ns, place))
    return {track_id for track_id, seen in places.items() if _mean_speed_mps(seen) > MOVING_FROM_MPS}


def _mean_speed_mps(seen: Sequence[tuple[int, NDArrayFloat]]) -> float:
    (start_ns, start), (end_ns, end) = seen[0], seen[-1]
    return float(np.hypot(*(end - start)[:2])) / max((end_ns - start_ns) / 1e9, 1e-3)

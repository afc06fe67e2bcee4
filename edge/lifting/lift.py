"""Lift the detections of one image to 3D boxes, near objects first, each by the best rung its points allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vedette.detections import Detections2D
from vedette.edge.lifting.clusters import Candidates, object_points
from vedette.edge.lifting.fit import Sighting, fit_centroid, fit_rectangles
from vedette.edge.lifting.follow import Expected, followed_points
from vedette.edge.lifting.ground import Ground
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lifted import LiftedBox, Rung, ray_covariance_m2
from vedette.edge.lifting.placement import overlaps_px, quick_bounds_px
from vedette.edge.lifting.priors import prior
from vedette.edge.lifting.scene import Scene
from vedette.edge.lifting.view import DetectionView
from vedette.geometry import NDArrayBool, NDArrayInt, PinholeCamera

_MIN_RECTANGLE_POINTS: Final = 5
_MOST_OFF_DEPTH: Final = 2.2
_IMAGE_RANGE_SHARE: Final = 0.15
_IMAGE_ACROSS_SHARE: Final = 0.02


@dataclass(frozen=True)
class Lifted:
    """The boxes that one frame tells.

    Args:
        seen: parallel to the detections; None where an object with a track shows no point, so that the track's
            prediction is all there is.
        followed: parallel to the objects that no detection shows; None where the sweep does not show them either.
    """

    seen: tuple[LiftedBox | None, ...]
    followed: tuple[LiftedBox | None, ...]


def lift_frame(
    detections: Detections2D,
    hints: Sequence[LiftHint],
    scene: Scene,
    camera: PinholeCamera,
    unseen: Sequence[Expected] = (),
) -> Lifted:
    """Lift every detection, and follow what none shows.

    A point belongs to one object only. Detections are taken from the lowest bottom edge to the highest, which on
    common ground is from near to far, so that a near object takes its points out of the boxes of those it hides. What
    no detection shows gets what is left.

    Args:
        detections: of the image.
        hints: what is known of each, parallel to the detections.
        scene: of the sweep, seen with these detections.
        camera: that took the image.
        unseen: objects that should be there and that no detection shows.
    """
    views = DetectionView.of_all(detections, camera)
    sightings: list[Sighting] = []
    free = np.ones(scene.xyz_velo.shape[1], np.bool_)
    order = np.argsort(-detections.boxes_px[:, 3], kind="stable").tolist()
    for index in order:
        owned = _owned(views[index], hints[index], scene, index, free)
        free[owned] = False
        sightings.append(Sighting(scene.xyz_velo.take(owned, axis=1), hints[index], views[index]))
    followed = [_followed(expected, scene, free, camera) for expected in unseen]
    boxes = _fitted([*sightings, *followed], scene.ground)
    seen: list[LiftedBox | None] = [None] * len(detections)
    for index, box in zip(order, boxes, strict=False):
        seen[index] = box
    return Lifted(_with_agreement(seen, detections, camera), tuple(boxes[len(order) :]))


def _followed(expected: Expected, scene: Scene, free: NDArrayBool, camera: PinholeCamera) -> Sighting:
    """The sighting of what the image does not show: the points are all there is."""
    owned = followed_points(expected, scene.xyz_velo, free)
    free[owned] = False
    return Sighting(scene.xyz_velo.take(owned, axis=1), expected.hint, DetectionView.of_nothing(camera))


def _fitted(sightings: Sequence[Sighting], ground: Ground) -> list[LiftedBox | None]:
    """A box for each sighting, those with faces in one go."""
    rectangles = iter(fit_rectangles([sighting for sighting in sightings if _shows_faces(sighting)], ground))
    return [next(rectangles) if _shows_faces(sighting) else _without_faces(sighting, ground) for sighting in sightings]


def _with_agreement(
    lifted: Sequence[LiftedBox | None], detections: Detections2D, camera: PinholeCamera
) -> tuple[LiftedBox | None, ...]:
    """The same boxes, each with the overlap of its image and its detection."""
    boxes = [box for box in lifted if box is not None]
    if not boxes:
        return tuple(lifted)
    rows = [index for index, box in enumerate(lifted) if box is not None]
    bounds_px = quick_bounds_px(np.array([box.box_velo for box in boxes]), camera)
    agreements = iter(overlaps_px(bounds_px, detections.boxes_px[rows]).tolist())
    return tuple(None if box is None else replace(box, agreement=next(agreements)) for box in lifted)


def _owned(view: DetectionView, hint: LiftHint, scene: Scene, index: int, free: NDArrayBool) -> NDArrayInt:
    """The scene's points that the object owns, of those that are free and not far off the depth it should have."""
    around, depth_m = scene.around[index], view.expected_depth_m(hint.size.size_m.item(2))
    ahead_m = scene.xyz_velo[0].take(around)
    possible = free.take(around) & (ahead_m < _MOST_OFF_DEPTH * depth_m)
    if not view.cut_above_or_below:
        possible &= ahead_m > depth_m / _MOST_OFF_DEPTH
    around, inside = around.compress(possible), scene.inside[index].compress(possible)
    xyz_velo, pixels = scene.xyz_velo.take(around, axis=1), scene.pixels.take(around, axis=1)
    candidates = Candidates(xyz_velo, pixels, inside, view.box_px, depth_m, view.cut_above_or_below)
    return around.take(object_points(candidates, hint))


def _shows_faces(sighting: Sighting) -> bool:
    has_faces = prior(sighting.hint.size.object_class).has_faces
    return has_faces and sighting.xyz_velo.shape[1] >= _MIN_RECTANGLE_POINTS


def _without_faces(sighting: Sighting, ground: Ground) -> LiftedBox | None:
    if sighting.xyz_velo.shape[1] > 0:
        return fit_centroid(sighting, ground)
    return _from_image(sighting.view, sighting.hint, ground) if sighting.hint.xy_velo is None else None


def _from_image(view: DetectionView, hint: LiftHint, ground: Ground) -> LiftedBox | None:
    """A range guessed from the height in the image; None where the border of the image cuts that height."""
    if view.cut_above_or_below:
        return None
    depth_m = view.expected_depth_m(hint.size.size_m.item(2))
    xy = view.points_velo(np.array([view.centre_px]), np.array([depth_m]))[0, :2]
    range_m = float(np.hypot(*xy))
    covariance = ray_covariance_m2(xy, _IMAGE_RANGE_SHARE * range_m, _IMAGE_ACROSS_SHARE * range_m)
    bottom_z = ground.height_at(float(xy[0]), float(xy[1]))
    return LiftedBox(xy, bottom_z, covariance, hint.heading, hint.size, Rung.IMAGE, 0)

"""Lift the detections of one image to 3D boxes, near objects first, each by the best rung its points allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from vedette.detections import Detections2D
from vedette.edge.lifting.clusters import Candidates, object_points
from vedette.edge.lifting.fit import fit_centroid, fit_rectangle
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lifted import LiftedBox, Rung, ray_covariance_m2
from vedette.edge.lifting.priors import prior
from vedette.edge.lifting.scene import Scene
from vedette.edge.lifting.view import DetectionView
from vedette.geometry import NDArrayInt, PinholeCamera

_MIN_RECTANGLE_POINTS: Final = 5
_IMAGE_RANGE_SHARE: Final = 0.15
_IMAGE_ACROSS_SHARE: Final = 0.02


def lift_detections(
    detections: Detections2D, hints: Sequence[LiftHint], scene: Scene, camera: PinholeCamera
) -> tuple[LiftedBox | None, ...]:
    """Lift every detection.

    A point belongs to one object only. Detections are taken from the lowest bottom edge to the highest, which on
    common ground is from near to far, so that a near object takes its points out of the boxes of those it hides.

    Args:
        detections: of the image.
        hints: what is known of each, parallel to the detections.
        scene: of the sweep, seen with these detections.
        camera: that took the image.

    Returns:
        Parallel to the detections; None where an object with a track shows no point, so that the track's prediction
        is all there is.
    """
    views = DetectionView.of_all(detections, camera)
    lifted: list[LiftedBox | None] = [None] * len(detections)
    free = np.ones(scene.xyz_velo.shape[1], np.bool_)
    for index in np.argsort(-detections.boxes_px[:, 3], kind="stable"):
        inside = scene.inside[index]
        owned, box = _lift(views[index], hints[index], scene, inside[free[inside]])
        free[owned] = False
        lifted[index] = box
    return tuple(lifted)


def _lift(view: DetectionView, hint: LiftHint, scene: Scene, inside: NDArrayInt) -> tuple[NDArrayInt, LiftedBox | None]:
    """The scene's points that the object owns, and its box."""
    candidates = Candidates(
        scene.xyz_velo.take(inside, axis=1),
        scene.pixels.take(inside, axis=1),
        view.box_px,
        view.expected_depth_m(hint.size.size_m[2]),
        view.cut_above_or_below,
    )
    owned = inside.take(object_points(candidates, hint))
    if len(owned) == 0:
        return owned, None if hint.xy_velo is not None else _from_image(view, hint, scene)
    has_faces = prior(hint.size.object_class).has_faces
    fit = fit_rectangle if has_faces and len(owned) >= _MIN_RECTANGLE_POINTS else fit_centroid
    return owned, fit(scene.xyz_velo.take(owned, axis=1).T, scene.ground, hint, view)


def _from_image(view: DetectionView, hint: LiftHint, scene: Scene) -> LiftedBox | None:
    """A range guessed from the height in the image; None where the border of the image cuts that height."""
    if view.cut_above_or_below:
        return None
    xy = view.point_velo(view.centre_px, view.expected_depth_m(hint.size.size_m[2]))[:2]
    range_m = float(np.hypot(*xy))
    covariance = ray_covariance_m2(xy, _IMAGE_RANGE_SHARE * range_m, _IMAGE_ACROSS_SHARE * range_m)
    bottom_z = scene.ground.height_at(float(xy[0]), float(xy[1]))
    return LiftedBox(xy, bottom_z, covariance, hint.heading, hint.size, Rung.IMAGE, 0)

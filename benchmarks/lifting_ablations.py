"""Lifting without one of its ingredients: functions to be put in the place of the product's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from vedette.detections import Detections2D
from vedette.edge.lifting import clusters, fit, ground, lift, scene, solve
from vedette.edge.lifting.ground import Ground
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.tracking.size import SizeBelief
from vedette.edge.tracking.track import Track
from vedette.edge.tracking.viewpoint import Viewpoint
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, PinholeCamera

UNKNOWN_M: Final = 100.0


@dataclass(frozen=True)
class Substitution:
    """A function in the place of another.

    Args:
        place: module or class that names it.
        name: of the function there.
        function: what is called instead.
    """

    place: Any
    name: str
    function: Callable[..., Any]


_points_around, _fit_ground, _owned, _rivals = scene.points_around, ground.fit_ground, lift._owned, fit._rivals
_side_rays, _end_sigmas, _hint = fit.side_rays, solve._end_sigmas, Track.hint


def _all_inside(candidates: clusters.Candidates, _hint: LiftHint) -> NDArrayInt:
    return np.flatnonzero(candidates.inside)


def _nothing_beside(
    pixels: NDArrayFloat32, detections: Detections2D, bounds_px: NDArrayFloat
) -> tuple[tuple[NDArrayInt, ...], tuple[NDArrayBool, ...]]:
    around, inside = _points_around(pixels, detections, bounds_px)
    held = tuple(near.compress(within) for near, within in zip(around, inside, strict=True))
    return held, tuple(np.ones(len(near), np.bool_) for near in held)


def _level(xyz_velo: NDArrayFloat32) -> Ground:
    """One height for all, where most of the ground is."""
    sloping = _fit_ground(xyz_velo)
    return Ground(np.array([0.0, 0.0, sloping.plane[2]]), np.zeros_like(sloping.offsets_m))


def _plane(xyz_velo: NDArrayFloat32) -> Ground:
    """The slope, without the cells."""
    found = _fit_ground(xyz_velo)
    return Ground(found.plane, np.zeros_like(found.offsets_m))


def _owned_by_all(view: Any, hint: LiftHint, seen: scene.Scene, index: int, free: NDArrayBool) -> NDArrayInt:
    return _owned(view, hint, seen, index, np.ones_like(free))


def _one_rival(*arguments: Any) -> list[Any]:
    return _rivals(*arguments)[:1]


def _no_edges(*arguments: Any) -> tuple[NDArrayFloat, NDArrayFloat, NDArrayFloat]:
    normals, reach_m, sigma_m = _side_rays(*arguments)
    return normals, reach_m, np.full_like(sigma_m, UNKNOWN_M)


def _one_face(seen: solve.Outlines, faces: NDArrayBool) -> NDArrayFloat:
    """Only the face that the sensor looks at more squarely."""
    beyond = np.where(seen.low_m + seen.high_m > 0, seen.low_m, -seen.high_m)
    squarely = beyond >= beyond.max(axis=1, keepdims=True)
    return _end_sigmas(seen, faces & squarely)


def _class_alone(self: Track, _viewpoint: Viewpoint) -> LiftHint:
    return LiftHint.of_class(self.size.object_class)


def _typical_size(self: Track, viewpoint: Viewpoint) -> LiftHint:
    return replace(_hint(self, viewpoint), size=SizeBelief(self.size.object_class))


def _unknown_heading(self: Track, viewpoint: Viewpoint) -> LiftHint:
    guessed = LiftHint.of_class(self.size.object_class)
    return replace(_hint(self, viewpoint), heading=guessed.heading)


def _within_image(boxes_px: NDArrayFloat, _camera: PinholeCamera) -> NDArrayFloat:
    return boxes_px


ABLATIONS: Final[dict[str, Sequence[Substitution]]] = {
    "filtration": (Substitution(lift, "object_points", _all_inside),),
    "what goes on beside the box": (Substitution(scene, "points_around", _nothing_beside),),
    "ownership, near to far": (Substitution(lift, "_owned", _owned_by_all),),
    "cells of the ground": (Substitution(scene, "fit_ground", _plane),),
    "cells and slope of the ground": (Substitution(scene, "fit_ground", _level),),
    "the points beyond the border": (Substitution(scene, "beyond_border_px", _within_image),),
    "erosion of masks": (Substitution(scene, "erosion_px", lambda *_sides: 0),),
    "the second face": (Substitution(solve, "_end_sigmas", _one_face),),
    "the edges in the image": (Substitution(fit, "side_rays", _no_edges),),
    "the quarter turn": (Substitution(fit, "_rivals", _one_rival),),
    "history of the size": (Substitution(Track, "hint", _typical_size),),
    "history of the heading": (Substitution(Track, "hint", _unknown_heading),),
    "all history": (Substitution(Track, "hint", _class_alone),),
}
"""By ingredient what is put in its place."""

"""Which shots of a turn can meet an actor, and from how far on.

An actor is scanned at about the time at which the sensor faces it, so it is looked for twice:

    bearing      of its middle at t₀; then at  t = t₀ + bearing · period / 2π
    sphere       around its middle:  columns within  bearing ± asin(radius / distance)
    box          where it is at those columns:  azimuths and elevations of its corners

The sphere is quickly found and tells who is hidden; the box leaves a third of the sphere's shots.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.firing import FiringPattern
from vedette.datasets.synth.stage import bounding_radius_m
from vedette.datasets.synth.track import Track, track_of
from vedette.datasets.synth.turn import Turn
from vedette.geometry import NDArrayFloat, wrap_pi

_SPHERE_SLACK_M: Final = 0.25
"""Added to bounding spheres, for what the bearing is off and for the heights of the beams."""
_BOX_SLACK_M: Final = 0.1
"""Added to boxes, for what their way is not straight."""
_HALF_TURN_M: Final = 5.0
"""Nobody moves farther within half a turn, as seen from the sensor."""
_LOOKS: Final = 9
"""At so many columns of a window corners are computed; between them they go straight."""
_CORNERS: Final = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (0.0, 1.0)])
"""Of a box of size 1 on its origin."""
_MIDDLE: Final = np.array([0.0, 0.0, 0.5])
"""Of the same."""


@dataclass(frozen=True, eq=False)
class Approach:
    """About where an actor is when the sensor faces it.

    Args:
        actor: who.
        azimuth: of its middle, radians; beyond ±π where it is met only by the turn's first or last columns.
        columns: that can meet the sphere around it.
        beams: likewise.
        nearest_m: no part of it is nearer to the sensor.
    """

    actor: Actor
    azimuth: float
    columns: slice
    beams: slice
    nearest_m: float


@dataclass(frozen=True, eq=False)
class Window:
    """Shots that can meet an actor's box.

    Args:
        columns: which.
        beams: which.
        actor_SE3_sensor: at each of the columns.
        nearest_m: no shot meets it nearer.
    """

    columns: slice
    beams: slice
    actor_SE3_sensor: Track
    nearest_m: float


def approaches(turn: Turn) -> list[Approach]:
    """Everyone whom a turn may meet, the nearest first: those behind are then often hidden.

    Args:
        turn: the sensor's.
    """
    others = [actor for actor in turn.stage.apart if actor.actor_id != turn.actor_id]
    return sorted((found for actor in others for found in _approach(turn, actor)), key=lambda found: found.nearest_m)


def window(turn: Turn, approach: Approach) -> Window | None:
    """The shots that can meet an actor's box, if any.

    Args:
        turn: the sensor's.
        approach: the actor's.
    """
    pattern, columns = turn.pattern, approach.columns
    moving = track_of(approach.actor.motion.pose, turn.t_s + turn.column_offsets_s[columns])
    track = turn.track.part(columns).seen_from(moving)
    size_m = np.array(approach.actor.shape.size_m)
    looks = np.arange(_LOOKS) * (columns.stop - columns.start - 1) // (_LOOKS - 1)
    level_m, nearest_m = _clearance(track.translations[looks], size_m)
    nearest_m -= _lift_m(pattern) + _BOX_SLACK_M
    corners_m = np.matmul(_CORNERS * size_m - track.translations[looks, None], track.rotations[looks])
    if level_m > 2 * _BOX_SLACK_M:
        faced = _columns(pattern, *_azimuths(corners_m, approach.azimuth))
        start, stop = max(columns.start, faced.start), min(columns.stop, faced.stop)
    elif abs(approach.azimuth) <= np.pi:
        start, stop = columns.start, columns.stop
    else:  # all around the sensor: the whole turn meets it, and need not do so twice
        return None
    beams = _beams(pattern, *_elevations(pattern, corners_m, nearest_m))
    if start >= stop or beams.start >= beams.stop:
        return None
    part = track.part(slice(start - columns.start, stop - columns.start))
    return Window(slice(start, stop), beams, part, nearest_m)


def _approach(turn: Turn, actor: Actor) -> Iterator[Approach]:
    """Where the sensor faces somebody: nowhere, once, or twice where that is behind."""
    radius_m = bounding_radius_m(actor) + _SPHERE_SLACK_M
    bearing, _, distance_m = _sphere(turn, actor, 0.0)
    if distance_m - radius_m > turn.far_m + _HALF_TURN_M:
        return
    # how far beyond the turn's ends it may be met
    margin = (
        math.pi if distance_m <= radius_m + _HALF_TURN_M else math.asin((radius_m + _HALF_TURN_M) / distance_m) + 0.1
    )
    for lap in (-1, 0, 1):
        expected = bearing + 2 * math.pi * lap
        if abs(expected) <= math.pi + margin:
            seen_at, elevation, distance_m = _sphere(turn, actor, expected)
            seen_at = expected + math.remainder(seen_at - expected, 2 * math.pi)
            half = math.pi if distance_m <= radius_m else math.asin(radius_m / distance_m)
            columns = _columns(turn.pattern, *_around(seen_at, half, elevation))
            beams = _beams(turn.pattern, elevation - half, elevation + half)
            if columns.start < columns.stop and beams.start < beams.stop:
                yield Approach(actor, seen_at, columns, beams, distance_m - radius_m)


def _sphere(turn: Turn, actor: Actor, azimuth: float) -> tuple[float, float, float]:
    """Bearing, elevation and distance of the middle of an actor's box when the sensor faces an azimuth."""
    column = turn.column_at(azimuth)
    pose = actor.motion.pose(turn.t_s + float(turn.column_offsets_s[column]))
    middle = pose.rotation[:, 2] * (actor.shape.size_m[2] / 2) + pose.translation
    x, y, z = ((middle - turn.track.translations[column]) @ turn.track.rotations[column]).tolist()
    level = math.hypot(x, y)
    return math.atan2(y, x), math.atan2(z, level), math.hypot(level, z)


def _around(bearing: float, half: float, elevation: float) -> tuple[float, float]:
    """Azimuths of a sphere of an angular radius; all of them where it is overhead or close below."""
    level = math.cos(elevation)
    if half >= math.pi / 2 or math.sin(half) >= level:
        return -np.inf, np.inf
    wide = math.asin(math.sin(half) / level)
    return bearing - wide, bearing + wide


def _clearance(places_m: NDArrayFloat, size_m: NDArrayFloat) -> tuple[float, float]:
    """How near points in an actor's frame come to its box: on the level, and altogether."""
    from_middle_m = places_m - size_m * _MIDDLE
    outside_m = np.maximum(np.abs(from_middle_m) - size_m / 2, 0.0)
    level_m = np.hypot(outside_m[:, 0], outside_m[:, 1])
    return float(level_m.min()), float(np.hypot(level_m, outside_m[:, 2]).min())


def _azimuths(corners_m: NDArrayFloat, about: float) -> tuple[float, float]:
    """Bounds of corners in the sensor frame, on the lap of an azimuth of their middle."""
    x, y = corners_m[..., 0], corners_m[..., 1]
    azimuths = about + wrap_pi(np.arctan2(y, x) - about)
    slack = np.arcsin(np.minimum(_BOX_SLACK_M / np.hypot(x, y), 1.0))
    return float((azimuths - slack).min()), float((azimuths + slack).max())


def _elevations(pattern: FiringPattern, corners_m: NDArrayFloat, nearest_m: float) -> tuple[float, float]:
    """Bounds of what is between corners in the sensor frame, as the beams see it from their own heights."""
    lowest_m, highest_m = pattern.height_range_m
    low_m = float(corners_m[..., 2].min()) - highest_m - _BOX_SLACK_M
    high_m = float(corners_m[..., 2].max()) - lowest_m + _BOX_SLACK_M
    farthest_m = math.sqrt(float(np.einsum("ijk,ijk->ij", corners_m, corners_m).max())) + _lift_m(pattern)
    return -_steepest(-low_m, nearest_m, farthest_m), _steepest(high_m, nearest_m, farthest_m)


def _lift_m(pattern: FiringPattern) -> float:
    """How far at most a beam starts from the origin of the sensor's frame."""
    return max(abs(height_m) for height_m in pattern.height_range_m)


def _steepest(height_m: float, nearest_m: float, farthest_m: float) -> float:
    """The highest elevation at which something of a height can be seen from distances between two."""
    distance_m = nearest_m if height_m > 0 else farthest_m
    return math.asin(max(min(height_m / distance_m, 1.0), -1.0)) if distance_m > 0 else math.pi / 2


def _columns(pattern: FiringPattern, low: float, high: float) -> slice:
    """Those with a beam between two azimuths."""
    rightmost, leftmost = pattern.widest_offsets
    azimuths = pattern.column_azimuths
    return slice(int(azimuths.searchsorted(low - leftmost)), int(azimuths.searchsorted(high - rightmost)))


def _beams(pattern: FiringPattern, low: float, high: float) -> slice:
    """Those between two elevations."""
    rising, count = pattern.rising_elevations, pattern.beams
    return slice(count - int(rising.searchsorted(high, "right")), count - int(rising.searchsorted(low)))

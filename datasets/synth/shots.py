"""What each shot of a turn meets, in a world that moves while the device spins.

Everything that stands still is met in the world frame, from where the sensor is at each column's time. Everyone else is
met in their own frame, by those shots alone that can reach them:

    scanned at about      t = t₀ + bearing · period / 2π            (bearing as seen at that time)
    columns               bearing ± asin(radius / distance)
    beams                 elevation ± asin(radius / distance)
    rays                  actor_SE3_sensor(time of the column) · (origin, direction)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.firing import FiringPattern
from vedette.datasets.synth.raycast import Hits
from vedette.datasets.synth.rig import SensorRig
from vedette.datasets.synth.stage import LaserScene, Stage, bounding_radius_m, first_stop
from vedette.datasets.synth.track import Track, track_of
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, NDArrayUInt8, angle_diff

_SLACK_M: Final = 0.25
"""Added to bounding spheres, for what the bearing is off and for the heights of the beams."""
_HALF_TURN_M: Final = 5.0
"""Nobody moves farther within half a turn, as seen from the sensor."""


@dataclass(frozen=True, eq=False)
class Turn:
    """One turn of a sensor in the world.

    Args:
        stage: the world.
        actor_id: who carries the sensor.
        rig: where it sits.
        t_s: when it faces forward, seconds since the world's beginning.
        period_s: duration of the turn.
        pattern: of its shots.
        far_m: nothing farther is of interest.
        passes: given how many shots have just met a pane of glass, which of them go on.
    """

    stage: Stage
    actor_id: int
    rig: SensorRig
    t_s: float
    period_s: float
    pattern: FiringPattern
    far_m: float
    passes: Callable[[int], NDArrayBool]

    @cached_property
    def column_offsets_s(self) -> NDArrayFloat:
        """``(C,)`` when each column fires, from `t_s`."""
        return self.pattern.column_azimuths * (self.period_s / (2 * np.pi))

    @cached_property
    def track(self) -> Track:
        """`world_SE3_sensor` at each column."""
        motion = self.stage.world.by_id[self.actor_id].motion
        carrier = track_of(motion.pose, self.t_s + self.column_offsets_s)
        mount = self.rig.actor_SE3_velo
        turned = carrier.rotations @ mount.rotation
        return Track(turned, carrier.rotations @ mount.translation + carrier.translations)

    def column_at(self, azimuth: float) -> int:
        """The column that faces there; the first or last for what lies beyond the turn."""
        share = azimuth / (2 * np.pi) + 0.5
        return int(np.clip(share * self.pattern.columns, 0, self.pattern.columns - 1))


@dataclass(frozen=True, eq=False)
class Encounters:
    """What the shots met; meaningless but for the range where that is infinite.

    Args:
        range_m: ``(C,B) float32`` along the beam, infinite where nothing was met.
        cosines: ``(C,B) float32`` of the angle of incidence, 0 to 1.
        surfaces: ``(C,B) uint8`` values of `Surface`.
        brightness: ``(C,B) float32`` of the colour, 0 to 1.
        owners: ``(C,B) int64`` ids of actors, or `NOBODY`.
        panes: ``(C,B) uint8`` how much glass is in the way.
    """

    range_m: NDArrayFloat32
    cosines: NDArrayFloat32
    surfaces: NDArrayUInt8
    brightness: NDArrayFloat32
    owners: NDArrayInt
    panes: NDArrayUInt8

    @classmethod
    def nothing(cls, columns: int, beams: int) -> Encounters:
        """Of shots into the void."""
        shape = (columns, beams)
        return cls(
            np.full(shape, np.inf, np.float32),
            np.ones(shape, np.float32),
            np.zeros(shape, np.uint8),
            np.zeros(shape, np.float32),
            np.zeros(shape, np.int64),
            np.zeros(shape, np.uint8),
        )

    def note_nearer(self, shots: NDArrayInt, scene: LaserScene, hits: Hits, directions: NDArrayFloat32) -> None:
        """Write down what is nearer than what was met before.

        Args:
            shots: ``(N,)`` which, as rows of the flattened ``(C,B)``.
            scene: that they were cast against.
            hits: what they met in it.
            directions: ``(N,3) float32`` in its frame.
        """
        nearer = np.flatnonzero(hits.range_m < self.range_m.ravel()[shots])
        at, triangles = shots[nearer], hits.triangles[nearer]
        self.range_m.ravel()[at] = hits.range_m[nearer]
        self.cosines.ravel()[at] = np.abs(np.einsum("ij,ij->i", scene.normals[triangles], directions[nearer]))
        self.surfaces.ravel()[at] = scene.mesh.surfaces[triangles]
        self.brightness.ravel()[at] = scene.brightness[triangles]
        self.owners.ravel()[at] = scene.owners[triangles]


def encounters(turn: Turn) -> Encounters:
    """Fire all shots of a turn.

    Args:
        turn: the sensor's.
    """
    pattern = turn.pattern
    found = Encounters.nothing(pattern.columns, pattern.beams)
    everything = slice(0, pattern.columns), slice(0, pattern.beams)
    _meet(turn, turn.stage.still, turn.track, found, everything)
    for actor in turn.stage.apart:
        if actor.actor_id != turn.actor_id:
            for columns, beams in _windows(turn, actor):
                middle = (columns.start + columns.stop) // 2
                scene = turn.stage.own_scene(actor, turn.t_s + float(turn.column_offsets_s[middle]))
                _meet(turn, scene, _seen_by(turn, actor, columns), found, (columns, beams))
    return found


def _seen_by(turn: Turn, actor: Actor, columns: slice) -> Track:
    """`actor_SE3_sensor` at some of the columns."""
    moving = track_of(actor.motion.pose, turn.t_s + turn.column_offsets_s[columns])
    return turn.track.part(columns).seen_from(moving)


def _meet(
    turn: Turn,
    scene: LaserScene,
    scene_SE3_sensor: Track,
    found: Encounters,
    window: tuple[slice, slice],
) -> None:
    """Cast a window of shots against one scene, and note what is nearer than what was found before."""
    columns, beams = window
    turned = np.swapaxes(scene_SE3_sensor.rotations, 1, 2).astype(np.float32)
    directions = np.matmul(turn.pattern.directions[columns, beams], turned)
    heights = turn.pattern.heights_m[beams].astype(np.float32)
    origins = scene_SE3_sensor.translations.astype(np.float32)[:, None] + heights[:, None] * turned[:, None, 2]
    flat = directions.reshape(-1, 3)
    hits, panes = first_stop(scene, origins.reshape(-1, 3), flat, turn.passes)
    found.panes[window] += panes.reshape(directions.shape[:2])
    rows = np.arange(columns.start, columns.stop)[:, None] * turn.pattern.beams
    found.note_nearer((rows + np.arange(beams.start, beams.stop)).ravel(), scene, hits, flat)


def _windows(turn: Turn, actor: Actor) -> Iterator[tuple[slice, slice]]:
    """The columns and beams that can meet an actor: none, one window, or two where it is behind."""
    radius_m = bounding_radius_m(actor) + _SLACK_M
    bearing, _, distance_m = _sphere(turn, actor, 0.0)
    if distance_m - radius_m > turn.far_m + _HALF_TURN_M:
        return
    # how far beyond the turn's ends it may be met
    margin = np.pi if distance_m <= radius_m + _HALF_TURN_M else np.arcsin((radius_m + _HALF_TURN_M) / distance_m) + 0.1
    for lap in (-1, 0, 1):
        expected = bearing + 2 * np.pi * lap
        if abs(expected) > np.pi + margin:
            continue
        seen_at, elevation, distance_m = _sphere(turn, actor, expected)
        seen_at = expected + angle_diff(seen_at, expected)
        half = np.pi if distance_m <= radius_m else float(np.arcsin(radius_m / distance_m))
        columns = _columns(turn.pattern, seen_at, half, elevation)
        beams = _beams(turn.pattern, elevation, half)
        if columns.start < columns.stop and beams.start < beams.stop:
            yield columns, beams
        if columns == slice(0, turn.pattern.columns):
            return


def _sphere(turn: Turn, actor: Actor, azimuth: float) -> tuple[float, float, float]:
    """Bearing, elevation and distance of the middle of an actor's box when the sensor faces an azimuth."""
    column = turn.column_at(azimuth)
    pose = actor.motion.pose(turn.t_s + float(turn.column_offsets_s[column]))
    middle = pose.rotation[:, 2] * (actor.shape.size_m[2] / 2) + pose.translation
    x, y, z = (middle - turn.track.translations[column]) @ turn.track.rotations[column]
    level = float(np.hypot(x, y))
    return float(np.arctan2(y, x)), float(np.arctan2(z, level)), float(np.hypot(level, z))


def _columns(pattern: FiringPattern, bearing: float, half: float, elevation: float) -> slice:
    """Those that face a sphere of an angular radius; all of them where it is overhead or close below."""
    level = np.cos(elevation)
    if half >= np.pi / 2 or np.sin(half) >= level:
        return slice(0, pattern.columns)
    wide = float(np.arcsin(np.sin(half) / level))
    low = bearing - wide - pattern.azimuth_offsets.max()
    high = bearing + wide - pattern.azimuth_offsets.min()
    start, stop = np.searchsorted(pattern.column_azimuths, [low, high])
    return slice(int(start), int(stop))


def _beams(pattern: FiringPattern, elevation: float, half: float) -> slice:
    # elevations fall from beam to beam
    start, stop = np.searchsorted(-pattern.elevations, [-(elevation + half), -(elevation - half)])
    return slice(int(start), int(stop))

"""What each shot of a turn meets, in a world that moves while the device spins.

Everything that stands still is met in the world frame, from where the sensor is at each column's time. Everyone else is
met in their own frame, by those shots alone that can reach them and have not met anything nearer:

    rays    actor_SE3_sensor(time of the column) · (origin, direction)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vedette.datasets.synth.raycast import Hits
from vedette.datasets.synth.stage import LaserScene, first_stop
from vedette.datasets.synth.track import Track
from vedette.datasets.synth.turn import Turn
from vedette.datasets.synth.windows import Approach, approaches, window
from vedette.geometry import NDArrayFloat32, NDArrayInt, NDArrayUInt8


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

    @classmethod
    def first(
        cls, shape: tuple[int, int], scene: LaserScene, hits: Hits, directions: NDArrayFloat32, panes: NDArrayUInt8
    ) -> Encounters:
        """Of shots that were all cast against one scene.

        Args:
            shape: C and B.
            scene: the scene.
            hits: ``(C·B,)`` what they met in it.
            directions: ``(C·B,3) float32`` in its frame.
            panes: ``(C·B,) uint8`` that they passed.
        """
        if len(scene.mesh) == 0:
            return cls.nothing(*shape)
        return cls(
            hits.range_m.reshape(shape),
            _cosines(scene, hits.triangles, directions).reshape(shape),
            scene.mesh.surfaces.take(hits.triangles).reshape(shape),
            scene.brightness.take(hits.triangles).reshape(shape),
            scene.owners.take(hits.triangles).reshape(shape),
            panes.reshape(shape),
        )

    def note_nearer(self, shots: NDArrayInt, scene: LaserScene, hits: Hits, directions: NDArrayFloat32) -> None:
        """Write down what is nearer than what was met before.

        Args:
            shots: ``(N,)`` which, as rows of the flattened ``(C,B)``.
            scene: that they were cast against.
            hits: what they met in it.
            directions: ``(N,3) float32`` in its frame.
        """
        nearer = np.flatnonzero(hits.range_m < self.range_m.ravel().take(shots))
        at, triangles = shots.take(nearer), hits.triangles.take(nearer)
        self.range_m.ravel()[at] = hits.range_m.take(nearer)
        self.cosines.ravel()[at] = _cosines(scene, triangles, directions.take(nearer, axis=0))
        self.surfaces.ravel()[at] = scene.mesh.surfaces.take(triangles)
        self.brightness.ravel()[at] = scene.brightness.take(triangles)
        self.owners.ravel()[at] = scene.owners.take(triangles)


def _cosines(scene: LaserScene, triangles: NDArrayInt, directions: NDArrayFloat32) -> NDArrayFloat32:
    """``(N,)`` of the angles at which rays meet triangles."""
    # `take` copies rows several times faster than an index does; a ray that met nothing asks for the last triangle
    (nx, ny, nz), (dx, dy, dz) = scene.normals.take(triangles, axis=0).T, directions.T
    return np.asarray(np.abs(nx * dx + ny * dy + nz * dz), dtype=np.float32)


def encounters(turn: Turn) -> Encounters:
    """Fire all shots of a turn.

    Args:
        turn: the sensor's.
    """
    found = _meet_still(turn)
    for approach in approaches(turn):
        _meet_moving(turn, approach, found)
    return found


def _meet_still(turn: Turn) -> Encounters:
    """Cast all shots against what stands still."""
    shape = turn.pattern.columns, turn.pattern.beams
    scene = turn.stage.still
    origins, directions = _rays(turn, turn.track, (slice(0, shape[0]), slice(0, shape[1])))
    hits, panes = first_stop(scene, origins, directions, turn.passes)
    return Encounters.first(shape, scene, hits, directions, panes)


def _meet_moving(turn: Turn, approach: Approach, found: Encounters) -> None:
    """Cast the shots that may meet somebody, and note where they do so before what was found."""
    if approach.nearest_m >= found.range_m[approach.columns, approach.beams].max():
        return
    seen = window(turn, approach)
    if seen is None:
        return
    area = seen.columns, seen.beams
    rows = np.arange(seen.columns.start, seen.columns.stop)[:, None] * turn.pattern.beams
    open_m = found.range_m[area].ravel()
    chosen = np.flatnonzero(open_m > seen.nearest_m)
    if len(chosen) == 0:
        return
    shots = (rows + np.arange(seen.beams.start, seen.beams.stop)).ravel()[chosen]
    origins, directions = (rays.take(chosen, axis=0) for rays in _rays(turn, seen.actor_SE3_sensor, area))
    middle = (seen.columns.start + seen.columns.stop) // 2
    scene = turn.stage.own_scene(approach.actor, turn.t_s + float(turn.column_offsets_s[middle]))
    hits, panes = first_stop(scene, origins, directions, turn.passes, open_m[chosen])
    found.panes.ravel()[shots] += panes
    found.note_nearer(shots, scene, hits, directions)


def _rays(turn: Turn, scene_SE3_sensor: Track, area: tuple[slice, slice]) -> tuple[NDArrayFloat32, NDArrayFloat32]:
    """``(N,3)`` origins and directions of a window of shots, in a scene's frame."""
    columns, beams = area
    turned = np.swapaxes(scene_SE3_sensor.rotations, 1, 2).astype(np.float32)
    directions = np.matmul(turn.pattern.directions[columns, beams], turned)
    heights = turn.pattern.heights_m[beams].astype(np.float32)
    origins = scene_SE3_sensor.translations.astype(np.float32)[:, None] + heights[:, None] * turned[:, None, 2]
    return origins.reshape(-1, 3), directions.reshape(-1, 3)

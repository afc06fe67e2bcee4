"""Everything that a picture shows, at the instant of its exposure: triangles to cast rays against, and their look."""

from __future__ import annotations

import numpy as np

from vedette.datasets.synth.actors import Actor
from vedette.datasets.synth.camera.checkers import Board
from vedette.datasets.synth.camera.look import Look
from vedette.datasets.synth.camera.rays import Rays, View
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.raycast import NOBODY, Hits, TriangleScene, unit_normals
from vedette.datasets.synth.stage import Stage
from vedette.geometry import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt

_NEAR_M = 40.0
"""Out of view and farther than this, nobody's shadow or mirror image reaches the picture."""
_VIEW_SLOPE = 1.2
"""Metres aside for each metre ahead that count as in view; cameras of up to 100 degrees have less."""


_LIFT_M = np.float32(0.002)
_LIFT_PER_M = np.float32(5e-5)
"""How far off its surface a ray begins: 2 mm, and more where its place is known less well."""


class Moment:
    """Two scenes that rays are cast against as if they were one; triangles of the second follow those of the first.

    Args:
        still: what never moves.
        moving: what moves, placed.
        look: of the triangles of both.
        shows: ``(H,W) bool`` pixels in which the second can show; None for all.
    """

    def __init__(
        self, still: TriangleScene, moving: TriangleScene, look: Look, shows: NDArrayBool | None = None
    ) -> None:
        self._still = still
        self._moving = moving
        self._shows = shows
        self._owners = np.concatenate([still.owners, moving.owners])
        self.look = look

    def cast(self, origins_m: NDArrayFloat32, directions: NDArrayFloat32) -> Hits:
        """First hit of each ray.

        Args:
            origins_m: ``(N,3) float32``, or (3,) for one origin of all.
            directions: ``(N,3) float32`` unit vectors.
        """
        origins = np.broadcast_to(origins_m, directions.shape)
        still, moving = self._still.cast(origins, directions), self._moving.cast(origins, directions)
        nearer = moving.range_m < still.range_m
        triangles = np.where(nearer, moving.triangles + len(self._still.mesh), still.triangles)
        return Hits(np.where(nearer, moving.range_m, still.range_m), triangles)

    def cast_picture(self, rays: Rays, size: tuple[int, int]) -> Hits:
        """First hit of the rays through all pixels, row by row.

        Where the pixels around one all show one triangle, so does it, without a ray.

        Args:
            rays: of the view that the moment was made for.
            size: H and W of its image.
        """
        board = Board(np.arange(len(rays)), size)
        first = board.first_half()
        hits = Hits(np.empty(len(rays), dtype=np.float32), np.zeros(len(rays), dtype=np.int64))
        self._cast_pixels(rays, np.flatnonzero(first), hits)
        agree = board.agreed(hits.triangles, first)
        _fill_in(hits, rays, np.flatnonzero(agree))
        self._cast_pixels(rays, np.flatnonzero(~(agree | first)), hits)
        return hits

    def _cast_pixels(self, rays: Rays, pixels: NDArrayInt, hits: Hits) -> None:
        """Put first hits of some pixels' rays in their places."""
        directions = rays.directions.take(pixels, axis=0)
        found = self._still.cast(np.broadcast_to(rays.origin_m, directions.shape), directions)
        hits.range_m[pixels], hits.triangles[pixels] = found.range_m, found.triangles
        some = np.arange(len(pixels)) if self._shows is None else np.flatnonzero(self._shows.ravel()[pixels])
        directions = directions.take(some, axis=0)
        moving = self._moving.cast(np.broadcast_to(rays.origin_m, directions.shape), directions)
        nearer = np.flatnonzero(moving.range_m < found.range_m[some])
        changed = pixels[some[nearer]]
        hits.range_m[changed] = moving.range_m[nearer]
        hits.triangles[changed] = moving.triangles[nearer] + len(self._still.mesh)

    def blocked(self, origins_m: NDArrayFloat32, directions: NDArrayFloat32, far_m: float = np.inf) -> NDArrayBool:
        """Whether anything is in the way.

        Args:
            origins_m: ``(N,3) float32``.
            directions: ``(N,3) float32`` unit vectors.
            far_m: hits beyond do not count.
        """
        blocked = self._still.blocked(origins_m, directions, far_m)
        free = np.flatnonzero(~blocked)
        blocked[free] = self._moving.blocked(origins_m.take(free, axis=0), directions.take(free, axis=0), far_m)
        return blocked

    def owners_of(self, hits: Hits) -> NDArrayInt:
        """``(N,) int64`` whom each ray met, `NOBODY` where it met nothing.

        Args:
            hits: of this moment.
        """
        return np.where(hits.met, self._owners.take(hits.triangles, mode="clip"), NOBODY)


class Moments:
    """Makes moments of a world; what stays the same is prepared once.

    Args:
        stage: the world made ready.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._still_look = Look.of(stage.still.mesh, stage.still.normals)
        self._bodies: dict[int, Look] = {}

    def at(self, t_s: float, view: View, without: int) -> Moment:
        """The world as it matters to a picture.

        Args:
            t_s: seconds since the world's beginning.
            view: of the camera.
            without: id of the actor that looks, whose body is around the camera.
        """
        meshes, looks, ids = [Mesh.merge([])], [self._still_look], [NOBODY]
        shows = np.zeros(view.size, dtype=bool)
        for actor in self._stage.apart:
            pose = actor.motion.pose(t_s)
            if actor.actor_id == without or not _matters(actor, pose.translation, view):
                continue
            body = actor.shape.mesh(t_s)
            meshes.append(body.moved(pose))
            frame = shows[view.frames(meshes[-1].vertices_m)]
            frame[:] = True
            looks.append(self._look(actor, body, in_view=frame.size > 0).moved(pose))
            ids.append(actor.actor_id)
        owners = np.repeat(np.array(ids, dtype=np.int64), [len(mesh) for mesh in meshes])
        moving = TriangleScene(Mesh.merge(meshes), owners)
        return Moment(self._stage.still, moving, Look.joined(looks), shows)

    def _look(self, actor: Actor, body: Mesh, *, in_view: bool) -> Look:
        """In the actor's frame."""
        if not actor.shape.is_rigid:
            # in a mirror, a person may be of panels
            return Look.of(body, unit_normals(body), rounded=in_view)
        if actor.actor_id not in self._bodies:
            self._bodies[actor.actor_id] = Look.of(body, unit_normals(body))
        return self._bodies[actor.actor_id]


def _fill_in(hits: Hits, rays: Rays, pixels: NDArrayInt) -> None:
    """Put the hits of pixels that lie between two of one triangle in their places."""
    left, right = (rays.metres_per_depth[beside] / hits.range_m[beside] for beside in (pixels - 1, pixels + 1))
    nearness = (left + right) / 2  # on a plane, one over the depth grows evenly from pixel to pixel
    far_m = np.full(len(pixels), np.inf, dtype=np.float32)
    hits.range_m[pixels] = np.divide(rays.metres_per_depth[pixels], nearness, out=far_m, where=nearness > 0)
    hits.triangles[pixels] = hits.triangles[pixels - 1]


def off_surface(points_m: NDArrayFloat32, normals: NDArrayFloat32, range_m: NDArrayFloat32) -> NDArrayFloat32:
    """``(N,3) float32`` points a little above surfaces, from which further rays do not meet the same surface again.

    Args:
        points_m: ``(N,3) float32`` on the surfaces.
        normals: ``(N,3) float32`` unit vectors out of them.
        range_m: ``(N,) float32`` length of the rays that found them: the longer, the coarser they are known.
    """
    return np.asarray(points_m + normals * (_LIFT_M + _LIFT_PER_M * range_m)[:, None])


def _matters(actor: Actor, place_m: NDArrayFloat, view: View) -> bool:
    offset = place_m - view.origin_m
    distance_m = float(np.linalg.norm(offset))
    ahead_m = float(offset @ view.forward) + max(actor.shape.size_m)
    aside_m = float(np.sqrt(max(0.0, distance_m**2 - float(offset @ view.forward) ** 2)))
    return distance_m < _NEAR_M or aside_m < _VIEW_SLOPE * ahead_m + max(actor.shape.size_m)

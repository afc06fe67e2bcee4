"""Light that leaves surfaces towards the camera: sun, sky and ground on rough ones, mirrored sky on smooth ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from vedette.datasets.synth.camera.checkers import Board
from vedette.datasets.synth.camera.look import Look
from vedette.datasets.synth.camera.moment import Moment, off_surface
from vedette.datasets.synth.camera.rays import Rays
from vedette.datasets.synth.camera.shadows import in_sun
from vedette.datasets.synth.camera.sky import Sky
from vedette.datasets.synth.camera.textures import Places, Textures
from vedette.datasets.synth.raycast import Hits
from vedette.datasets.synth.surfaces import PROPERTIES, Surface
from vedette.datasets.synth.world import Light
from vedette.geometry import NDArrayFloat32, NDArrayInt, NDArrayUInt8

_SUN_RGB: Final = np.array([1.36, 1.25, 1.04], dtype=np.float32)
_SKY_RGB: Final = np.array([0.42, 0.50, 0.64], dtype=np.float32)
"""Light on a surface that faces the sun and on one that faces a whole sky, each of strength 1."""
_BOUNCE_RGB: Final = np.array([0.16, 0.155, 0.14], dtype=np.float32)
"""What ground and walls send back of it."""
_AMBIENT_FLOOR = 0.12
"""Share of the surroundings' light that gets into any corner."""
_GLOSS: Final = np.array(
    [PROPERTIES[Surface(value)].gloss if value < len(Surface) else 0.0 for value in range(256)], dtype=np.float32
)
_MOST_PANES = 4
"""A look through a car passes two; what lies behind more than these is not worth its rays."""
_PANE_STEP_M = np.float32(0.01)
_INSIDE_OPEN_SHARE = 0.3
_GLINT = 25.0
"""Light of the sun's mirror image, as a multiple of what the sun gives a white surface."""
_GLINT_SPREAD = 0.002
"""One minus the cosine of the angle at which the sun's mirror image has faded: about 3.6 degrees."""
_COARSE_PIXEL = 0.01
"""Angle of a pixel, radians, where only the broad pattern of a surface matters: behind glass and in mirrors."""
_PANE_RGB: Final = np.array([0.60, 0.66, 0.65], dtype=np.float32)
"""What a pane of a vehicle lets through."""


@dataclass(frozen=True, eq=False)
class Spots:
    """Where rays meet surfaces.

    Args:
        points_m: ``(N,3) float32`` world frame, a little off the surface.
        directions: ``(N,3) float32`` of the rays.
        normals: ``(N,3) float32`` towards the eye.
        triangles: ``(N,) int64`` of the moment.
        surfaces: ``(N,) uint8`` values of `Surface`.
        pixel_m: ``(N,) float32`` what a pixel covers there.
    """

    points_m: NDArrayFloat32
    directions: NDArrayFloat32
    normals: NDArrayFloat32
    triangles: NDArrayInt
    surfaces: NDArrayUInt8
    pixel_m: NDArrayFloat32

    @classmethod
    def of(cls, look: Look, origins_m: NDArrayFloat32, directions: NDArrayFloat32, hits: Hits, pixel: float) -> Spots:
        """Spots of rays that all met something.

        Args:
            look: of the moment.
            origins_m: ``(N,3) float32``, or (3,) for one origin of all.
            directions: ``(N,3) float32`` unit vectors.
            hits: theirs.
            pixel: angle that a pixel covers, radians.
        """
        points = origins_m + directions * hits.range_m[:, None]
        normals = look.normals_at(hits.triangles, points, directions)
        cosine = np.abs(np.einsum("ij,ij->i", normals, directions))
        points = off_surface(points, normals, hits.range_m)
        pixel_m = hits.range_m * np.float32(pixel) / np.maximum(cosine, 0.03)
        surfaces = look.surfaces.take(hits.triangles)
        return cls(points, directions, normals, hits.triangles, surfaces, pixel_m)

    def __len__(self) -> int:
        return len(self.triangles)

    def select(self, rows: NDArrayInt) -> Spots:
        """Some of the spots.

        Args:
            rows: indices.
        """
        # of rows of three, take is four times as fast as indexing
        points, directions, normals = (
            values.take(rows, axis=0) for values in (self.points_m, self.directions, self.normals)
        )
        return Spots(points, directions, normals, self.triangles[rows], self.surfaces[rows], self.pixel_m[rows])


class Shader:
    """Works out what rays bring back.

    Args:
        light: sun, sky and haze.
        sky: as painted.
        textures: patterns of the surfaces.
    """

    def __init__(self, light: Light, sky: Sky, textures: Textures) -> None:
        self._light = light
        self._sky = sky
        self._textures = textures
        # before things that stand on the ground, haze is lit by half of the sky, and much of that is built over
        self._haze_rgb = sky.horizon_rgb * np.float32(0.3)
        self._towards_sun = light.towards_sun.astype(np.float32)
        bounce = light.sky_strength + light.sun_strength * light.towards_sun[2]
        sources = [light.sky_strength * _SKY_RGB, bounce * _BOUNCE_RGB, light.sun_strength * _SUN_RGB]
        self._sources_rgb = np.array(sources, dtype=np.float32)

    def radiance(
        self,
        moment: Moment,
        rays: Rays,
        hits: Hits,
        pixel: float,
        open_share: NDArrayFloat32,
        *,
        size: tuple[int, int] | None = None,
    ) -> NDArrayFloat32:
        """``(N,3) float32`` red, green, blue, linear, of each ray.

        Args:
            moment: everything.
            rays: from the camera.
            hits: their first.
            pixel: angle that a pixel covers, radians.
            open_share: ``(N,) float32`` of the surroundings, around what each ray met.
            size: H and W where the rays go through all pixels of an image, row by row: neighbours then help out.
        """
        out = np.empty((len(rays), 3), dtype=np.float32)
        missed, met = np.flatnonzero(~hits.met), np.flatnonzero(hits.met)
        out[missed] = self._sky.radiance(rays.directions.take(missed, axis=0))
        found = Hits(hits.range_m[met], hits.triangles[met])
        spots = Spots.of(moment.look, rays.origin_m, rays.directions.take(met, axis=0), found, pixel)
        board = None if size is None else Board(met, size)
        seen = self._surface(moment, spots, open_share[met], sun_shadows=True, board=board)
        self._glass(moment, spots, seen, board)
        self._gloss(moment, spots, seen, board)
        out[met] = self._hazy(seen, found.range_m)
        return out

    def _surface(
        self,
        moment: Moment,
        spots: Spots,
        open_share: NDArrayFloat32,
        *,
        sun_shadows: bool,
        board: Board | None = None,
    ) -> NDArrayFloat32:
        """(N,3) diffuse light of spots."""
        look, triangles = moment.look, spots.triangles
        colours = look.colours.take(triangles, axis=0)
        colours *= self._textures.brightness(spots.surfaces, _places(look, spots))[:, None]
        cosine = spots.normals @ self._towards_sun
        leafy = spots.surfaces == int(Surface.FOLIAGE)
        # leaves let light through, face every way, and shade one another evenly: a ray for each would be the costliest
        direct = np.where(leafy, 0.2 + 0.25 * np.abs(cosine), np.maximum(cosine, 0.0)).astype(np.float32)
        if sun_shadows:
            # panes are left out, as what lies behind them will take their place
            solid = np.flatnonzero((cosine > 0) & ~leafy & (spots.surfaces != int(Surface.CAR_GLASS)))
            there = board.select(solid) if board is not None else None
            direct[solid] *= in_sun(moment, spots.points_m.take(solid, axis=0), self._towards_sun, there)
        around = _AMBIENT_FLOOR + (1 - _AMBIENT_FLOOR) * open_share
        above = around * (np.float32(0.5) + np.float32(0.5) * spots.normals[:, 2])
        colours *= np.stack([above, around - above, direct], axis=1) @ self._sources_rgb
        return colours

    def _glass(self, moment: Moment, spots: Spots, seen: NDArrayFloat32, board: Board | None) -> None:
        """Put what lies behind the windows of vehicles in place of their colour."""
        rows = np.flatnonzero(spots.surfaces == int(Surface.CAR_GLASS))
        seen[rows] = _shared(rows, spots, board, partial(self._behind, moment))

    def _behind(self, moment: Moment, panes: Spots) -> NDArrayFloat32:
        """(N,3) light that comes through panes."""
        directions = panes.directions
        behind = self._sky.radiance(directions)
        tint = np.ones((len(panes), 3), dtype=np.float32)
        waiting, points = np.arange(len(panes)), panes.points_m
        for _ in range(_MOST_PANES):
            if not len(waiting):
                break
            tint[waiting] *= _PANE_RGB
            starts = points + directions[waiting] * _PANE_STEP_M
            hits = moment.cast(starts, directions[waiting])
            met = hits.met
            waiting, hits = waiting[met], Hits(hits.range_m[met], hits.triangles[met])
            inside = Spots.of(moment.look, starts[met], directions[waiting], hits, _COARSE_PIXEL)
            pane = inside.surfaces == int(Surface.CAR_GLASS)
            stop = np.flatnonzero(~pane)
            # inside it is dim: the roof keeps most light away
            dim = np.full(len(stop), _INSIDE_OPEN_SHARE, dtype=np.float32)
            behind[waiting[stop]] = self._surface(moment, inside.select(stop), dim, sun_shadows=True)
            waiting, points = waiting[pane], inside.points_m[pane]
        return behind * tint

    def _gloss(self, moment: Moment, spots: Spots, seen: NDArrayFloat32, board: Board | None) -> None:
        """Add what smooth surfaces mirror."""
        gloss = _GLOSS.take(spots.surfaces)
        rows = np.flatnonzero(gloss)
        if not len(rows):
            return
        directions, normals = spots.directions.take(rows, axis=0), spots.normals.take(rows, axis=0)
        cosine = -np.einsum("ij,ij->i", directions, normals)
        # Schlick: the stated gloss is what shows at a common angle; more at a grazing one
        share = gloss[rows] * (0.14 + 0.86 * (1 - np.clip(cosine, 0.0, 1.0)) ** 4)
        mirrored = _shared(rows, spots, board, partial(self._mirrored, moment))
        seen[rows] += share[:, None] * (mirrored - seen[rows])

    def _mirrored(self, moment: Moment, mirror: Spots) -> NDArrayFloat32:
        """(N,3) light that comes to spots from where their mirror image of the eye would look."""
        cosine = np.einsum("ij,ij->i", mirror.directions, mirror.normals)
        directions = mirror.directions - 2 * cosine[:, None] * mirror.normals
        light = self._sky.radiance(directions) + self._glint(directions)
        hits = moment.cast(mirror.points_m, directions)
        met = np.flatnonzero(hits.met)
        found = Hits(hits.range_m[met], hits.triangles[met])
        spots = Spots.of(
            moment.look, mirror.points_m.take(met, axis=0), directions.take(met, axis=0), found, _COARSE_PIXEL
        )
        light[met] = self._surface(moment, spots, np.ones(len(met), np.float32), sun_shadows=False)
        return light

    def _glint(self, directions: NDArrayFloat32) -> NDArrayFloat32:
        """(N,3) the sun's own image, spread a little as by a surface that is not perfectly smooth."""
        aside = 1.0 - directions @ self._towards_sun
        strength = np.exp(aside / np.float32(-_GLINT_SPREAD)) * np.float32(_GLINT * self._light.sun_strength)
        return np.asarray(strength[:, None] * _SUN_RGB)

    def _hazy(self, seen: NDArrayFloat32, range_m: NDArrayFloat32) -> NDArrayFloat32:
        clear = np.exp(range_m / np.float32(-self._light.haze_m))[:, None]
        hazy = seen - self._haze_rgb
        hazy *= clear
        hazy += self._haze_rgb
        return hazy


def _shared(
    rows: NDArrayInt, spots: Spots, board: Board | None, light_of: Callable[[Spots], NDArrayFloat32]
) -> NDArrayFloat32:
    """(N,3) light of some spots; in a picture, every second one between two of its triangle gets their mean."""
    if board is None or not len(rows):
        return light_of(spots.select(rows))
    between = board.select(rows).between(spots.triangles.take(rows))
    light = np.empty((len(rows), 3), dtype=np.float32)
    light[~between] = light_of(spots.select(rows[~between]))
    middle = np.flatnonzero(between)
    light[middle] = (light.take(middle - 1, axis=0) + light.take(middle + 1, axis=0)) / 2
    return light


def _places(look: Look, spots: Spots) -> Places:
    offsets = look.offsets_m.take(spots.triangles, axis=0)
    u = np.einsum("ij,ij->i", look.along.take(spots.triangles, axis=0), spots.points_m) + offsets[:, 0]
    v = np.einsum("ij,ij->i", look.up.take(spots.triangles, axis=0), spots.points_m) + offsets[:, 1]
    return Places(u, v, spots.pixel_m)

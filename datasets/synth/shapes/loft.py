r"""A body drawn over a side view.

Lines run along the left side from the rear to the front; panels lie between them, and the right side is the mirror
image. A cross-section, seen from behind:

```
        crown _______ centre ______
             /  roof             \
       rail /                     \     cabin narrows upwards
           /  windows              \
     belt |                         |
    waist  |                       |    the widest
           |      ___________      |
      sill |_____/ ^         \_____|    rises to the arches at the wheels
               floor, and the well's inner wall
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.shapes.parts import grid_triangles, part, stitched, with_mirror_image
from vedette.datasets.synth.shapes.profiles import Bay, Profile
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayFloat, NDArrayUInt8

_ARCH_GAP_M: Final = 0.05
_WELL_DEPTH_M: Final = 0.27
_SILL_TUCK: Final = 0.94
_BELT_TUCK: Final = 0.965
_BODY_SHARE: Final = 0.985
"""Of the width: the rest is for the mirrors, which stand out a little."""
_BOW_AT: Final = (-0.5, -0.35, -0.1, 0.05, 0.2, 0.5)
_BOW_M: Final = (-0.05, -0.05, 0.0, 0.03, 0.07, 0.06)
"""How far the middle of bumpers, bonnet, screens and roof lies before their sides, at shares of the length."""
_CAMBER_M: Final = 0.015
_LEAN_M: Final = (0.025, -0.05)
"""How far the upper edge of the rear and front faces lies ahead of the bumpers."""
_RAIL_M: Final = 0.075
_BONNET_WIDTH: Final = 0.94
_MIDDLE: Final = np.array([1.0, 0.0, 1.0])
_BUMPERS_HIGHER_M: Final = np.array([0.10, 0.06, 0.02, 0.05])
_ARCH_POINTS: Final = np.array([[np.cos(a), np.sin(a)] for a in np.linspace(np.pi, 0.0, 5)])


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines of a body's left side.

    Args:
        upper_m: ``(5,S,3)`` waist, belt, rail, crown and the roof's middle at each station.
        sill_m: ``(N,3)`` lower edge, over the wheel arches.
        arches: index in the sill of each wheel arch's first point.
    """

    upper_m: NDArrayFloat
    sill_m: NDArrayFloat
    arches: tuple[int, ...]

    @property
    def rear_m(self) -> float:
        """How far back the body reaches at the waist's height; below 0."""
        return float(self.upper_m[0, 0, 0] + _BOW_M[0])

    @property
    def front_m(self) -> float:
        """How far forward the body reaches at the waist's height."""
        return float(self.upper_m[0, -1, 0] + _BOW_M[-1])


def varied(profile: Profile, rng: np.random.Generator) -> NDArrayFloat:
    """``(S,3)`` x, belt and top of the stations, as shares, of one make among those of a profile.

    Args:
        profile: the kind's.
        rng: draws the make.
    """
    lines = profile.lines.copy()
    room = np.diff(lines[:, 0])
    room = np.minimum(room[:-1], room[1:])
    lines[1:-1, 0] += np.clip(rng.normal(0.0, 0.010, len(room)), -0.25 * room, 0.25 * room)
    lines[:, 0] += rng.normal(0.0, 0.010) * (1.0 - (2 * lines[:, 0]) ** 2)
    lines[:, 1] += rng.normal(0.0, 0.010) + rng.normal(0.0, 0.004, len(lines))
    lines[:, 2] += rng.normal(0.0, 0.006, len(lines))
    lines[:, 2] = np.maximum(lines[:, 2] / lines[:, 2].max(), lines[:, 1] + 0.01)
    return lines


def draw_lines(profile: Profile, size_m: tuple[float, float, float], rng: np.random.Generator) -> Lines:
    """The lines of one body, centred at x = 0.

    Args:
        profile: the kind's.
        size_m: length, width and height.
        rng: draws what varies from make to make.
    """
    length_m, width_m, height_m = size_m
    x, belt, top = varied(profile, rng).T * np.array([[length_m], [height_m], [height_m]])
    half_m = _BODY_SHARE * width_m / 2 * _plan(profile, x, length_m)
    roof_width = profile.roof_width + rng.uniform(-0.025, 0.025)
    cabin = np.clip((top - belt) / (0.30 * height_m), 0.0, 1.0)
    rail_y = half_m * (_BONNET_WIDTH + (roof_width - _BONNET_WIDTH) * cabin)
    drop = np.minimum(0.015 + 0.03 * cabin, 0.5 * (top - belt))
    lean = np.zeros(len(x))
    lean[[0, -1]] = _LEAN_M
    bow = np.interp(x / length_m, _BOW_AT, _BOW_M)
    lines = [
        (x, half_m, _waist(profile, belt, height_m, rng)),
        (x + 0.6 * lean, half_m * _BELT_TUCK, belt),
        (x + lean, rail_y, top - drop),
        (x + lean, rail_y - _RAIL_M, top),
        (x + lean + bow, np.zeros(len(x)), top + _CAMBER_M),
    ]
    upper = np.stack([np.stack(line, axis=1) for line in lines])
    return Lines(upper, *_sill(profile, upper[0], size_m))


def _waist(profile: Profile, belt_m: NDArrayFloat, height_m: float, rng: np.random.Generator) -> NDArrayFloat:
    """Height of the waist: above the wheel arches, and at the ends a lamp's height below the belt."""
    arch_top_m = 2 * profile.wheel_radius_m + _ARCH_GAP_M
    usual_m = rng.uniform(0.44, 0.48) * min(height_m, 1.7)
    return np.minimum(max(usual_m, arch_top_m + 0.03), belt_m - min(0.07 * height_m, 0.11))


def _plan(profile: Profile, x_m: NDArrayFloat, length_m: float) -> NDArrayFloat:
    """Share of the half width at some x: full in the middle, rounded off at the ends."""
    barrel = 1.0 - 0.025 * (2 * x_m / length_m) ** 2
    rear = _rounding(x_m + length_m / 2, profile.corner_m[0], profile.end_width[0])
    front = _rounding(length_m / 2 - x_m, profile.corner_m[1], profile.end_width[1])
    return np.asarray(barrel * rear * front)


def _rounding(depth_m: NDArrayFloat, corner_m: float, end_width: float) -> NDArrayFloat:
    """A quarter of an ellipse from the end face's width to the full width."""
    rest = np.clip(1.0 - depth_m / corner_m, 0.0, 1.0)
    return np.asarray(end_width + (1.0 - end_width) * np.sqrt(1.0 - rest**2))


def _sill(
    profile: Profile, waist_m: NDArrayFloat, size_m: tuple[float, float, float]
) -> tuple[NDArrayFloat, tuple[int, ...]]:
    """The lower edge, and where in it each arch starts."""
    length_m, width_m, _ = size_m
    radius_m = profile.wheel_radius_m + _ARCH_GAP_M
    rise_m = profile.wheel_radius_m + radius_m - profile.clearance_m
    arches = [_ARCH_POINTS * (radius_m, rise_m) + (axle * length_m, profile.clearance_m) for axle in profile.axles]
    floor = np.stack([waist_m[[0, 1, -2, -1], 0], profile.clearance_m + _BUMPERS_HIGHER_M], axis=1)
    xz = np.concatenate([floor[:2], *arches, floor[2:]])
    y = _SILL_TUCK * _BODY_SHARE * width_m / 2 * _plan(profile, xz[:, 0], length_m)
    sill = np.stack([xz[:, 0], y, xz[:, 1]], axis=1)
    sill[[0, -1], 0] += (0.03, -0.03)
    return sill, tuple(2 + len(_ARCH_POINTS) * k for k in range(len(arches)))


def body_panels(profile: Profile, lines: Lines, palette: NDArrayUInt8) -> Mesh:
    """The whole outer skin, floor and wheel wells.

    Args:
        profile: the kind's.
        lines: of this body.
        palette: ``(surfaces,3) uint8``.
    """
    left = [
        _side(profile, lines, palette),
        _skirt(lines, palette),
        _underside(lines, palette),
        *(_face(profile, lines, palette, end) for end in (0, -1)),
    ]
    return with_mirror_image(Mesh.merge(left))


def _side(profile: Profile, lines: Lines, palette: NDArrayUInt8) -> Mesh:
    """From the waist to the middle of bonnet, screens and roof."""
    surfaces = np.full((4, len(profile.bays)), int(Surface.CAR_PAINT), dtype=np.uint8)
    surfaces[1, np.isin(profile.bays, (Bay.WINDOW, Bay.SCREEN))] = Surface.CAR_GLASS
    surfaces[3, np.isin(profile.bays, (Bay.SCREEN, Bay.REAR_SCREEN))] = Surface.CAR_GLASS
    surfaces[0, -1] = Surface.HEADLAMP
    if profile.tail_lamps:
        surfaces[0, 0] = Surface.TAIL_LAMP
    for bay, glass in zip((0, -1), profile.glass_ends, strict=True):
        if glass:
            surfaces[1, bay] = Surface.CAR_GLASS
    rows, columns = lines.upper_m.shape[:2]
    return part(lines.upper_m, grid_triangles(rows, columns), np.repeat(surfaces.ravel(), 2), palette)


def _skirt(lines: Lines, palette: NDArrayUInt8) -> Mesh:
    """From the sill to the waist, which gets a point above each end and the top of an arch.

    Without these, triangles from a point beside the arch would cover the opening.
    """
    waist = lines.upper_m[0]
    above = lines.sill_m[[start + k for start in lines.arches for k in (0, 2, 4)], 0]
    x = np.sort(np.concatenate([waist[:, 0], above]))
    waist = np.stack([x, *(np.interp(x, waist[:, 0], waist[:, k]) for k in (1, 2))], axis=1)
    triangles = stitched(lines.sill_m[:, 0], waist[:, 0])
    return part(np.concatenate([lines.sill_m, waist]), triangles, int(Surface.CAR_PAINT), palette)


def _inner(sill_m: NDArrayFloat) -> NDArrayFloat:
    """The wells' inner wall beside each point of the sill."""
    depth_m = np.minimum(_WELL_DEPTH_M, 0.4 * sill_m[:, 1])
    return np.asarray(sill_m - depth_m[:, None] * np.array([0.0, 1.0, 0.0]))


def _underside(lines: Lines, palette: NDArrayUInt8) -> Mesh:
    """The left half of the floor, the wheel wells' roofs and inner walls."""
    count = len(lines.sill_m)
    inner = _inner(lines.sill_m)
    ground = inner[[1, -2]]
    walls = [count + start + np.array([0, k, k + 1]) for start in lines.arches for k in range(1, 4)]
    triangles = [grid_triangles(2, count), np.array(walls).reshape(-1, 3), 2 * count + grid_triangles(2, len(ground))]
    vertices = np.concatenate([lines.sill_m, inner, ground, ground * _MIDDLE])
    return part(vertices, np.concatenate(triangles), int(Surface.CAR_TRIM), palette)


def _face(profile: Profile, lines: Lines, palette: NDArrayUInt8, end: int) -> Mesh:
    """The left half of what is seen from behind or, for end -1, from the front."""
    edge = np.concatenate([lines.sill_m[[end]], lines.upper_m[:4, end]])
    middle = edge * _MIDDLE + np.array([_BOW_M[end], 0.0, 0.0])
    grille = Surface.CAR_TRIM if end else Surface.CAR_PAINT
    upper = Surface.CAR_GLASS if profile.glass_ends[end] else Surface.CAR_PAINT
    surfaces = np.repeat([Surface.CAR_PAINT, grille, upper, Surface.CAR_PAINT], 2)
    middle[-1] = lines.upper_m[4, end]
    return part(np.concatenate([edge, middle]), grid_triangles(2, len(edge)), surfaces, palette)

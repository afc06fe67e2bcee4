"""Cars, vans and buses: a lofted body on its wheels, with seats behind the glass and plates that shine."""

from __future__ import annotations

from typing import Final

import numpy as np

from vedette.datasets.synth.actors import RigidShape
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.shapes.loft import Lines, body_panels, draw_lines
from vedette.datasets.synth.shapes.parts import blocks, fitted, part, plates, with_mirror_image
from vedette.datasets.synth.shapes.profiles import Profile
from vedette.datasets.synth.shapes.wheels import left_wheels
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import NDArrayUInt8

_TYRE_WIDTH_M: Final = 0.21
_MIRROR_M: Final = 0.02


def lofted(
    profile: Profile, size_m: tuple[float, float, float], palette: NDArrayUInt8, rng: np.random.Generator
) -> RigidShape:
    """A whole vehicle whose body is one loft.

    Args:
        profile: side view of its kind.
        size_m: length, width and height; filled exactly.
        palette: ``(surfaces,3) uint8`` its colours.
        rng: draws what varies from make to make.
    """
    lines = draw_lines(profile, size_m, rng)
    pieces = [
        body_panels(profile, lines, palette),
        running_wheels(profile, size_m, palette),
        _interior(profile, lines, palette),
        _mirrors(profile, lines, palette),
        _number_plates(lines, palette),
    ]
    return fitted(Mesh.merge(pieces), size_m)


def running_wheels(profile: Profile, size_m: tuple[float, float, float], palette: NDArrayUInt8) -> Mesh:
    """The wheels under a lofted body.

    Args:
        profile: side view of its kind.
        size_m: length, width and height of the body.
        palette: ``(surfaces,3) uint8``.
    """
    axles_m = np.array(profile.axles) * size_m[0]
    outer_y_m = 0.945 * size_m[1] / 2
    return with_mirror_image(left_wheels(axles_m, outer_y_m, profile.wheel_radius_m, _TYRE_WIDTH_M, palette))


def _interior(profile: Profile, lines: Lines, palette: NDArrayUInt8) -> Mesh:
    """Dashboard and seats: what a beam meets that a window let through."""
    belt, rail = lines.upper_m[1:3]
    screen = profile.screen
    dash_x = min(belt[screen + 1, 0] - 0.12, lines.front_m - 0.25)
    half_m = 0.86 * belt[screen, 1]
    dash = [[dash_x - 0.40, -half_m, 0.55 * belt[screen, 2]], [dash_x, half_m, belt[screen, 2] - 0.03]]
    head_m = belt[screen, 2] + 0.55 * (rail[screen, 2] - belt[screen, 2])
    width_m = min(0.52, 0.62 * half_m)
    middle_m = 0.48 * half_m
    front_x, *other_x = rail[screen, 0] - np.array(profile.seat_rows_m)
    low, high = middle_m - width_m / 2, middle_m + width_m / 2
    floor_m = profile.clearance_m + 0.05
    seats = [[[front_x - 0.14, side * low, floor_m], [front_x, side * high, head_m]] for side in (1, -1)]
    benches = [[[x - 0.14, -0.78 * half_m, floor_m], [x, 0.78 * half_m, head_m - 0.08]] for x in other_x]
    return blocks(np.sort(np.array([dash, *seats, *benches]), axis=1), Surface.CAR_TRIM, palette)


def _mirrors(profile: Profile, lines: Lines, palette: NDArrayUInt8) -> Mesh:
    """Door mirrors that stand out a little: boxes drawn by annotators leave out the greater part of them."""
    waist, belt = lines.upper_m[0, profile.screen], lines.upper_m[1, profile.screen]
    inner = [min(belt[0] + 0.08, lines.front_m - 0.15), belt[1] - 0.04, belt[2] + 0.02]
    corners = np.array([inner, inner, inner, inner])
    corners[1:] += [[0.06, 0.0, 0.16], [-0.06, 0.0, 0.14], [-0.08, 0.0, 0.03]]
    corners[1:, 1] = waist[1] + _MIRROR_M
    return with_mirror_image(
        part(corners, [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 2, 3]], int(Surface.CAR_TRIM), palette)
    )


def _number_plates(lines: Lines, palette: NDArrayUInt8) -> Mesh:
    """In front and behind, a finger's breadth off the bumpers."""
    corners = [
        [[x, -0.26, height_m - 0.13], [x, 0.26, height_m - 0.02]]
        for x, height_m in (
            (lines.rear_m - 0.006, lines.upper_m[0, 0, 2]),
            (lines.front_m + 0.006, lines.upper_m[0, -1, 2]),
        )
    ]
    return plates(corners, Surface.NUMBER_PLATE, palette)

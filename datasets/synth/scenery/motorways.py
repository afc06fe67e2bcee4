"""What lines a motorway: guard rails at the median and the shoulders, marker posts, gantries, a noise barrier."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from vedette.datasets.synth.mesh import Colour, Mesh
from vedette.datasets.synth.plan import Street
from vedette.datasets.synth.scenery.site import Site
from vedette.datasets.synth.scenery.solids import cuboids, quads, upright
from vedette.datasets.synth.scenery.streets import street_points
from vedette.datasets.synth.surfaces import Surface

_STEEL: Final[Colour] = (150, 154, 156)
_POST_PITCH_M: Final = 4.0
_GANTRY_PITCH_M: Final = 350.0


def line_motorway(site: Site, street: Street) -> None:
    """Line a street that has a median or shoulders.

    Args:
        site: gets it.
        street: the street.
    """
    right, left = street.side_m
    offsets = [-right - 0.5, left + 0.5] if street.shoulder_m > 0 else []
    if street.median_m >= 1.5:
        offsets += [-street.median_m / 2 + 0.55, street.median_m / 2 - 0.55]
    for offset in offsets:
        site.lay(_guard_rail(street, offset))
    if street.shoulder_m > 0:
        _stand_posts(site, street)
        _stand_gantries(site, street)
    if street.median_m >= 3.0 and site.rng.random() < 0.5:
        site.lay(_median_shrubs(site.rng, street))


def _guard_rail(street: Street, left_m: float) -> Mesh:
    """A folded beam on posts."""
    along = np.arange(street.start_m, street.end_m, _POST_PITCH_M)
    start, end = street_points(street, along, left_m), street_points(street, along + _POST_PITCH_M, left_m)
    out = 0.05 * np.array([0.0, 1.0] if street.axis == "u" else [1.0, 0.0])
    profile = ((0.44, 0.0), (0.52, 1.0), (0.6, 0.0), (0.68, 1.0), (0.75, 0.0))  # height, outwards
    beams = []
    for (z0, o0), (z1, o1) in pairwise(profile):
        face = upright(start + o0 * out, end + o0 * out, np.full(len(start), z0), np.full(len(start), z1))
        face[:, 2:, :2] = np.stack([end + o1 * out, start + o1 * out], axis=1)
        beams.append(face)
    posts = cuboids(np.column_stack([start, np.full(len(start), -0.3)]), [0.1, 0.1, 1.0], Surface.METAL, _STEEL)
    return Mesh.merge([quads(np.concatenate(beams), Surface.METAL, _STEEL), posts])


def _stand_posts(site: Site, street: Street) -> None:
    """White marker posts with reflectors, every 50 m."""
    right, left = street.side_m
    post = Mesh.merge(
        [
            cuboids([0.0, 0.0, -0.1], [0.12, 0.12, 1.1], Surface.PLASTER, (232, 232, 230)),
            cuboids([0.0, 0.0, 0.75], [0.13, 0.13, 0.18], Surface.SIGN, (200, 120, 40)),
        ]
    )
    for along in np.arange(street.start_m + 10.0, street.end_m, 50.0):
        for offset in (-right - 0.95, left + 0.95):
            site.stand(post, street.point(float(along), offset), street.yaw)


def _stand_gantries(site: Site, street: Street) -> None:
    """Sign bridges over the whole road; their feet stand behind the guard rails."""
    right, left = street.side_m
    low, high = -right - 1.6, left + 1.6
    span = high - low
    parts = [
        cuboids([[0.0, low, -0.3], [0.0, high, -0.3]], [0.4, 0.4, 6.9], Surface.METAL, _STEEL),
        cuboids([0.0, (low + high) / 2, 6.2], [0.4, span, 0.4], Surface.METAL, _STEEL),
        cuboids(
            [[-0.3, low + 0.3 * span, 5.4], [0.3, low + 0.7 * span, 5.4]], [0.1, 4.5, 2.2], Surface.SIGN, (30, 80, 170)
        ),
    ]
    first = street.start_m + site.rng.uniform(60.0, _GANTRY_PITCH_M)
    for along in np.arange(first, street.end_m - 10.0, _GANTRY_PITCH_M):
        site.stand(Mesh.merge(parts), street.point(float(along), 0.0), street.yaw)


def _median_shrubs(rng: np.random.Generator, street: Street) -> Mesh:
    """A row of low shrubs between the guard rails."""
    count = int((street.end_m - street.start_m) * 14)
    along = rng.uniform(street.start_m, street.end_m, count)
    uv = street_points(street, along, 0.0) + rng.normal(0.0, 0.22, (count, 2))
    middle = np.column_stack([uv, rng.uniform(0.15, 1.0, count) * (0.8 + 0.4 * np.sin(along / 7.0))])
    corners = middle[:, None] + rng.normal(0.0, 0.09, (count, 3, 3))
    return Mesh.of(corners, np.arange(3 * count), Surface.FOLIAGE, (74, 98, 48))

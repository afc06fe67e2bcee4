"""Worlds of the named scenarios, each built once; scenery and vehicle bodies have their own tests.

Vehicles are cuboids of the sizes that they would have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from vedette.datasets.synth.actors import RigidShape
from vedette.datasets.synth.mesh import Mesh, cuboid
from vedette.datasets.synth.scenarios import build_world, stage
from vedette.datasets.synth.shapes import vehicles as vehicles_module
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.world import World

SHORT_S = 12.0


def box_of(size_m: tuple[float, float, float]) -> RigidShape:
    return RigidShape(cuboid(size_m, Surface.CAR_PAINT, (128, 128, 128)), size_m)


@pytest.fixture(scope="session")
def bare_world() -> Iterator[Callable[..., World]]:
    """Build a world without scenery; the same arguments give the same object."""

    @cache
    def build(scenario: str, seed: int, duration_s: float = SHORT_S, vehicles: int | None = None) -> World:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stage, "build_scenery", lambda *_: Mesh.merge([]))
            patch.setattr(vehicles_module, "lofted", lambda _profile, size_m, *_: box_of(size_m))
            patch.setattr(vehicles_module, "truck", lambda size_m, *_: box_of(size_m))
            return build_world(scenario, seed, duration_s, vehicles=vehicles)

    yield build
    build.cache_clear()

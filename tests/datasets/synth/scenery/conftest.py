"""A corner of a town: one crossing of two streets, four blocks, bent and sloping ground."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.plan import Block, BlockUse, Parking, Plan, Street
from vedette.datasets.synth.raycast import TriangleScene
from vedette.datasets.synth.terrain import Terrain, Wave

Drop = Callable[[np.ndarray], np.ndarray]


@pytest.fixture(scope="session")
def terrain() -> Terrain:
    """Curved streets of 400 m radius, slopes of a few per cent."""
    return Terrain(
        bend_u_m=6.0,
        bend_v_m=4.0,
        bend_rad_m=0.02,
        bend_phases=(0.3, 1.0),
        slope_x=0.02,
        slope_y=-0.01,
        waves=(Wave(0.8, 0.03, 0.01, 0.2),),
    )


@pytest.fixture(scope="session")
def plan() -> Plan:
    """Streets along u and v that cross at the origin, 6.4 m between kerbs, with bays south of the one along u."""
    along_u = Street("u", 0.0, -70.0, 70.0, parking=(Parking.PERPENDICULAR, Parking.NONE))
    along_v = Street("v", 0.0, -70.0, 70.0)
    near, far = 3.2, 60.0
    return Plan(
        (along_u, along_v),
        (
            Block(near, near, far, far, BlockUse.HOUSES),
            Block(-far, near, -near, far, BlockUse.TERRACES),
            Block(-far, -far, -near, -near, BlockUse.PARK),
            Block(near, -far, far, -near, BlockUse.INDUSTRY),
        ),
    )


@pytest.fixture(scope="session")
def drop() -> Callable[[Mesh], Drop]:
    """Make a function that lets rays fall on a mesh from 50 m and gives the heights (N,) at which they land."""

    def make(mesh: Mesh) -> Drop:
        scene = TriangleScene(mesh, np.zeros(len(mesh), dtype=np.int64))

        def heights(xy_m: np.ndarray) -> np.ndarray:
            origins = np.column_stack([xy_m, np.full(len(xy_m), 50.0)]).astype(np.float32)
            down = np.tile(np.array([0, 0, -1], dtype=np.float32), (len(xy_m), 1))
            return 50.0 - scene.cast(origins, down).range_m

        return heights

    return make

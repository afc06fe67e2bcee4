from __future__ import annotations

import numpy as np

from vedette.datasets.synth.camera.look import Look
from vedette.datasets.synth.camera.moment import Moment
from vedette.datasets.synth.camera.rays import View
from vedette.datasets.synth.camera.shadows import open_shares
from vedette.datasets.synth.mesh import Mesh, cuboid
from vedette.datasets.synth.raycast import TriangleScene
from vedette.datasets.synth.rig import SensorRig
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import SE3


def shares(meshes: list[Mesh], rig: SensorRig) -> tuple[np.ndarray, np.ndarray]:
    """Open shares and depths, from 1.6 m above the origin."""
    mesh = Mesh.merge(meshes)
    scene = TriangleScene(mesh, np.zeros(len(mesh), dtype=np.int64))
    moment = Moment(scene, TriangleScene(Mesh.merge([]), np.zeros(0, dtype=np.int64)), Look.of(mesh, scene.normals))
    view = View(rig.camera, SE3.identity().compose(rig.actor_SE3_velo))
    rays = view.rays(view.pixels())
    hits = moment.cast(rays.origin_m, rays.directions)
    return open_shares(moment, rays, hits, view.size), (hits.range_m / rays.metres_per_depth).reshape(view.size)


GROUND = cuboid((200.0, 200.0, 0.1), Surface.ASPHALT, (99, 99, 99), (0.0, 0.0, -0.1))


def test_open_ground_and_sky_are_wholly_open(small_rig: SensorRig) -> None:
    share, _ = shares([GROUND], small_rig)
    assert (share == 1.0).all()


def test_ground_is_half_open_at_the_foot_of_a_wall_and_wholly_farther_off(small_rig: SensorRig) -> None:
    wall = cuboid((0.5, 60.0, 12.0), Surface.BRICK, (99, 99, 99), (8.25, 0.0, 0.0))
    share, depth = shares([GROUND, wall], small_rig)
    on_ground = np.arange(80)[:, None] > 31 + 100.0 * 1.6 / depth - 2
    at_foot = share[on_ground & (depth > 7.6) & (depth < 7.95)]
    far_off = share[on_ground & (depth < 5.5)]
    # a wall hides half of the sky; the rays' reach and the tile's width leave some more
    assert 0.4 < at_foot.mean() < 0.8
    assert far_off.min() > 0.95


def test_a_slit_under_a_body_is_dark(small_rig: SensorRig) -> None:
    body = cuboid((4.0, 1.8, 1.2), Surface.CAR_PAINT, (99, 99, 99), (9.0, 0.0, 0.25))
    share, depth = shares([GROUND, body], small_rig)
    under = share[:, 75:86][(depth[:, 75:86] > 7.4) & (depth[:, 75:86] < 8.3) & (np.arange(80)[:, None] > 46)]
    assert under.mean() < 0.5

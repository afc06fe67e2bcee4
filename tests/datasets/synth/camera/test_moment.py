from __future__ import annotations

import numpy as np

from vedette.datasets.synth.camera.look import Look
from vedette.datasets.synth.camera.moment import Moment
from vedette.datasets.synth.camera.rays import View
from vedette.datasets.synth.mesh import Mesh, cuboid
from vedette.datasets.synth.raycast import TriangleScene
from vedette.datasets.synth.rig import SensorRig
from vedette.datasets.synth.surfaces import Surface
from vedette.geometry import SE3


def scene(*meshes: Mesh) -> TriangleScene:
    mesh = Mesh.merge(list(meshes))
    return TriangleScene(mesh, np.zeros(len(mesh), dtype=np.int64))


def test_pixels_without_a_ray_get_what_their_ray_would_have_met(small_rig: SensorRig) -> None:
    """Ground, a slanting wall, sky, a post of a pixel's width, and a box that moves, in one picture."""
    grey = (99, 99, 99)
    ground = cuboid((200.0, 200.0, 0.1), Surface.ASPHALT, grey, (0.0, 0.0, -0.1))
    wall = cuboid((1.0, 30.0, 2.5), Surface.BRICK, grey, (14.0, 9.0, 0.0)).moved(SE3.from_yaw(0.3))
    post = cuboid((0.1, 0.09, 5.0), Surface.METAL, grey, (9.0, -2.0, 0.0))
    still, moving = scene(ground, wall, post), scene(cuboid((2.0, 1.0, 1.0), Surface.CLOTH, grey, (7.0, 1.0, 0.0)))
    looks = [Look.of(part.mesh, part.normals) for part in (still, moving)]
    moment = Moment(still, moving, Look.joined(looks))
    view = View(small_rig.camera, small_rig.actor_SE3_velo)
    rays = view.rays(view.pixels())

    each = moment.cast(rays.origin_m, rays.directions)
    picture = moment.cast_picture(rays, view.size)

    assert each.triangles.min() == -1
    assert each.triangles.max() >= len(still.mesh)
    assert np.array_equal(picture.triangles, each.triangles)
    np.testing.assert_allclose(picture.range_m, each.range_m, rtol=1e-5)

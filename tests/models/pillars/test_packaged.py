"""The weights that come with vedette, on cars of the generated world."""

import numpy as np
import pytest

pytest.importorskip("open3d", reason="needs open3d: pip install 'vedette[world]'")

from vedette.classes import ObjectClass
from vedette.datasets.synth.actors import Actor, Still
from vedette.datasets.synth.lidar import LidarSensor
from vedette.datasets.synth.mesh import Mesh
from vedette.datasets.synth.rig import KITTI_RIG, world_SE3_velo
from vedette.datasets.synth.shapes.vehicles import VehicleKind, vehicle
from vedette.datasets.synth.surfaces import Surface
from vedette.datasets.synth.terrain import Terrain
from vedette.datasets.synth.world import Light, World
from vedette.frames import Sweep
from vedette.geometry import SE3, bev_iou, transform_boxes
from vedette.models.registry import ModelRegistry

NAMES = ("pillars-nano-synth", "pillars-large-synth")
AHEAD = [
    (VehicleKind.SALOON, 12.0, 3.2, 0.0),
    (VehicleKind.ESTATE, 22.0, -3.0, 3.1),
    (VehicleKind.SUV, 30.0, 9.0, 1.4),
]
AROUND = [
    *AHEAD,
    (VehicleKind.SALOON, 11.0, 8.2, 0.1),  # on the seam between the first two views
    (VehicleKind.SUV, 1.0, 7.0, 3.1),
    (VehicleKind.ESTATE, -12.0, 4.0, 0.0),
    (VehicleKind.SALOON, -20.0, -1.0, -3.1),
    (VehicleKind.SUV, -4.0, -12.3, 1.5),  # on another
    (VehicleKind.ESTATE, 2.5, -9.0, 0.0),
]


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    """Nothing imported: only what is packaged."""
    return ModelRegistry(tmp_path_factory.mktemp("none"))


def street(*places):
    """Cars on a plane, seen from a first one."""
    rng = np.random.default_rng(11)
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * 100.0
    ground = Mesh.of(corners, [[0, 1, 2], [0, 2, 3]], Surface.ASPHALT, (90, 90, 90))
    standing = [(VehicleKind.SALOON, 0.0, 0.0, 0.0), *places]
    actors = tuple(
        Actor(number, ObjectClass.CAR, vehicle(kind, rng), Still(SE3.from_yaw(yaw, [x, y, 0.0])))
        for number, (kind, x, y, yaw) in enumerate(standing, start=1)
    )
    return World("test:0", 1.0, Terrain(), ground, actors, (1,), Light(0.8, 0.9))


def labels_of(world):
    """Boxes of all but the first."""
    boxes_world = np.array([actor.box_world(0.5) for actor in world.actors[1:]])
    return transform_boxes(world_SE3_velo(world, 1, KITTI_RIG, 0.5).inverse(), boxes_world)


def sweep_of(world):
    return Sweep(LidarSensor(world).scan(1, 0.5, KITTI_RIG, seed=0).points_velo, 0, 0)


@pytest.fixture(scope="module", params=NAMES)
def name(request):
    """Of each in turn."""
    return request.param


def test_they_are_there_without_any_import(registry, name):
    """Hash and card are checked on the way."""
    label = registry.load_detector3d(name).name
    assert label.startswith(f"{name}@")
    assert label in [card.label for card in registry.list()]


def test_they_find_cars_and_nothing_else(registry, name):
    """BEV IoU over 0.5 with each of three cars; at the cut of 0.5 no fourth."""
    world = street(*AHEAD)
    found = registry.load_detector3d(name).detect(sweep_of(world), KITTI_RIG.camera)
    labels, good = labels_of(world), found.select(found.scores >= 0.5)
    assert (bev_iou(labels, good.boxes_velo).max(axis=1) > 0.5).all()
    assert len(good) == 3
    assert (np.diff(found.scores) <= 0).all()
    axis_error = good.boxes_velo[bev_iou(labels, good.boxes_velo).argmax(axis=1), 6] - labels[:, 6]
    assert np.abs(np.sin(axis_error)).max() < 0.15


def test_on_request_they_find_them_all_around(registry, name):
    """Beside, behind and on the seams of the views: each once, and nothing else."""
    world = street(*AROUND)
    found = registry.load_detector3d(name, full_circle=True).detect(sweep_of(world), KITTI_RIG.camera)
    labels, good = labels_of(world), found.select(found.scores >= 0.5)
    assert (bev_iou(labels, good.boxes_velo).max(axis=1) > 0.5).all()
    assert len(good) == len(AROUND)

"""Connected vehicles made by hand, on a slope and in a bend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.attitude import rotation_of
from vedette.datasets.instants import ConnectedFrame, Instant, LabelledVehicle
from vedette.frames import CameraImage, Frame, Sweep
from vedette.geometry import SE3, PinholeCamera

STAMP_NS = 1_767_268_800_100_000_000
"""2026-01-01 12:00:00.1 UTC."""
CAMERA = PinholeCamera(
    np.array([[30.0, 0.0, 20.0, 3.0], [0.0, 30.0, 10.0, 0.0], [0.0, 0.0, 1.0, 0.0]]),
    SE3(np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]), np.array([0.0, -0.08, -0.27])),
    40,
    20,
)
"""A tenth of a metre beside its reference camera."""


def pose(x: float, y: float, z: float, yaw: float) -> SE3:
    """A vehicle that leans."""
    return SE3(rotation_of(0.02, -0.05, yaw), np.array([x, y, z]))


def connected(vehicle_id: int, index: int, *, image: bool = True) -> ConnectedFrame:
    """A frame whose numbers differ from those of all others."""
    rng = np.random.default_rng([vehicle_id, index])
    points = rng.uniform(-50.0, 50.0, (20, 4)).astype(np.float32)
    points[:, 3] = rng.random(20, np.float32)
    stamp_ns = STAMP_NS + index * 100_000_000
    pixels = rng.integers(0, 255, (20, 40, 3)).astype(np.uint8)
    vehicle = pose(vehicle_id + index, -3.0, 0.5, 0.3 * vehicle_id)
    others = (
        LabelledVehicle(90, ObjectClass.BUS, pose(20.0, index, 1.6, 2.0), (11.5, 2.5, 3.2), 8.0),
        LabelledVehicle(91, ObjectClass.CAR, pose(10.0, 4.0, 0.8, -2.5), (4.25, 1.75, 1.5), 0.0),
    )
    return ConnectedFrame(
        vehicle_id,
        Frame(
            index,
            f"test/{vehicle_id}",
            stamp_ns,
            CAMERA,
            Sweep(points, stamp_ns - 50_000_000, stamp_ns + 50_000_000),
            CameraImage(pixels, stamp_ns) if image else None,
            vehicle.compose(SE3(np.eye(3), np.array([0.0, 0.0, 1.9]))),
        ),
        vehicle,
        pose(vehicle_id + index + 0.25, -3.0, 0.5, 0.3 * vehicle_id),
        12.5,
        others,
    )


def instants(count: int, vehicle_ids: tuple[int, ...] = (7, 12)) -> list[Instant]:
    """Successive instants of the given vehicles."""
    return [
        Instant(index, STAMP_NS + index * 100_000_000, tuple(connected(key, index) for key in vehicle_ids), {})
        for index in range(count)
    ]


@pytest.fixture
def make_instants() -> Callable[..., list[Instant]]:
    """Make successive instants of two vehicles."""
    return instants


@pytest.fixture
def write_frame(tmp_path: Path) -> Callable[..., Path]:
    """Write a frame's file, and a sweep of one point beside it."""

    def write(number: str = "000068", text: str = "lidar_pose: [0, 0, 2, 0, 0, 0]\n", vehicle: str = "7") -> Path:
        folder = tmp_path / "2021_08_16_22_26_54" / vehicle
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.yaml").write_text(text)
        header = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 1\nDATA ascii\n"
        (folder / f"{number}.pcd").write_text(f"{header}1 2 3\n")
        return folder

    return write

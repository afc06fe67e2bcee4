"""What several connected vehicles see and know at one and the same instant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vedette.classes import ObjectClass
from vedette.frames import BadFrame, Frame
from vedette.geometry import SE3, NDArrayFloat, NDArrayInt, wrap_pi


@dataclass(frozen=True, eq=False)
class LabelledVehicle:
    """A vehicle somewhere in the world, free of error.

    Args:
        vehicle_id: the same in all frames of all vehicles.
        object_class: what it is.
        world_SE3_box: centre of its volume, and how it is turned: length along x, width along y.
        size_m: length, width and height.
        speed_m_s: how fast it is.
    """

    vehicle_id: int
    object_class: ObjectClass
    world_SE3_box: SE3
    size_m: tuple[float, float, float]
    speed_m_s: float


@dataclass(frozen=True, eq=False)
class ConnectedFrame:
    """One connected vehicle's frame, and the truth around it.

    Args:
        vehicle_id: whose frame it is.
        frame: what its sensors deliver; `Frame.world_SE3_ego` is free of error.
        world_SE3_vehicle: bottom centre of the vehicle, free of error.
        estimated_SE3_vehicle: the same as the vehicle's own navigation has it: ``world_SE3_vehicle`` with its errors.
        speed_m_s: how fast it is.
        vehicles: the others around it, whether it sees them or not.
    """

    vehicle_id: int
    frame: Frame
    world_SE3_vehicle: SE3
    estimated_SE3_vehicle: SE3
    speed_m_s: float
    vehicles: tuple[LabelledVehicle, ...]


@dataclass(frozen=True, eq=False)
class Instant:
    """All connected vehicles' frames of one instant.

    Args:
        index: frame number.
        stamp_ns: capture time, UTC nanoseconds.
        frames: in order of vehicle ids as the source has them; a vehicle without a sound frame is absent.
        bad_frames: what could not be delivered, by vehicle id.
    """

    index: int
    stamp_ns: int
    frames: tuple[ConnectedFrame, ...]
    bad_frames: dict[int, BadFrame]


def boxes_velo(vehicles: tuple[LabelledVehicle, ...], world_SE3_velo: SE3) -> NDArrayFloat:
    """Vehicles as boxes of a LiDAR's frame.

    Args:
        vehicles: any.
        world_SE3_velo: pose of the LiDAR.

    Returns:
        ``(N,7) float64`` x, y, z, length, width, height, yaw: that of the length axis seen along the LiDAR's z.
    """
    velo_SE3_world = world_SE3_velo.inverse()
    boxes = np.empty((len(vehicles), 7))
    for row, vehicle in enumerate(vehicles):
        velo_SE3_box = velo_SE3_world.compose(vehicle.world_SE3_box)
        boxes[row] = [*velo_SE3_box.translation, *vehicle.size_m, wrap_pi(velo_SE3_box.yaw)]
    return boxes


def vehicle_ids(vehicles: tuple[LabelledVehicle, ...]) -> NDArrayInt:
    """``(N,) int64`` their ids."""
    return np.array([vehicle.vehicle_id for vehicle in vehicles], dtype=np.int64)

"""The YAML file of one vehicle's frame: its poses, its camera, and the vehicles around it.

```yaml
lidar_pose: [x, y, z, roll, yaw, pitch]        # metres and degrees, as in `poses`
true_ego_pos: [...]                            # bottom centre of the vehicle
predicted_ego_pos: [...]                       # the same, as it locates itself
ego_speed: 36.0                                # km/h, as all speeds
plan_trajectory: []
camera0: {cords: [pose], extrinsic: 4x4, intrinsic: 3x3}
vehicles:
  650: {location: [x, y, z], center: [x, y, z], extent: [x, y, z], angle: [roll, yaw, pitch], speed: 12.5}
```

`extent` is half the size, and a box's centre is `location + center`, added in the world's axes, as OpenCOOD does
(`box_utils.project_world_objects`). `extrinsic` takes points of the LiDAR to the camera, in the simulator's axes; it
follows from the poses, so it is written and not read. Simulators leave `extent` or `center` out of some vehicles: those
have no box. We add `object_class` to a vehicle; without it, it is taken for a car.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from vedette.classes import VEHICLES, ObjectClass
from vedette.datasets.instants import ConnectedFrame, LabelledVehicle
from vedette.datasets.kitti.fields import read_text
from vedette.datasets.opv2v.poses import matrix_to_simulator, mirrored, pose_from_simulator, pose_to_simulator
from vedette.errors import FileFormatError
from vedette.geometry import SE3, NDArrayFloat, PinholeCamera
from vedette.yaml_text import dump_plain_yaml, parse_large_yaml

_KM_H: Final = 3.6
_MAX_NUMBER: Final = 1e8
"""Farther than anything on Earth, and the sum of two is still a translation that `SE3` takes."""
_CLASSES: Final = {kind.label: kind for kind in VEHICLES}
_CAM_ROTATION_BODY: Final = SE3(np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]), np.zeros(3))
"""From a camera's body (x forward, y left, z up) to its optical frame (x right, y down, z forward)."""


@dataclass(frozen=True, eq=False)
class CameraDocument:
    """A camera as the file has it.

    Args:
        world_SE3_body: its pose, x along the view.
        intrinsic: (3, 3) pixels.
    """

    world_SE3_body: SE3
    intrinsic: NDArrayFloat

    def camera(self, world_SE3_velo: SE3, size_px: tuple[int, int]) -> PinholeCamera:
        """The camera as calibrated to the LiDAR.

        Args:
            world_SE3_velo: pose of the LiDAR.
            size_px: width and height of its images.

        Raises:
            ValueError: not a pinhole camera.
        """
        cam_SE3_velo = _CAM_ROTATION_BODY.compose(self.world_SE3_body.inverse()).compose(world_SE3_velo)
        return PinholeCamera(np.column_stack([self.intrinsic, np.zeros(3)]), cam_SE3_velo, *size_px)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of images whose middle is the principal point, as the simulator's is."""
        return max(round(2 * self.intrinsic[0, 2]), 1), max(round(2 * self.intrinsic[1, 2]), 1)


@dataclass(frozen=True, eq=False)
class FrameDocument:
    """What the file says, right-handed and in metres a second.

    Args:
        world_SE3_velo: pose of the LiDAR.
        world_SE3_vehicle: pose of the vehicle; that of the LiDAR where the file lacks it.
        estimated_SE3_vehicle: as the vehicle locates itself; its true pose where the file lacks it.
        speed_m_s: of the vehicle.
        camera: the first camera, or None.
        vehicles: those with a box.
        boxless_count: vehicles without `extent` or `center`.
    """

    world_SE3_velo: SE3
    world_SE3_vehicle: SE3
    estimated_SE3_vehicle: SE3
    speed_m_s: float
    camera: CameraDocument | None
    vehicles: tuple[LabelledVehicle, ...]
    boxless_count: int


def read_document(path: Path) -> FrameDocument:
    """Read a frame's file.

    Args:
        path: ``NNNNNN.yaml``.

    Raises:
        MissingDataError: no such file.
        FileFormatError: not YAML, or a value is not what its key says.
    """
    text = read_text(path, "frame file")
    try:
        content = parse_large_yaml(text)
    except ValueError as error:
        raise FileFormatError(path, met=str(error), expected="YAML") from None
    reader = _Reader(path)
    entries = reader.mapping(content, "the file")
    velo = reader.pose(entries, "lidar_pose")
    vehicle = reader.pose(entries, "true_ego_pos") if "true_ego_pos" in entries else velo
    others = reader.mapping(entries.get("vehicles") or {}, "vehicles")
    boxes = [reader.vehicle(key, value) for key, value in others.items()]
    return FrameDocument(
        velo,
        vehicle,
        reader.pose(entries, "predicted_ego_pos") if "predicted_ego_pos" in entries else vehicle,
        reader.numbers([entries.get("ego_speed", 0.0)], 1, "ego_speed")[0] / _KM_H,
        reader.camera(entries["camera0"]) if entries.get("camera0") else None,
        tuple(box for box in boxes if box is not None),
        sum(box is None for box in boxes),
    )


def format_document(connected: ConnectedFrame) -> str:
    """Write a frame's file.

    Args:
        connected: the frame; its LiDAR's pose is `Frame.world_SE3_ego`.

    Raises:
        ValueError: the frame has no pose.
    """
    world_SE3_velo = connected.frame.world_SE3_ego
    if world_SE3_velo is None:
        raise ValueError(f"{connected.frame.source} frame {connected.frame.index} has no pose; expected one")
    return dump_plain_yaml(
        {
            "lidar_pose": pose_to_simulator(world_SE3_velo),
            "true_ego_pos": pose_to_simulator(connected.world_SE3_vehicle),
            "predicted_ego_pos": pose_to_simulator(connected.estimated_SE3_vehicle),
            "ego_speed": connected.speed_m_s * _KM_H,
            "plan_trajectory": [],
            "camera0": _camera_entry(connected.frame.camera, world_SE3_velo),
            "vehicles": {vehicle.vehicle_id: _vehicle_entry(vehicle) for vehicle in connected.vehicles},
        }
    )


def _camera_entry(camera: PinholeCamera, world_SE3_velo: SE3) -> dict[str, Any]:
    intrinsic = camera.projection[:, :3]
    # the projection's last column is the way from the reference camera to this one, times the intrinsic matrix
    cam_SE3_reference = SE3(np.eye(3), np.linalg.inv(intrinsic) @ camera.projection[:, 3])
    body_SE3_velo = _CAM_ROTATION_BODY.inverse().compose(cam_SE3_reference).compose(camera.cam_SE3_velo)
    return {
        "cords": pose_to_simulator(world_SE3_velo.compose(body_SE3_velo.inverse())),
        "extrinsic": matrix_to_simulator(body_SE3_velo),
        "intrinsic": intrinsic.tolist(),
    }


def _vehicle_entry(vehicle: LabelledVehicle) -> dict[str, Any]:
    centre = pose_to_simulator(vehicle.world_SE3_box)
    half_height_m = vehicle.size_m[2] / 2
    return {
        "location": [centre[0], centre[1], centre[2] - half_height_m],
        "center": [0.0, 0.0, half_height_m],
        "extent": [size / 2 for size in vehicle.size_m],
        "angle": centre[3:],
        "speed": vehicle.speed_m_s * _KM_H,
        "object_class": vehicle.object_class.label,
    }


@dataclass(frozen=True)
class _Reader:
    """Takes values out of the document, with errors that say where."""

    path: Path

    def mapping(self, value: Any, where: str) -> Mapping[Any, Any]:
        if not isinstance(value, Mapping):
            raise FileFormatError(self.path, met=f"{where} is {_shown(value)}", expected="keys and values")
        return value

    def numbers(self, value: Any, count: int, where: str) -> list[float]:
        expected = f"{count} finite numbers, at most {_MAX_NUMBER:g}"
        if not isinstance(value, list) or len(value) != count:
            raise FileFormatError(self.path, met=f"{where} is {_shown(value)}", expected=expected)
        try:
            # YAML takes 1e-05 for a text: it wants a point in it
            numbers = [float(number) for number in value if not isinstance(number, bool)]
        except (TypeError, ValueError):
            numbers = []
        if len(numbers) != count or not all(abs(number) <= _MAX_NUMBER for number in numbers):
            raise FileFormatError(self.path, met=f"{where} is {_shown(value)}", expected=expected)
        return numbers

    def pose(self, entries: Mapping[Any, Any], key: str) -> SE3:
        return pose_from_simulator(self.numbers(entries.get(key), 6, key))

    def camera(self, value: Any) -> CameraDocument:
        entries = self.mapping(value, "camera0")
        rows = entries.get("intrinsic")
        if not isinstance(rows, list) or len(rows) != 3:
            raise FileFormatError(self.path, met=f"camera0 intrinsic is {_shown(rows)}", expected="3 rows of 3 numbers")
        intrinsic = np.array([self.numbers(row, 3, "a row of camera0 intrinsic") for row in rows])
        return CameraDocument(pose_from_simulator(self.numbers(entries.get("cords"), 6, "camera0 cords")), intrinsic)

    def vehicle(self, key: Any, value: Any) -> LabelledVehicle | None:
        """None for one without a box."""
        where = f"vehicle {_shown(key)}"
        entries = self.mapping(value, where)
        if "extent" not in entries or "center" not in entries:
            return None
        triples = {
            name: np.array(self.numbers(entries.get(name), 3, f"{where} {name}"))
            for name in ("location", "center", "extent", "angle")
        }
        centre = triples["location"] + triples["center"]
        length_m, width_m, height_m = (2 * triples["extent"]).tolist()
        return LabelledVehicle(
            self.vehicle_id(key),
            self.object_class(entries.get("object_class", ObjectClass.CAR.label), where),
            SE3(pose_from_simulator([0.0, 0.0, 0.0, *triples["angle"]]).rotation, mirrored(centre)),
            (length_m, width_m, height_m),
            self.numbers([entries.get("speed", 0.0)], 1, f"{where} speed")[0] / _KM_H,
        )

    def vehicle_id(self, key: Any) -> int:
        text = str(key)
        if not text.isascii() or not text.isdecimal() or len(text) > 18:
            raise FileFormatError(self.path, met=f"the vehicle {_shown(key)}", expected="a number as its id")
        return int(text)

    def object_class(self, label: Any, where: str) -> ObjectClass:
        kind = _CLASSES.get(label) if isinstance(label, str) else None
        if kind is None:
            known = ", ".join(sorted(_CLASSES))
            raise FileFormatError(self.path, met=f"{where} object_class {_shown(label)}", expected=f"one of {known}")
        return kind


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."

"""A folder of OPV2V: several connected vehicles' frames of one drive.

```
SCENARIO/VEHICLE_ID/{NNNNNN.yaml, NNNNNN.pcd, NNNNNN_camera0.png}        SCENARIO/data_protocol.yaml
```

A frame is there where its YAML file is; its sweep and its picture may be missing, and further cameras are passed over.
Frames are numbered by the simulator's steps, of which every second one is kept; the vehicles' files of one number
belong to one instant. There are no times: successive instants are taken for 0.1 s apart, counted from the first one of
the scenario. Folders with a negative id are roadside units, and are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from vedette.datasets.instants import ConnectedFrame, Instant
from vedette.datasets.kitti.files import read_image
from vedette.datasets.kitti.image_size import image_size_px
from vedette.datasets.opv2v.documents import FrameDocument, read_document
from vedette.datasets.opv2v.pcd import read_pcd
from vedette.errors import ConfigError, DataError, FileFormatError, InvalidFrameError, MissingDataError
from vedette.frames import BadFrame, CameraImage, Frame, Sweep
from vedette.geometry import SE3, PinholeCamera

PERIOD_NS: Final = 100_000_000
"""OPV2V is said to be recorded at 10 Hz (Xu et al., OPV2V, ICRA 2022)."""

_VEHICLE: Final = re.compile(r"-?[0-9]{1,18}")
_IMAGE_SUFFIXES: Final = (".png", ".jpg", ".jpeg")
_SIMULATOR_CAMERA: Final = PinholeCamera(
    np.array([[335.64, 0.0, 400.0, 0.0], [0.0, 335.64, 300.0, 0.0], [0.0, 0.0, 1.0, 0.0]]),
    SE3(np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]), np.zeros(3)),
    800,
    600,
)
"""Stands in where a frame has none: 800x600 with a field of view of 100 degrees, at the LiDAR, looking forward."""


@dataclass(frozen=True)
class Opv2vScenario:
    """One scenario's files.

    Args:
        folder: of the scenario.
        numbers: numbers of the frames of each connected vehicle, rising, by vehicle id, rising.
        roadside_count: roadside units that are passed over.
    """

    folder: Path
    numbers: Mapping[int, tuple[int, ...]]
    roadside_count: int

    @classmethod
    def find(cls, folder: Path) -> Opv2vScenario:
        """Look for a scenario.

        Args:
            folder: of the scenario, or the parent of a single one.

        Raises:
            MissingDataError: there is none, or it has no frames.
            ConfigError: there are several; the message lists them.
        """
        place = _scenario_folder(folder)
        ids = _vehicle_ids(place)
        numbers = {vehicle: _frame_numbers(place / str(vehicle)) for vehicle in sorted(ids) if vehicle >= 0}
        numbers = {vehicle: frames for vehicle, frames in numbers.items() if frames}
        if not numbers:
            raise MissingDataError(f"{place}: no frames; expected VEHICLE_ID/NNNNNN.yaml, the id not negative")
        return cls(place, numbers, sum(vehicle < 0 for vehicle in ids))

    @cached_property
    def instants_numbers(self) -> tuple[int, ...]:
        """Numbers that any vehicle has a frame of, rising."""
        return tuple(sorted({number for numbers in self.numbers.values() for number in numbers}))

    def stamp_ns(self, number: int) -> int:
        """Capture time of an instant, 0 at the scenario's first one.

        Args:
            number: of the frame.
        """
        first = self.instants_numbers[0]
        return (number - first) * PERIOD_NS // self._step

    @cached_property
    def _step(self) -> int:
        """By how much numbers rise from one instant to the next; a gap is a multiple of it."""
        steps = np.diff(self.instants_numbers)
        return int(steps.min()) if len(steps) else 1

    def document(self, vehicle_id: int, number: int) -> FrameDocument:
        """The poses and boxes of a frame.

        Args:
            vehicle_id: whose frame.
            number: of the frame.

        Raises:
            MissingDataError: no such file.
            FileFormatError: it is not what it should be.
        """
        return read_document(self._path(vehicle_id, number, ".yaml"))

    def camera(self, vehicle_id: int, number: int, document: FrameDocument) -> PinholeCamera:
        """The camera of a frame, whether it has an image or not.

        Args:
            vehicle_id: whose frame.
            number: of the frame.
            document: of the frame.

        Raises:
            FileFormatError: the file's camera is not a pinhole camera.
        """
        path = self._image_path(vehicle_id, number)
        size_px = None if path is None else image_size_px(path.read_bytes())
        if document.camera is None:
            return _SIMULATOR_CAMERA if size_px is None else _of_size(_SIMULATOR_CAMERA, size_px)
        try:
            return document.camera.camera(document.world_SE3_velo, size_px or document.camera.size_px)
        except ValueError as error:
            path = self._path(vehicle_id, number, ".yaml")
            raise FileFormatError(path, met=f"camera0: {error}", expected="a pinhole camera") from None

    def load(self, vehicle_id: int, number: int) -> ConnectedFrame:
        """Read a frame with all that belongs to it.

        Args:
            vehicle_id: whose frame.
            number: of the frame.

        Raises:
            DataError: it cannot be used.
        """
        document = self.document(vehicle_id, number)
        stamp_ns = self.stamp_ns(number)
        path = self._image_path(vehicle_id, number)
        frame = Frame(
            number,
            self.name(vehicle_id),
            stamp_ns,
            self.camera(vehicle_id, number, document),
            self._sweep(vehicle_id, number, stamp_ns),
            None if path is None else CameraImage(read_image(path), stamp_ns),
            document.world_SE3_velo,
        )
        return ConnectedFrame(
            vehicle_id,
            frame,
            document.world_SE3_vehicle,
            document.estimated_SE3_vehicle,
            document.speed_m_s,
            document.vehicles,
        )

    def name(self, vehicle_id: int) -> str:
        """What reports call a vehicle's recording.

        Args:
            vehicle_id: the vehicle.
        """
        return f"opv2v/{self.folder.name}/{vehicle_id}"

    def bad_frame(self, vehicle_id: int, number: int, error: DataError) -> BadFrame:
        """What stands in for a frame that cannot be used.

        Args:
            vehicle_id: whose frame.
            number: of the frame.
            error: why it cannot be used.
        """
        return BadFrame(number, self.name(vehicle_id), self.stamp_ns(number), error)

    def instants(self) -> Iterator[Instant]:
        """All vehicles' frames, instant by instant."""
        return (self._instant(number) for number in self.instants_numbers)

    def _instant(self, number: int) -> Instant:
        frames: list[ConnectedFrame] = []
        bad_frames: dict[int, BadFrame] = {}
        for vehicle_id, numbers in self.numbers.items():
            if number not in numbers:
                continue
            try:
                frames.append(self.load(vehicle_id, number))
            except DataError as error:
                bad_frames[vehicle_id] = self.bad_frame(vehicle_id, number, error)
        return Instant(number, self.stamp_ns(number), tuple(frames), bad_frames)

    def has_sweep(self, vehicle_id: int, number: int) -> bool:
        """Whether a frame's sweep is there.

        Args:
            vehicle_id: a connected vehicle.
            number: of one of its frames.
        """
        return self._path(vehicle_id, number, ".pcd").is_file()

    def _path(self, vehicle_id: int, number: int, ending: str) -> Path:
        return self.folder / str(vehicle_id) / f"{number:06d}{ending}"

    def _sweep(self, vehicle_id: int, number: int, stamp_ns: int) -> Sweep | None:
        if not self.has_sweep(vehicle_id, number):
            return None
        path = self._path(vehicle_id, number, ".pcd")
        points = read_pcd(path)
        points[:, 1] = -points[:, 1]
        try:
            return Sweep(points, stamp_ns - PERIOD_NS // 2, stamp_ns + PERIOD_NS // 2)
        except InvalidFrameError as error:
            raise InvalidFrameError(f"{path}: {error}") from None

    def _image_path(self, vehicle_id: int, number: int) -> Path | None:
        paths = (self._path(vehicle_id, number, f"_camera0{suffix}") for suffix in _IMAGE_SUFFIXES)
        return next((path for path in paths if path.is_file()), None)


def _of_size(camera: PinholeCamera, size_px: tuple[int, int]) -> PinholeCamera:
    """The same field of view in another number of pixels."""
    scale = size_px[0] / camera.width_px
    width_px, height_px = size_px
    projection = np.array(camera.projection) * scale
    projection[:2, 2], projection[2, 2] = [width_px / 2, height_px / 2], 1.0
    return PinholeCamera(projection, camera.cam_SE3_velo, *size_px)


def _scenario_folder(folder: Path) -> Path:
    if _vehicle_ids(folder):
        return folder
    inside = [path for path in sorted(folder.iterdir()) if path.is_dir() and _vehicle_ids(path)]
    if not inside:
        raise MissingDataError(
            f"{folder}: no OPV2V scenario; expected VEHICLE_ID/NNNNNN.yaml in it or one folder below"
        )
    if len(inside) > 1:
        names = ", ".join(path.name for path in inside)
        raise ConfigError(f"{folder}: {len(inside)} scenarios; name the folder of one of them: {names}")
    return inside[0]


def _vehicle_ids(folder: Path) -> list[int]:
    return [int(path.name) for path in folder.iterdir() if path.is_dir() and _VEHICLE.fullmatch(path.name)]


def _frame_numbers(folder: Path) -> tuple[int, ...]:
    return tuple(sorted(int(path.stem) for path in folder.glob("*.yaml") if re.fullmatch("[0-9]{6}", path.stem)))

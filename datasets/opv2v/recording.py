"""One connected vehicle of an OPV2V scenario as a recording."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from vedette.classes import CLASS_TO_KITTI
from vedette.datasets.instants import LabelledVehicle, boxes_velo, vehicle_ids
from vedette.datasets.kitti.convert import camera_rows
from vedette.datasets.opv2v.scenario import Opv2vScenario
from vedette.errors import DataError, MissingDataError
from vedette.evaluation.objects import CameraObjects
from vedette.frames import FrameItem, TimeBase
from vedette.geometry import SE3, PinholeCamera


class Opv2vRecording:
    """One vehicle's frames.

    Args:
        scenario: with its files.
        vehicle_id: one of its connected vehicles.
    """

    def __init__(self, scenario: Opv2vScenario, vehicle_id: int) -> None:
        self._scenario: Final = scenario
        self._vehicle_id: Final = vehicle_id
        self._numbers: Final = scenario.numbers[vehicle_id]
        self._closed = False

    @property
    def name(self) -> str:
        """Name of the recording, as reports show it."""
        return self._scenario.name(self._vehicle_id)

    @property
    def time_base(self) -> TimeBase:
        """OPV2V has no times."""
        return TimeBase.ASSUMED_10_HZ

    @property
    def frame_count(self) -> int:
        """Number of items iterating yields."""
        return len(self._numbers)

    @property
    def missing_frame_count(self) -> int:
        """Instants that other vehicles of the scenario have a frame of, and this one has not."""
        return len(self._scenario.instants_numbers) - len(self._numbers)

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """What the recording lacks; reads all its YAML files when it is first asked."""
        found = []
        if self._scenario.roadside_count:
            found.append(f"{self._scenario.roadside_count} roadside units (negative ids) are passed over")
        if lost := sum(not self._scenario.has_sweep(self._vehicle_id, number) for number in self._numbers):
            found.append(f"{lost} of {len(self._numbers)} frames have no sweep (.pcd)")
        if boxless := sum(self._boxless(number) for number in self._numbers):
            found.append(f"{boxless} labels of vehicles have no extent or no center, and are left out")
        return tuple(found)

    def __iter__(self) -> Iterator[FrameItem]:
        """Read the frames one by one; a frame that cannot be used comes as a `BadFrame` in its place."""
        if self._closed:
            raise MissingDataError(f"{self.name} is closed; open the recording again to read it")
        return (self._load(number) for number in self._numbers)

    def labels(self, frame_index: int) -> CameraObjects | None:
        """The vehicles that the camera's field of view holds, hidden ones too: OPV2V does not say what is visible.

        Args:
            frame_index: the frame's number in the recording.

        Raises:
            DataError: its YAML file cannot be used.
        """
        if frame_index not in self._numbers:
            return None
        document = self._scenario.document(self._vehicle_id, frame_index)
        camera = self._scenario.camera(self._vehicle_id, frame_index, document)
        return _camera_objects(document.vehicles, document.world_SE3_velo, camera)

    def close(self) -> None:
        """Refuse further iteration; files are open only while they are read."""
        self._closed = True

    def _load(self, number: int) -> FrameItem:
        try:
            return self._scenario.load(self._vehicle_id, number).frame
        except DataError as error:
            return self._scenario.bad_frame(self._vehicle_id, number, error)

    def _boxless(self, number: int) -> int:
        try:
            return self._scenario.document(self._vehicle_id, number).boxless_count
        except DataError:
            return 0  # comes as a BadFrame when it is its turn


def open_opv2v(folder: Path, vehicle_id: int | None = None) -> Opv2vRecording:
    """Open one vehicle's recording.

    Args:
        folder: of a scenario, or the parent of a single one.
        vehicle_id: the vehicle; None for the one with the lowest id, which OpenCOOD calls the ego vehicle.

    Raises:
        MissingDataError: no scenario, or no such vehicle in it; the message lists those there are.
        ConfigError: several scenarios.
    """
    scenario = Opv2vScenario.find(folder)
    if vehicle_id is None:
        vehicle_id = min(scenario.numbers)
    if vehicle_id not in scenario.numbers:
        known = ", ".join(map(str, scenario.numbers))
        raise MissingDataError(f"{scenario.folder}: no connected vehicle {vehicle_id}; there are: {known}")
    return Opv2vRecording(scenario, vehicle_id)


def _camera_objects(vehicles: tuple[LabelledVehicle, ...], world_SE3_velo: SE3, camera: PinholeCamera) -> CameraObjects:
    boxes_px, boxes_cam, alpha, visible = camera_rows(boxes_velo(vehicles, world_SE3_velo), camera)
    objects = CameraObjects(
        types=tuple(CLASS_TO_KITTI[vehicle.object_class] for vehicle in vehicles),
        truncation=np.full(len(vehicles), -1.0),
        occlusion=np.full(len(vehicles), -1, dtype=np.int64),
        alpha=alpha,
        boxes_px=boxes_px,
        boxes_cam=boxes_cam,
        track_ids=vehicle_ids(vehicles),
    )
    return objects.select(visible)

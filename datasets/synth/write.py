"""Writing a world in one of the layouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from vedette.datasets.instants import Instant
from vedette.datasets.kitti.write_object import write_object
from vedette.datasets.kitti.write_raw import write_raw
from vedette.datasets.kitti.write_tracking import SEQUENCE, write_tracking
from vedette.datasets.opv2v.write import write_opv2v
from vedette.datasets.synth.instants import synth_instants
from vedette.datasets.synth.layouts import Layout
from vedette.datasets.synth.recording import SynthRecording, world_of
from vedette.datasets.synth.scenarios import SCENARIOS, connected_count
from vedette.datasets.writing import check_new_folder
from vedette.errors import ConfigError


@dataclass(frozen=True)
class WriteRequest:
    """What is to be written.

    Args:
        scenario: its name.
        seed: of the world and of the sensors' noise.
        frame_count: from frame 0 on.
        layout: how.
        vehicles: connected vehicles, where the scenario leaves their number open; None for its own choice.
    """

    scenario: str
    seed: int
    frame_count: int
    layout: Layout
    vehicles: int | None = None


def write_synth(request: WriteRequest, folder: Path, on_frame: Callable[[], None]) -> str:
    """Build a world and write it.

    Args:
        request: what.
        folder: not there yet, or empty.
        on_frame: called after each frame, of all vehicles where there are several.

    Returns:
        Name of the source that reads it.

    Raises:
        ConfigError: the request is not possible, or the folder is not empty or cannot be written.
        MissingPackageError: Open3D is not installed.
    """
    check_new_folder(folder)
    _check_several(request)
    world = world_of(request.scenario, request.seed, request.frame_count, request.vehicles)
    frames = range(request.frame_count)
    if request.layout is Layout.OPV2V:
        instants = synth_instants(world, frames, request.seed)
        write_opv2v(_counted(instants, on_frame), folder, world=world.name)
        return f"{Layout.OPV2V}:{folder}"
    recording = SynthRecording(world, frames, request.seed)
    if request.layout is Layout.KITTI_OBJECT:
        write_object(recording, folder, on_frame, recording.velo_SE3_imu)
        return f"{Layout.KITTI_OBJECT}:{folder}"
    if request.layout is Layout.KITTI_RAW:
        drive = write_raw(recording, folder, on_frame)
        return f"{Layout.KITTI_RAW}:{folder}:{drive}"
    write_tracking(recording, folder, on_frame)
    return f"{Layout.KITTI_TRACKING}:{folder}:{SEQUENCE}"


def _check_several(request: WriteRequest) -> None:
    """Before seconds go into building a world that the layout has no use for."""
    if request.layout is not Layout.OPV2V or request.scenario not in SCENARIOS:
        return
    if connected_count(request.scenario, request.vehicles) < 2:
        raise ConfigError(
            f"scenario {request.scenario} has one connected vehicle; expected two or more for the layout"
            f" {Layout.OPV2V}, as in the scenario convoy"
        )


def _counted(instants: Iterator[Instant], on_frame: Callable[[], None]) -> Iterator[Instant]:
    for instant in instants:
        yield instant
        on_frame()

"""A recording's labels, cameras and poses, read for the evaluation alone: no agent and no link ever sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vedette.datasets.recording import Recording
from vedette.errors import MissingDataError
from vedette.evaluation.objects import CameraObjects
from vedette.frames import Frame
from vedette.geometry import SE3, PinholeCamera


@dataclass(frozen=True)
class TrueFrame:
    """One item of the recording.

    Args:
        index: frame number.
        stamp_ns: capture time.
        ready_ns: when its last part had been captured.
        camera: of the frame; of the nearest sound one where it is bad.
        labels: the labelled objects, or None for a frame without labels.
        world_SE3_ego: pose of the vehicle, or None without odometry.
    """

    index: int
    stamp_ns: int
    ready_ns: int
    camera: PinholeCamera
    labels: CameraObjects | None
    world_SE3_ego: SE3 | None


def read_truth(recording: Recording, on_item: Callable[[], None] = lambda: None) -> list[TrueFrame]:
    """Go through a recording once.

    Args:
        recording: the source, open.
        on_item: called once for every item.

    Returns:
        One entry per item, in order. A bad frame has the camera of the last sound frame before it, or of the first one.

    Raises:
        MissingDataError: not one frame can be read.
        FileFormatError: a label file is not what it should be.
    """
    nearest = _first_camera(recording)
    frames = []
    for item in recording:
        nearest = item.camera if isinstance(item, Frame) else nearest
        labels = recording.labels(item.index)
        pose = item.world_SE3_ego if isinstance(item, Frame) else None
        frames.append(TrueFrame(item.index, item.stamp_ns, item.ready_ns, nearest, labels, pose))
        on_item()
    return frames


def _first_camera(recording: Recording) -> PinholeCamera:
    why = "it has no frames"
    for item in recording:
        if isinstance(item, Frame):
            return item.camera
        why = str(item.error)
    raise MissingDataError(f"{recording.name}: not one frame can be used; the last: {why}")

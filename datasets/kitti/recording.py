"""Frames from files: what the three layouts have in common once they have found them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from vedette.datasets.kitti.calibration import DEFAULT_SIZE_PX, KittiCalibration
from vedette.datasets.kitti.files import read_image, read_scan
from vedette.datasets.kitti.timestamps import FrameTimes
from vedette.errors import DataError, InvalidFrameError, MissingDataError
from vedette.evaluation.objects import CameraObjects
from vedette.frames import BadFrame, CameraImage, Frame, FrameItem, Sweep, TimeBase
from vedette.geometry import SE3, NDArrayUInt8, PinholeCamera

LabelLookup = Callable[[int], CameraObjects | None]
"""Labels by frame number; None for a frame without labels."""


@dataclass(frozen=True)
class FrameFiles:
    """Where one frame lies on disk, and when and where it was captured.

    Args:
        index: frame number in the recording.
        times: capture times.
        scan: the sweep's file, or None when the recording has none for this frame.
        image: the picture's file, or None likewise.
        world_SE3_ego: pose of the velo frame, or None without odometry.
        fault: why the frame cannot be delivered although it should exist; None for a sound one.
    """

    index: int
    times: FrameTimes
    scan: Path | None
    image: Path | None
    world_SE3_ego: SE3 | None = None
    fault: DataError | None = None


@dataclass(frozen=True)
class Rig:
    """The camera of a frame.

    Args:
        calibration: what the file says.
        size_px: size that its images must have; None takes an image's own size, or KITTI's most common one.
    """

    calibration: KittiCalibration
    size_px: tuple[int, int] | None

    def camera(self, pixels: NDArrayUInt8 | None) -> PinholeCamera:
        """The camera for an image, or for a frame without one.

        Args:
            pixels: the frame's (H, W, 3) image, or None.

        Raises:
            InvalidFrameError: the image has another size than the rig's.
        """
        own_px = None if pixels is None else (pixels.shape[1], pixels.shape[0])
        if self.size_px is not None and own_px is not None and own_px != self.size_px:
            raise InvalidFrameError(
                f"the image is {own_px[0]}x{own_px[1]}; expected {self.size_px[0]}x{self.size_px[1]} as calibrated"
            )
        return self.calibration.camera(self.size_px or own_px or DEFAULT_SIZE_PX)


RigLookup = Callable[[int], Rig]
"""The rig of a frame number; raises `DataError` where its calibration cannot be used."""


class KittiRecording:
    """A recording in one of KITTI's layouts.

    Args:
        name: as reports show it.
        time_base: where the frames' times come from.
        frames: in order of capture.
        rig: the rig of each frame.
        labels: the labels of each frame.
        missing_frame_count: frames that the timestamps speak of and that are not among `frames`.
        problems: what the recording lacks, for people.
    """

    def __init__(
        self,
        name: str,
        time_base: TimeBase,
        frames: Sequence[FrameFiles],
        rig: RigLookup,
        labels: LabelLookup,
        *,
        missing_frame_count: int = 0,
        problems: Sequence[str] = (),
    ) -> None:
        self._name = name
        self._time_base = time_base
        self._frames: Final = tuple(frames)
        self._rig = rig
        self._labels = labels
        self._missing_frame_count = missing_frame_count
        self._problems = tuple(problems)
        self._closed = False

    @property
    def name(self) -> str:
        """Name of the recording, as reports show it."""
        return self._name

    @property
    def time_base(self) -> TimeBase:
        """Where capture times come from."""
        return self._time_base

    @property
    def frame_count(self) -> int:
        """Number of items iterating yields."""
        return len(self._frames)

    @property
    def missing_frame_count(self) -> int:
        """Frames that the recording's timestamps speak of but that are not delivered, not even as a `BadFrame`."""
        return self._missing_frame_count

    @property
    def problems(self) -> tuple[str, ...]:
        """What the recording lacks without becoming unusable, one sentence each, for people."""
        return self._problems

    def __iter__(self) -> Iterator[FrameItem]:
        """Read the frames one by one; a frame that cannot be used comes as a `BadFrame` in its place."""
        if self._closed:
            raise MissingDataError(f"{self._name} is closed; open the recording again to read it")
        return (self._load(files) for files in self._frames)

    def labels(self, frame_index: int) -> CameraObjects | None:
        """The labels of a frame; None where it has none.

        Args:
            frame_index: the frame's number in the recording.

        Raises:
            FileFormatError: its label file is not one of this layout.
        """
        return self._labels(frame_index)

    def close(self) -> None:
        """Refuse further iteration; files are open only while they are read."""
        self._closed = True

    def _load(self, files: FrameFiles) -> FrameItem:
        try:
            return self._read(files)
        except DataError as error:
            return BadFrame(files.index, self._name, files.times.stamp_ns, error)

    def _read(self, files: FrameFiles) -> Frame:
        if files.fault is not None:
            raise files.fault
        rig = self._rig(files.index)
        pixels = None if files.image is None else read_image(files.image)
        try:
            camera = rig.camera(pixels)
        except InvalidFrameError as error:
            raise InvalidFrameError(f"{files.image}: {error}") from None
        return Frame(
            files.index,
            self._name,
            files.times.stamp_ns,
            camera,
            None if files.scan is None else _read_sweep(files.scan, files.times),
            None if pixels is None else CameraImage(pixels, files.times.stamp_ns),
            files.world_SE3_ego,
        )


def _read_sweep(path: Path, times: FrameTimes) -> Sweep:
    points_velo = read_scan(path)
    try:
        return Sweep(points_velo, times.sweep_start_ns, times.sweep_end_ns)
    except InvalidFrameError as error:
        raise InvalidFrameError(f"{path}: {error}") from None


def sequence_size_px(calibration: KittiCalibration, images: Sequence[Path]) -> tuple[int, int]:
    """The one image size of a recording.

    Args:
        calibration: says it where it knows.
        images: otherwise the first that can be read does.

    Returns:
        Width and height; KITTI's most common size where nothing says it.
    """
    if calibration.size_px is not None:
        return calibration.size_px
    for path in images:
        try:
            height_px, width_px, _ = read_image(path).shape
        except DataError:
            continue  # comes as a BadFrame when it is its turn
        return int(width_px), int(height_px)
    return DEFAULT_SIZE_PX


def size_problems(calibration: KittiCalibration, images: Sequence[Path]) -> list[str]:
    """Says where the image size of a recording is a guess.

    Args:
        calibration: of the recording.
        images: its images.
    """
    if calibration.size_px is not None or images:
        return []
    width_px, height_px = DEFAULT_SIZE_PX
    return [f"neither an image nor the calibration tells the image size: {width_px}x{height_px} is assumed"]


def file_problems(frames: Sequence[FrameFiles]) -> list[str]:
    """Which files frames lack, one sentence a kind of file.

    Args:
        frames: of one recording.
    """
    without = {
        "scan": sum(frame.scan is None for frame in frames),
        "image": sum(frame.image is None for frame in frames),
    }
    return [f"{count} of {len(frames)} frames have no {what}" for what, count in without.items() if count]


def empty_labels() -> CameraObjects:
    """The labels of a frame in which nothing is labelled; with track ids, as sequences have them."""
    objects = CameraObjects.empty(scored=False)
    return CameraObjects(
        objects.types,
        objects.truncation,
        objects.occlusion,
        objects.alpha,
        objects.boxes_px,
        objects.boxes_cam,
        track_ids=np.zeros(0, dtype=np.int64),
    )

"""Frames that are costly to make are made once and kept on disk, so that iterating again is as fast as a recording."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from vedette.datasets.recording import Recording
from vedette.errors import DataError
from vedette.evaluation.objects import CameraObjects
from vedette.frames import CameraImage, Frame, FrameItem, Sweep, TimeBase


class SpooledRecording:
    """A recording that makes each frame the first time it is wanted, and keeps it until it is closed.

    About 3 MB a frame of a 64-beam LiDAR and a 1242x375 camera, in the folder for temporary files.

    Args:
        recording: makes the frames; iterated once, closed with this one.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._folder = TemporaryDirectory(prefix="vedette-frames-")
        self._source = iter(recording)
        self._items: list[FrameItem | _KeptFrame] = []
        # a reader ahead of the run and the run itself iterate at the same time
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Name of the recording."""
        return self._recording.name

    @property
    def time_base(self) -> TimeBase:
        """Where capture times come from."""
        return self._recording.time_base

    @property
    def frame_count(self) -> int | None:
        """Number of items iterating yields."""
        return self._recording.frame_count

    @property
    def missing_frame_count(self) -> int:
        """As the recording says."""
        return self._recording.missing_frame_count

    @property
    def problems(self) -> tuple[str, ...]:
        """As the recording says."""
        return self._recording.problems

    def labels(self, frame_index: int) -> CameraObjects | None:
        """The labels of a frame, as the recording has them.

        Args:
            frame_index: the frame's number in the recording.
        """
        return self._recording.labels(frame_index)

    def __iter__(self) -> Iterator[FrameItem]:
        """Deliver the frames, made or kept.

        Raises:
            DataError: a frame cannot be written to the disk.
        """
        position = 0
        while (item := self._item(position)) is not None:
            yield item.read() if isinstance(item, _KeptFrame) else item
            position += 1

    def make_all(self) -> None:
        """Make every frame now, for a reader that cannot wait for them.

        Raises:
            DataError: a frame cannot be written to the disk.
        """
        while self._item(len(self._items)) is not None:
            pass

    def close(self) -> None:
        """Close the recording and delete what was kept."""
        self._recording.close()
        self._folder.cleanup()

    def _item(self, position: int) -> FrameItem | _KeptFrame | None:
        """What is kept at a position, made now if it is the next; None after the last."""
        with self._lock:
            if position == len(self._items):
                item = next(self._source, None)
                if item is None:
                    return None
                self._items.append(_KeptFrame.of(item, Path(self._folder.name)) if isinstance(item, Frame) else item)
            return self._items[position]


class _KeptFrame:
    """A frame without its points and pixels, and where those are.

    Args:
        frame: with a single point and a black image in the place of the real ones.
        points: file of the sweep, or None.
        pixels: file of the image, or None.
    """

    def __init__(self, frame: Frame, points: Path | None, pixels: Path | None) -> None:
        self._frame = frame
        self._points = points
        self._pixels = pixels

    @classmethod
    def of(cls, frame: Frame, folder: Path) -> _KeptFrame:
        """Write a frame's arrays.

        Args:
            frame: the frame.
            folder: where to.

        Raises:
            DataError: the disk refuses.
        """
        sweep, image = frame.sweep, frame.image
        points = pixels = None
        try:
            if sweep is not None:
                points = folder / f"{frame.index}-points.npy"
                np.save(points, sweep.points_velo)
                sweep = replace(sweep, points_velo=sweep.points_velo[:1].copy())
            if image is not None:
                pixels = folder / f"{frame.index}-pixels.npy"
                np.save(pixels, image.pixels_bgr)
                # one byte that stands for all: an array of the right shape that holds no memory
                image = replace(image, pixels_bgr=np.broadcast_to(np.uint8(0), image.pixels_bgr.shape))
        except OSError as error:
            raise DataError(
                f"frame {frame.index} cannot be kept in {folder}: {error.strerror}; free some space"
            ) from error
        return cls(replace(frame, sweep=sweep, image=image), points, pixels)

    def read(self) -> Frame:
        """The whole frame."""
        frame = self._frame
        sweep: Sweep | None = None
        image: CameraImage | None = None
        if frame.sweep is not None and self._points is not None:
            sweep = replace(frame.sweep, points_velo=np.load(self._points))
        if frame.image is not None and self._pixels is not None:
            image = replace(frame.image, pixels_bgr=np.load(self._pixels))
        return replace(frame, sweep=sweep, image=image)

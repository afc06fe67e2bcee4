"""What a sensor delivers: sweeps, images, frames, and the seam that every source of them implements.

Content is checked once, here, when a value is made; later code relies on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

import numpy as np

from vedette.errors import InvalidFrameError, VedetteError
from vedette.geometry import SE3, NDArrayFloat32, NDArrayUInt8, PinholeCamera

MAX_SWEEP_POINTS: Final = 1_000_000
"""More than any spinning LiDAR returns in a turn; a larger sweep is a broken file or an attack."""
MAX_RANGE_M: Final = 500.0
"""Coordinates beyond this are not LiDAR returns."""


@dataclass(frozen=True)
class Sweep:
    """One turn of a LiDAR.

    Args:
        points_velo: ``(N,4) float32`` x, y, z in metres in the velo frame, intensity in [0, 1]; N >= 1.
        start_ns: time of the first return, UTC nanoseconds.
        end_ns: time of the last return, not before ``start_ns``.

    Raises:
        InvalidFrameError: wrong shape or dtype, empty, too large, not finite, out of range, or end before start.
    """

    points_velo: NDArrayFloat32
    start_ns: int
    end_ns: int

    def __post_init__(self) -> None:
        points = self.points_velo
        if points.ndim != 2 or points.shape[1] != 4 or points.dtype != np.float32:
            raise InvalidFrameError(f"sweep has shape {points.shape} {points.dtype}; expected (N, 4) float32")
        if not 1 <= len(points) <= MAX_SWEEP_POINTS:
            raise InvalidFrameError(f"sweep has {len(points)} points; expected 1 to {MAX_SWEEP_POINTS}")
        if self.end_ns < self.start_ns:
            raise InvalidFrameError(f"sweep ends {self.start_ns - self.end_ns} ns before it starts")
        _check_values(points)

    def __len__(self) -> int:
        return len(self.points_velo)


def _check_values(points_velo: NDArrayFloat32) -> None:
    # along contiguous columns: 0.3 ms instead of 10 ms for a full sweep
    columns = np.ascontiguousarray(points_velo.T)
    low, high = columns.min(axis=1), columns.max(axis=1)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        bad = int((~np.isfinite(points_velo).all(axis=1)).sum())
        raise InvalidFrameError(f"sweep has {bad} points that are not finite; expected none (NaN and inf are refused)")
    if low[:3].min() < -MAX_RANGE_M or high[:3].max() > MAX_RANGE_M:
        raise InvalidFrameError(
            f"sweep reaches {max(-low[:3].min(), high[:3].max()):.0f} m; expected at most {MAX_RANGE_M:.0f} m"
        )
    if low[3] < 0.0 or high[3] > 1.0:
        raise InvalidFrameError(f"intensity spans {low[3]:g} to {high[3]:g}; expected 0 to 1")


@dataclass(frozen=True)
class CameraImage:
    """One picture.

    Args:
        pixels_bgr: ``(H,W,3) uint8`` in OpenCV's channel order.
        stamp_ns: time of exposure, UTC nanoseconds.

    Raises:
        InvalidFrameError: wrong shape or dtype, or empty.
    """

    pixels_bgr: NDArrayUInt8
    stamp_ns: int

    def __post_init__(self) -> None:
        pixels = self.pixels_bgr
        if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or pixels.size == 0:
            raise InvalidFrameError(
                f"image has shape {pixels.shape} {pixels.dtype}; expected (H, W, 3) uint8, not empty"
            )

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        return int(self.pixels_bgr.shape[1]), int(self.pixels_bgr.shape[0])


@dataclass(frozen=True)
class Frame:
    """Everything captured at one instant.

    Args:
        index: frame number in the recording (not the position in a selected range).
        source: name of the recording, for logs and reports.
        stamp_ns: capture time that boxes of this frame speak about, UTC nanoseconds: the image's exposure, which is
            also the middle of the sweep.
        camera: calibration of the camera, and of the LiDAR to it.
        sweep: the LiDAR's turn, or None when it is missing from the recording.
        image: the picture, or None when it is missing from the recording.
        world_SE3_ego: pose of the ego (velo) frame in a local metric world frame, or None when there is no odometry.

    Raises:
        InvalidFrameError: neither sweep nor image, or an image of another size than the camera's.
    """

    index: int
    source: str
    stamp_ns: int
    camera: PinholeCamera
    sweep: Sweep | None
    image: CameraImage | None
    world_SE3_ego: SE3 | None

    def __post_init__(self) -> None:
        if self.sweep is None and self.image is None:
            raise InvalidFrameError(
                f"{self.source} frame {self.index} has neither sweep nor image; expected one of them"
            )
        expected_px = (self.camera.width_px, self.camera.height_px)
        if self.image is not None and self.image.size_px != expected_px:
            raise InvalidFrameError(
                f"{self.source} frame {self.index}: image is {self.image.size_px[0]}x{self.image.size_px[1]};"
                f" expected {expected_px[0]}x{expected_px[1]} as calibrated"
            )

    @property
    def missing(self) -> tuple[str, ...]:
        """Which of its parts the recording lacks: ``sweep`` or ``image``, or nothing."""
        parts = {"sweep": self.sweep, "image": self.image}
        return tuple(name for name, part in parts.items() if part is None)

    @property
    def ready_ns(self) -> int:
        """When the last part of the frame had been captured: nothing can be computed from all of it before."""
        return max(self.stamp_ns, self.sweep.end_ns) if self.sweep is not None else self.stamp_ns


@dataclass(frozen=True)
class BadFrame:
    """A frame that a source could not deliver; consumers count it and go on.

    Args:
        index: frame number in the recording.
        source: name of the recording.
        stamp_ns: when it was, or would have been, captured.
        error: why it is unusable.
    """

    index: int
    source: str
    stamp_ns: int
    error: VedetteError

    @property
    def ready_ns(self) -> int:
        """When it was, or would have been, complete."""
        return self.stamp_ns


FrameItem = Frame | BadFrame


class TimeBase(StrEnum):
    """Where a source's capture times come from; reports say which."""

    RECORDED = "recorded"
    ASSUMED_10_HZ = "assumed 10 Hz"
    WALL_CLOCK = "wall clock at arrival"


class FrameSource(Protocol):
    """Anything that delivers frames in order of capture.

    Iterating yields one item for every frame that should exist, in order: a `Frame`, or a `BadFrame` in its place.
    Iterating again starts over where the source is a recording.
    """

    @property
    def name(self) -> str:
        """Name of the recording or device, as reports show it."""
        ...

    @property
    def time_base(self) -> TimeBase:
        """Where capture times come from."""
        ...

    @property
    def frame_count(self) -> int | None:
        """Number of items iterating yields, or None when it is not known beforehand (live)."""
        ...

    def __iter__(self) -> Iterator[FrameItem]:
        """Deliver the frames."""
        ...

    def close(self) -> None:
        """Release devices and files; iterating afterwards is an error."""
        ...

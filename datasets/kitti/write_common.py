"""What the writers of the three layouts share: frames in order, scans, times, calibrations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vedette.datasets.kitti.calibration import KittiCalibration
from vedette.datasets.kitti.recording import empty_labels
from vedette.datasets.recording import Recording
from vedette.datasets.writing import append_text, write_image
from vedette.evaluation.objects import CameraObjects
from vedette.frames import BadFrame, Frame
from vedette.geometry import SE3, NDArrayFloat, PinholeCamera

OnFrame = Callable[[], None]
"""Called after each frame that has been written."""

_PARTLY_CUT = 0.15
"""Truncation beyond which KITTI's "easy" leaves an object out; tracking's level 1 begins here."""
_LARGELY_CUT = 0.5
"""Truncation beyond which KITTI's "hard" leaves an object out; tracking's level 2 begins here."""


@dataclass(frozen=True)
class NumberedFrame:
    """A frame under the number that it is written with.

    Args:
        number: from 0, without gaps.
        frame: the frame.
        labels: what is labelled in it.
    """

    number: int
    frame: Frame
    labels: CameraObjects


def sound_frames(recording: Recording) -> Iterator[NumberedFrame]:
    """The frames of a recording, numbered anew from 0.

    Args:
        recording: is iterated once.

    Yields:
        Each frame with its labels; none where it has no labels.

    Raises:
        DataError: a frame cannot be used; it would leave a gap.
    """
    for number, item in enumerate(recording):
        if isinstance(item, BadFrame):
            raise item.error
        labels = recording.labels(item.index)
        yield NumberedFrame(number, item, empty_labels() if labels is None else labels)


def write_sensors(frame: Frame, scan: Path, image: Path) -> None:
    """Write what a frame has of a sweep and an image.

    Args:
        frame: the frame.
        scan: file of the sweep; its folder is made.
        image: file of the image, a PNG; its folder is made.

    Raises:
        OSError: they cannot be written.
    """
    if frame.sweep is not None:
        scan.parent.mkdir(parents=True, exist_ok=True)
        scan.write_bytes(frame.sweep.points_velo.astype("<f4", copy=False).tobytes())
    if frame.image is not None:
        image.parent.mkdir(parents=True, exist_ok=True)
        write_image(image, frame.image.pixels_bgr)


def calibration_of(camera: PinholeCamera, velo_SE3_imu: SE3 | None) -> KittiCalibration:
    """A camera as KITTI's files have it.

    Args:
        camera: the left colour camera. KITTI's other cameras are not there, but readers demand their rows: they get the
            same projection.
        velo_SE3_imu: velo from the GPS/IMU unit, or None where there is none.
    """
    projections: dict[int, NDArrayFloat] = dict.fromkeys(range(4), camera.projection)
    size_px = (camera.width_px, camera.height_px)
    return KittiCalibration(projections, SE3.identity(), camera.cam_SE3_velo, velo_SE3_imu, size_px)


def format_time(time_ns: int) -> str:
    """A line of a timestamp file: `2011-09-26 13:04:32.345808896`.

    Args:
        time_ns: UTC nanoseconds.
    """
    return f"{np.datetime64(time_ns, 'ns')}\n".replace("T", " ")


def append_times(frame: Frame, *, stamp: Path, sweep: Path) -> None:
    """Add a frame's times to the files of its recording.

    Args:
        frame: one without a sweep gets its stamp for all three times of the sweep, so that lines stay frames.
        stamp: file of the image's exposures.
        sweep: file of the times at which the scanner faces forward; those of start and end lie beside it.

    Raises:
        OSError: they cannot be written.
    """
    bounds_ns = (frame.stamp_ns,) * 2 if frame.sweep is None else (frame.sweep.start_ns, frame.sweep.end_ns)
    append_text(stamp, format_time(frame.stamp_ns))
    append_text(sweep, format_time(frame.stamp_ns))
    for name, time_ns in zip(("start", "end"), bounds_ns, strict=True):
        append_text(sweep.with_stem(f"{sweep.stem}_{name}"), format_time(time_ns))


def truncation_levels(objects: CameraObjects) -> CameraObjects:
    """Objects with truncation as tracking has it: 0 not, 1 partly, 2 largely cut; -1 stays.

    Args:
        objects: with shares from 0 to 1.
    """
    share = objects.truncation
    levels = np.where(share < 0, share, (share > _PARTLY_CUT).astype(float) + (share > _LARGELY_CUT))
    return CameraObjects(
        objects.types,
        levels,
        objects.occlusion,
        objects.alpha,
        objects.boxes_px,
        objects.boxes_cam,
        objects.scores,
        objects.track_ids,
    )

"""Writing a recording in the object layout: single frames, each with its own files."""

from __future__ import annotations

from pathlib import Path

from vedette.datasets.kitti.calibration import format_calibration
from vedette.datasets.kitti.labels import format_labels
from vedette.datasets.kitti.write_common import NumberedFrame, OnFrame, calibration_of, sound_frames, write_sensors
from vedette.datasets.recording import Recording
from vedette.datasets.writing import append_text, new_folder
from vedette.geometry import SE3


def write_object(recording: Recording, folder: Path, on_frame: OnFrame, velo_SE3_imu: SE3 | None = None) -> None:
    """Write a recording as ``velodyne/``, ``image_2/``, ``calib/``, ``label_2/`` and ``ImageSets/all.txt``.

    Args:
        recording: one frame at a time is kept in memory.
        folder: not there yet, or empty.
        on_frame: called after each frame.
        velo_SE3_imu: velo from the GPS/IMU unit, for the calibration files.

    Raises:
        ConfigError: the folder is not empty, or cannot be written.
        DataError: a frame cannot be used.
    """
    with new_folder(folder) as unfinished:
        for name in ("calib", "label_2", "ImageSets"):
            (unfinished / name).mkdir()
        for numbered in sound_frames(recording):
            _write_frame(numbered, unfinished, velo_SE3_imu)
            on_frame()


def _write_frame(numbered: NumberedFrame, folder: Path, velo_SE3_imu: SE3 | None) -> None:
    stem = f"{numbered.number:06d}"
    frame = numbered.frame
    write_sensors(frame, folder / "velodyne" / f"{stem}.bin", folder / "image_2" / f"{stem}.png")
    calibration = format_calibration(calibration_of(frame.camera, velo_SE3_imu))
    (folder / "calib" / f"{stem}.txt").write_text(calibration, encoding="utf-8")
    (folder / "label_2" / f"{stem}.txt").write_text(format_labels(numbered.labels), encoding="utf-8")
    append_text(folder / "ImageSets" / "all.txt", f"{stem}\n")

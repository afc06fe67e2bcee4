"""Writing a recording in the raw layout: a day with its calibration, and a drive."""

from __future__ import annotations

from pathlib import Path

from vedette.datasets.kitti.write_calibration import write_raw_calibration
from vedette.datasets.kitti.write_common import (
    NumberedFrame,
    OnFrame,
    append_times,
    calibration_of,
    format_time,
    sound_frames,
    write_sensors,
)
from vedette.datasets.kitti.write_oxts import OxtsFormatter
from vedette.datasets.kitti.write_tracklets import TrackletCollector
from vedette.datasets.navigation import NavigatedRecording
from vedette.datasets.writing import append_text, new_folder
from vedette.frames import Frame


def write_raw(recording: NavigatedRecording, folder: Path, on_frame: OnFrame) -> str:
    """Write a recording as a drive of the day of its first frame.

    Args:
        recording: all frames with the same camera; one at a time is kept in memory, and the labels of all.
        folder: not there yet, or empty.
        on_frame: called after each frame.

    Returns:
        Name of the drive, ``DATE_drive_0000``.

    Raises:
        ConfigError: the folder is not empty, or cannot be written.
        DataError: a frame cannot be used, or there is none.
    """
    with new_folder(folder) as unfinished:
        writer = _DriveWriter(recording, unfinished)
        for numbered in sound_frames(recording):
            writer.add(numbered)
            on_frame()
        return writer.finish()


class _DriveWriter:
    def __init__(self, recording: NavigatedRecording, root: Path) -> None:
        self._recording = recording
        self._root = root
        self._drive = ""
        self._oxts = OxtsFormatter()
        self._tracklets = TrackletCollector()

    def add(self, numbered: NumberedFrame) -> None:
        frame, stem = numbered.frame, f"{numbered.number:010d}"
        if not self._drive:
            self._begin(frame)
        folder = self._folder
        write_sensors(frame, folder / f"velodyne_points/data/{stem}.bin", folder / f"image_02/data/{stem}.png")
        record = self._oxts.record(self._recording.navigation(frame.index))
        (folder / "oxts" / "data" / f"{stem}.txt").write_text(record, encoding="utf-8")
        self._tracklets.add(numbered.number, numbered.labels, frame.camera)
        append_text(folder / "oxts" / "timestamps.txt", format_time(frame.stamp_ns))
        sweep_times = folder / "velodyne_points" / "timestamps.txt"
        append_times(frame, stamp=folder / "image_02" / "timestamps.txt", sweep=sweep_times)

    def finish(self) -> str:
        (self._folder / "tracklet_labels.xml").write_text(self._tracklets.xml(), encoding="utf-8")
        return self._drive

    @property
    def _folder(self) -> Path:
        return self._root / self._drive[:10] / f"{self._drive}_sync"

    def _begin(self, frame: Frame) -> None:
        self._drive = format_time(frame.stamp_ns)[:10].replace("-", "_") + "_drive_0000"
        for name in ("oxts/data", "velodyne_points", "image_02"):
            (self._folder / name).mkdir(parents=True)
        write_raw_calibration(self._folder.parent, calibration_of(frame.camera, self._recording.velo_SE3_imu))

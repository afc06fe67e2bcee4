"""Writing a recording in the tracking layout, with the timestamps that KITTI's own distribution lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from vedette.datasets.kitti.labels import format_tracking_labels
from vedette.datasets.kitti.write_calibration import format_tracking_calibration
from vedette.datasets.kitti.write_common import (
    NumberedFrame,
    OnFrame,
    append_times,
    calibration_of,
    sound_frames,
    truncation_levels,
    write_sensors,
)
from vedette.datasets.kitti.write_oxts import OxtsFormatter
from vedette.datasets.navigation import NavigatedRecording
from vedette.datasets.writing import append_text, new_folder

SEQUENCE: Final = "0000"
"""The one sequence that is written."""


def write_tracking(recording: NavigatedRecording, folder: Path, on_frame: OnFrame) -> None:
    """Write a recording as a sequence: ``velodyne/0000/``, ``image_02/0000/``, ``label_02/0000.txt``, ...

    Args:
        recording: all frames with the same camera; one at a time is kept in memory.
        folder: not there yet, or empty.
        on_frame: called after each frame.

    Raises:
        ConfigError: the folder is not empty, or cannot be written.
        DataError: a frame cannot be used.
    """
    with new_folder(folder) as unfinished:
        writer = _SequenceWriter(recording, unfinished)
        for numbered in sound_frames(recording):
            writer.add(numbered)
            on_frame()


class _SequenceWriter:
    def __init__(self, recording: NavigatedRecording, folder: Path) -> None:
        self._recording = recording
        self._folder = folder
        self._oxts = OxtsFormatter()
        for name in ("calib", "label_02", "oxts", f"timestamps/{SEQUENCE}"):
            (folder / name).mkdir(parents=True)

    def add(self, numbered: NumberedFrame) -> None:
        folder, number, frame = self._folder, numbered.number, numbered.frame
        if number == 0:
            calibration = calibration_of(frame.camera, self._recording.velo_SE3_imu)
            append_text(folder / "calib" / f"{SEQUENCE}.txt", format_tracking_calibration(calibration))
        stem = f"{SEQUENCE}/{number:06d}"
        write_sensors(frame, folder / "velodyne" / f"{stem}.bin", folder / "image_02" / f"{stem}.png")
        labels = format_tracking_labels({number: truncation_levels(numbered.labels)})
        append_text(folder / "label_02" / f"{SEQUENCE}.txt", labels)
        record = self._oxts.record(self._recording.navigation(frame.index))
        append_text(folder / "oxts" / f"{SEQUENCE}.txt", record)
        times = folder / "timestamps" / SEQUENCE
        append_times(frame, stamp=times / "image_02.txt", sweep=times / "velodyne.txt")

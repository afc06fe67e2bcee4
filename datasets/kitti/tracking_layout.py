"""KITTI's tracking benchmark: sequences at sensor rate.

```
velodyne/SEQ/NNNNNN.bin   image_02/SEQ/NNNNNN.png|jpg   calib/SEQ.txt   label_02/SEQ.txt   oxts/SEQ.txt
timestamps/SEQ/{image_02,velodyne,velodyne_start,velodyne_end}.txt      (not in KITTI's own distribution)
```

A sequence runs from its first to its last frame that has a scan or an image. In between, a frame without a scan comes
as a `BadFrame`: the scanner dropped it (KITTI's 0001 lacks four), and consumers count it. A frame without an image is a
frame without an image. Frames outside that run are not delivered; those among them that the timestamps speak of are
counted as missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from vedette.datasets.kitti.calibration import KittiCalibration, read_calibration
from vedette.datasets.kitti.files import image_paths, scan_paths
from vedette.datasets.kitti.labels import parse_tracking_label_file
from vedette.datasets.kitti.oxts import ego_poses, read_tracking_oxts
from vedette.datasets.kitti.recording import (
    FrameFiles,
    KittiRecording,
    LabelLookup,
    Rig,
    empty_labels,
    file_problems,
    sequence_size_px,
    size_problems,
)
from vedette.datasets.kitti.timestamps import Timeline, TimestampFiles, read_timeline
from vedette.errors import ConfigError, FileFormatError, MissingDataError
from vedette.geometry import SE3

_MAX_GAP_FRAMES: Final = 10_000
"""A quarter of an hour without a single frame is no sequence."""


@dataclass(frozen=True)
class FrameRange:
    """A selection of frames.

    Args:
        first: number of its first frame.
        last: number of its last frame, inclusive.
    """

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


def open_tracking_recording(folder: Path, sequence: str, selection: FrameRange | None = None) -> KittiRecording:
    """Open a sequence of the tracking layout.

    Args:
        folder: holds ``velodyne/SEQ/``.
        sequence: for example ``0001``.
        selection: the frames to deliver; None for all.

    Raises:
        MissingDataError: no such sequence (the message lists those there are), or nothing in it.
        ConfigError: the selection is not within the sequence.
        FileFormatError: calibration, labels, oxts or timestamps are not in their format.
    """
    files = _SequenceFiles.find(folder, sequence)
    chosen = files.select(selection)
    calibration = read_calibration(folder / "calib" / f"{sequence}.txt")
    timeline = read_timeline(_timestamp_files(folder / "timestamps" / sequence))
    problems: list[str] = []
    poses = _poses(folder / "oxts" / f"{sequence}.txt", calibration, problems)
    labels = _labels(folder / "label_02" / f"{sequence}.txt", problems)
    frames = [files.frame(index, timeline, poses) for index in chosen]
    if poses and (without := sum(index not in poses for index in chosen)):
        problems.append(f"{without} of {len(frames)} frames have no oxts record")
    images = list(files.images.values())
    rig = Rig(calibration, sequence_size_px(calibration, images))
    return KittiRecording(
        f"kitti-tracking/{sequence}" + (f":{selection}" if selection else ""),
        timeline.time_base,
        frames,
        lambda _index: rig,
        labels,
        missing_frame_count=sum(index not in files.run for index in range(timeline.frame_count)),
        problems=[*problems, *file_problems(frames), *size_problems(calibration, images)],
    )


@dataclass(frozen=True)
class _SequenceFiles:
    sequence: str
    folder: Path
    scans: dict[int, Path]
    images: dict[int, Path]
    run: range

    @classmethod
    def find(cls, folder: Path, sequence: str) -> _SequenceFiles:
        scan_folder = folder / "velodyne" / sequence
        if not scan_folder.is_dir():
            known = sorted(path.name for path in (folder / "velodyne").iterdir() if path.is_dir())
            there = ", ".join(known) if known else "none (is it the object layout?)"
            raise MissingDataError(
                f"{folder}: no tracking sequence {sequence!r}; expected a folder velodyne/{sequence};"
                f" there are: {there}"
            )
        scans = scan_paths(scan_folder)
        images = dict(sorted(image_paths(folder / "image_02" / sequence).items()))
        present = scans.keys() | images.keys()
        if not present:
            raise MissingDataError(f"{scan_folder}: no frames; expected NNNNNN.bin")
        _check_gaps({**images, **scans})
        return cls(sequence, scan_folder, scans, images, range(min(present), max(present) + 1))

    def select(self, selection: FrameRange | None) -> range:
        if selection is None:
            return self.run
        first, last = self.run[0], self.run[-1]
        if not first <= selection.first <= selection.last <= last:
            raise ConfigError(
                f"frames {selection} of tracking sequence {self.sequence}: expected FIRST-LAST within {first}-{last}"
                f" and FIRST not after LAST ({self.folder})"
            )
        return range(selection.first, selection.last + 1)

    def frame(self, index: int, timeline: Timeline, poses: dict[int, SE3]) -> FrameFiles:
        scan, times = self.scans.get(index), timeline.times(index)
        fault = None
        if scan is None:
            beside = "its image is there" if index in self.images else "nor is its image there"
            fault = MissingDataError(f"{self.folder / f'{index:06d}.bin'}: no such scan, {beside}")
        return FrameFiles(index, times, scan, self.images.get(index), poses.get(index), fault)


def _check_gaps(files: dict[int, Path]) -> None:
    """A file that is numbered by something else than frames, such as a time, would make a sequence without end."""
    for before, after in pairwise(sorted(files)):
        if after - before > _MAX_GAP_FRAMES:
            expected = f"the number of a frame, at most {_MAX_GAP_FRAMES} after that of {files[before].name}"
            raise FileFormatError(files[after], met=f"number {after}", expected=expected)


def _timestamp_files(folder: Path) -> TimestampFiles:
    names = ("image_02.txt", "velodyne.txt", "velodyne_start.txt", "velodyne_end.txt")
    return TimestampFiles(*(folder / name for name in names))


def _poses(path: Path, calibration: KittiCalibration, problems: list[str]) -> dict[int, SE3]:
    if not path.is_file():
        problems.append("no oxts file, so no ego motion")
        return {}
    if calibration.velo_SE3_imu is None:
        problems.append("the calibration lacks Tr_imu_velo, so no ego motion")
        return {}
    records = read_tracking_oxts(path)
    if not records:
        problems.append("the oxts file has no records, so no ego motion")
    return ego_poses(records, calibration.velo_SE3_imu)


def _labels(path: Path, problems: list[str]) -> LabelLookup:
    if not path.is_file():
        problems.append("no label file")
        return lambda _frame: None
    by_frame = parse_tracking_label_file(path, scored=False)
    nothing = empty_labels()
    return lambda frame: by_frame.get(frame, nothing)

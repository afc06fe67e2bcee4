"""KITTI's object benchmark: single frames from many drives, each with its own calibration and labels.

```
velodyne/NNNNNN.bin   image_2/NNNNNN.png|jpg   calib/NNNNNN.txt   label_2/NNNNNN.txt
```

Every frame that has a scan or an image is delivered, in order of numbers. The frames do not follow each other in time:
each is given the time of its position in that order, at 10 Hz. There is no odometry.
"""

from __future__ import annotations

from pathlib import Path

from vedette.datasets.kitti.calibration import read_calibration
from vedette.datasets.kitti.files import image_paths, scan_paths
from vedette.datasets.kitti.labels import parse_label_file
from vedette.datasets.kitti.recording import FrameFiles, KittiRecording, Rig, file_problems
from vedette.datasets.kitti.timestamps import ASSUMED_TIMELINE
from vedette.errors import MissingDataError
from vedette.evaluation.objects import CameraObjects


def open_object_recording(folder: Path) -> KittiRecording:
    """Open a folder of the object layout.

    Args:
        folder: holds ``velodyne/``.

    Raises:
        MissingDataError: no frames in it.
    """
    scans, images = scan_paths(folder / "velodyne"), image_paths(folder / "image_2")
    indices = sorted(scans.keys() | images.keys())
    if not indices:
        hint = "; its velodyne/ has sub-folders, as in the tracking layout" if _has_sequences(folder) else ""
        raise MissingDataError(f"{folder}: no frames{hint}; expected velodyne/NNNNNN.bin or image_2/NNNNNN.png")
    frames = [
        FrameFiles(index, ASSUMED_TIMELINE.times(position), scans.get(index), images.get(index))
        for position, index in enumerate(indices)
    ]

    def rig(index: int) -> Rig:
        calibration = read_calibration(folder / "calib" / f"{index:06d}.txt")
        return Rig(calibration, calibration.size_px)

    def labels(index: int) -> CameraObjects | None:
        path = folder / "label_2" / f"{index:06d}.txt"
        return parse_label_file(path, scored=False) if path.is_file() else None

    problems = file_problems(frames)
    if unlabelled := sum(not (folder / "label_2" / f"{index:06d}.txt").is_file() for index in indices):
        problems.append(f"{unlabelled} of {len(frames)} frames have no label file")
    return KittiRecording("kitti-object", ASSUMED_TIMELINE.time_base, frames, rig, labels, problems=problems)


def _has_sequences(folder: Path) -> bool:
    return any(path.is_dir() for path in (folder / "velodyne").iterdir())

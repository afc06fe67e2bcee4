"""KITTI's raw recordings (synced and rectified): one folder a day with its calibration, one folder a drive.

```
DATE/calib_{cam_to_cam,velo_to_cam,imu_to_velo}.txt
DATE/DATE_drive_NNNN_sync/velodyne_points/{data/NNNNNNNNNN.bin,timestamps.txt,timestamps_start.txt,timestamps_end.txt}
DATE/DATE_drive_NNNN_sync/image_02/{data/NNNNNNNNNN.png|jpg,timestamps.txt}
DATE/DATE_drive_NNNN_sync/oxts/data/NNNNNNNNNN.txt      DATE/DATE_drive_NNNN_sync/tracklet_labels.xml
```

Raw drives are passed on in parts, so the frames delivered are those with a scan or an image on disk. Frames that the
timestamps speak of and that have neither are counted as missing, not delivered as bad ones.
"""

from __future__ import annotations

from pathlib import Path

from vedette.datasets.kitti.calibration import KittiCalibration, read_raw_calibration
from vedette.datasets.kitti.files import image_paths, scan_paths
from vedette.datasets.kitti.oxts import ego_poses, read_raw_oxts
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
from vedette.datasets.kitti.timestamps import TimestampFiles, read_timeline
from vedette.datasets.kitti.tracklets import label_frames, read_tracklets
from vedette.errors import MissingDataError
from vedette.geometry import SE3, PinholeCamera


def open_raw_recording(folder: Path) -> KittiRecording:
    """Open a drive of the raw layout.

    Args:
        folder: the drive's, ``DATE/DATE_drive_NNNN_sync``, with the calibration beside it.

    Raises:
        MissingDataError: no frames in it, or no calibration.
        FileFormatError: calibration, tracklets, oxts or timestamps are not in their format.
    """
    scans = scan_paths(folder / "velodyne_points" / "data")
    images = dict(sorted(image_paths(folder / "image_02" / "data").items()))
    indices = sorted(scans.keys() | images.keys())
    if not indices:
        raise MissingDataError(f"{folder}: no frames; expected velodyne_points/data/NNNNNNNNNN.bin")
    calibration = read_raw_calibration(folder.parent)
    timeline = read_timeline(_timestamp_files(folder))
    problems: list[str] = []
    poses = _poses(folder / "oxts" / "data", calibration, problems)
    frames = [
        FrameFiles(index, timeline.times(index), scans.get(index), images.get(index), poses.get(index))
        for index in indices
    ]
    if poses and (without := sum(index not in poses for index in indices)):
        problems.append(f"{without} of {len(frames)} frames have no oxts record")
    rig = Rig(calibration, sequence_size_px(calibration, list(images.values())))
    labels = _labels(folder / "tracklet_labels.xml", rig.camera(None), problems)
    return KittiRecording(
        f"kitti-raw/{folder.name.removesuffix('_sync')}",
        timeline.time_base,
        frames,
        lambda _index: rig,
        labels,
        missing_frame_count=max(timeline.frame_count - len(frames), 0),
        problems=[*problems, *file_problems(frames), *size_problems(calibration, list(images.values()))],
    )


def _timestamp_files(folder: Path) -> TimestampFiles:
    sweeps = folder / "velodyne_points"
    return TimestampFiles(
        image=folder / "image_02" / "timestamps.txt",
        sweep_middle=sweeps / "timestamps.txt",
        sweep_start=sweeps / "timestamps_start.txt",
        sweep_end=sweeps / "timestamps_end.txt",
    )


def _poses(folder: Path, calibration: KittiCalibration, problems: list[str]) -> dict[int, SE3]:
    if calibration.velo_SE3_imu is None:
        problems.append("no calib_imu_to_velo.txt, so no ego motion")
        return {}
    records = read_raw_oxts(folder)
    if not records:
        problems.append("no oxts records, so no ego motion")
    return ego_poses(records, calibration.velo_SE3_imu)


def _labels(path: Path, camera: PinholeCamera, problems: list[str]) -> LabelLookup:
    if not path.is_file():
        problems.append("no tracklet_labels.xml, so no labels")
        return lambda _frame: None
    by_frame = label_frames(read_tracklets(path), camera)
    nothing = empty_labels()
    return lambda frame: by_frame.get(frame, nothing)

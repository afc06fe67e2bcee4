"""What a recording holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vedette.datasets.source_spec import open_recording
from vedette.datasets.summary import summarise
from vedette.frames import TimeBase

CALIBRATION = (
    "P2: 700 0 20 42 0 700 10 0 0 0 1 0\nR0_rect: 1 0 0 0 1 0 0 0 1\nTr_velo_to_cam: 0 -1 0 0 0 0 -1 0 1 0 0 0\n"
)
CAR = "Car 0.00 0 1.55 14 8 27 18 1.57 1.73 4.15 1.00 1.75 13.22 1.62\n"


def write(folder: Path, labels: dict[int, str]) -> None:
    """Three frames of one, two and three points, labels where given."""
    for name in ("velodyne", "calib", "label_2"):
        (folder / name).mkdir()
    for index in range(3):
        points = np.tile(np.array([10.0, 0.0, 0.0, 0.5], "<f4"), (index + 1, 1))
        (folder / "velodyne" / f"{index:06d}.bin").write_bytes(points.tobytes())
        (folder / "calib" / f"{index:06d}.txt").write_text(CALIBRATION)
    for index, text in labels.items():
        (folder / "label_2" / f"{index:06d}.txt").write_text(text)


def test_counts(tmp_path: Path) -> None:
    """Of frames, points and labels by type."""
    write(tmp_path, {0: CAR * 2, 1: CAR.replace("Car", "Van"), 2: ""})
    summary = summarise(open_recording(f"kitti-object:{tmp_path}"))
    assert (summary.frame_count, summary.first_index, summary.last_index) == (3, 0, 2)
    assert (summary.sweep_count, summary.point_count, summary.image_count, summary.pose_count) == (3, 6, 0, 0)
    assert (summary.time_base, summary.duration_ns) == (TimeBase.ASSUMED_10_HZ, 200_000_000)
    assert summary.labelled_count == 3
    assert dict(summary.labels_by_type) == {"Car": 2, "Van": 1}
    assert summary.problems == ("3 of 3 frames have no image",)


def test_problems_of_frames_and_labels_are_listed(tmp_path: Path) -> None:
    """With the frame's number; the rest is still counted."""
    write(tmp_path, {0: "nonsense\n", 2: CAR})
    (tmp_path / "velodyne" / "000001.bin").write_bytes(b"\0" * 5)
    summary = summarise(open_recording(f"kitti-object:{tmp_path}"))
    assert (summary.frame_count, summary.bad_frame_count, summary.sweep_count, summary.labelled_count) == (3, 1, 2, 1)
    assert [problem.split(":")[0] for problem in summary.problems[2:]] == ["frame 0", "frame 1"]
    assert "1 columns" in summary.problems[2]
    assert "5 bytes" in summary.problems[3]

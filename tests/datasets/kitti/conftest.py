"""Tiny KITTI trees, written file by file so that each test can break one thing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

# 700 px focal length, centre (20, 10), camera 0.06 m left of the reference; no rig of KITTI's has it
P2 = "700 0 20 42 0 700 10 0 0 0 1 0"
IDENTITY = "1 0 0 0 1 0 0 0 1"
# x right = -y, y down = -z, z forward = x
AXES = "0 -1 0 0 0 0 -1 0 1 0 0 0"
IMU = "1 0 0 -0.81 0 1 0 0.32 0 0 1 -0.8"

OBJECT_CALIBRATION = f"P2: {P2}\nR0_rect: {IDENTITY}\nTr_velo_to_cam: {AXES}\nTr_imu_to_velo: {IMU}\n\n"
TRACKING_CALIBRATION = f"P2: {P2}\nR_rect {IDENTITY}\nTr_velo_cam {AXES}\nTr_imu_velo {IMU}\n"
OXTS = "49.0 8.0 100.0 0 0 0 " + " ".join(["0"] * 24)


class KittiTree:
    """Writes files below a folder.

    Args:
        root: the folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def text(self, name: str, content: str) -> Path:
        """Write a text file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def data(self, name: str, content: bytes) -> Path:
        """Write a binary file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def scan(self, name: str, points: object = ((10.0, 0.0, 0.0, 0.5),)) -> Path:
        """Write a scan of the given points."""
        return self.data(name, np.array(points, dtype="<f4").tobytes())

    def image(self, name: str, width_px: int = 40, height_px: int = 20, value: int = 128) -> Path:
        """Write a grey image in the format of its suffix."""
        pixels = np.full((height_px, width_px, 3), value, np.uint8)
        encoded, data = cv2.imencode(Path(name).suffix, pixels)
        assert encoded
        return self.data(name, data.tobytes())

    def sequence(self, frames: int, folder: str = "", sequence: str = "0000") -> Path:
        """Write a sound tracking sequence with images, calibration and oxts, without labels and timestamps."""
        for index in range(frames):
            self.scan(f"{folder}/velodyne/{sequence}/{index:06d}.bin".lstrip("/"))
            self.image(f"{folder}/image_02/{sequence}/{index:06d}.png".lstrip("/"))
        self.text(f"{folder}/calib/{sequence}.txt".lstrip("/"), TRACKING_CALIBRATION)
        self.text(f"{folder}/oxts/{sequence}.txt".lstrip("/"), f"{OXTS}\n" * frames)
        return self.root / folder

    def timestamps(self, name: str, count: int, start_s: float = 0.0) -> Path:
        """Write rising times 0.1 s apart, from 12:00 on."""
        lines = [f"2011-09-26 12:00:{start_s + index * 0.1:012.9f}\n" for index in range(count)]
        return self.text(name, "".join(lines))

    def drive(self, indices: tuple[int, ...], name: str = "2011_09_26_drive_0001") -> Path:
        """Write a raw drive with scans, oxts and calibration."""
        day = name[:10]
        self.text(
            f"{day}/calib_cam_to_cam.txt",
            f"calib_time: 09-Jan-2012 13:57:47\nS_rect_02: 40 20\nR_rect_00: {IDENTITY}\nP_rect_02: {P2}\n",
        )
        self.text(f"{day}/calib_velo_to_cam.txt", "calib_time: x\nR: 0 -1 0 0 0 -1 1 0 0\nT: 0 0 0\n")
        self.text(f"{day}/calib_imu_to_velo.txt", f"R: {IDENTITY}\nT: -0.81 0.32 -0.8\n")
        folder = f"{day}/{name}_sync"
        for index in indices:
            self.scan(f"{folder}/velodyne_points/data/{index:010d}.bin")
            self.text(f"{folder}/oxts/data/{index:010d}.txt", OXTS + "\n")
        return self.root / folder


@pytest.fixture
def tree(tmp_path: Path) -> KittiTree:
    """An empty tree."""
    return KittiTree(tmp_path)


@pytest.fixture
def object_tree(tree: KittiTree) -> Callable[[int], KittiTree]:
    """Writes the given number of sound object frames, numbered 3, 13, 23, ..."""

    def write(frames: int) -> KittiTree:
        for index in range(3, 3 + 10 * frames, 10):
            tree.scan(f"velodyne/{index:06d}.bin")
            tree.image(f"image_2/{index:06d}.png")
            tree.text(f"calib/{index:06d}.txt", OBJECT_CALIBRATION)
            tree.text(f"label_2/{index:06d}.txt", "Car 0.00 0 1.55 14 8 27 18 1.57 1.73 4.15 1.00 1.75 13.22 1.62\n")
        return tree

    return write

"""Calibration files of the tracking and the raw layout; `calibration.format_calibration` is the object layout's."""

from __future__ import annotations

from pathlib import Path

from vedette.datasets.kitti.calibration import KittiCalibration
from vedette.geometry import SE3, NDArrayFloat

_CALIB_TIME = "calib_time: 01-Jan-2026 12:00:00\n"


def format_tracking_calibration(calibration: KittiCalibration) -> str:
    """Write a calibration as a file of the tracking layout.

    Args:
        calibration: a camera or unit that is missing is left out.
    """
    rows = [(f"P{camera}:", matrix) for camera, matrix in sorted(calibration.projections.items())]
    rows.append(("R_rect", calibration.rect_R_cam.rotation))
    rows.append(("Tr_velo_cam", calibration.cam_SE3_velo.matrix[:3]))
    if calibration.velo_SE3_imu is not None:
        rows.append(("Tr_imu_velo", calibration.velo_SE3_imu.matrix[:3]))
    return "".join(_row(key, matrix) for key, matrix in rows)


def write_raw_calibration(folder: Path, calibration: KittiCalibration) -> None:
    """Write the files of a day of the raw layout.

    Args:
        folder: the day's.
        calibration: with the size of the images. The cameras before rectification are taken for the rectified ones,
            without distortion.

    Raises:
        OSError: they cannot be written.
    """
    cameras = "".join(_raw_camera(calibration, camera) for camera in sorted(calibration.projections))
    corner = "corner_dist: 9.950000e-02\n"
    (folder / "calib_cam_to_cam.txt").write_text(_CALIB_TIME + corner + cameras, encoding="utf-8")
    deltas = "delta_f: 0.0 0.0\ndelta_c: 0.0 0.0\n"
    velo = _raw_motion(calibration.cam_SE3_velo) + deltas
    (folder / "calib_velo_to_cam.txt").write_text(_CALIB_TIME + velo, encoding="utf-8")
    if calibration.velo_SE3_imu is not None:
        imu = _raw_motion(calibration.velo_SE3_imu)
        (folder / "calib_imu_to_velo.txt").write_text(_CALIB_TIME + imu, encoding="utf-8")


def _raw_camera(calibration: KittiCalibration, camera: int) -> str:
    projection = calibration.projections[camera]
    identity = SE3.identity()
    size = " ".join(f"{side:.6e}" for side in calibration.size_px or ())
    return (
        f"S_{camera:02d}: {size}\n"
        + _row(f"K_{camera:02d}:", projection[:, :3])
        + f"D_{camera:02d}: 0.0 0.0 0.0 0.0 0.0\n"
        + _row(f"R_{camera:02d}:", identity.rotation)
        + _row(f"T_{camera:02d}:", identity.translation)
        + f"S_rect_{camera:02d}: {size}\n"
        + _row(f"R_rect_{camera:02d}:", calibration.rect_R_cam.rotation)
        + _row(f"P_rect_{camera:02d}:", projection)
    )


def _raw_motion(motion: SE3) -> str:
    return _row("R:", motion.rotation) + _row("T:", motion.translation)


def _row(key: str, matrix: NDArrayFloat) -> str:
    return f"{key} " + " ".join(f"{value:.12e}" for value in matrix.ravel()) + "\n"

"""Three dialects of one chain."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.kitti.calibration import (
    format_calibration,
    parse_calibration,
    read_calibration,
    read_raw_calibration,
)
from vedette.errors import FileFormatError, MissingDataError

P2 = "P2: 700 0 600 42 0 700 180 0 0 0 1 0"
ROTATION = "1 0 0 0 1 0 0 0 1"
AXES = "0 -1 0 0 0 0 -1 0 1 0 0 0"
OBJECT = f"{P2}\nR0_rect: {ROTATION}\nTr_velo_to_cam: {AXES}\n"
PATH = Path("calib.txt")

DIALECTS = {
    "object": OBJECT,
    "tracking": f"{P2}\nR_rect {ROTATION}\nTr_velo_cam {AXES}\nTr_imu_velo 1 0 0 1 0 1 0 2 0 0 1 3\n",
    "no colon anywhere": OBJECT.replace(":", ""),
    "colon without space": OBJECT.replace(": ", ":"),
    "blank lines": "\n" + OBJECT.replace("\n", "\n\n") + "\n  \n",
    "spaces at the end": OBJECT.replace("\n", "  \n"),
    "Windows line ends": OBJECT.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS.keys())
def test_dialects_give_the_same_camera(text: str) -> None:
    """A point 10 m ahead is at the centre, shifted by the camera's 0.06 m: u = 600 + 42 / 10, v = 180."""
    camera = parse_calibration(text, PATH).camera((1242, 375))
    pixel, depth_m = camera.project_velo(np.array([10.0, 0.0, 0.0]))
    assert pixel == pytest.approx([604.2, 180.0])
    assert depth_m == pytest.approx(10.0)


def test_left_and_up_are_left_and_up_in_the_image() -> None:
    """One metre left and half a metre up, 10 m ahead: 70 pixels less in u, 35 in v."""
    camera = parse_calibration(OBJECT, PATH).camera((1242, 375))
    pixel, _ = camera.project_velo(np.array([10.0, 1.0, 0.5]))
    assert pixel == pytest.approx([604.2 - 70.0, 180.0 - 35.0])


def test_imu_is_optional() -> None:
    """Ego motion needs it; the camera does not."""
    assert parse_calibration(OBJECT, PATH).velo_SE3_imu is None
    velo_SE3_imu = parse_calibration(DIALECTS["tracking"], PATH).velo_SE3_imu
    assert velo_SE3_imu is not None
    assert velo_SE3_imu.translation.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("principal", "size_px"),
    [
        ("P2: 7.215377e+02 0 6.095593e+02 0 0 7.215377e+02 1.72854e+02 0 0 0 1 0", (1242, 375)),
        ("P2: 7.070493e+02 0 6.040814e+02 0 0 7.070493e+02 1.805066e+02 0 0 0 1 0", (1224, 370)),
        (P2, None),
    ],
)
def test_size_is_known_for_kittis_own_rigs(principal: str, size_px: tuple[int, int] | None) -> None:
    """KITTI's days have one image size each; a stranger's calibration has none."""
    assert parse_calibration(OBJECT.replace(P2, principal), PATH).size_px == size_px


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "an empty file; expected the key P2"),
        (OBJECT.replace("R0_rect", "S_rect"), None, "the key R0_rect or R_rect"),
        (OBJECT.replace("Tr_velo_to_cam", "R"), None, "the key Tr_velo_to_cam or Tr_velo_cam"),
        (OBJECT.replace("700 0 600", "700 600"), 1, "P2 with 11 numbers; expected P2 followed by 12 numbers"),
        (OBJECT.replace(ROTATION, "1 0 0 0 1 0 0 0 x"), 2, "'x' is not a number"),
        (OBJECT.replace(ROTATION, "1 0 0 0 1 0 0 0 nan"), 2, "'nan' is not finite"),
        (OBJECT.replace(AXES, "0 -2 0 0 0 0 -1 0 1 0 0 0"), 3, "expected a rigid motion"),
        (OBJECT.replace(AXES, "1 0 0 0 0 1 0 0 0 0 1 0"), 1, "expected a camera that looks along the ground"),
        (OBJECT.replace(AXES, "0 1 0 0 0 0 1 0 1 0 0 0"), 1, "expected a camera that looks along the ground"),
        (OBJECT.replace("700 0 600", "-700 0 600"), 1, "expected a pinhole camera"),
        (f"{OBJECT}{P2}\n", 4, "P2 again; expected it once, as in line 1"),
        ("Car 0.00 0 1.55 614.24 181.78\n", None, "the key P2"),
        ("0 1 2\n", 1, "expected a key and its numbers"),
    ],
)
def test_wrong_files_are_refused(text: str, line: int | None, message: str) -> None:
    """Naming the file, the line where there is one, and what is expected."""
    with pytest.raises(FileFormatError) as caught:
        parse_calibration(text, PATH)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{PATH}:{line}: " if line else f"{PATH}: ")
    assert message in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    """Says which."""
    with pytest.raises(MissingDataError, match=r"0007\.txt: no such calibration file"):
        read_calibration(tmp_path / "0007.txt")


def test_binary_file(tmp_path: Path) -> None:
    """A scan in the calibration's place is no text."""
    path = tmp_path / "0000.txt"
    path.write_bytes(b"\xff\xfe\x80\x81")
    with pytest.raises(FileFormatError, match="not text"):
        read_calibration(path)


def test_raw_uses_the_reference_cameras_rectification(tmp_path: Path) -> None:
    """R_rect_02 is there as well, and must not be taken."""
    (tmp_path / "calib_cam_to_cam.txt").write_text(
        f"calib_time: 09-Jan-2012 13:57:47\nS_rect_02: 1.242e+03 3.75e+02\nR_rect_00: {ROTATION}\n"
        f"R_rect_02: 0 -1 0 1 0 0 0 0 1\n{P2.replace('P2', 'P_rect_02')}\n"
    )
    (tmp_path / "calib_velo_to_cam.txt").write_text("R: 0 -1 0 0 0 -1 1 0 0\nT: 0.1 0.2 0.3\ndelta_f: 0 0\n")
    calibration = read_raw_calibration(tmp_path)
    assert calibration.size_px == (1242, 375)
    assert calibration.velo_SE3_imu is None
    camera = calibration.camera((1242, 375))
    assert camera.cam_SE3_velo.transform_points(np.array([10.0, 1.0, 0.5])) == pytest.approx([-0.9, -0.3, 10.3])


def test_format_writes_kittis_digits() -> None:
    """Twelve decimals and the blank line at the end, as in the object benchmark's files."""
    text = format_calibration(parse_calibration(OBJECT, PATH))
    assert text.splitlines()[1].startswith("R0_rect: 1.000000000000e+00 0.000000000000e+00 ")
    assert text.endswith("\n\n")
    assert format_calibration(parse_calibration(text, PATH)) == text


@pytest.mark.shared
def test_every_calibration_file_of_the_object_benchmark(shared_dir: Path) -> None:
    """All 7,481 parse, and writing gives the same text; equal files are parsed once."""
    archive = shared_dir / "data" / "kitti" / "object" / "all_label_2_calib.tar.xz"
    texts: list[str] = []
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and "/calib/" in member.name:
                file = tar.extractfile(member)
                assert file is not None
                texts.append(file.read().decode())
    assert len(texts) == 7481
    for text in set(texts):
        calibration = parse_calibration(text, PATH)
        assert calibration.size_px is not None
        assert format_calibration(calibration) == text


@pytest.mark.shared
def test_dialects_of_one_rig_agree(kitti_root: Path) -> None:
    """Object, tracking and raw hold the same numbers for 2011_09_26."""
    texts = {
        format_calibration(read_calibration(kitti_root / "object" / "training" / "calib" / "000003.txt")),
        format_calibration(read_calibration(kitti_root / "tracking" / "calib" / "0001.txt")),
        format_calibration(read_raw_calibration(kitti_root / "raw" / "2011_09_26")),
    }
    assert len(texts) == 1

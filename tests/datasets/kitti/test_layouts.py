"""What all layouts do with bad input: a `BadFrame` in place, and the stream goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vedette.datasets.kitti.object_layout import open_object_recording
from vedette.datasets.kitti.raw_layout import open_raw_recording
from vedette.datasets.kitti.recording import KittiRecording
from vedette.datasets.kitti.tracking_layout import open_tracking_recording
from vedette.errors import DataError, FileFormatError, InvalidFrameError, MissingDataError
from vedette.frames import BadFrame, Frame

# the tree fixture's class lives in conftest.py, which tests do not import
Tree = Any

OBJECT, TRACKING, RAW = "object", "tracking", "raw"
SCANS = {
    OBJECT: "velodyne/000001.bin",
    TRACKING: "velodyne/0000/000001.bin",
    RAW: "2011_09_26/2011_09_26_drive_0001_sync/velodyne_points/data/0000000001.bin",
}
IMAGES = {
    OBJECT: "image_2/000001.png",
    TRACKING: "image_02/0000/000001.png",
    RAW: "2011_09_26/2011_09_26_drive_0001_sync/image_02/data/0000000001.png",
}
LAYOUTS = (OBJECT, TRACKING, RAW)


@pytest.fixture
def opened(tree: Tree) -> Callable[[str], tuple[Tree, Callable[[], KittiRecording]]]:
    """Writes three sound frames, 0 to 2, of a layout; gives the tree and what opens it."""

    def write(layout: str) -> tuple[Tree, Callable[[], KittiRecording]]:
        if layout == RAW:
            folder = tree.drive((0, 1, 2))
            for index in range(3):
                tree.image(IMAGES[RAW].replace("01.png", f"{index:02d}.png"))
            return tree, lambda: open_raw_recording(folder)
        tree.sequence(3)
        if layout == TRACKING:
            return tree, lambda: open_tracking_recording(tree.root, "0000")
        calibration = (tree.root / "calib" / "0000.txt").read_text()
        for index in range(3):
            tree.scan(f"velodyne/{index:06d}.bin")
            tree.image(f"image_2/{index:06d}.png")
            tree.text(f"calib/{index:06d}.txt", calibration)
        return tree, lambda: open_object_recording(tree.root)

    return write


Opened = Callable[[str], tuple[Tree, Callable[[], KittiRecording]]]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sound_frames(opened: Opened, layout: str) -> None:
    """Come in order with sweep, image and the camera that fits it; iterating again starts over."""
    _, open_it = opened(layout)
    recording = open_it()
    for _ in range(2):
        frames = list(recording)
        assert [item.index for item in frames] == [0, 1, 2]
        for frame in frames:
            assert isinstance(frame, Frame)
            assert frame.source == recording.name
            assert frame.sweep is not None
            assert frame.sweep.points_velo.tolist() == [[10.0, 0.0, 0.0, 0.5]]
            assert frame.image is not None
            assert frame.image.stamp_ns == frame.stamp_ns
            assert (frame.camera.width_px, frame.camera.height_px) == (40, 20)
    assert recording.frame_count == 3
    assert recording.missing_frame_count == 0


BAD_SCANS = {
    "truncated": (b"\0" * 17, "17 bytes; expected a multiple of 16"),
    "empty": (b"", "sweep has 0 points; expected 1 to"),
    "not finite": (np.array([1, np.nan, 0, 0], "<f4").tobytes(), "1 points that are not finite"),
    "far out": (np.array([1, 1e9, 0, 0], "<f4").tobytes(), "expected at most 500 m"),
    "intensity 255": (np.array([1, 0, 0, 255], "<f4").tobytes(), "intensity spans 255 to 255; expected 0 to 1"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("data", "message"), BAD_SCANS.values(), ids=BAD_SCANS.keys())
def test_bad_scan(opened: Opened, layout: str, data: bytes, message: str) -> None:
    """The frame is bad, names the file, and its neighbours are sound."""
    tree, open_it = opened(layout)
    path = tree.data(SCANS[layout], data)
    check_second_is_bad(open_it(), InvalidFrameError, str(path), message)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_undecodable_image(opened: Opened, layout: str) -> None:
    """The frame is bad, although its sweep is there: half a frame would be scored as a whole one."""
    tree, open_it = opened(layout)
    path = tree.data(IMAGES[layout], b"junk")
    check_second_is_bad(open_it(), InvalidFrameError, str(path), "do not decode")


@pytest.mark.parametrize("layout", [TRACKING, RAW])
def test_image_of_another_size(opened: Opened, layout: str) -> None:
    """A sequence has one size, that of its calibration or its first image."""
    tree, open_it = opened(layout)
    path = tree.image(IMAGES[layout], 30, 20)
    check_second_is_bad(open_it(), InvalidFrameError, str(path), "the image is 30x20; expected 40x20 as calibrated")


def check_second_is_bad(recording: KittiRecording, kind: type[DataError], *messages: str) -> None:
    """Frame 1 is, and it has a time between those of its neighbours."""
    first, second, third = recording
    assert isinstance(first, Frame)
    assert isinstance(second, BadFrame)
    assert isinstance(third, Frame)
    assert second.index == 1
    assert second.source == recording.name
    assert first.stamp_ns < second.stamp_ns < third.stamp_ns
    assert isinstance(second.error, kind)
    for message in messages:
        assert message in str(second.error)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_missing_image(opened: Opened, layout: str) -> None:
    """Is no fault: the frame comes without, with the camera still of the right size in a sequence."""
    tree, open_it = opened(layout)
    (tree.root / IMAGES[layout]).unlink()
    recording = open_it()
    _, frame, _ = recording
    assert isinstance(frame, Frame)
    assert frame.image is None
    expected_px = (1242, 375) if layout == OBJECT else (40, 20)
    assert (frame.camera.width_px, frame.camera.height_px) == expected_px
    assert "1 of 3 frames have no image" in recording.problems


@pytest.mark.parametrize("layout", [OBJECT, RAW])
def test_image_without_scan_is_a_frame(opened: Opened, layout: str) -> None:
    """Object folders and raw drives are passed on in parts."""
    tree, open_it = opened(layout)
    (tree.root / SCANS[layout]).unlink()
    recording = open_it()
    _, frame, _ = recording
    assert isinstance(frame, Frame)
    assert frame.sweep is None
    assert "1 of 3 frames have no scan" in recording.problems


@pytest.mark.parametrize("also_image", [False, True])
def test_scan_missing_in_a_sequence(opened: Opened, also_image: bool) -> None:
    """The scanner dropped it: a bad frame, with or without its image."""
    tree, open_it = opened(TRACKING)
    path = tree.root / SCANS[TRACKING]
    path.unlink()
    if also_image:
        (tree.root / IMAGES[TRACKING]).unlink()
    check_second_is_bad(open_it(), MissingDataError, f"{path}: no such scan")


def test_raw_frames_not_on_disk_are_counted(opened: Opened) -> None:
    """Not delivered as bad frames: times for 12 frames, files for three."""
    tree, open_it = opened(RAW)
    folder = "2011_09_26/2011_09_26_drive_0001_sync"
    tree.timestamps(f"{folder}/image_02/timestamps.txt", 12)
    recording = open_it()
    assert (recording.frame_count, recording.missing_frame_count) == (3, 9)
    assert len(list(recording)) == 3


@pytest.mark.parametrize("layout", LAYOUTS)
def test_closed_recordings_are_not_read(opened: Opened, layout: str) -> None:
    """Iterating after close is an error, at once."""
    _, open_it = opened(layout)
    recording = open_it()
    recording.close()
    with pytest.raises(MissingDataError, match="is closed; open the recording again"):
        iter(recording)


def test_wrong_calibration_of_an_object_frame(opened: Opened) -> None:
    """Each frame has its own, so only that frame is bad; the error names file and line."""
    tree, open_it = opened(OBJECT)
    path = tree.text("calib/000001.txt", "P2: 1 2 3\n")
    check_second_is_bad(open_it(), FileFormatError, f"{path}:1: P2 with 3 numbers; expected P2 followed by 12 numbers")


def test_missing_calibration_of_an_object_frame(opened: Opened) -> None:
    """Likewise."""
    tree, open_it = opened(OBJECT)
    (tree.root / "calib/000001.txt").unlink()
    check_second_is_bad(open_it(), MissingDataError, "000001.txt: no such calibration file")


def test_known_rig_in_an_object_folder_has_its_size(opened: Opened) -> None:
    """KITTI's own calibration tells the size of its images, so a scaled picture is noticed, and a missing one is not
    guessed."""
    tree, open_it = opened(OBJECT)
    calibration = (tree.root / "calib/000001.txt").read_text()
    known = "P2: 7.070493e+02 0 6.040814e+02 0 0 7.070493e+02 1.805066e+02 0 0 0 1 0"
    text = "\n".join([known, *calibration.splitlines()[1:]])
    tree.text("calib/000001.txt", text)
    check_second_is_bad(open_it(), InvalidFrameError, "the image is 40x20; expected 1224x370 as calibrated")
    (tree.root / IMAGES[OBJECT]).unlink()
    frame = list(open_it())[1]
    assert isinstance(frame, Frame)
    assert (frame.camera.width_px, frame.camera.height_px) == (1224, 370)


@pytest.mark.parametrize("layout", [TRACKING, RAW])
def test_wrong_calibration_of_a_sequence(opened: Opened, layout: str) -> None:
    """Is refused on opening."""
    tree, open_it = opened(layout)
    name = "calib/0000.txt" if layout == TRACKING else "2011_09_26/calib_cam_to_cam.txt"
    path = tree.text(name, "P2: 1 2 3\nP_rect_02: 1 2 3\n")
    with pytest.raises(FileFormatError, match="with 3 numbers") as caught:
        open_it()
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("layout", [TRACKING, RAW])
def test_size_is_the_first_readable_images(opened: Opened, layout: str) -> None:
    """Where the calibration does not say it; a broken first image does not decide."""
    tree, open_it = opened(layout)
    tree.data(IMAGES[layout].replace("1.png", "0.png"), b"junk")
    first, *others = open_it()
    assert isinstance(first, BadFrame)
    assert all(isinstance(frame, Frame) for frame in others)

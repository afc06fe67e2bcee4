"""Tracklets of raw drives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vedette.datasets.kitti.labels import parse_tracking_label_file
from vedette.datasets.kitti.raw_layout import open_raw_recording
from vedette.datasets.kitti.tracklets import camera_objects, read_tracklets
from vedette.errors import FileFormatError
from vedette.geometry import SE3, PinholeCamera

CAMERA = PinholeCamera(
    np.array([[700.0, 0, 600, 0], [0, 700, 180, 0], [0, 0, 1, 0]]),
    SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3)),
    1200,
    360,
)


def pose(x_m: float = 10.0, truncation: str = "0", occlusion: str = "0", yaw: str = "0.5") -> str:
    """One pose, its bottom 1.7 m below the scanner."""
    return (
        f"<item><tx>{x_m}</tx><ty>2</ty><tz>-1.7</tz><rx>0</rx><ry>0</ry><rz>{yaw}</rz><state>2</state>"
        f"<occlusion>{occlusion}</occlusion><truncation>{truncation}</truncation></item>"
    )


def tracklet(*poses: str, first: int = 5, kitti_type: str = "Car") -> str:
    """A tracklet 4 m long, 1.8 m wide, 1.5 m high."""
    return (
        f"<item><objectType>{kitti_type}</objectType><h>1.5</h><w>1.8</w><l>4</l><first_frame>{first}</first_frame>"
        f"<poses><count>{len(poses)}</count>{''.join(poses)}</poses></item>"
    )


def write(folder: Path, *tracklets: str) -> Path:
    """A file as KITTI's tool writes it."""
    path = folder / "tracklet_labels.xml"
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>\n<!DOCTYPE boost_serialization>\n'
        f"<boost_serialization><tracklets><count>{len(tracklets)}</count>{''.join(tracklets)}</tracklets>"
        "</boost_serialization>\n"
    )
    return path


def test_poses_by_frame(tmp_path: Path) -> None:
    """The centre is half the height above the bottom; poses follow each other from the first frame on."""
    path = write(tmp_path, tracklet(pose(10.0), pose(11.0)), tracklet(pose(30.0), first=6, kitti_type="Van"))
    by_frame = read_tracklets(path)
    assert sorted(by_frame) == [5, 6]
    assert by_frame[5][0].box_velo == pytest.approx([10.0, 2.0, -0.95, 4.0, 1.8, 1.5, 0.5])
    assert [(tracked.track_id, tracked.kitti_type) for tracked in by_frame[6]] == [(0, "Car"), (1, "Van")]


def test_sitting_people_have_the_label_files_name(tmp_path: Path) -> None:
    """Tracklets write it with brackets."""
    assert read_tracklets(write(tmp_path, tracklet(pose(), kitti_type="Person (sitting)")))[5][0].kitti_type == (
        "Person_sitting"
    )


def test_labels_are_what_the_camera_sees(tmp_path: Path) -> None:
    """What is out of the image or behind it is left out; the rest has an image box around its projection."""
    path = write(
        tmp_path,
        tracklet(pose(10.0, yaw="0")),
        tracklet(pose(12.0, truncation="2")),
        tracklet(pose(14.0, truncation="99")),
        tracklet(pose(-10.0)),
        tracklet(pose(20.0, truncation="1", occlusion="2")),
    )
    objects = camera_objects(read_tracklets(path)[5], CAMERA)
    assert objects.track_ids is not None
    assert objects.track_ids.tolist() == [0, 4]
    assert objects.truncation.tolist() == [0.0, 1.0]
    assert objects.occlusion.tolist() == [0, 2]
    # x -2, y +1.7 (bottom), z 10; heading along z is rotation_y -pi/2
    assert objects.boxes_cam[0] == pytest.approx([-2.0, 1.7, 10.0, 1.5, 1.8, 4.0, -np.pi / 2])
    # nearest face at 8 m, from 2.9 m to 1.1 m left, the far edge of the right side at 12 m
    assert objects.boxes_px[0] == pytest.approx(
        [600 - 700 * 2.9 / 8, 180 + 700 * 0.2 / 12, 600 - 700 * 1.1 / 12, 180 + 700 * 1.7 / 8]
    )
    assert objects.alpha[0] == pytest.approx(-np.pi / 2 - np.arctan2(-2.0, 10.0))


def test_frame_without_tracklets(tmp_path: Path) -> None:
    """Nothing is labelled there."""
    assert read_tracklets(write(tmp_path)) == {}
    assert len(camera_objects([], CAMERA)) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a><b></a>", "expected well-formed XML"),
        ("", "expected well-formed XML"),
        ("<annotation></annotation>", "<annotation> without <tracklets>; expected KITTI's tracklets"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    """Naming the file."""
    path = tmp_path / "tracklet_labels.xml"
    path.write_text(text)
    with pytest.raises(FileFormatError, match="tracklet_labels") as caught:
        read_tracklets(path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (tracklet(pose(yaw="north")), "tracklet 0: <rz>north; expected a finite number"),
        (tracklet(pose(occlusion="1e19")), "tracklet 0: <occlusion>1e19; expected a finite number, at most 1e+09"),
        (tracklet(pose(occlusion="0.5")), "tracklet 0: <occlusion>0.5; expected a whole number"),
        (tracklet(pose()).replace("<h>1.5</h>", ""), "tracklet 0 without <h>; expected one"),
        (tracklet(pose(), kitti_type="Horse"), "tracklet 0: type 'Horse'; expected one of Car"),
    ],
)
def test_wrong_tracklets_are_refused(tmp_path: Path, broken: str, message: str) -> None:
    """Naming the tracklet and the element."""
    with pytest.raises(FileFormatError) as caught:
        read_tracklets(write(tmp_path, broken))
    assert message in str(caught.value)


@pytest.mark.shared
def test_real_tracklets_agree_with_their_published_conversion(kitti_root: Path) -> None:
    """The same objects, boxes within 2 cm (that one transforms the bottom, we the centre), whole ones within 5 px."""
    folder = kitti_root / "raw" / "2011_09_26" / "2011_09_26_drive_0001_sync"
    recording = open_raw_recording(folder)
    reference = parse_tracking_label_file(folder / "label_02_from_tracklets.txt")
    for frame in range(108):
        ours, theirs = recording.labels(frame), reference[frame]
        assert ours is not None
        assert ours.types == theirs.types
        assert np.array_equal(ours.truncation, theirs.truncation)
        assert np.array_equal(ours.occlusion, theirs.occlusion)
        assert np.abs(ours.boxes_cam - theirs.boxes_cam)[:, :6].max() < 0.02
        turn = ours.boxes_cam[:, 6] - theirs.boxes_cam[:, 6]
        assert np.abs(np.angle(np.exp(1j * turn))).max() < 0.002
        whole = ours.truncation == 0
        assert np.abs(ours.boxes_px - theirs.boxes_px)[whole].max(initial=0.0) < 5.0

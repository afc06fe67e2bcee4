"""Tracklets of the raw layout: labelled boxes over time, in the velo frame, as XML.

A pose's (tx, ty, tz) is the centre of the bottom face and rz the yaw; size and type hold for the whole tracklet. (KITTI
raw development kit, `readTracklets.m`, `tracklets.h`.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import numpy as np

from vedette.classes import KITTI_TO_CLASS
from vedette.datasets.kitti.convert import camera_rows
from vedette.datasets.kitti.fields import MAX_NUMBER, read_text
from vedette.errors import FileFormatError
from vedette.evaluation.objects import CameraObjects
from vedette.geometry import NDArrayFloat, PinholeCamera, wrap_pi

_OUT_OF_IMAGE: Final = 2
"""Truncation from here on says that the image does not show the object: 2 out of it, 99 behind it."""


@dataclass(frozen=True)
class TrackletPose:
    """A tracklet in one frame.

    Args:
        track_id: position of the tracklet in the file.
        kitti_type: KITTI's name of the object's class.
        box_velo: (7,) x, y, z, length, width, height (m), yaw (rad), centre of volume, velo frame.
        occlusion: 0 visible, 1 partly, 2 largely occluded, -1 not known.
        truncation: 0 wholly in the image, 1 partly, 2 out of it, 99 behind it, -1 not known.
    """

    track_id: int
    kitti_type: str
    box_velo: NDArrayFloat
    occlusion: int
    truncation: int


def read_tracklets(path: Path) -> dict[int, list[TrackletPose]]:
    """Read a drive's tracklets.

    Args:
        path: ``tracklet_labels.xml``.

    Returns:
        Poses by frame number, in order of tracklets; a frame without any is absent.

    Raises:
        MissingDataError: no such file.
        FileFormatError: not XML, or not tracklets.
    """
    try:
        root = ElementTree.fromstring(read_text(path, "tracklet file"))
    except ElementTree.ParseError as error:
        raise FileFormatError(path, line=error.position[0], met=str(error), expected="well-formed XML") from None
    if root.find("tracklets") is None:
        raise FileFormatError(path, met=f"<{root.tag}> without <tracklets>", expected="KITTI's tracklets")
    by_frame: dict[int, list[TrackletPose]] = {}
    for track_id, tracklet in enumerate(root.findall("tracklets/item")):
        reader = _Reader(path, f"tracklet {track_id}")
        first = reader.whole(tracklet, "first_frame")
        kitti_type = reader.kitti_type(tracklet)
        size_m = [reader.number(tracklet, key) for key in ("l", "w", "h")]
        for step, pose in enumerate(tracklet.findall("poses/item")):
            by_frame.setdefault(first + step, []).append(_pose(reader, track_id, kitti_type, size_m, pose))
    return by_frame


def camera_objects(poses: Sequence[TrackletPose], camera: PinholeCamera) -> CameraObjects:
    """A frame's tracklets as labels of the camera, those it does not see left out.

    Args:
        poses: the tracklets of one frame.
        camera: the left colour camera.

    Returns:
        Objects with track ids; the image box is that of the projected 3D box, and truncation is tracking's level.
    """
    seen = [pose for pose in poses if pose.truncation < _OUT_OF_IMAGE]
    boxes_velo = np.array([pose.box_velo for pose in seen], dtype=np.float64).reshape(-1, 7)
    boxes_px, boxes_cam, alpha, visible = camera_rows(boxes_velo, camera)
    objects = CameraObjects(
        types=tuple(pose.kitti_type for pose in seen),
        truncation=np.array([pose.truncation for pose in seen], dtype=np.float64),
        occlusion=np.array([pose.occlusion for pose in seen], dtype=np.int64),
        alpha=alpha,
        boxes_px=boxes_px,
        boxes_cam=boxes_cam,
        track_ids=np.array([pose.track_id for pose in seen], dtype=np.int64),
    )
    return objects.select(visible)


def label_frames(
    poses_by_frame: Mapping[int, Sequence[TrackletPose]], camera: PinholeCamera
) -> dict[int, CameraObjects]:
    """The labels of all frames that have a tracklet.

    Args:
        poses_by_frame: what `read_tracklets` gives.
        camera: the left colour camera.
    """
    return {frame: camera_objects(poses, camera) for frame, poses in poses_by_frame.items()}


def _pose(
    reader: _Reader, track_id: int, kitti_type: str, size_m: list[float], pose: ElementTree.Element
) -> TrackletPose:
    x_m, y_m, bottom_m, yaw = (reader.number(pose, key) for key in ("tx", "ty", "tz", "rz"))
    box_velo = np.array([x_m, y_m, bottom_m + size_m[2] / 2, *size_m, float(wrap_pi(yaw))])
    return TrackletPose(
        track_id, kitti_type, box_velo, reader.whole(pose, "occlusion"), reader.whole(pose, "truncation")
    )


@dataclass(frozen=True)
class _Reader:
    """Takes values out of elements, with errors that say where."""

    path: Path
    where: str

    def text(self, element: ElementTree.Element, key: str) -> str:
        text = element.findtext(key)
        if text is None:
            raise FileFormatError(self.path, met=f"{self.where} without <{key}>", expected="one")
        return text.strip()

    def number(self, element: ElementTree.Element, key: str) -> float:
        text = self.text(element, key)
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not abs(value) <= MAX_NUMBER:
            expected = f"a finite number, at most {MAX_NUMBER:g}"
            raise FileFormatError(self.path, met=f"{self.where}: <{key}>{text[:40]}", expected=expected)
        return value

    def whole(self, element: ElementTree.Element, key: str) -> int:
        value = self.number(element, key)
        if value != int(value):
            raise FileFormatError(self.path, met=f"{self.where}: <{key}>{value:g}", expected="a whole number")
        return int(value)

    def kitti_type(self, element: ElementTree.Element) -> str:
        name = self.text(element, "objectType").replace(" ", "_").replace("(", "").replace(")", "")
        # tracklets say "Person (sitting)" where label files say Person_sitting
        if name not in KITTI_TO_CLASS:
            known = ", ".join(KITTI_TO_CLASS)
            raise FileFormatError(self.path, met=f"{self.where}: type {name!r}", expected=f"one of {known}")
        return name

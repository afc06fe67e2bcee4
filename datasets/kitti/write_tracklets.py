"""Tracklets of the raw layout as XML: what `tracklets` reads, and KITTI's development kit.

A tracklet runs without gaps. An object that is out of sight for some frames comes back as another tracklet, so that its
track id is not kept then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from vedette.datasets.kitti.write_common import truncation_levels
from vedette.evaluation.objects import DONT_CARE, CameraObjects
from vedette.geometry import NDArrayFloat, PinholeCamera, boxes_velo_from_cam

_HEAD: Final = """<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>
<!DOCTYPE boost_serialization>
<boost_serialization signature="serialization::archive" version="9">
<tracklets class_id="0" tracking_level="0" version="0">
"""
_TAIL: Final = "</tracklets>\n</boost_serialization>\n"
_UNKNOWN_OCCLUSION: Final = 3
_LABELLED: Final = 2
"""A pose's state: by a person."""


@dataclass
class _Tracklet:
    kitti_type: str
    size_m: tuple[float, float, float]
    first_frame: int
    poses: list[str] = field(default_factory=list)

    @property
    def next_frame(self) -> int:
        return self.first_frame + len(self.poses)

    def xml(self) -> str:
        length_m, width_m, height_m = self.size_m
        head = {
            "objectType": self.kitti_type, "h": f"{height_m:.9g}", "w": f"{width_m:.9g}", "l": f"{length_m:.9g}",
            "first_frame": self.first_frame,
        }  # fmt: skip
        poses = f"<poses><count>{len(self.poses)}</count><item_version>2</item_version>\n{''.join(self.poses)}</poses>"
        return f"<item>{_elements(head)}{poses}<finished>1</finished></item>\n"


class TrackletCollector:
    """Gathers the labels of successive frames."""

    def __init__(self) -> None:
        self._tracklets: list[_Tracklet] = []
        self._latest: dict[int, _Tracklet] = {}

    def add(self, number: int, objects: CameraObjects, camera: PinholeCamera) -> None:
        """Add a frame.

        Args:
            number: of the frame, beyond those before.
            objects: its labels, with track ids; regions without labels are passed over.
            camera: whose labels they are.

        Raises:
            ValueError: there are objects without track ids.
        """
        labelled = truncation_levels(objects.select([name != DONT_CARE for name in objects.types]))
        if labelled.track_ids is None:
            if len(labelled):
                raise ValueError(f"{len(labelled)} labels without track ids; tracklets need them")
            return
        boxes_velo = boxes_velo_from_cam(camera.cam_SE3_velo, labelled.boxes_cam)
        for row, track_id in enumerate(labelled.track_ids.tolist()):
            tracklet = self._tracklet(number, track_id, labelled.types[row], boxes_velo[row])
            tracklet.poses.append(_pose(boxes_velo[row], int(labelled.occlusion[row]), labelled.truncation[row]))

    def xml(self) -> str:
        """The file's text."""
        items = "".join(tracklet.xml() for tracklet in self._tracklets)
        return f"{_HEAD}<count>{len(self._tracklets)}</count><item_version>1</item_version>\n{items}{_TAIL}"

    def _tracklet(self, number: int, track_id: int, kitti_type: str, box_velo: NDArrayFloat) -> _Tracklet:
        size_m = (float(box_velo[3]), float(box_velo[4]), float(box_velo[5]))
        latest = self._latest.get(track_id)
        if latest is None or latest.next_frame != number:
            latest = _Tracklet(kitti_type, size_m, number)
            self._latest[track_id] = latest
            self._tracklets.append(latest)
        return latest


def _pose(box_velo: NDArrayFloat, occlusion: int, truncation: float) -> str:
    x, y, z, _, _, height_m, yaw = box_velo.tolist()
    place = {"tx": x, "ty": y, "tz": z - height_m / 2, "rx": 0.0, "ry": 0.0, "rz": yaw}
    states = {
        "state": _LABELLED,
        "occlusion": -1 if occlusion == _UNKNOWN_OCCLUSION else occlusion,
        "occlusion_kf": 0,
        # beyond 1 a tracklet's level says that the object is out of the image
        "truncation": int(np.clip(truncation, -1, 1)),
        **dict.fromkeys(["amt_occlusion", "amt_occlusion_kf", "amt_border_l", "amt_border_r", "amt_border_kf"], 0),
    }
    numbers = {key: f"{value:.9g}" for key, value in place.items()}
    return f"<item>{_elements({**numbers, **states})}</item>\n"


def _elements(values: Mapping[str, object]) -> str:
    return "".join(f"<{key}>{value}</{key}>" for key, value in values.items())

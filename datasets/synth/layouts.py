"""The layouts that a world can be written in."""

from __future__ import annotations

from enum import StrEnum


class Layout(StrEnum):
    """On disk; the values are those of the command line."""

    KITTI_TRACKING = "kitti-tracking"
    KITTI_OBJECT = "kitti-object"
    KITTI_RAW = "kitti-raw"
    OPV2V = "opv2v"

"""Geometry on numpy arrays: angles, rigid motions, cameras, boxes, their overlap and suppression."""

from vedette.geometry.angles import angle_diff, circular_mean, wrap_half_pi, wrap_pi
from vedette.geometry.arrays import NDArrayBool, NDArrayFloat, NDArrayFloat32, NDArrayInt, NDArrayUInt8
from vedette.geometry.boxes import bev_area, bev_corners, corners, points_in_boxes, transform_boxes, volume
from vedette.geometry.camera import PinholeCamera
from vedette.geometry.camera_boxes import boxes_cam_from_velo, boxes_velo_from_cam, check_upright
from vedette.geometry.iou import bev_intersection_area, bev_iou, bev_iou_pairs, ioa_2d, iou_2d, iou_3d, iou_3d_pairs
from vedette.geometry.nms import nms_2d, rotated_nms
from vedette.geometry.se3 import SE3

__all__ = [
    "SE3",
    "NDArrayBool",
    "NDArrayFloat",
    "NDArrayFloat32",
    "NDArrayInt",
    "NDArrayUInt8",
    "PinholeCamera",
    "angle_diff",
    "bev_area",
    "bev_corners",
    "bev_intersection_area",
    "bev_iou",
    "bev_iou_pairs",
    "boxes_cam_from_velo",
    "boxes_velo_from_cam",
    "check_upright",
    "circular_mean",
    "corners",
    "ioa_2d",
    "iou_2d",
    "iou_3d",
    "iou_3d_pairs",
    "nms_2d",
    "points_in_boxes",
    "rotated_nms",
    "transform_boxes",
    "volume",
    "wrap_half_pi",
    "wrap_pi",
]

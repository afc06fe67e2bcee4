"""A drive down an endless street of parked cars, with traffic and house fronts: what the time of steps is measured on.

The street repeats every 18 m and the drive goes on by 0.9 m a frame, so that what stands is cast once for each of 20
places, and only what moves for every frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from vedette.classes import ObjectClass
from vedette.detections import Detections2D, Detections3D
from vedette.frames import CameraImage, Frame, Sweep
from vedette.geometry import SE3, NDArrayFloat, NDArrayFloat32, NDArrayInt, PinholeCamera

BEAMS: Final = 64
AZIMUTHS: Final = 1900
SENSOR_HEIGHT_M: Final = 1.73
MAX_RANGE_M: Final = 100.0
FRAME_NS: Final = 100_000_000
PERIOD_FRAMES: Final = 20
STEP_M: Final = 0.9
CAR_SPACING_M: Final = 9.0
HOUSE_SPACING_M: Final = 18.0
ONCOMING_SPACING_M: Final = 40.0
ONCOMING_STEP_M: Final = 1.9
UNDETECTED_EVERY: Final = 5
CAR_SIZE_M: Final = (4.2, 1.75, 1.5)
NOISE_M: Final = 0.01
MIN_HEIGHT_PX: Final = 20.0


@dataclass(frozen=True)
class Scene:
    """A frame, and what two perfect detectors see in it.

    Args:
        frame: with a sweep.
        seen: by that of the image.
        objects: by that of the sweep.
    """

    frame: Frame
    seen: Detections2D
    objects: Detections3D


def seen_in(objects: Detections3D, camera: PinholeCamera, rng: np.random.Generator) -> Detections2D:
    """Detections of the objects that the image shows large enough, a pixel or two off.

    Args:
        objects: velo frame.
        camera: of the image.
        rng: of the errors.
    """
    boxes_px, _, visible = camera.project_boxes(objects.boxes_velo)
    rows = np.flatnonzero(visible)
    boxes = boxes_px[rows] + rng.normal(0.0, 1.0, (len(rows), 4))
    boxes = np.hstack([np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])])
    large = np.flatnonzero(boxes[:, 3] - boxes[:, 1] > MIN_HEIGHT_PX)
    return Detections2D(boxes[large], np.full(len(large), 0.8), objects.class_ids[rows[large]])


def made_street(frame_count: int, seed: int) -> Iterator[Scene]:
    """Frames of the drive, 121,600 points each; every fifth of the parked cars no detection ever shows.

    Args:
        frame_count: how many.
        seed: of the noise on points and detections.
    """
    rng = np.random.default_rng(seed)
    camera, image = _camera(), np.zeros((375, 1242, 3), np.uint8)
    rays = _rays()
    standing_m = [_reach(rays, _standing(STEP_M * place)) for place in range(PERIOD_FRAMES)]
    for index in range(frame_count):
        ego_m, stamp_ns = STEP_M * index, index * FRAME_NS
        moving = _moving(index)
        points = _points(rays, np.minimum(standing_m[index % PERIOD_FRAMES], _reach(rays, moving)), rng)
        pose = SE3.from_yaw(0.0, [ego_m, 0.0, SENSOR_HEIGHT_M])
        sweep = Sweep(points, stamp_ns, stamp_ns)
        frame = Frame(index, "street", stamp_ns, camera, sweep, CameraImage(image, stamp_ns), pose)
        parked, numbers = _parked(ego_m)
        boxes = np.concatenate([parked, moving])
        shown = np.concatenate([numbers % UNDETECTED_EVERY != 0, np.ones(len(moving), np.bool_)])
        objects = Detections3D(boxes, np.full(len(boxes), 0.9), np.full(len(boxes), int(ObjectClass.CAR), np.int64))
        yield Scene(frame, seen_in(objects.select(np.flatnonzero(shown)), camera, rng), objects)


def _points(rays: NDArrayFloat, reach_m: NDArrayFloat, rng: np.random.Generator) -> NDArrayFloat32:
    """``(BEAMS * AZIMUTHS, 4)`` where the rays end, a centimetre off; beam by beam, as KITTI has them."""
    places = rays * reach_m[..., None] + NOISE_M * rng.standard_normal(rays.shape, np.float32)
    intensity = np.full((*reach_m.shape, 1), 0.3)
    points = np.concatenate([places, intensity], axis=-1).astype(np.float32)
    return np.ascontiguousarray(points.swapaxes(0, 1)).reshape(-1, 4)


def _camera() -> PinholeCamera:
    projection = np.array([[721.5, 0.0, 609.6, 44.9], [0.0, 721.5, 172.9, 0.2], [0.0, 0.0, 1.0, 0.003]])
    axes = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    return PinholeCamera(projection, SE3(axes, np.array([0.0, -0.08, -0.27])), 1242, 375)


def _row(ego_m: float, spacing_m: float, low_m: float, high_m: float) -> tuple[NDArrayFloat, NDArrayInt]:
    """Where things stand that stand in a row, from the ego, and their running numbers."""
    numbers = np.arange(np.ceil((ego_m + low_m) / spacing_m), np.floor((ego_m + high_m) / spacing_m) + 1)
    return numbers * spacing_m - ego_m, numbers.astype(np.int64)


def _both_sides(x_m: NDArrayFloat, aside_m: float, z_m: float, size_m: tuple[float, float, float]) -> NDArrayFloat:
    rows = [[x, side * aside_m, z_m - SENSOR_HEIGHT_M, *size_m, 0.0] for x in x_m for side in (-1, 1)]
    return np.array(rows)


def _parked(ego_m: float) -> tuple[NDArrayFloat, NDArrayInt]:
    """``(N,7)`` parked cars in the velo frame, and a number for each."""
    x_m, numbers = _row(ego_m, CAR_SPACING_M, -20.0, 100.0)
    return _both_sides(x_m, 5.5, 0.75, CAR_SIZE_M), np.repeat(2 * numbers, 2) + np.tile([0, 3], len(numbers))


def _standing(ego_m: float) -> NDArrayFloat:
    """``(N,7)`` parked cars and houses in the velo frame."""
    houses_m, _ = _row(ego_m, HOUSE_SPACING_M, -90.0, 110.0)
    return np.concatenate([_parked(ego_m)[0], _both_sides(houses_m, 12.0, 4.0, (14.0, 6.0, 8.0))])


def _moving(index: int) -> NDArrayFloat:
    """``(N,7)`` one car ahead of us, and those that come towards us, in the velo frame."""
    oncoming_m, _ = _row(ONCOMING_STEP_M * index, ONCOMING_SPACING_M, -20.0, 80.0)
    z_m = CAR_SIZE_M[2] / 2 - SENSOR_HEIGHT_M
    rows = [[16.0, -1.8, z_m, *CAR_SIZE_M, 0.0], *([x, 1.8, z_m, *CAR_SIZE_M, -np.pi] for x in oncoming_m)]
    return np.array(rows)


def _rays() -> NDArrayFloat:
    """``(AZIMUTHS, BEAMS, 3)`` directions of a spinning LiDAR, from behind counter-clockwise."""
    elevation = np.deg2rad(np.linspace(2.0, -24.8, BEAMS))[None, :]
    azimuth = np.linspace(-np.pi, np.pi, AZIMUTHS, endpoint=False)[:, None]
    x, y = np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth)
    return np.stack([x, y, np.sin(elevation) + 0 * azimuth], -1)


def _reach(rays: NDArrayFloat, boxes: NDArrayFloat) -> NDArrayFloat:
    """``(AZIMUTHS, BEAMS)`` distance from the origin to the ground or the nearest of upright boxes."""
    reach_m = np.minimum(-SENSOR_HEIGHT_M / np.minimum(rays[..., 2], -1e-9), MAX_RANGE_M)
    for box in boxes:
        range_m, bearing = np.hypot(box[0], box[1]), np.arctan2(box[1], box[0])
        half = np.arcsin(min(np.hypot(box[3], box[4]) / 2 / range_m, 1.0))
        low, high = ((bearing + np.array([-half, half]) + np.pi) / (2 * np.pi) * AZIMUTHS).astype(np.int64)
        # what stands behind us lies on both ends of the turn
        columns = np.arange(low, high + 2) % AZIMUTHS
        reach_m[columns] = np.minimum(reach_m[columns], _reach_box(rays[columns], box))
    return reach_m


def _reach_box(rays: NDArrayFloat, box: NDArrayFloat) -> NDArrayFloat:
    """Distance to a box along rays from the origin, infinite where missed (slab method)."""
    cos, sin = np.cos(box[6]), np.sin(box[6])
    turn = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    origin, direction = -(turn @ box[:3]), rays @ turn.T
    with np.errstate(divide="ignore"):
        first, second = (-box[3:6] / 2 - origin) / direction, (box[3:6] / 2 - origin) / direction
    near = np.minimum(first, second).max(axis=-1)
    far = np.maximum(first, second).min(axis=-1)
    return np.where((near <= far) & (near > 0), near, np.inf)

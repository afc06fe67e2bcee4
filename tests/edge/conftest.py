"""Scenes whose truth is known: a LiDAR that casts rays at boxes over level ground, and the camera beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.detections import Detections2D, Detections3D
from vedette.frames import CameraImage, Frame, Sweep
from vedette.geometry import SE3, PinholeCamera

GROUND_Z = -1.7
FRAME_NS = 100_000_000
CAR = [4.0, 1.6, 1.5]


@dataclass
class Street:
    """Makes sweeps, detections and frames of scenes.

    Args:
        camera: 700 px focal length, axes of velo turned, no offset.
    """

    camera: PinholeCamera = field(
        default_factory=lambda: PinholeCamera(
            np.array([[700.0, 0.0, 620.0, 0.0], [0.0, 700.0, 180.0, 0.0], [0.0, 0.0, 1.0, 0.0]]),
            SE3(np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]), np.zeros(3)),
            1242,
            375,
        )
    )

    @staticmethod
    def box(x: float, y: float, yaw: float = 0.0, size: Sequence[float] = CAR) -> np.ndarray:
        """A box standing on the ground, velo frame of a level ego."""
        return np.array([x, y, GROUND_Z + size[2] / 2, *size, yaw])

    @staticmethod
    def answer(*boxes: np.ndarray, score: float = 0.9, object_class: ObjectClass = ObjectClass.CAR) -> Detections3D:
        """What a 3D detector says, with one score and class."""
        count = len(boxes)
        table = np.array(boxes, np.float64).reshape(-1, 7)
        return Detections3D(table, np.full(count, score), np.full(count, int(object_class), np.int64))

    def points(self, solids: Sequence[np.ndarray]) -> np.ndarray:
        """First hits of rays 0.2 degrees apart across the view, 0.4 degrees apart in height, on solids and ground."""
        elevation = np.deg2rad(np.arange(3.0, -24.0, -0.4))[:, None]
        azimuth = np.deg2rad(np.arange(-46.0, 46.0, 0.2))[None, :]
        rays = np.stack(
            np.broadcast_arrays(
                np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)
            ),
            axis=-1,
        ).reshape(-1, 3)
        reach = np.where(rays[:, 2] < -1e-6, GROUND_Z / np.minimum(rays[:, 2], -1e-6), np.inf)
        for solid in solids:
            reach = np.minimum(reach, _reach(rays, solid))
        hit = reach < 80.0
        return np.hstack([rays[hit] * reach[hit, None], np.full((int(hit.sum()), 1), 0.5)]).astype(np.float32)

    def sweep(self, solids: Sequence[np.ndarray], stamp_ns: int = 0) -> Sweep:
        """The points as a sweep."""
        return Sweep(self.points(solids), stamp_ns, stamp_ns)

    def detections(
        self, boxes: Sequence[np.ndarray], object_class: ObjectClass = ObjectClass.CAR, score: float = 0.8
    ) -> Detections2D:
        """What a perfect 2D detector sees of boxes."""
        boxes_px, _, visible = self.camera.project_boxes(np.array(boxes, np.float64).reshape(-1, 7))
        count = int(visible.sum())
        return Detections2D(boxes_px[visible], np.full(count, score), np.full(count, int(object_class), np.int64))

    def frame(
        self,
        index: int,
        solids: Sequence[np.ndarray] | None,
        *,
        pose: SE3 | None = None,
        image: bool = True,
    ) -> Frame:
        """A frame every 0.1 s; without a sweep where ``solids`` is None."""
        stamp_ns = index * FRAME_NS
        pixels = CameraImage(np.zeros((self.camera.height_px, self.camera.width_px, 3), np.uint8), stamp_ns)
        sweep = None if solids is None else self.sweep(solids, stamp_ns)
        return Frame(index, "street", stamp_ns, self.camera, sweep, pixels if image else None, pose)


def _reach(rays: np.ndarray, solid: np.ndarray) -> np.ndarray:
    """Distances to a box, infinite where missed (slab method)."""
    cos, sin = np.cos(solid[6]), np.sin(solid[6])
    turn = np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]])
    origin, direction = -(turn @ solid[:3]), rays @ turn.T
    direction = np.where(np.abs(direction) < 1e-12, 1e-12, direction)
    first, second = (-solid[3:6] / 2 - origin) / direction, (solid[3:6] / 2 - origin) / direction
    near, far = np.minimum(first, second).max(axis=1), np.maximum(first, second).min(axis=1)
    return np.where((near <= far) & (near > 0), near, np.inf)


@pytest.fixture
def street() -> Street:
    """A maker of scenes."""
    return Street()

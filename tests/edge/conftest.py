"""Scenes whose truth is known: a LiDAR that casts rays at boxes over level ground, and the camera beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.clock import SimulatedClock
from vedette.detections import Detections2D, Detections3D
from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.lifting_agent import LiftingAgent
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.offload.policy import OffloadPolicy
from vedette.frames import CameraImage, Frame, Sweep
from vedette.geometry import SE3, PinholeCamera
from vedette.publication import Publication
from vedette.telemetry.stages import MeasuredStages, StageTimer

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


class ScriptedDetector:
    """A 2D detector that answers with what the test has set; fails where it has set an error."""

    name = "scripted"

    def __init__(self) -> None:
        self.next: Detections2D | Exception = Detections2D.empty()

    def detect(self, image: CameraImage) -> Detections2D:
        if isinstance(self.next, Exception):
            raise self.next
        return self.next


class Collector:
    """A sink that keeps what is published, forecasts apart."""

    def __init__(self) -> None:
        self.publications: list[Publication] = []
        self.forecasts: list[Publication] = []

    def publish(self, publication: Publication) -> None:
        (self.forecasts if publication.forecast else self.publications).append(publication)

    def close(self) -> None:
        """Nothing pending."""


class Run:
    """A lifting agent on the simulated clock, and a street to drive it through.

    Args:
        street: makes the scenes.
        policy: every seventh frame where the test does not say.
        clock: likewise.
        stages: likewise.
        options: of the agent.
    """

    def __init__(
        self,
        street: Street,
        *,
        policy: OffloadPolicy | None = None,
        clock: SimulatedClock | None = None,
        stages: StageTimer | None = None,
        **options: Any,
    ) -> None:
        self.street, self.detector, self.sink = street, ScriptedDetector(), Collector()
        self.clock = clock or SimulatedClock()
        self.agent = LiftingAgent(
            self.detector, policy or FixedInterval(7), self.sink, self.clock, stages or MeasuredStages(), **options
        )

    def frame(
        self,
        index: int,
        boxes: Sequence[np.ndarray],
        detections: Detections2D | None = None,
        **frame_options: Any,
    ) -> FrameResult:
        """Process a frame that shows boxes, at its time."""
        self.detector.next = self.street.detections(boxes) if detections is None else detections
        self.clock.sleep_until_ns(index * FRAME_NS)
        return self.agent.process_frame(self.street.frame(index, boxes, **frame_options))

    def answer(self, index: int, *boxes: np.ndarray, **kinds: Any) -> MergeResult:
        """An answer about a frame, there now."""
        detections = self.street.answer(*boxes, **kinds)
        return self.agent.merge_answer(Answer(index, index * FRAME_NS, self.clock.now_ns(), detections, 0, 0, {}))

    def lose(self, index: int) -> Publication | None:
        """The request about a frame is lost now."""
        loss = Loss(index, index * FRAME_NS, self.clock.now_ns(), LossReason.DEADLINE, "late", 0)
        return self.agent.give_up(loss)


@pytest.fixture
def start_run(street: Street) -> Callable[..., Run]:
    """Begins a run; takes the options of `Run`."""
    return lambda **options: Run(street, **options)


@pytest.fixture
def street() -> Street:
    """A maker of scenes."""
    return Street()

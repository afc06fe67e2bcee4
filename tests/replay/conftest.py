"""Stricter-than-real stand-ins for what a replay drives, as fixtures."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from vedette.clock import SimulatedClock
from vedette.config import EdgeConfig
from vedette.datasets.kitti.convert import camera_objects_from_detections
from vedette.detections import Detections2D, Detections3D
from vedette.edge.offload.link import OffloadRequest
from vedette.errors import InvalidFrameError, ModelError
from vedette.frames import BadFrame, CameraImage, Frame, Sweep, TimeBase
from vedette.geometry import SE3, PinholeCamera
from vedette.replay.evaluate import evaluate_run
from vedette.replay.network import parse_network
from vedette.replay.policies import parse_policies
from vedette.replay.profile import DeviceProfile
from vedette.replay.simulate import Simulation
from vedette.replay.simulated_link import CloudTimes, SimulatedLink
from vedette.replay.stopwatch import Stopwatch
from vedette.replay.truth import read_truth

MS = 1_000_000
CAMERA = PinholeCamera(
    projection=np.array([[700.0, 0, 600, 0], [0, 700, 180, 0], [0, 0, 1, 0]]),
    cam_SE3_velo=SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3)),
    width_px=1200,
    height_px=360,
)


def sweep_of(mark: float, start_ns: int = 0, end_ns: int = 0) -> Sweep:
    """A sweep of one point, whose x names it."""
    return Sweep(np.array([[mark, 0.0, 0.0, 0.5]], np.float32), start_ns, end_ns)


def request_of(index: int, stamp_ns: int, deadline_ns: int) -> OffloadRequest:
    """A request whose sweep's point lies ``index + 1`` m ahead."""
    return OffloadRequest(index, stamp_ns, deadline_ns, sweep_of(index + 1.0), CAMERA, f"{index:032x}")


def one_car(x_m: float) -> Detections3D:
    """A car on the x axis."""
    return Detections3D(np.array([[x_m, 0.0, -1.0, 4.0, 1.6, 1.5, 0.0]]), np.array([0.9]), np.array([0], np.int64))


class MarkDetector:
    """Sees one car where the sweep's first point is; refuses marks on request."""

    name = "mark"

    def __init__(self, fails_on: frozenset[float] = frozenset()) -> None:
        self.seen: list[float] = []
        self._fails_on = fails_on

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        mark = float(sweep.points_velo[0, 0])
        self.seen.append(mark)
        if mark in self._fails_on:
            raise ModelError(f"mark {mark:g} is not for this model")
        return one_car(mark)


class PaddedWire:
    """Messages of exact sizes: JSON, padded with spaces."""

    def __init__(self, bytes_up: int, bytes_down: int) -> None:
        self._bytes_up = bytes_up
        self._bytes_down = bytes_down

    def encode_request(self, request: OffloadRequest) -> bytes:
        return json.dumps(float(request.sweep.points_velo[0, 0])).encode().ljust(self._bytes_up)

    def decode_request(self, message: bytes) -> tuple[Sweep, PinholeCamera]:
        assert len(message) == self._bytes_up
        return sweep_of(json.loads(message)), CAMERA

    def encode_answer(self, detections: Detections3D) -> bytes:
        return json.dumps(float(detections.boxes_velo[0, 0])).encode().ljust(self._bytes_down)

    def decode_answer(self, message: bytes) -> Detections3D:
        assert len(message) == self._bytes_down
        return one_car(json.loads(message))


class LinkRig:
    """A simulated link with everything around it; times in milliseconds."""

    def __init__(self, network, *, bytes_up=1000, bytes_down=100, times=(0, 0, 0), max_in_flight=1, fails_on=()):
        self.clock = SimulatedClock(5_000 * MS)
        self.detector = MarkDetector(frozenset(fails_on))
        self.link = SimulatedLink(
            self.clock,
            parse_network(network),
            wire=PaddedWire(bytes_up, bytes_down),
            detector=self.detector,
            times=CloudTimes(*times),
            max_in_flight=max_in_flight,
        )
        self.link.start()

    def at(self, ms):
        """Nanoseconds on the clock of milliseconds after the start."""
        return (5_000 + ms) * MS

    def submit(self, index, deadline_ms=10_000):
        """Submit now."""
        now_ns = self.clock.now_ns()
        self.link.submit(request_of(index, now_ns, self.at(deadline_ms)))

    def outcomes(self, until_ms):
        """Everything that comes by then, as (milliseconds after the start, outcome)."""
        found = []
        while (outcome := self.link.wait(self.at(until_ms))) is not None:
            found.append(((self.clock.now_ns() - self.at(0)) / MS, outcome))
        assert self.clock.now_ns() == self.at(until_ms)
        return found


@pytest.fixture
def rig():
    """Makes link rigs."""
    return LinkRig


@pytest.fixture
def request_factory():
    """Makes requests."""
    return request_of


@pytest.fixture
def car():
    """Makes detections of one car."""
    return one_car


CAR = np.array([[20.0, 2.0, -0.9, 4.0, 1.7, 1.5, 0.0]])
STEP_NS = 100 * MS
PROFILE = DeviceProfile.model_validate(
    {
        "schema": "vedette.device-profile/1",
        "name": "test-board",
        "device": "none",
        "origin": "made up for tests",
        "models": "none",
        "edge_ms": {
            "predict": 0.2, "detect2d": 30, "associate": 0.5, "lift": 8, "update": 0.5, "forecast": 0.4,
            "decide": 0.1, "relift": 4, "encode": 3, "detect3d": 600,
        },
        "cloud_ms": {"decode": 1, "detect3d": 500},
        "edge_detectors_ms": {"slow-3d@1": 900, "quick-3d@1": 20},
    }
)  # fmt: skip


class StreetRecording:
    """A vehicle that stands still, 10 Hz, one car 20 m ahead; some frames bad, some without labels."""

    name = "street"
    time_base = TimeBase.ASSUMED_10_HZ
    missing_frame_count = 0
    problems = ()

    def __init__(self, frame_count=12, bad=(), unlabelled=(), start_ns=1_000_000 * MS):
        self.frame_count = frame_count
        self._bad = set(bad)
        self._unlabelled = set(unlabelled)
        self._start_ns = start_ns
        ground = np.stack(np.meshgrid(np.arange(3, 50, 0.5), np.arange(-15, 15, 0.5)), -1).reshape(-1, 2)
        rear = np.stack(np.meshgrid(np.arange(1.15, 2.86, 0.05), np.arange(-1.6, -0.15, 0.1)), -1).reshape(-1, 2)
        points = np.concatenate([np.c_[ground, np.full(len(ground), -1.7)], np.c_[np.full(len(rear), 18.0), rear]])
        self._points = np.c_[points, np.full(len(points), 0.3)].astype(np.float32)

    def __iter__(self):
        for index in range(self.frame_count):
            stamp_ns = self._start_ns + index * STEP_NS
            if index in self._bad:
                yield BadFrame(index, self.name, stamp_ns, InvalidFrameError(f"frame {index} is truncated"))
                continue
            sweep = Sweep(self._points, stamp_ns - 50 * MS, stamp_ns + 50 * MS)
            image = CameraImage(np.full((360, 1200, 3), 90, np.uint8), stamp_ns)
            yield Frame(index, self.name, stamp_ns, CAMERA, sweep, image, SE3.identity())

    def labels(self, frame_index):
        if frame_index in self._unlabelled:
            return None
        scored = camera_objects_from_detections(one_car_of(CAR), CAMERA)
        return dataclasses.replace(
            scored, scores=None, occlusion=np.zeros(1, np.int64), truncation=np.zeros(1), track_ids=None
        )

    def close(self):
        pass


def one_car_of(boxes):
    """A sure car."""
    return Detections3D(boxes, np.array([0.9]), np.array([0], np.int64))


class CarDetector2D:
    """Sees the street's car in the image."""

    name = "car-2d@1"

    def detect(self, image):
        boxes_px = CAMERA.project_boxes(CAR)[0]
        return Detections2D(boxes_px, np.array([0.9]), np.array([0], np.int64))


class CarDetector3D:
    """Sees the street's car in the sweep."""

    def __init__(self, name="car-3d@1"):
        self.name = name
        self.calls = 0

    def detect(self, sweep, camera):
        self.calls += 1
        return one_car_of(CAR)


@pytest.fixture
def street():
    """Makes recordings."""
    return StreetRecording


@pytest.fixture
def detectors():
    """A 2D and a 3D detector."""
    return CarDetector2D(), CarDetector3D()


@pytest.fixture
def device_detector3d():
    """Another 3D detector, that of the device."""
    return CarDetector3D()


@pytest.fixture
def other_detector3d():
    """A third, slower one for the device, of which the profile has times of its own."""
    return CarDetector3D("slow-3d@1")


@pytest.fixture
def simulated(detectors, device_detector3d, other_detector3d):
    """Runs policies over a recording on the simulated clock and evaluates them."""

    def run(recording, policies=("edge-only", "cloud-only", "moby"), network="constant:8mbps,delay=10ms", **edge):
        detector2d, detector3d = detectors
        simulation = Simulation(
            recording,
            EdgeConfig(**edge),
            parse_network(network),
            PROFILE,
            detector2d,
            edge_detectors3d={
                "usual": device_detector3d,
                "other": other_detector3d,
                "quick": CarDetector3D("quick-3d@1"),
            },
            edge_detector3d="usual",
            cloud_detector3d=detector3d,
        )
        truth = read_truth(recording)
        specs = parse_policies(policies)
        records = [simulation.run(spec, truth[0].stamp_ns, Stopwatch(), lambda: None) for spec in specs]
        return records, truth, [evaluate_run(record, truth) for record in records]

    return run

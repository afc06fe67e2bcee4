"""A detector that does what a test tells it, and real servers on free ports."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import numpy as np
import pytest
from prometheus_client import CollectorRegistry

from vedette.cloud.local_engine import LocalEngine
from vedette.cloud.metrics import CloudMetrics
from vedette.cloud.server import CloudServer
from vedette.cloud.warmup import warm_up_camera, warm_up_sweep
from vedette.codecs.sweep import PolarCodec, crop_to_camera
from vedette.config import CloudConfig
from vedette.detections import Detections3D
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera
from vedette.protos.convert import detect_request_from
from vedette.protos.limits import MESSAGE_SIZE_OPTIONS
from vedette.protos.v1alpha1.detection_pb2 import DetectSweepRequest

TRACE_ID = "0123456789abcdef0123456789abcdef"
PATIENCE_S = 20.0


@dataclass
class FakeDetector:
    """Sees one car wherever it looks; holds still while `go` is cleared.

    Stricter than a real one: two calls at a time are an error, and so is a call on the event loop's thread.
    """

    go: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None
    sweeps: list[Sweep] = field(default_factory=list)
    started: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    _busy: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.go.set()

    @property
    def name(self) -> str:
        return "fake-car@1"

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        assert threading.current_thread() is not threading.main_thread()
        assert self._busy.acquire(blocking=False), "called by two threads at once"
        try:
            assert isinstance(camera, PinholeCamera)
            self.sweeps.append(sweep)
            self.started.release()
            assert self.go.wait(PATIENCE_S), "the test never let the detector go"
            if self.error is not None:
                raise self.error
            return Detections3D(np.array([[10.0, 1, -1, 4, 1.8, 1.5, 0.1]]), np.array([0.75]), np.array([0]))
        finally:
            self._busy.release()


@dataclass
class Running:
    """A server, how to reach it, and what it counted."""

    server: CloudServer
    port: int
    channel: grpc.aio.Channel
    registry: CollectorRegistry
    engine: LocalEngine

    def count(self, name: str, **labels: str) -> float:
        return self.registry.get_sample_value(name, labels) or 0.0


Start = Callable[..., AbstractAsyncContextManager[Running]]


@pytest.fixture
def detector() -> FakeDetector:
    return FakeDetector()


@pytest.fixture
def start() -> Start:
    """Starts a server around a detector; stops it at the end."""

    @asynccontextmanager
    async def start_server(detector: FakeDetector, **settings: Any) -> AsyncIterator[Running]:
        config = CloudConfig(**{"port": 0, **settings})
        registry = CollectorRegistry()
        engine = LocalEngine(detector, config.max_queue, config.workers)
        server = CloudServer(config, engine, CloudMetrics(registry))
        port = await server.start()
        options = (("grpc.use_local_subchannel_pool", 1), *MESSAGE_SIZE_OPTIONS)
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
            try:
                yield Running(server, port, channel, registry, engine)
            finally:
                detector.go.set()
                await server.stop(grace_s=0.0)

    return start_server


@pytest.fixture
def request_message() -> DetectSweepRequest:
    """A request that is in order."""
    camera = warm_up_camera()
    encoded = PolarCodec().encode(crop_to_camera(warm_up_sweep(), camera))
    return detect_request_from(encoded, 100, 200, camera, trace_id=TRACE_ID, capture_time_ns=150)

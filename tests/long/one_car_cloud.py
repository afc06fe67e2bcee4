"""The real server with a detector that takes its time: ``python one_car_cloud.py PORT DETECTION_MS METRICS_PORT``."""

from __future__ import annotations

import asyncio
import sys
import time

import numpy as np
from prometheus_client import CollectorRegistry

from vedette.cloud.local_engine import LocalEngine
from vedette.cloud.metrics import CloudMetrics
from vedette.cloud.server import serve
from vedette.config import CloudConfig, TelemetryConfig
from vedette.detections import Detections3D
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera
from vedette.telemetry.logs import configure_logging
from vedette.telemetry.metrics import MetricsEndpoint


class OneCar:
    """Sees a car 20 m ahead, after a while.

    Args:
        seconds: how long it looks.
    """

    name = "one-car@1"

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        time.sleep(self._seconds)
        return Detections3D(np.array([[20.0, 0, 0, 4, 1.7, 1.5, 0]]), np.array([0.9]), np.array([0]))


def _announce(address: str) -> None:
    sys.stdout.write(f"listening on {address}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    port, detection_ms, metrics_port = (int(argument) for argument in sys.argv[1:])
    # on standard error, which the tests leave alone: a pipe that nobody reads would stop the server when it is full
    configure_logging(TelemetryConfig(log_level="warning"))
    config = CloudConfig(host="127.0.0.1", port=port)
    engine = LocalEngine(OneCar(detection_ms / 1e3), config.max_queue, config.workers)
    registry = CollectorRegistry()
    with MetricsEndpoint(registry, "127.0.0.1", metrics_port):
        asyncio.run(serve(config, engine, CloudMetrics(registry), _announce))

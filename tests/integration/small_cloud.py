"""The real server with a detector that sees one car: ``python small_cloud.py PORT``, announced on standard output."""

from __future__ import annotations

import asyncio
import sys

import numpy as np
from prometheus_client import CollectorRegistry

from vedette.cloud.local_engine import LocalEngine
from vedette.cloud.metrics import CloudMetrics
from vedette.cloud.server import serve
from vedette.config import CloudConfig
from vedette.detections import Detections3D
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera


class OneCar:
    """Sees a car 20 m ahead, always."""

    name = "one-car@1"

    def detect(self, sweep: Sweep, camera: PinholeCamera) -> Detections3D:
        return Detections3D(np.array([[20.0, 0, 0, 4, 1.7, 1.5, 0]]), np.array([0.9]), np.array([0]))


def _announce(address: str) -> None:
    sys.stdout.write(address + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    config = CloudConfig(host="127.0.0.1", port=int(sys.argv[1]))
    engine = LocalEngine(OneCar(), config.max_queue, config.workers)
    asyncio.run(serve(config, engine, CloudMetrics(CollectorRegistry()), _announce))

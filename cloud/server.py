"""The server: our services with health and reflection on one port."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import Final

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import CollectorRegistry

from vedette.cloud.border import Border
from vedette.cloud.gate import CallGate
from vedette.cloud.inference import InferenceEngine
from vedette.cloud.listening import cannot_listen, check_address
from vedette.cloud.metrics import CloudMetrics
from vedette.cloud.services.collaboration import CollaborationService
from vedette.cloud.services.detection import DetectionService
from vedette.cloud.services.info import InfoService
from vedette.cloud.services.restoration import RestorationService
from vedette.config import CloudConfig
from vedette.protos.limits import MESSAGE_SIZE_OPTIONS
from vedette.protos.v1alpha1 import (
    collaboration_pb2,
    collaboration_pb2_grpc,
    detection_pb2,
    detection_pb2_grpc,
    info_pb2,
    info_pb2_grpc,
    restoration_pb2,
    restoration_pb2_grpc,
)

DETECTION: Final = detection_pb2.DESCRIPTOR.services_by_name["DetectionService"].full_name
INFO: Final = info_pb2.DESCRIPTOR.services_by_name["InfoService"].full_name
RESTORATION: Final = restoration_pb2.DESCRIPTOR.services_by_name["RestorationService"].full_name
COLLABORATION: Final = collaboration_pb2.DESCRIPTOR.services_by_name["CollaborationService"].full_name

_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING

# Bounds the memory that requests under way can take: this many times the size of a message.
_MAX_CALLS: Final = 128

_OPTIONS: Final = (
    *MESSAGE_SIZE_OPTIONS,
    # else two servers share a port and take requests in turn, and nobody is told
    ("grpc.so_reuseport", 0),
    # agents ping idle links often, to notice dead ones; by default a server takes that for an attack
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 500),
)


class CloudServer:
    """Serves until it is stopped. Made and used within one event loop.

    Args:
        config: address, limits and grace.
        engine: runs the model; the server starts and closes it.
        metrics: what to count with; None counts for nobody.
    """

    def __init__(self, config: CloudConfig, engine: InferenceEngine, metrics: CloudMetrics | None = None) -> None:
        self._config = config
        self._engine = engine
        self._metrics = metrics or CloudMetrics(CollectorRegistry())
        self._metrics.watch_queue(lambda: engine.queue_length)
        self._gate = CallGate()
        self._health = health.aio.HealthServicer()
        self._server = grpc.aio.server(
            interceptors=[Border(self._gate, self._metrics)], options=_OPTIONS, maximum_concurrent_rpcs=_MAX_CALLS
        )

    async def start(self) -> int:
        """Listen, let the model answer once, then be ready.

        From the first moment health checks are answered, with NOT_SERVING until the model has answered.

        Returns:
            The port.

        Raises:
            ConfigError: the address cannot be listened on.
            ModelError: the model does not answer.
        """
        self._add_services()
        port = self._bind()
        await self._set_health(_NOT_SERVING)
        await self._server.start()
        try:
            await self._engine.start()
        except BaseException:
            await self.stop(grace_s=0.0)
            raise
        await self._set_health(_SERVING)
        return port

    async def stop(self, grace_s: float | None = None) -> None:
        """Say so to health checks, refuse new requests, let running ones finish, then end.

        Args:
            grace_s: how long they may take; None takes the configured grace.
        """
        await self._health.enter_graceful_shutdown()
        left = await self._gate.close(self._config.stop_grace_s if grace_s is None else grace_s)
        if left:
            structlog.get_logger().warning("stopping with requests under way", count=left)
        await self._server.stop(grace=None)
        await self._engine.close()

    def _add_services(self) -> None:
        server, max_budget_s = self._server, self._config.max_budget_s
        detection = DetectionService(self._engine, self._metrics, max_budget_s)
        detection_pb2_grpc.add_DetectionServiceServicer_to_server(detection, server)
        info_pb2_grpc.add_InfoServiceServicer_to_server(InfoService(self._engine, max_budget_s), server)
        restoration_pb2_grpc.add_RestorationServiceServicer_to_server(RestorationService(), server)
        collaboration_pb2_grpc.add_CollaborationServiceServicer_to_server(CollaborationService(), server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        ours = (DETECTION, INFO, RESTORATION, COLLABORATION)
        reflection.enable_server_reflection((*ours, health.SERVICE_NAME, reflection.SERVICE_NAME), server)

    def _bind(self) -> int:
        address = f"{self._config.host}:{self._config.port}"
        check_address(self._config.host, self._config.port)
        try:
            port = self._server.add_insecure_port(address)
        except RuntimeError as error:
            raise cannot_listen(address, str(error)) from error
        if port == 0:
            raise cannot_listen(address, "gRPC refuses the address")
        return port

    async def _set_health(self, status: health_pb2.HealthCheckResponse.ServingStatus.ValueType) -> None:
        for service in ("", DETECTION, INFO, f"models/{self._engine.model_name}"):
            await self._health.set(service, status)
        for service in (RESTORATION, COLLABORATION):
            await self._health.set(service, _NOT_SERVING)


async def serve(
    config: CloudConfig, engine: InferenceEngine, metrics: CloudMetrics, announce: Callable[[str], None]
) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        config: address, limits and grace.
        engine: runs the model.
        metrics: what to count with.
        announce: called with HOST:PORT once the server is ready.

    Raises:
        ConfigError: the address cannot be listened on.
        ModelError: the model does not answer.
    """
    server = CloudServer(config, engine, metrics)
    port = await server.start()
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    announce(f"{config.host}:{port}")
    await stopping.wait()
    structlog.get_logger().info("stopping", grace_s=config.stop_grace_s)
    await server.stop()

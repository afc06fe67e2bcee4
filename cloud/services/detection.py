"""DetectionService: a sweep in, boxes out."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import grpc
from structlog.contextvars import bind_contextvars

from vedette.cloud.budget import Budget
from vedette.cloud.inference import Inference, InferenceEngine
from vedette.cloud.metrics import CloudMetrics
from vedette.errors import DeadlineError, UnknownModelError
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera
from vedette.protos.convert import detect_response_from, sweep_and_camera_from
from vedette.protos.headers import check_request_header
from vedette.protos.v1alpha1 import detection_pb2, detection_pb2_grpc


class DetectionService(detection_pb2_grpc.DetectionServiceServicer):
    """Detects the objects of sweeps with one engine.

    Args:
        engine: runs the model.
        metrics: takes the stage times.
        max_budget_s: longest that a request may take, whatever its deadline.
    """

    def __init__(self, engine: InferenceEngine, metrics: CloudMetrics, max_budget_s: float) -> None:
        self._engine = engine
        self._metrics = metrics
        self._max_budget_s = max_budget_s

    async def DetectSweep(
        self, request: detection_pb2.DetectSweepRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> detection_pb2.DetectSweepResponse:
        """Detect the objects of one sweep.

        Raises:
            VedetteError: whatever is wrong with the request, its budget or the model.
        """
        started_ns = time.perf_counter_ns()
        check_request_header(request.header)
        bind_contextvars(trace_id=request.header.trace_id)
        self._check_model(request.model)
        budget = self._budget(context)
        budget.check("decoding")
        sweep, camera = await asyncio.to_thread(sweep_and_camera_from, request)
        decode_ms = (time.perf_counter_ns() - started_ns) / 1e6
        budget.check("waiting for the model")
        inference = await self._detect(sweep, camera, budget)
        budget.check("encoding the answer")
        stage_ms = {"decode": decode_ms, **inference.stage_ms}
        self._metrics.observe_stages(stage_ms)
        return detect_response_from(
            inference.detections,
            trace_id=request.header.trace_id,
            capture_time_ns=request.header.capture_time_ns,
            model=self._engine.model_name,
            stage_ms=stage_ms,
            total_ms=(time.perf_counter_ns() - started_ns) / 1e6,
        )

    def _check_model(self, name: str) -> None:
        if name and name not in {self._engine.model_name, self._engine.model_name.split("@")[0]}:
            raise UnknownModelError(f"model {name!r} is not served here; expected {self._engine.model_name} or none")

    def _budget(self, context: grpc.aio.ServicerContext[Any, Any]) -> Budget:
        remaining_s = context.time_remaining()
        return Budget(self._max_budget_s if remaining_s is None else min(remaining_s, self._max_budget_s))

    async def _detect(self, sweep: Sweep, camera: PinholeCamera, budget: Budget) -> Inference:
        try:
            async with asyncio.timeout(budget.remaining_s):
                return await self._engine.detect(sweep, camera, budget)
        except TimeoutError:
            raise DeadlineError("the budget ran out while the request waited for the model or was in it") from None

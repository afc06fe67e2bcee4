"""InfoService: what the server is and takes."""

from __future__ import annotations

from typing import Any

import grpc

from vedette import __version__
from vedette.cloud.inference import InferenceEngine
from vedette.codecs.sweep import SWEEP_CODEC_NAMES, sweep_codec
from vedette.frames import MAX_SWEEP_POINTS
from vedette.protos.limits import MAX_MESSAGE_BYTES, OLDEST_SCHEMA_VERSION, SCHEMA_VERSION
from vedette.protos.v1alpha1 import info_pb2, info_pb2_grpc


class InfoService(info_pb2_grpc.InfoServiceServicer):
    """Answers any client, of whatever schema.

    Args:
        engine: its model and queue are described.
        max_budget_s: longest that a request may take.
    """

    def __init__(self, engine: InferenceEngine, max_budget_s: float) -> None:
        self._engine = engine
        self._max_budget_s = max_budget_s

    async def GetServerInfo(
        self, request: info_pb2.GetServerInfoRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> info_pb2.GetServerInfoResponse:
        """Describe the server."""
        del request, context
        limits = info_pb2.ServerLimits(
            max_message_bytes=MAX_MESSAGE_BYTES,
            max_sweep_points=MAX_SWEEP_POINTS,
            max_queue=self._engine.max_queue,
            max_budget_s=self._max_budget_s,
        )
        codecs = [info_pb2.CodecSupport(name=name, versions=[sweep_codec(name).version]) for name in SWEEP_CODEC_NAMES]
        return info_pb2.GetServerInfoResponse(
            version=__version__,
            oldest_schema_version=OLDEST_SCHEMA_VERSION,
            newest_schema_version=SCHEMA_VERSION,
            limits=limits,
            models=[info_pb2.ServedModel(name=self._engine.model_name, task=info_pb2.MODEL_TASK_DETECT_3D)],
            codecs=codecs,
        )

"""RestorationService: its messages are fixed, its work is not done yet."""

from __future__ import annotations

from typing import Any

import grpc

from vedette.errors import UnsupportedError
from vedette.protos.headers import check_request_header
from vedette.protos.v1alpha1 import restoration_pb2, restoration_pb2_grpc


class RestorationService(restoration_pb2_grpc.RestorationServiceServicer):
    """Says that this server does not restore images."""

    async def RestoreImage(
        self, request: restoration_pb2.RestoreImageRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> restoration_pb2.RestoreImageResponse:
        """Refuse.

        Raises:
            UnsupportedError: always, for a request that is otherwise in order.
        """
        del context
        check_request_header(request.header)
        raise UnsupportedError(
            "this server does not restore images; send them as plain JPEG or keep them on the device"
        )

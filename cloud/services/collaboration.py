"""CollaborationService: its messages are fixed, its work is not done yet."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, NoReturn

import grpc

from vedette.errors import UnsupportedError
from vedette.protos.headers import check_request_header
from vedette.protos.v1alpha1 import collaboration_pb2, collaboration_pb2_grpc, common_pb2

_Context = grpc.aio.ServicerContext[Any, Any]


class CollaborationService(collaboration_pb2_grpc.CollaborationServiceServicer):
    """Says that this server does not judge claims."""

    async def SubmitClaims(
        self, request: collaboration_pb2.SubmitClaimsRequest, context: _Context
    ) -> collaboration_pb2.SubmitClaimsResponse:
        """Refuse.

        Raises:
            UnsupportedError: always, for a request that is otherwise in order.
        """
        del context
        _refuse(request.header)

    async def WatchVerdicts(
        self, request: collaboration_pb2.WatchVerdictsRequest, context: _Context
    ) -> AsyncIterator[collaboration_pb2.WatchVerdictsResponse]:
        """Refuse.

        Raises:
            UnsupportedError: always, for a request that is otherwise in order.
        """
        del context
        _refuse(request.header)
        yield collaboration_pb2.WatchVerdictsResponse()

    async def WatchPicture(
        self, request: collaboration_pb2.WatchPictureRequest, context: _Context
    ) -> AsyncIterator[collaboration_pb2.WatchPictureResponse]:
        """Refuse.

        Raises:
            UnsupportedError: always, for a request that is otherwise in order.
        """
        del context
        _refuse(request.header)
        yield collaboration_pb2.WatchPictureResponse()

    async def ListTrust(
        self, request: collaboration_pb2.ListTrustRequest, context: _Context
    ) -> collaboration_pb2.ListTrustResponse:
        """Refuse.

        Raises:
            UnsupportedError: always, for a request that is otherwise in order.
        """
        del context
        _refuse(request.header)


def _refuse(header: common_pb2.RequestHeader) -> NoReturn:
    check_request_header(header)
    raise UnsupportedError("this server does not judge claims; send sweeps to DetectSweep, or claims to another server")

"""The border that every call of our services crosses: parsing, errors, metrics, and the closed door while stopping.

Requests come in as bytes and are parsed here, answers leave as bytes, so that a message that cannot be parsed and an
answer that is too large are errors like any other, and no client ever sees a traceback.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn, TypeAlias

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from vedette.cloud.gate import CallGate
from vedette.cloud.metrics import CloudMetrics
from vedette.errors import InvalidMessageError, VedetteError
from vedette.protos.limits import serialize
from vedette.protos.status import ErrorStatus, status_of

_OURS: Final = "/vedette."

# generic in the stubs alone
_Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
_Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"


class Border(grpc.aio.ServerInterceptor):
    """Wraps every method of our services; health and reflection pass untouched.

    Args:
        gate: entered by each call.
        metrics: counts each call.
    """

    def __init__(self, gate: CallGate, metrics: CloudMetrics) -> None:
        self._gate = gate
        self._metrics = metrics

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[_Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> _Handler | None:
        """Put the border around the method that was called."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or not method.startswith(_OURS):
            return handler
        # the stubs know these two functions only with the blocking API's behaviours
        wrapped: Any
        if handler.response_streaming:
            wrapped = self._stream(method, handler.unary_stream, handler.request_deserializer)
            return grpc.unary_stream_rpc_method_handler(wrapped)
        wrapped = self._unary(method, handler.unary_unary, handler.request_deserializer)
        return grpc.unary_unary_rpc_method_handler(wrapped)

    def _unary(self, method: str, answer: Any, parse: Any) -> Callable[[bytes, _Context], Awaitable[bytes]]:
        async def call(data: bytes, context: _Context) -> bytes:
            with self._counted(method, context) as outcome:
                try:
                    with self._gate.passing():
                        return serialize(await answer(_parse(parse, data), context))
                except Exception as error:
                    await outcome.refuse(error, context)

        return call

    def _stream(self, method: str, answers: Any, parse: Any) -> Callable[[bytes, _Context], AsyncIterator[bytes]]:
        async def call(data: bytes, context: _Context) -> AsyncIterator[bytes]:
            with self._counted(method, context) as outcome:
                try:
                    with self._gate.passing():
                        async for answer in answers(_parse(parse, data), context):
                            yield serialize(answer)
                except Exception as error:
                    await outcome.refuse(error, context)

        return call

    @contextmanager
    def _counted(self, method: str, context: _Context) -> Iterator[_Outcome]:
        outcome = _Outcome(method, self._metrics)
        try:
            yield outcome
        except (asyncio.CancelledError, GeneratorExit):
            remaining_s = context.time_remaining()
            late = remaining_s is not None and remaining_s <= 0.0
            outcome.code = grpc.StatusCode.DEADLINE_EXCEEDED if late else grpc.StatusCode.CANCELLED
            raise
        finally:
            self._metrics.count_request(method, outcome.code.name)


class _Outcome:
    """How one call ended."""

    def __init__(self, method: str, metrics: CloudMetrics) -> None:
        self._method = method
        self._metrics = metrics
        self.code = grpc.StatusCode.OK

    async def refuse(self, error: Exception, context: _Context) -> NoReturn:
        """End the call with the status of an error."""
        log = structlog.get_logger().bind(method=self._method)
        if isinstance(error, VedetteError):
            status = status_of(error)
            log.info("refused", reason=status.reason, error=status.text)
        else:
            status = ErrorStatus(
                grpc.StatusCode.INTERNAL, "internal error; the server's log has it under the request's trace id", "BUG"
            )
            log.error("internal error", exc_info=error)
        self.code = status.code
        self._metrics.count_refused(status.reason)
        await context.abort(status.code, status.text, status.trailing_metadata())


def _parse(parse: Callable[[bytes], Message], data: bytes) -> Message:
    try:
        return parse(data)
    except DecodeError as error:
        raise InvalidMessageError(f"the request's {len(data)} bytes are not a message of this method") from error

"""Our errors as gRPC statuses and back: the one place.

A status carries the code for any client, the text for people, and the exact cause as a `google.rpc.ErrorInfo` in the
standard details, so that a vedette client raises the very class that the server met. A status from elsewhere (a proxy,
gRPC itself) has no such details; then the code decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from vedette.errors import (
    CodecError,
    ConfigError,
    CorruptBlobError,
    DataError,
    DeadlineError,
    InvalidFrameError,
    InvalidMessageError,
    LinkError,
    LinkUnavailableError,
    MessageTooLargeError,
    ModelCardError,
    ModelError,
    ModelHashError,
    ModelInputError,
    ModelLoadError,
    OverloadedError,
    RemoteError,
    SchemaVersionError,
    UnknownCodecError,
    UnknownModelError,
    UnsupportedError,
    VedetteError,
    WireError,
)

DETAILS_KEY: Final = "grpc-status-details-bin"
"""Trailing metadata that carries a serialized `google.rpc.Status`, by gRPC's convention."""
_DOMAIN: Final = "vedette"
_MAX_TEXT: Final = 400

_Code = grpc.StatusCode

# The first class that an error is an instance of decides: special before general.
_BY_CLASS: Final[tuple[tuple[type[VedetteError], grpc.StatusCode, str], ...]] = (
    (InvalidFrameError, _Code.INVALID_ARGUMENT, "INVALID_FRAME"),
    (DataError, _Code.INVALID_ARGUMENT, "DATA"),
    (UnknownCodecError, _Code.INVALID_ARGUMENT, "UNKNOWN_CODEC"),
    (CorruptBlobError, _Code.INVALID_ARGUMENT, "CORRUPT_BLOB"),
    (CodecError, _Code.INVALID_ARGUMENT, "CODEC"),
    (InvalidMessageError, _Code.INVALID_ARGUMENT, "INVALID_MESSAGE"),
    (MessageTooLargeError, _Code.RESOURCE_EXHAUSTED, "MESSAGE_TOO_LARGE"),
    (SchemaVersionError, _Code.FAILED_PRECONDITION, "SCHEMA_VERSION"),
    (UnsupportedError, _Code.UNIMPLEMENTED, "UNSUPPORTED"),
    (WireError, _Code.INVALID_ARGUMENT, "WIRE"),
    (UnknownModelError, _Code.NOT_FOUND, "UNKNOWN_MODEL"),
    (ModelInputError, _Code.INVALID_ARGUMENT, "MODEL_INPUT"),
    (ModelCardError, _Code.INTERNAL, "MODEL_CARD"),
    (ModelHashError, _Code.INTERNAL, "MODEL_HASH"),
    (ModelLoadError, _Code.INTERNAL, "MODEL_LOAD"),
    (ModelError, _Code.INTERNAL, "MODEL"),
    (LinkUnavailableError, _Code.UNAVAILABLE, "UNAVAILABLE"),
    (DeadlineError, _Code.DEADLINE_EXCEEDED, "DEADLINE"),
    (OverloadedError, _Code.RESOURCE_EXHAUSTED, "OVERLOADED"),
    (RemoteError, _Code.INTERNAL, "REMOTE"),
    (LinkError, _Code.UNAVAILABLE, "LINK"),
    (ConfigError, _Code.INTERNAL, "CONFIG"),
    (VedetteError, _Code.INTERNAL, "VEDETTE"),
)

_BY_REASON: Final = {reason: error_class for error_class, _, reason in _BY_CLASS}

_BY_CODE: Final[dict[grpc.StatusCode, type[VedetteError]]] = {
    _Code.INVALID_ARGUMENT: InvalidMessageError,
    _Code.OUT_OF_RANGE: InvalidMessageError,
    _Code.FAILED_PRECONDITION: SchemaVersionError,
    _Code.NOT_FOUND: UnknownModelError,
    _Code.UNIMPLEMENTED: UnsupportedError,
    _Code.RESOURCE_EXHAUSTED: OverloadedError,
    _Code.DEADLINE_EXCEEDED: DeadlineError,
    _Code.UNAVAILABLE: LinkUnavailableError,
    _Code.CANCELLED: LinkUnavailableError,
}

# gRPC's core says this, with RESOURCE_EXHAUSTED, of a message over the limit; it knows no other way to tell.
_TOO_LARGE_TEXT: Final = "message larger than max"


@dataclass(frozen=True)
class ErrorStatus:
    """What a server answers instead of a result.

    Args:
        code: for any client.
        text: for people.
        reason: the exact cause, for vedette's clients and for metrics.
    """

    code: grpc.StatusCode
    text: str
    reason: str

    def trailing_metadata(self) -> tuple[tuple[str, bytes], ...]:
        """The standard details."""
        status = Status(code=self.code.value[0], message=self.text)
        status.details.add().Pack(ErrorInfo(reason=self.reason, domain=_DOMAIN))
        return ((DETAILS_KEY, status.SerializeToString()),)


def status_of(error: VedetteError) -> ErrorStatus:
    """The status that tells a client of an error.

    Args:
        error: what the server met.
    """
    code, reason = next((code, reason) for kind, code, reason in _BY_CLASS if isinstance(error, kind))
    return ErrorStatus(code, _cut(str(error)), reason)


def _cut(text: str) -> str:
    """At most as much as fits: gRPC drops a whole status whose metadata is over 8 kB, and the text is in it twice."""
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"


def error_of(call: grpc.Call | grpc.aio.AioRpcError) -> VedetteError:
    """The error that a status tells of.

    Args:
        call: a finished call that failed, as either API of grpc raises it (a `grpc.RpcError` of the blocking one is a
            `grpc.Call` too).
    """
    return error_from_status(call.code(), call.details() or "", _details(call.trailing_metadata()))


def error_from_status(code: grpc.StatusCode, text: str, details: bytes | None) -> VedetteError:
    """The error that the parts of a status tell of.

    Args:
        code: of the status.
        text: of the status.
        details: a serialized `google.rpc.Status`, or None where the status came without.
    """
    error_class = _BY_REASON.get(_reason(details))
    if error_class is None and code is _Code.RESOURCE_EXHAUSTED and _TOO_LARGE_TEXT in text:
        error_class = MessageTooLargeError
    if error_class is None:
        error_class = _BY_CODE.get(code, RemoteError)
    return error_class(text or f"the peer answered {code.name} without a text")


def _details(metadata: object) -> bytes | None:
    # grpc gives a tuple of (key, value) pairs, its asyncio side a Metadata that iterates over such pairs, or None.
    pairs: list[tuple[str, str | bytes]] = list(metadata) if metadata is not None else []  # type: ignore[call-overload]
    return next((value for key, value in pairs if key == DETAILS_KEY and isinstance(value, bytes)), None)


def _reason(details: bytes | None) -> str:
    info = ErrorInfo()
    try:
        for detail in Status.FromString(details or b"").details:
            if detail.Unpack(info) and info.domain == _DOMAIN:
                return str(info.reason)
    except DecodeError:
        return ""
    return ""

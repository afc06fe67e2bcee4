"""Errors become statuses and errors again."""

from __future__ import annotations

import inspect

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from vedette import errors
from vedette.errors import (
    DeadlineError,
    FileFormatError,
    InvalidFrameError,
    InvalidMessageError,
    LinkUnavailableError,
    MessageTooLargeError,
    MissingPackageError,
    ModelError,
    OverloadedError,
    RemoteError,
    SchemaVersionError,
    UnknownModelError,
    UnsupportedError,
    VedetteError,
)
from vedette.protos.status import error_from_status, error_of, status_of

Code = grpc.StatusCode
ALL = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, VedetteError)]
WITH_A_TEXT_ALONE = [kind for kind in ALL if kind not in {FileFormatError, MissingPackageError}]


def back(error: VedetteError) -> VedetteError:
    status = status_of(error)
    return error_from_status(status.code, status.text, status.trailing_metadata()[0][1])


@pytest.mark.parametrize("kind", WITH_A_TEXT_ALONE)
def test_every_error_keeps_its_text_and_comes_back_as_its_kind(kind: type[VedetteError]) -> None:
    """The class that the server met, or for data and general errors the nearest base of it."""
    there_and_back = back(kind("met this; expected that"))
    assert issubclass(kind, type(there_and_back))
    assert str(there_and_back) == "met this; expected that"


ACTED_ON = [
    *[InvalidFrameError, InvalidMessageError, MessageTooLargeError, SchemaVersionError, UnsupportedError],
    *[DeadlineError, OverloadedError, UnknownModelError, ModelError, RemoteError, LinkUnavailableError],
]


@pytest.mark.parametrize("kind", ACTED_ON)
def test_what_clients_act_on_comes_back_exactly(kind: type[VedetteError]) -> None:
    """Not as a base class."""
    assert type(back(kind("x"))) is kind


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidFrameError("x"), Code.INVALID_ARGUMENT),
        (FileFormatError("a", met="b", expected="c"), Code.INVALID_ARGUMENT),
        (MessageTooLargeError("x"), Code.RESOURCE_EXHAUSTED),
        (OverloadedError("x"), Code.RESOURCE_EXHAUSTED),
        (SchemaVersionError("x"), Code.FAILED_PRECONDITION),
        (UnknownModelError("x"), Code.NOT_FOUND),
        (UnsupportedError("x"), Code.UNIMPLEMENTED),
        (DeadlineError("x"), Code.DEADLINE_EXCEEDED),
        (LinkUnavailableError("x"), Code.UNAVAILABLE),
        (ModelError("x"), Code.INTERNAL),
        (VedetteError("x"), Code.INTERNAL),
    ],
)
def test_codes_for_any_client(error: VedetteError, code: grpc.StatusCode) -> None:
    """A client that knows nothing of our details still gets the right code."""
    assert status_of(error).code is code


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        (Code.UNAVAILABLE, "failed to connect to all addresses", LinkUnavailableError),
        (Code.DEADLINE_EXCEEDED, "Deadline Exceeded", DeadlineError),
        (Code.RESOURCE_EXHAUSTED, "Received message larger than max (5 vs. 4)", MessageTooLargeError),
        (Code.RESOURCE_EXHAUSTED, "SERVER: Sent message larger than max (5 vs. 4)", MessageTooLargeError),
        (Code.RESOURCE_EXHAUSTED, "Concurrent RPC limit exceeded!", OverloadedError),
        (Code.UNIMPLEMENTED, "Method not found!", UnsupportedError),
        (Code.UNKNOWN, "", RemoteError),
        (Code.PERMISSION_DENIED, "no", RemoteError),
    ],
)
@pytest.mark.parametrize("details", [None, b"", b"\xff\xfe"])
def test_statuses_of_others(code: grpc.StatusCode, text: str, kind: type[VedetteError], details: bytes | None) -> None:
    """gRPC itself and proxies send no details of ours, or none that can be read: the code decides."""
    error = error_from_status(code, text, details)
    assert type(error) is kind
    assert str(error)


def test_asyncio_errors_are_read() -> None:
    """Details are found among the trailing metadata, and absent metadata does no harm."""
    status = status_of(OverloadedError("queue is full"))
    metadata = Metadata(("other", "x"), *status.trailing_metadata())
    error = error_of(AioRpcError(status.code, Metadata(), metadata, status.text))
    assert type(error) is OverloadedError
    assert type(error_of(AioRpcError(Code.UNAVAILABLE, Metadata(), Metadata(), "x"))) is LinkUnavailableError


def test_a_long_text_is_cut() -> None:
    """gRPC refuses a status whose metadata is over its limit, and the client would learn of nothing but that."""
    status = status_of(UnknownModelError("💥" * 20_000))
    assert len(status.text) == 400
    assert status.text.endswith("…")
    assert len(status.trailing_metadata()[0][1]) < 2000

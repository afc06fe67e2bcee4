"""Sizes and schema versions."""

from __future__ import annotations

import pytest

from vedette.errors import InvalidMessageError, MessageTooLargeError, SchemaVersionError
from vedette.protos.headers import check_request_header, request_header, response_header, stage_ms_from
from vedette.protos.limits import (
    MAX_MESSAGE_BYTES,
    MESSAGE_SIZE_OPTIONS,
    SCHEMA_VERSION,
    check_message_size,
    check_schema_version,
    serialize,
)
from vedette.protos.v1alpha1 import common_pb2

TRACE_ID = "0123456789abcdef0123456789abcdef"


def test_the_limit_is_under_what_grpc_carries_by_default() -> None:
    """4 MB, and the same in both directions."""
    assert MAX_MESSAGE_BYTES < 4_000_000
    assert {value for _, value in MESSAGE_SIZE_OPTIONS} == {MAX_MESSAGE_BYTES}


@pytest.mark.parametrize(("size_bytes", "fits"), [(0, True), (MAX_MESSAGE_BYTES, True), (MAX_MESSAGE_BYTES + 1, False)])
def test_both_sides_of_the_limit(size_bytes: int, fits: bool) -> None:
    """The limit itself is allowed."""
    if fits:
        check_message_size(size_bytes, "X")
    else:
        with pytest.raises(MessageTooLargeError, match=f"X has {size_bytes} bytes; expected at most"):
            check_message_size(size_bytes, "X")


def test_oversize_messages_are_refused_before_sending() -> None:
    """The size counts everything, not the blob alone."""
    blob = common_pb2.EncodedSweep(data=bytes(MAX_MESSAGE_BYTES - 5))
    with pytest.raises(MessageTooLargeError, match=r"EncodedSweep has .* polar"):
        serialize(common_pb2.EncodedSweep(codec="raw", data=blob.data))
    assert len(serialize(blob)) == MAX_MESSAGE_BYTES


@pytest.mark.parametrize(
    ("version", "error"),
    [(SCHEMA_VERSION, None), (0, InvalidMessageError), (SCHEMA_VERSION + 1, SchemaVersionError)],
)
def test_schema_versions(version: int, error: type[Exception] | None) -> None:
    """Ours is understood; none and a newer one are not."""
    if error is None:
        check_schema_version(version)
    else:
        with pytest.raises(error, match=f"expected {SCHEMA_VERSION}"):
            check_schema_version(version)


def test_headers_that_we_write_pass() -> None:
    """What `request_header` makes, `check_request_header` takes."""
    check_request_header(request_header(TRACE_ID, 1))


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"trace_id": ""}, InvalidMessageError),
        ({"trace_id": TRACE_ID[1:]}, InvalidMessageError),
        ({"trace_id": TRACE_ID + "0"}, InvalidMessageError),
        ({"trace_id": TRACE_ID + "\n"}, InvalidMessageError),
        ({"trace_id": TRACE_ID.upper()}, InvalidMessageError),
        ({"capture_time_ns": -1}, InvalidMessageError),
        ({"schema_version": 2}, SchemaVersionError),
        ({"schema_version": 2, "trace_id": ""}, SchemaVersionError),
    ],
)
def test_bad_headers_are_refused(fields: dict[str, object], error: type[Exception]) -> None:
    """Each field, and a newer schema before anything else."""
    good: dict[str, object] = {"trace_id": TRACE_ID, "capture_time_ns": 1, "schema_version": 1}
    with pytest.raises(error):
        check_request_header(common_pb2.RequestHeader(**{**good, **fields}))  # type: ignore[arg-type]


def test_stage_times_come_back_in_order() -> None:
    """What the server measured is what the agent reads."""
    header = response_header(TRACE_ID, {"queue": 1.5, "detect3d": 20.25}, 22.0)
    assert list(stage_ms_from(header).items()) == [("queue", 1.5), ("detect3d", 20.25)]
    assert (header.trace_id, header.schema_version, header.total_ms) == (TRACE_ID, SCHEMA_VERSION, 22.0)

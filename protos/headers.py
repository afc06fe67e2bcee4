"""Headers of requests and answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from vedette.errors import InvalidMessageError
from vedette.protos.limits import SCHEMA_VERSION, check_schema_version
from vedette.protos.v1alpha1 import common_pb2

_TRACE_ID: Final = re.compile(r"[0-9a-f]{32}")


def request_header(trace_id: str, capture_time_ns: int) -> common_pb2.RequestHeader:
    """The header of a request.

    Args:
        trace_id: 32 lower-case hex digits, one per frame.
        capture_time_ns: UTC nanoseconds; the answer speaks about this instant.
    """
    return common_pb2.RequestHeader(trace_id=trace_id, capture_time_ns=capture_time_ns, schema_version=SCHEMA_VERSION)


def check_request_header(header: common_pb2.RequestHeader) -> None:
    """Refuse a request that does not say what it must about itself.

    Args:
        header: as it came. The schema is checked first: of a newer one, nothing else is known.

    Raises:
        SchemaVersionError: the request's schema is not one that this build understands.
        InvalidMessageError: no schema version, no trace id or a malformed one, or a capture time before 1970.
    """
    check_schema_version(header.schema_version)
    if not _TRACE_ID.fullmatch(header.trace_id):
        raise InvalidMessageError(f"header has trace id {header.trace_id[:40]!r}; expected 32 lower-case hex digits")
    if header.capture_time_ns < 0:  # recordings without times of their own begin at 0
        raise InvalidMessageError(
            f"header has capture time {header.capture_time_ns}; expected UTC nanoseconds, not negative"
        )


def response_header(trace_id: str, stage_ms: Mapping[str, float], total_ms: float) -> common_pb2.ResponseHeader:
    """The header of an answer.

    Args:
        trace_id: of the request.
        stage_ms: milliseconds by stage, in order.
        total_ms: from the request's arrival to now.
    """
    stages = [common_pb2.StageTime(stage=stage, duration_ms=ms) for stage, ms in stage_ms.items()]
    return common_pb2.ResponseHeader(trace_id=trace_id, schema_version=SCHEMA_VERSION, stages=stages, total_ms=total_ms)


def stage_ms_from(header: common_pb2.ResponseHeader) -> dict[str, float]:
    """Milliseconds by stage, as the server measured them.

    Args:
        header: of an answer.
    """
    return {stage.stage: stage.duration_ms for stage in header.stages}

"""A real server on a free port: what it answers, what it refuses and with which status, and how it stops."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import grpc
import numpy as np
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from vedette import __version__
from vedette.cloud.local_engine import LocalEngine
from vedette.cloud.server import COLLABORATION, DETECTION, INFO, RESTORATION, CloudServer
from vedette.config import CloudConfig
from vedette.errors import (
    ConfigError,
    CorruptBlobError,
    DeadlineError,
    InvalidFrameError,
    InvalidMessageError,
    LinkUnavailableError,
    MessageTooLargeError,
    ModelInputError,
    ModelLoadError,
    OverloadedError,
    RemoteError,
    SchemaVersionError,
    UnknownCodecError,
    UnknownModelError,
    UnsupportedError,
    VedetteError,
)
from vedette.protos.convert import detections_from
from vedette.protos.headers import request_header, stage_ms_from
from vedette.protos.limits import MAX_MESSAGE_BYTES
from vedette.protos.status import error_of
from vedette.protos.v1alpha1 import (
    collaboration_pb2,
    collaboration_pb2_grpc,
    detection_pb2_grpc,
    info_pb2,
    info_pb2_grpc,
    restoration_pb2,
    restoration_pb2_grpc,
)
from vedette.protos.v1alpha1.detection_pb2 import DetectSweepRequest, DetectSweepResponse

pytestmark = pytest.mark.asyncio
Code = grpc.StatusCode
METHOD = f"/{DETECTION}/DetectSweep"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def detect(channel: grpc.aio.Channel, message: DetectSweepRequest, timeout_s: float | None = 20.0) -> Any:
    return detection_pb2_grpc.DetectionServiceStub(channel).DetectSweep(message, timeout=timeout_s)


async def refusal(call: Any) -> tuple[grpc.StatusCode, VedetteError]:
    """Status and error of a call that must fail; its text never shows our code."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    text = caught.value.details() or ""
    assert "Traceback" not in text
    assert ".py" not in text
    return caught.value.code(), error_of(caught.value)


async def health_of(channel: grpc.aio.Channel, service: str) -> int:
    stub = health_pb2_grpc.HealthStub(channel)
    return (await stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=20.0)).status


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20.0):
        while not condition():
            await asyncio.sleep(0.001)


# ---- answers


async def test_a_sweep_is_answered(start: Any, detector: Any, request_message: DetectSweepRequest) -> None:
    """Boxes, the request's trace and capture time, the model, and where the time went."""
    async with start(detector) as running:
        response: DetectSweepResponse = await detect(running.channel, request_message)
        detections = detections_from(response)
        np.testing.assert_array_equal(detections.boxes_velo, [[10.0, 1, -1, 4, 1.8, 1.5, 0.1]])
        assert response.header.trace_id == request_message.header.trace_id
        assert (response.capture_time_ns, response.model) == (150, "fake-car@1")
        stages = stage_ms_from(response.header)
        assert list(stages) == ["decode", "queue", "detect3d"]
        assert sum(stages.values()) <= response.header.total_ms
        sweep = detector.sweeps[-1]
        assert (len(sweep), sweep.start_ns, sweep.end_ns) == (request_message.sweep.point_count, 100, 200)


@pytest.mark.parametrize("name", ["", "fake-car", "fake-car@1"])
async def test_the_model_may_be_named(
    start: Any, detector: Any, request_message: DetectSweepRequest, name: str
) -> None:
    """With its version, without, or not at all."""
    request_message.model = name
    async with start(detector) as running:
        assert (await detect(running.channel, request_message)).model == "fake-car@1"


async def test_a_request_without_a_deadline_has_the_servers(
    start: Any, detector: Any, request_message: DetectSweepRequest
) -> None:
    """It is answered within the longest budget and given up after it."""
    async with start(detector, max_budget_s=0.2) as running:
        detector.go.clear()
        code, error = await refusal(detect(running.channel, request_message, timeout_s=None))
        assert (code, type(error)) == (Code.DEADLINE_EXCEEDED, DeadlineError)


async def test_the_server_describes_itself(start: Any, detector: Any) -> None:
    """Without a header, so that clients of any schema can ask."""
    async with start(detector, max_queue=3) as running:
        info = await info_pb2_grpc.InfoServiceStub(running.channel).GetServerInfo(info_pb2.GetServerInfoRequest())
        assert (info.version, info.oldest_schema_version, info.newest_schema_version) == (__version__, 1, 1)
        assert (info.limits.max_message_bytes, info.limits.max_queue) == (MAX_MESSAGE_BYTES, 3)
        assert [(model.name, model.task) for model in info.models] == [("fake-car@1", info_pb2.MODEL_TASK_DETECT_3D)]
        assert {codec.name: list(codec.versions) for codec in info.codecs} == {"polar": [1], "raw": [1]}


async def test_reflection_lists_the_services(start: Any, detector: Any) -> None:
    """So that grpcurl and its like work without our files."""
    async with start(detector) as running:

        def ask() -> set[str]:
            with grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
                return set(ProtoReflectionDescriptorDatabase(channel).get_services())

        assert {DETECTION, INFO, RESTORATION, COLLABORATION, "grpc.health.v1.Health"} <= await asyncio.to_thread(ask)


async def test_health_is_told_by_service(start: Any, detector: Any) -> None:
    """What works is SERVING, what is not there yet is not."""
    async with start(detector) as running:
        for service in ("", DETECTION, INFO, "models/fake-car@1"):
            assert await health_of(running.channel, service) == SERVING
        for service in (RESTORATION, COLLABORATION):
            assert await health_of(running.channel, service) == NOT_SERVING


# ---- readiness


async def test_the_server_is_ready_only_when_the_model_has_answered(detector: Any) -> None:
    """Until then health checks are answered with NOT_SERVING."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    detector.go.clear()
    server = CloudServer(CloudConfig(port=port), LocalEngine(detector))
    starting = asyncio.create_task(server.start())
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        await until(lambda: len(detector.sweeps) == 1)
        assert await health_of(channel, "") == NOT_SERVING
        assert await health_of(channel, DETECTION) == NOT_SERVING
        assert not starting.done()
        detector.go.set()
        assert await starting == port
        assert await health_of(channel, "") == SERVING
    await server.stop()


async def test_a_model_that_fails_at_first_is_an_error_of_the_start(detector: Any) -> None:
    """And nothing keeps running: the port is free again."""
    detector.error = ModelLoadError("engine build failed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(ModelLoadError, match="engine build failed"):
        await CloudServer(CloudConfig(port=port), LocalEngine(detector)).start()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", port))


async def test_a_taken_port_is_a_clear_error(start: Any, detector: Any) -> None:
    """Two servers never share one."""
    async with start(detector) as running:
        second = CloudServer(CloudConfig(port=running.port), LocalEngine(detector))
        with pytest.raises(ConfigError, match=rf"cannot listen on 127.0.0.1:{running.port}: .* --port"):
            await second.start()
        await second.stop()


# ---- refusals


def set_newer_schema(message: DetectSweepRequest) -> None:
    message.header.schema_version = 2


def set_wrong_dtype(message: DetectSweepRequest) -> None:
    """float64 points in a blob that says float32: twice the bytes."""
    message.sweep.codec = "raw"
    message.sweep.data = np.zeros((message.sweep.point_count, 4)).tobytes()


def set_nan_points(message: DetectSweepRequest) -> None:
    message.sweep.codec = "raw"
    message.sweep.data = np.full((message.sweep.point_count, 4), np.nan, np.float32).tobytes()


@pytest.mark.parametrize(
    ("change", "code", "kind", "text"),
    [
        (
            set_newer_schema,
            Code.FAILED_PRECONDITION,
            SchemaVersionError,
            "version 2 is not understood here; expected 1",
        ),
        (lambda m: m.ClearField("header"), Code.INVALID_ARGUMENT, InvalidMessageError, "schema version"),
        (lambda m: setattr(m.header, "trace_id", "?"), Code.INVALID_ARGUMENT, InvalidMessageError, "trace id"),
        (lambda m: m.ClearField("sweep"), Code.INVALID_ARGUMENT, InvalidMessageError, "no sweep"),
        (lambda m: m.ClearField("camera"), Code.INVALID_ARGUMENT, InvalidMessageError, "no camera"),
        (lambda m: m.camera.projection.pop(), Code.INVALID_ARGUMENT, InvalidMessageError, "11 elements"),
        (lambda m: setattr(m.sweep, "data", b"garbage"), Code.INVALID_ARGUMENT, CorruptBlobError, "2\\*\\*-103 m"),
        (lambda m: setattr(m.sweep, "data", m.sweep.data[:-9]), Code.INVALID_ARGUMENT, CorruptBlobError, "truncated"),
        (lambda m: setattr(m.sweep, "point_count", 10**6), Code.INVALID_ARGUMENT, CorruptBlobError, "unpacks to"),
        (set_wrong_dtype, Code.INVALID_ARGUMENT, CorruptBlobError, "raw sweep has"),
        (set_nan_points, Code.INVALID_ARGUMENT, InvalidFrameError, "not finite"),
        (lambda m: setattr(m.sweep, "codec", "draco"), Code.INVALID_ARGUMENT, UnknownCodecError, "polar, raw"),
        (lambda m: setattr(m.sweep, "codec_version", 2), Code.INVALID_ARGUMENT, UnknownCodecError, "reads version 1"),
        (lambda m: setattr(m, "model", "voxelnet"), Code.NOT_FOUND, UnknownModelError, "expected fake-car@1"),
    ],
)
async def test_wrong_requests_are_refused_with_the_cause(
    start: Any,
    detector: Any,
    request_message: DetectSweepRequest,
    change: Callable[[DetectSweepRequest], object],
    code: grpc.StatusCode,
    kind: type[VedetteError],
    text: str,
) -> None:
    """Before the model sees anything, and the server goes on."""
    good = DetectSweepRequest.FromString(request_message.SerializeToString())
    change(request_message)
    async with start(detector) as running:
        met_code, error = await refusal(detect(running.channel, request_message))
        assert (met_code, type(error)) == (code, kind)
        with pytest.raises(kind, match=text):
            raise error
        assert len(detector.sweeps) == 1
        await detect(running.channel, good)
        assert running.count("vedette_cloud_requests_total", method=METHOD, code=code.name) == 1
        assert running.count("vedette_cloud_requests_total", method=METHOD, code="OK") == 1


async def test_bytes_that_are_no_message_are_refused(start: Any, detector: Any) -> None:
    """As any other bad request, not as an internal error."""
    async with start(detector) as running:
        code, error = await refusal(running.channel.unary_unary(METHOD)(b"\xff\xff garbage", timeout=20.0))
        assert (code, type(error)) == (Code.INVALID_ARGUMENT, InvalidMessageError)
        assert running.count("vedette_cloud_refused_total", reason="INVALID_MESSAGE") == 1


@pytest.mark.parametrize("surplus", [1, 1_000_000])
async def test_oversize_requests_are_refused(
    start: Any, detector: Any, request_message: DetectSweepRequest, surplus: int
) -> None:
    """Also from a client that does not hold the limit itself."""
    request_message.sweep.data = b""
    request_message.sweep.data = bytes(MAX_MESSAGE_BYTES - request_message.ByteSize() + surplus)
    async with start(detector) as running:
        unlimited = (("grpc.max_send_message_length", -1),)
        async with grpc.aio.insecure_channel(f"127.0.0.1:{running.port}", options=unlimited) as channel:
            code, error = await refusal(detect(channel, request_message))
        assert (code, type(error)) == (Code.RESOURCE_EXHAUSTED, MessageTooLargeError)
        code, error = await refusal(detect(running.channel, request_message))
        assert (code, type(error)) == (Code.RESOURCE_EXHAUSTED, MessageTooLargeError)


@pytest.mark.parametrize(
    ("error", "code", "kind", "text"),
    [
        (ModelInputError("no points in view"), Code.INVALID_ARGUMENT, ModelInputError, "no points in view"),
        (ZeroDivisionError("secret.py line 7"), Code.INTERNAL, RemoteError, "internal error; the server's log has it"),
    ],
)
async def test_failing_models_give_a_status(
    start: Any,
    detector: Any,
    request_message: DetectSweepRequest,
    error: Exception,
    code: grpc.StatusCode,
    kind: type[VedetteError],
    text: str,
) -> None:
    """Ours with its text, a bug without its inside."""
    async with start(detector) as running:
        detector.error = error
        met_code, met = await refusal(detect(running.channel, request_message))
        assert (met_code, type(met)) == (code, kind)
        assert text in str(met)


async def test_a_full_queue_refuses_at_once(start: Any, detector: Any, request_message: DetectSweepRequest) -> None:
    """The one in the model and the one that waits are answered all the same."""
    async with start(detector, max_queue=1) as running:
        detector.go.clear()
        first = detect(running.channel, request_message)
        await until(lambda: len(detector.sweeps) == 2)
        second = detect(running.channel, request_message)
        await until(lambda: running.engine.queue_length == 1)
        assert running.count("vedette_cloud_queue_length") == 1
        code, error = await refusal(detect(running.channel, request_message))
        assert (code, type(error)) == (Code.RESOURCE_EXHAUSTED, OverloadedError)
        assert running.count("vedette_cloud_refused_total", reason="OVERLOADED") == 1
        detector.go.set()
        await asyncio.gather(first, second)


async def test_work_of_clients_that_left_is_dropped(
    start: Any, detector: Any, request_message: DetectSweepRequest
) -> None:
    """By cancelling or by deadline: their sweeps leave the queue and the model never sees them."""
    async with start(detector, max_queue=2) as running:
        detector.go.clear()
        first = detect(running.channel, request_message)
        await until(lambda: len(detector.sweeps) == 2)
        cancelled = detect(running.channel, request_message)
        late = detect(running.channel, request_message, timeout_s=0.3)
        await until(lambda: running.engine.queue_length == 2)
        cancelled.cancel()
        code, error = await refusal(late)
        assert (code, type(error)) == (Code.DEADLINE_EXCEEDED, DeadlineError)
        await until(lambda: running.engine.queue_length == 0)
        detector.go.set()
        await first
        await detect(running.channel, request_message)
        assert len(detector.sweeps) == 3


async def test_a_deadline_that_has_passed_is_not_begun(
    start: Any, detector: Any, request_message: DetectSweepRequest
) -> None:
    """However it is noticed, by the client's gRPC or by us."""
    async with start(detector) as running:
        code, error = await refusal(detect(running.channel, request_message, timeout_s=0.0))
        assert (code, type(error)) == (Code.DEADLINE_EXCEEDED, DeadlineError)
        assert len(detector.sweeps) == 1


HEADER = request_header("0123456789abcdef0123456789abcdef", 1)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda channel: restoration_pb2_grpc.RestorationServiceStub(channel).RestoreImage(
                restoration_pb2.RestoreImageRequest(header=HEADER)
            ),
            "does not restore images",
        ),
        (
            lambda channel: collaboration_pb2_grpc.CollaborationServiceStub(channel).SubmitClaims(
                collaboration_pb2.SubmitClaimsRequest(header=HEADER)
            ),
            "does not judge claims",
        ),
        (
            lambda channel: collaboration_pb2_grpc.CollaborationServiceStub(channel).ListTrust(
                collaboration_pb2.ListTrustRequest(header=HEADER)
            ),
            "does not judge claims",
        ),
        (
            lambda channel: (
                collaboration_pb2_grpc.CollaborationServiceStub(channel)
                .WatchVerdicts(collaboration_pb2.WatchVerdictsRequest(header=HEADER))
                .read()
            ),
            "does not judge claims",
        ),
        (
            lambda channel: (
                collaboration_pb2_grpc.CollaborationServiceStub(channel)
                .WatchPicture(collaboration_pb2.WatchPictureRequest(header=HEADER))
                .read()
            ),
            "does not judge claims",
        ),
    ],
)
async def test_what_is_not_there_yet_says_so(
    start: Any, detector: Any, call: Callable[[grpc.aio.Channel], Any], text: str
) -> None:
    """UNIMPLEMENTED with a text that helps, streams included."""
    async with start(detector) as running:
        code, error = await refusal(call(running.channel))
        assert (code, type(error)) == (Code.UNIMPLEMENTED, UnsupportedError)
        assert text in str(error)


# ---- the end


async def test_a_stop_lets_the_running_request_finish(
    start: Any, detector: Any, request_message: DetectSweepRequest
) -> None:
    """Meanwhile health says NOT_SERVING and new requests are told to go elsewhere."""
    async with start(detector, stop_grace_s=20.0) as running:
        detector.go.clear()
        answer = detect(running.channel, request_message)
        await until(lambda: len(detector.sweeps) == 2)
        stopping = asyncio.create_task(running.server.stop())
        async with asyncio.timeout(20.0):
            while await health_of(running.channel, DETECTION) == SERVING:
                pass
        assert await health_of(running.channel, "") == NOT_SERVING
        code, error = await refusal(detect(running.channel, request_message))
        assert (code, type(error)) == (Code.UNAVAILABLE, LinkUnavailableError)
        detector.go.set()
        assert len(detections_from(await answer)) == 1
        await stopping
        code, error = await refusal(detect(running.channel, request_message))
        assert (code, type(error)) == (Code.UNAVAILABLE, LinkUnavailableError)


async def test_a_stop_gives_up_after_its_grace(start: Any, detector: Any, request_message: DetectSweepRequest) -> None:
    """The client learns at once that no answer will come."""
    async with start(detector) as running:
        detector.go.clear()
        answer = detect(running.channel, request_message)
        await until(lambda: len(detector.sweeps) == 2)
        stopping = asyncio.create_task(running.server.stop(grace_s=0.0))
        code, error = await refusal(answer)
        assert code in {Code.UNAVAILABLE, Code.CANCELLED}
        assert isinstance(error, LinkUnavailableError)
        detector.go.set()
        await stopping


async def test_stage_times_are_counted(start: Any, detector: Any, request_message: DetectSweepRequest) -> None:
    """One observation per stage and answer."""
    async with start(detector) as running:
        await detect(running.channel, request_message)
        for stage in ("decode", "queue", "detect3d"):
            assert running.count("vedette_cloud_stage_seconds_count", stage=stage) == 1

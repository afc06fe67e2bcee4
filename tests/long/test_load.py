"""More clients than the server can serve: who is refused is told at once, the others get answers, nothing piles up."""

from __future__ import annotations

import asyncio
import socket
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client.parser import text_string_to_metric_families

from vedette.cloud.warmup import warm_up_camera, warm_up_sweep
from vedette.codecs.sweep import PolarCodec, crop_to_camera
from vedette.config import CloudConfig
from vedette.protos.convert import detect_request_from, detections_from
from vedette.protos.limits import MESSAGE_SIZE_OPTIONS
from vedette.protos.v1alpha1 import detection_pb2, detection_pb2_grpc

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

DETECTION_MS = 20
PATIENCE_S = 60.0
HEALTH_TIMEOUT_S = 10.0
MOST_GROWN_MB = 25.0
TRACE_ID = "0123456789abcdef0123456789abcdef"
OPTIONS = (("grpc.use_local_subchannel_pool", 1), *MESSAGE_SIZE_OPTIONS)


def request_message() -> detection_pb2.DetectSweepRequest:
    camera = warm_up_camera()
    encoded = PolarCodec().encode(crop_to_camera(warm_up_sweep(), camera))
    return detect_request_from(encoded, 100, 200, camera, trace_id=TRACE_ID, capture_time_ns=150)


class Metrics:
    """The server's metrics page.

    Args:
        port: where it is shown.
    """

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/metrics"

    def value(self, name: str, **labels: str) -> float:
        """The sum of a metric over all series with these labels."""
        with urllib.request.urlopen(self._url, timeout=PATIENCE_S) as page:
            families = list(text_string_to_metric_families(page.read().decode()))
        samples = [sample for family in families for sample in family.samples if sample.name == name]
        return sum(sample.value for sample in samples if labels.items() <= sample.labels.items())


class Watch:
    """What the server said of itself while it was under load."""

    def __init__(self) -> None:
        self.longest_queue = 0.0
        self.looks = 0
        self.health: Counter[str] = Counter()


@pytest.fixture
def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def watching(target: str, metrics: Metrics) -> AsyncIterator[Watch]:
    """Look at queue and health again and again, each over a connection of its own."""
    watch, stop = Watch(), asyncio.Event()

    async def look_at_queue() -> None:
        while not stop.is_set():
            length = await asyncio.to_thread(metrics.value, "vedette_cloud_queue_length")
            watch.longest_queue = max(watch.longest_queue, length)
            watch.looks += 1

    async def look_at_health() -> None:
        async with grpc.aio.insecure_channel(target, options=OPTIONS) as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            while not stop.is_set():
                try:
                    answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=HEALTH_TIMEOUT_S)
                    watch.health[health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)] += 1
                except grpc.aio.AioRpcError as error:
                    watch.health[error.code().name] += 1
                await asyncio.sleep(0.02)

    async with asyncio.TaskGroup() as looking:
        looking.create_task(look_at_queue())
        looking.create_task(look_at_health())
        try:
            yield watch
        finally:
            stop.set()


async def client(target: str, requests: int, ask: Callable[[Any], Awaitable[str]]) -> Counter[str]:
    """One client with a connection of its own, one request after the other."""
    outcomes: Counter[str] = Counter()
    async with grpc.aio.insecure_channel(target, options=OPTIONS) as channel:
        stub = detection_pb2_grpc.DetectionServiceStub(channel)
        for _ in range(requests):
            outcomes[await ask(stub)] += 1
    return outcomes


async def load(target: str, clients: int, requests: int, ask: Callable[[Any], Awaitable[str]]) -> Counter[str]:
    """Many clients at once."""
    counts = await asyncio.gather(*(client(target, requests, ask) for _ in range(clients)))
    return sum(counts, Counter())


def asking(timeout_s: float) -> Callable[[Any], Awaitable[str]]:
    """Asks with a deadline; tells the status."""
    message = request_message()

    async def ask(stub: Any) -> str:
        try:
            response = await stub.DetectSweep(message, timeout=timeout_s)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                await asyncio.sleep(0.01)  # as a client that takes the answer seriously
            return str(error.code().name)
        assert len(detections_from(response)) == 1
        return "OK"

    return ask


def giving_up() -> Callable[[Any], Awaitable[str]]:
    """Asks and takes the request back before the answer can be there."""
    message = request_message()

    async def ask(stub: Any) -> str:
        call = stub.DetectSweep(message, timeout=PATIENCE_S)
        await asyncio.sleep(0.005)
        call.cancel()
        try:
            await call
        except asyncio.CancelledError:
            return "CANCELLED"
        except grpc.aio.AioRpcError as error:
            return str(error.code().name)
        return "OK"

    return ask


@pytest.mark.parametrize(
    ("name", "clients", "requests", "ask", "allowed"),
    [
        ("patient clients", 64, 40, asking(PATIENCE_S), {"OK", "RESOURCE_EXHAUSTED"}),
        ("three hundred clients", 300, 10, asking(PATIENCE_S), {"OK", "RESOURCE_EXHAUSTED"}),
        ("hurried clients", 32, 40, asking(0.05), {"OK", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"}),
        ("clients that give up", 32, 40, giving_up(), {"OK", "RESOURCE_EXHAUSTED", "CANCELLED"}),
    ],
)
def test_load(
    child_server: Any,
    one_car_server: Any,
    free_port: int,
    figures: Any,
    name: str,
    clients: int,
    requests: int,
    ask: Callable[[Any], Awaitable[str]],
    allowed: set[str],
) -> None:
    """Every request ends as it may, the queue keeps its bound, health is told all the while, at last all is free."""
    server = child_server(one_car_server(DETECTION_MS, free_port))
    metrics, bound = Metrics(free_port), CloudConfig().max_queue

    async def run() -> tuple[Counter[str], Watch]:
        await load(server.target, clients, 2, ask)
        before.update(rss_mb=server.rss_mb(), threads=server.threads_and_files()[0])
        async with watching(server.target, metrics) as watch:
            outcomes = await load(server.target, clients, requests, ask)
        return outcomes, watch

    before: dict[str, float] = {}
    outcomes, watch = asyncio.run(run())
    assert asyncio.run(load(server.target, 1, 3, asking(PATIENCE_S))) == {"OK": 3}
    threads, files = server.threads_and_files()
    grown_mb = server.rss_mb() - before["rss_mb"]
    figures(
        name,
        clients=clients,
        requests=clients * requests,
        outcomes=dict(sorted(outcomes.items())),
        queue_bound=bound,
        longest_queue_seen=watch.longest_queue,
        looks_at_queue=watch.looks,
        health=dict(watch.health),
        server_grown_mb=round(grown_mb, 1),
        threads_before_and_after=[before["threads"], threads],
        open_files_afterwards=files,
    )
    assert outcomes.total() == clients * requests
    assert set(outcomes) <= allowed, outcomes
    assert outcomes.keys() & {"RESOURCE_EXHAUSTED", "CANCELLED", "DEADLINE_EXCEEDED"}, "there was no load"
    assert watch.longest_queue <= bound
    assert set(watch.health) == {"SERVING"}
    assert metrics.value("vedette_cloud_queue_length") == 0
    assert threads <= before["threads"] + 2
    assert files < 64
    assert grown_mb < MOST_GROWN_MB
    assert server.process.poll() is None

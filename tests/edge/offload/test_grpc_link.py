"""The link to a real server, over real sockets."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import grpc
import numpy as np
import pytest

from vedette.clock import WallClock
from vedette.config import LinkConfig, OffloadConfig
from vedette.detections import Detections3D
from vedette.edge.offload.grpc_link import GrpcLink
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.errors import ConfigError, OverloadedError, SchemaVersionError, UnknownCodecError, UnknownModelError
from vedette.protos.convert import detect_response_from, sweep_and_camera_from
from vedette.protos.status import status_of

SECOND_NS = 1_000_000_000
QUICK = LinkConfig(ping_interval_s=0.2, reconnect_after_s=0.5)


@pytest.fixture
def clock() -> WallClock:
    return WallClock(starts_at_ns=10**18)


@pytest.fixture
def open_link(clock: WallClock) -> Iterator[Callable[..., GrpcLink]]:
    """Opens links and closes them after the test."""
    links: list[GrpcLink] = []

    def open_one(target: str, *, link: LinkConfig = QUICK, **offload: object) -> GrpcLink:
        opened = GrpcLink(target, clock, link=link, offload=OffloadConfig.model_validate(offload))
        opened.start()
        links.append(opened)
        return opened

    yield open_one
    for link in links:
        link.close()


@pytest.fixture
def soon(clock: WallClock) -> int:
    """A deadline that no test reaches."""
    return clock.now_ns() + 60 * SECOND_NS


def ask_until_answered(link, clock, make_request, collect, budget_ns=SECOND_NS, tries=400) -> list[LossReason]:
    """Ask again and again until there is an answer; the reasons of the losses before it."""
    reasons: list[LossReason] = []
    for index in range(1000, 1000 + tries):
        link.submit(make_request(index, deadline_ns=clock.now_ns() + budget_ns))
        (outcome,) = collect(link, clock, 1)
        if isinstance(outcome, Answer):
            return reasons
        reasons.append(outcome.reason)
        clock.sleep_until_ns(clock.now_ns() + SECOND_NS // 20)
    raise AssertionError(f"no answer after {len(reasons)} requests: {set(reasons)}")


def test_question_and_answer(cloud, clock, open_link, make_request, collect, soon) -> None:
    """What the server sees is the request, and what the run gets is the server's answer, with all bytes counted."""
    boxes = np.array([[20.0, 1, 0, 4, 2, 1.5, 0.3]])
    detections = Detections3D(boxes, np.array([0.75]), np.array([1]))
    answers: list[bytes] = []

    def handler(request, context):
        response = detect_response_from(
            detections,
            trace_id=request.header.trace_id,
            capture_time_ns=request.header.capture_time_ns,
            model="fake",
            stage_ms={"decode": 1.0, "queue": 2.0, "detect3d": 3.0},
            total_ms=6.5,
        )
        answers.append(response.SerializeToString())
        return response

    cloud.handler = handler
    link = open_link(cloud.target)
    request = make_request(7, deadline_ns=soon, stamp_ns=123)
    link.submit(request)
    (answer,) = collect(link, clock, 1)
    assert isinstance(answer, Answer)
    assert (answer.frame_index, answer.stamp_ns) == (7, 123)
    np.testing.assert_array_equal(answer.detections.boxes_velo, boxes)
    assert answer.detections.scores.tolist() == [0.75]
    assert answer.detections.class_ids.tolist() == [1]
    (seen,) = cloud.requests
    assert (seen.header.trace_id, seen.header.capture_time_ns) == (request.trace_id, 123)
    assert answer.bytes_up == seen.ByteSize()
    assert answer.bytes_down == len(answers[0])
    sweep, camera = sweep_and_camera_from(seen)
    np.testing.assert_allclose(sweep.points_velo, request.sweep.points_velo, atol=0.004)
    np.testing.assert_array_equal(camera.projection, request.camera.projection)
    assert 0 < cloud.budgets_s[0] <= 60
    assert list(answer.stage_ms) == ["queue", "encode", "uplink", "decode", "detect3d", "downlink"]
    assert answer.stage_ms["queue"] >= 2.0
    assert answer.stage_ms["detect3d"] == 3.0
    assert min(answer.stage_ms.values()) >= 0.0


@pytest.mark.parametrize(("camera_view_only", "expected_points"), [(True, 64), (False, 128)])
def test_crop_to_the_view(
    cloud, clock, open_link, make_request, collect, soon, camera_view_only: bool, expected_points: int
) -> None:
    """Points behind the camera are sent only when asked for."""
    link = open_link(cloud.target, camera_view_only=camera_view_only, codec="raw")
    link.submit(_with_points_behind(make_request(0, deadline_ns=soon)))
    assert isinstance(collect(link, clock, 1)[0], Answer)
    assert cloud.requests[0].sweep.point_count == expected_points
    assert cloud.requests[0].sweep.codec == "raw"


def _with_points_behind(request):
    points = request.sweep.points_velo
    behind = points * np.array([-1, 1, 1, 1], np.float32)
    sweep = type(request.sweep)(np.concatenate([points, behind]), 0, 0)
    return type(request)(0, 0, request.deadline_ns, sweep, request.camera, request.trace_id)


def test_oversize_is_refused_before_sending(cloud, clock, open_link, make_request, collect, soon) -> None:
    """A message over the limit costs no bytes; the loss says how large it is and what would help."""
    link = open_link(cloud.target, codec="raw", camera_view_only=False)
    link.submit(make_request(0, deadline_ns=soon, point_count=300_000))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert (loss.reason, loss.bytes_up) == (LossReason.REFUSED, 0)
    assert "4800" in loss.detail
    assert "polar" in loss.detail
    assert cloud.requests == []


def test_sweep_outside_the_view_is_refused(cloud, clock, open_link, make_request, collect, soon) -> None:
    """A sweep that the camera does not see cannot be asked about."""
    request = make_request(0, deadline_ns=soon)
    behind = type(request.sweep)(request.sweep.points_velo * np.array([-1, 1, 1, 1], np.float32), 0, 0)
    link = open_link(cloud.target)
    link.submit(type(request)(0, 0, soon, behind, request.camera, request.trace_id))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert loss.reason is LossReason.REFUSED
    assert "in the camera's view" in loss.detail


def test_passed_deadline_is_not_sent(cloud, clock, open_link, make_request, collect) -> None:
    """Late work is refused before it costs anything."""
    link = open_link(cloud.target)
    link.submit(make_request(0, deadline_ns=clock.now_ns() - 1))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert (loss.reason, loss.bytes_up) == (LossReason.DEADLINE, 0)
    assert cloud.requests == []


def test_deadline_while_the_server_works(cloud, clock, open_link, make_request, collect) -> None:
    """The call ends at the deadline, the bytes count as sent, and the server learns that nobody waits."""
    gone = threading.Event()

    def handler(request, context):
        context.add_callback(gone.set)
        assert gone.wait(20)
        return detect_response_from(
            Detections3D.empty(), trace_id="", capture_time_ns=0, model="", stage_ms={}, total_ms=0
        )

    cloud.handler = handler
    link = open_link(cloud.target)
    ask_reachable(link, clock)
    link.submit(make_request(0, deadline_ns=clock.now_ns() + SECOND_NS // 2))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert loss.reason is LossReason.DEADLINE
    assert loss.bytes_up == cloud.requests[0].ByteSize()
    assert gone.wait(20)


def ask_reachable(link: GrpcLink, clock: WallClock) -> None:
    """Wait until the supervisor has heard the server."""
    for _ in range(400):
        if link.reachable:
            return
        clock.sleep_until_ns(clock.now_ns() + SECOND_NS // 20)
    raise AssertionError("the server was never heard")


@pytest.mark.parametrize(("capacity", "at_work"), [(1, [0]), (2, [0, 1])])
def test_newest_wins(
    cloud, fake_cloud, clock, open_link, make_request, collect, soon, capacity: int, at_work: list[int]
) -> None:
    """With the capacity under way, only the newest of the requests behind is kept."""
    gate = threading.Semaphore(0)

    def handler(request, context):
        assert gate.acquire(timeout=20)
        return fake_cloud.empty_answer(request, context)

    cloud.handler = handler
    link = open_link(cloud.target, link=LinkConfig(ping_interval_s=0.2, reconnect_after_s=30, capacity=capacity))
    for index in at_work:
        link.submit(make_request(index, deadline_ns=soon))
        assert cloud.entered.acquire(timeout=20)
    for index in (10, 11, 12):
        link.submit(make_request(index, deadline_ns=soon))
    assert link.pending_count == len(at_work) + 3
    gate.release(10)
    outcomes = collect(link, clock, len(at_work) + 3)
    lost = [(o.frame_index, o.reason) for o in outcomes if isinstance(o, Loss)]
    assert lost == [(10, LossReason.SUPERSEDED), (11, LossReason.SUPERSEDED)]
    assert sorted(o.frame_index for o in outcomes if isinstance(o, Answer)) == [*at_work, 12]
    assert link.pending_count == 0


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OverloadedError("the queue is full"), LossReason.REFUSED),
        (SchemaVersionError("schema 2 is not understood here"), LossReason.REFUSED),
        (UnknownModelError("no model x"), LossReason.REFUSED),
    ],
)
def test_errors_of_the_server(cloud, clock, open_link, make_request, collect, soon, error, reason) -> None:
    """The server's own words reach the loss, and the link goes on."""

    def handler(request, context):
        status = status_of(error)
        context.set_trailing_metadata(status.trailing_metadata())
        context.abort(status.code, status.text)

    cloud.handler, good = handler, cloud.handler
    link = open_link(cloud.target)
    link.submit(make_request(0, deadline_ns=soon))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert (loss.reason, loss.detail) == (reason, str(error))
    cloud.handler = good
    assert ask_until_answered(link, clock, make_request, collect) == []


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (grpc.StatusCode.INTERNAL, LossReason.FAILED),
        (grpc.StatusCode.UNKNOWN, LossReason.FAILED),
        (grpc.StatusCode.UNAVAILABLE, LossReason.UNAVAILABLE),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, LossReason.REFUSED),
        (grpc.StatusCode.DEADLINE_EXCEEDED, LossReason.DEADLINE),
    ],
)
def test_plain_statuses(cloud, clock, open_link, make_request, collect, soon, code, reason) -> None:
    """A status from a proxy, without our details, is told by its code."""
    cloud.handler = lambda request, context: context.abort(code, "from elsewhere")
    link = open_link(cloud.target)
    link.submit(make_request(0, deadline_ns=soon))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert (loss.reason, loss.detail) == (reason, "from elsewhere")


def test_answer_of_a_newer_schema(cloud, fake_cloud, clock, open_link, make_request, collect, soon) -> None:
    """An answer that cannot be understood is a failure of the peer, not a crash."""

    def handler(request, context):
        response = fake_cloud.empty_answer(request, context)
        response.header.schema_version = 99
        return response

    cloud.handler = handler
    link = open_link(cloud.target)
    link.submit(make_request(0, deadline_ns=soon))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert loss.reason is LossReason.FAILED
    assert "99" in loss.detail


def test_server_that_refuses_pings_is_alive(cloud, clock, open_link, make_request, collect, soon) -> None:
    """A peer that answers a ping with a refusal is there."""
    cloud.refuses_pings = True
    link = open_link(cloud.target)
    ask_reachable(link, clock)
    link.submit(make_request(0, deadline_ns=soon))
    assert isinstance(collect(link, clock, 1)[0], Answer)


def test_server_absent_at_start(fake_cloud, clock, open_link, make_request, collect, soon) -> None:
    """Without a server requests are lost at once and cost nothing; when it comes, the link finds it."""
    placeholder = fake_cloud.FakeCloud().start()
    port = placeholder.port
    placeholder.stop()
    link = open_link(f"127.0.0.1:{port}")
    link.submit(make_request(0, deadline_ns=soon))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert (loss.reason, loss.bytes_up) == (LossReason.UNAVAILABLE, 0)
    assert not link.reachable
    cloud = fake_cloud.FakeCloud().start(port)
    ask_until_answered(link, clock, make_request, collect)
    ask_reachable(link, clock)
    cloud.stop()


def test_server_killed_and_restarted(fake_cloud, clock, open_link, make_request, collect) -> None:
    """A server process is killed in the middle of a run and started again on the same port: the link recovers."""

    def serve(port: int) -> tuple[subprocess.Popen[str], int]:
        command = [sys.executable, fake_cloud.__file__, str(port)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        return process, int(process.stdout.readline())

    process, port = serve(0)
    try:
        link = open_link(f"127.0.0.1:{port}")
        ask_until_answered(link, clock, make_request, collect)
        process.kill()
        process.communicate()
        link.submit(make_request(1, deadline_ns=clock.now_ns() + 20 * SECOND_NS))
        (loss,) = collect(link, clock, 1)
        assert isinstance(loss, Loss)
        assert loss.reason is LossReason.UNAVAILABLE
        process, _ = serve(port)
        reasons = ask_until_answered(link, clock, make_request, collect)
        assert set(reasons) <= {LossReason.UNAVAILABLE, LossReason.DEADLINE}
    finally:
        process.kill()
        process.communicate()


def test_black_hole(cloud, fake_cloud, clock, open_link, make_request, collect) -> None:
    """When a connection swallows everything without an error, requests end at their deadline, the channel is built
    anew after the time of silence, and over the new connection the link works again."""
    proxy = fake_cloud.Proxy(cloud.port)
    link = open_link(proxy.target, deadline_ms=300)
    ask_until_answered(link, clock, make_request, collect)
    before = proxy.connections
    proxy.swallow_present_connections()
    link.submit(make_request(1, deadline_ns=clock.now_ns() + SECOND_NS // 10))
    (loss,) = collect(link, clock, 1)
    assert isinstance(loss, Loss)
    assert loss.reason is LossReason.DEADLINE
    assert loss.bytes_up > 0
    ask_until_answered(link, clock, make_request, collect)
    assert proxy.connections > before
    proxy.close()


def test_close_cancels_what_is_under_way(cloud, fake_cloud, open_link, make_request, soon) -> None:
    """Closing ends the call that the server works on, and never sends what waits behind it."""
    gone = threading.Event()

    def handler(request, context):
        context.add_callback(gone.set)
        assert gone.wait(20)
        return fake_cloud.empty_answer(request, context)

    cloud.handler = handler
    link = open_link(cloud.target)
    for index in (0, 1):
        link.submit(make_request(index, deadline_ns=soon))
    assert cloud.entered.acquire(timeout=20)
    link.close()
    assert gone.wait(20)
    assert len(cloud.requests) == 1


@pytest.mark.parametrize(
    "target", ["", "cloud", "cloud:", ":50551", "http://cloud:50551", "a b:1", "cloud:port", "cloud:0", "cloud:99999"]
)
def test_malformed_address(target: str, clock: WallClock) -> None:
    """An address that is not HOST:PORT is refused with what was given."""
    with pytest.raises(ConfigError, match="expected HOST:PORT"):
        GrpcLink(target, clock, link=LinkConfig(), offload=OffloadConfig())


@pytest.mark.parametrize("target", ["cloud:50551", "127.0.0.1:1", "[::1]:50551", "cloud-1.example.org:443"])
def test_good_address(target: str, clock: WallClock) -> None:
    """Names, IPv4 and bracketed IPv6 addresses are taken; a link that was never started can be closed."""
    GrpcLink(target, clock, link=LinkConfig(), offload=OffloadConfig()).close()


def test_unknown_codec(clock: WallClock) -> None:
    """A codec of another name is refused at the start."""
    with pytest.raises(UnknownCodecError, match="zip"):
        GrpcLink("cloud:1", clock, link=LinkConfig(), offload=OffloadConfig(codec="zip"))


def test_a_server_far_away_is_reached(cloud, clock, open_link, make_request, collect, fake_cloud) -> None:
    """A connection may take several round trips, and these over half a second."""
    proxy = fake_cloud.Proxy(cloud.port, delay_s=0.6)
    link = open_link(proxy.target, link=LinkConfig(), deadline_ms=3000)
    ask_until_answered(link, clock, make_request, collect, budget_ns=3 * SECOND_NS, tries=20)
    proxy.close()

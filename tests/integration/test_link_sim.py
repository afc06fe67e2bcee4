"""`vedette link-sim` as a process between an agent's stub and the real server in another process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

from vedette.cloud.warmup import warm_up_camera, warm_up_sweep
from vedette.codecs.sweep import PolarCodec, crop_to_camera
from vedette.errors import LinkUnavailableError
from vedette.protos.convert import detect_request_from, detections_from
from vedette.protos.status import error_of
from vedette.protos.v1alpha1 import detection_pb2, detection_pb2_grpc

SMALL_CLOUD = Path(__file__).with_name("small_cloud.py")
LINK_SIM = [sys.executable, "-c", "from vedette.cli import main; main()", "link-sim"]
PATIENCE_S = 100.0


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("VEDETTE_")}
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean) as running:
        try:
            yield running
        finally:
            running.kill()


def address_of(running: subprocess.Popen[str]) -> str:
    assert running.stdout is not None
    assert running.stderr is not None
    line = running.stdout.readline().strip()
    assert "127.0.0.1:" in line, running.stderr.read()
    return line.removeprefix("listening on ")


def request() -> detection_pb2.DetectSweepRequest:
    sweep, camera = warm_up_sweep(), warm_up_camera()
    encoded = PolarCodec().encode(crop_to_camera(sweep, camera))
    return detect_request_from(encoded, sweep.start_ns, sweep.end_ns, camera, trace_id="a" * 32, capture_time_ns=1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_through_a_slow_link(number: signal.Signals) -> None:
    """It has its answer, what went through is counted, and a signal ends it with status 0 and nothing on stderr."""
    spec = "constant:20mbps,delay=5ms,jitter=2ms,buffer=32kB"
    message = request()
    with (
        process(sys.executable, str(SMALL_CLOUD), "0") as cloud,
        process(*LINK_SIM, "--to", address_of(cloud), "--network", spec) as link,
        grpc.insecure_channel(address_of(link)) as channel,
    ):
        stub = detection_pb2_grpc.DetectionServiceStub(channel)
        answer = stub.DetectSweep(message, timeout=PATIENCE_S, wait_for_ready=True)
        assert len(detections_from(answer)) == 1
        link.send_signal(number)
        out, err = link.communicate(timeout=PATIENCE_S)
    assert (link.returncode, err) == (0, "")
    last = out.splitlines()[-1]
    assert last.startswith("up 0.")
    assert float(last.split()[1]) * 1e6 >= message.ByteSize() - 500
    assert last.endswith("connections: 1, open 0, refused 0, reset 0")


def test_no_server_behind_it_is_an_unavailable_one() -> None:
    """As without the link; it stays, for the server may come."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        target = f"127.0.0.1:{free.getsockname()[1]}"
    with process(*LINK_SIM, "--to", target, "--network", "none") as link:
        with grpc.insecure_channel(address_of(link)) as channel:
            call = detection_pb2_grpc.DetectionServiceStub(channel).DetectSweep.future(request(), timeout=PATIENCE_S)
            assert isinstance(call.exception(), grpc.RpcError)
            assert isinstance(error_of(call), LinkUnavailableError)
        assert link.poll() is None
        link.terminate()
        out, err = link.communicate(timeout=PATIENCE_S)
    assert (link.returncode, err) == (0, "")
    assert "refused 0" not in out.splitlines()[-1]


def test_what_cannot_be_is_said() -> None:
    """Status 2 and one line, before anything listens."""
    good = {"--to": "127.0.0.1:1", "--network": "none", "--listen": "127.0.0.1:0"}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        for key, value, expected in (
            ("--listen", place, f"cannot listen on {place}: "),
            ("--listen", "127.0.0.1", "--listen '127.0.0.1': expected HOST:PORT, the port from 0 to 65535"),
            ("--to", "127.0.0.1:0", "--to '127.0.0.1:0': expected HOST:PORT, the port from 1 to 65535"),
            ("--network", "constant:fast", "'fast' is not a rate such as 12mbps"),
            ("--network", "trace:nowhere.log", "nowhere.log cannot be read"),
        ):
            arguments = [part for pair in (good | {key: value}).items() for part in pair]
            result = subprocess.run(
                [*LINK_SIM, *arguments], capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
            assert (result.returncode, result.stdout) == (2, "")
            assert result.stderr.startswith("vedette: ")
            assert result.stderr.count("\n") == 1
            assert expected in result.stderr

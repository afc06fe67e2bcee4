"""`vedette cloud serve` as a process of its own: its one line, its signals, and what it says when it cannot start."""

from __future__ import annotations

import os
import shutil
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
from vedette.frames import Sweep
from vedette.geometry import PinholeCamera
from vedette.protos.convert import detect_request_from, detections_from
from vedette.protos.status import error_of
from vedette.protos.v1alpha1 import detection_pb2, detection_pb2_grpc

TRACE_ID = "0123456789abcdef0123456789abcdef"
PATIENCE_S = 100.0

# The server's own `serve` around a detector that takes a second, and says when it begins (but not the first time, which
# is the warm-up); for tests that need no model.
SLOW_SERVER = """
import asyncio, sys, time
import numpy as np
from prometheus_client import CollectorRegistry
from vedette.cloud.local_engine import LocalEngine
from vedette.cloud.metrics import CloudMetrics
from vedette.cloud.server import serve
from vedette.config import CloudConfig
from vedette.detections import Detections3D

class Slow:
    name = "slow@1"
    calls = 0
    def detect(self, sweep, camera):
        self.calls += 1
        if self.calls > 1:
            print("detecting", flush=True)
        time.sleep(1.0)
        return Detections3D.empty()

config = CloudConfig(port=0, stop_grace_s=20.0)
metrics = CloudMetrics(CollectorRegistry())
asyncio.run(serve(config, LocalEngine(Slow()), metrics, lambda address: print("listening on", address, flush=True)))
"""


def serve_arguments(models_dir: Path, port: int = 0) -> list[str]:
    code = "from vedette.cli import main; main()"
    where = ["--port", str(port), "--models-dir", str(models_dir)]
    return [sys.executable, "-c", code, "cloud", "serve", "--model", "point-gnn-car", *where]


@contextmanager
def process(arguments: list[str]) -> Iterator[subprocess.Popen[str]]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("VEDETTE_")}
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean) as running:
        try:
            yield running
        finally:
            running.kill()


def address_of(running: subprocess.Popen[str]) -> str:
    """What the one line says; the whole of standard error when there is none."""
    assert running.stdout is not None
    assert running.stderr is not None
    line = running.stdout.readline().strip()
    assert line.startswith("listening on 127.0.0.1:"), running.stderr.read()
    return line.removeprefix("listening on ")


def request(sweep: Sweep, camera: PinholeCamera) -> detection_pb2.DetectSweepRequest:
    encoded = PolarCodec().encode(crop_to_camera(sweep, camera))
    return detect_request_from(encoded, sweep.start_ns, sweep.end_ns, camera, trace_id=TRACE_ID, capture_time_ns=1)


def assert_fails(arguments: list[str], *expected: str) -> None:
    """Exit status 2 and one clear line on standard error, none of gRPC's."""
    result = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert "add_port" not in result.stderr
    for text in ("vedette: ", *expected):
        assert text in result.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_the_running_request_finish(number: signal.Signals) -> None:
    """The answer arrives, and the process ends with status 0."""
    with process([sys.executable, "-c", SLOW_SERVER]) as running:
        address = address_of(running)
        with grpc.insecure_channel(address) as channel:
            stub = detection_pb2_grpc.DetectionServiceStub(channel)
            grpc.channel_ready_future(channel).result(PATIENCE_S)
            answer = stub.DetectSweep.future(request(warm_up_sweep(), warm_up_camera()), timeout=PATIENCE_S)
            assert running.stdout is not None
            assert running.stdout.readline() == "detecting\n"
            running.send_signal(number)
            assert len(detections_from(answer.result())) == 0
        assert running.wait(PATIENCE_S) == 0


def test_an_agent_sees_a_killed_server_as_unavailable() -> None:
    """With a request under way, and with the next."""
    with process([sys.executable, "-c", SLOW_SERVER]) as running:
        address = address_of(running)
        with grpc.insecure_channel(address) as channel:
            stub = detection_pb2_grpc.DetectionServiceStub(channel)
            grpc.channel_ready_future(channel).result(PATIENCE_S)
            message = request(warm_up_sweep(), warm_up_camera())
            under_way = stub.DetectSweep.future(message, timeout=PATIENCE_S)
            running.kill()
            for call in (under_way, stub.DetectSweep.future(message, timeout=PATIENCE_S)):
                assert isinstance(call.exception(), grpc.RpcError)
                assert isinstance(error_of(call), LinkUnavailableError)


def test_an_unknown_model_is_said(tmp_path: Path) -> None:
    """Before anything listens, with the command that would help."""
    assert_fails(serve_arguments(tmp_path), "point-gnn-car", "models import")


@pytest.mark.shared
def test_a_taken_port_is_said(weights_dir: Path, tmp_path: Path) -> None:
    """With what to do."""
    import_point_gnn(weights_dir, tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert_fails(
            serve_arguments(tmp_path, taken.getsockname()[1]),
            "cannot listen on 127.0.0.1:",
            "Address already in use",
            "--port",
        )


@pytest.mark.shared
def test_a_corrupted_model_is_said(weights_dir: Path, tmp_path: Path) -> None:
    """Its hash is not the card's."""
    import_point_gnn(weights_dir, tmp_path)
    model = next(tmp_path.rglob("model.onnx"))
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 0xFF
    model.unlink()
    model.write_bytes(bytes(data))
    assert_fails(serve_arguments(tmp_path), "SHA-256")


@pytest.mark.shared
def test_cars_of_a_real_sweep_are_found(weights_dir: Path, kitti_root: Path, tmp_path: Path) -> None:
    """Model import, server process, real scan and calibration, boxes on the cars."""
    from vedette.datasets.source_spec import open_recording
    from vedette.frames import Frame

    import_point_gnn(weights_dir, tmp_path)
    frame = next(iter(open_recording(f"kitti-tracking:{kitti_root}:0001:0-0")))
    assert isinstance(frame, Frame)
    assert frame.sweep is not None
    with process(serve_arguments(tmp_path)) as running, grpc.insecure_channel(address_of(running)) as channel:
        stub = detection_pb2_grpc.DetectionServiceStub(channel)
        response = stub.DetectSweep(request(frame.sweep, frame.camera), timeout=30.0)
        detections = detections_from(response)
        assert response.model.startswith("point-gnn-car@")
        assert (detections.scores > 0.5).sum() >= 3
        running.send_signal(signal.SIGTERM)
        assert running.wait(PATIENCE_S) == 0


def import_point_gnn(weights_dir: Path, models_dir: Path) -> None:
    """As a user would."""
    code = "from vedette.cli import main; main()"
    weights = shutil.copy(weights_dir / "point_gnn_car_T1.onnx", models_dir / "point_gnn_car_T1.onnx")
    arguments = [sys.executable, "-c", code, "models", "import", str(weights), "--models-dir", str(models_dir)]
    subprocess.run(arguments, check=True, capture_output=True, timeout=PATIENCE_S)

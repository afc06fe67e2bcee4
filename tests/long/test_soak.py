"""Agent and server over thousands of frames and requests: their memory is flat after the warm-up.

Growth is the slope of the least-squares line through the resident memory in the second half of a run. The models'
runtime takes memory in steps of one or two MB until it has met its largest inputs, so a bound with models is coarser.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from vedette.codecs.sweep import PolarCodec, crop_to_camera
from vedette.datasets.source_spec import open_recording
from vedette.frames import Frame
from vedette.models.registry import ModelRegistry
from vedette.protos.convert import detect_request_from, detections_from
from vedette.protos.v1alpha1 import detection_pb2_grpc

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

MOST_KB_PER_FRAME = {"agent, drawn street": 0.5, "agent, real models": 3.0}
"""0.5 is 18 MB an hour at 10 Hz; a publication kept for each frame would be about 2, a sweep 2,000."""
MOST_KB_PER_REQUEST = 25.0
"""The message of a request is 40 kB, its points are 300 kB: one kept for each request would show."""
WARM_UP_SHARE = 0.5
FRAMES_DRAWN, FRAMES_REAL = 8000, 1500
REQUESTS = 250
EVERY = 20
TRACE_ID = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def models_dir(weights_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    registry = ModelRegistry(folder)
    registry.import_file(weights_dir / "nanodet_plus_m_1.5x_384x640.onnx")
    registry.import_file(weights_dir / "point_gnn_car_T1.onnx")
    return folder


def soak_edge(frames: int, *parts: str) -> dict[str, Any]:
    command = [sys.executable, str(Path(__file__).with_name("soak_edge.py")), str(frames), *parts]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(result.stdout))


def check_edge(name: str, told: dict[str, Any], frames: int, slope: Callable[..., float], figures: Any) -> None:
    rss_kb = told.pop("rss_kb")
    settled = rss_kb[round(len(rss_kb) * WARM_UP_SHARE) :]
    kb_per_frame, bound = slope(settled) / EVERY, MOST_KB_PER_FRAME[name]
    told["rss_mb"] = {"first": rss_kb[0] / 1e3, "settled": settled[0] / 1e3, "last": rss_kb[-1] / 1e3}
    figures(name, frames=frames, rss_kb_per_frame=round(kb_per_frame, 3), bound_kb_per_frame=bound, **told)
    assert told["processed"] + told["skipped"] == told["publications"] == frames
    assert told["bad"] == 0
    assert told["answered"] + sum(told["lost"].values()) == told["offloaded"]
    assert told["answered"] > frames / 50, "the link was hardly used"
    assert told["boxes"] > frames / 2, "hardly anything was seen"
    assert kb_per_frame < bound


def test_agent_on_a_drawn_street(slope: Any, figures: Any, length: float) -> None:
    """Lifting, tracking, losses and late answers over a fading link, on the simulated clock."""
    frames = round(FRAMES_DRAWN * length)
    check_edge("agent, drawn street", soak_edge(frames), frames, slope, figures)


@pytest.mark.shared
def test_agent_with_real_models(kitti_root: Path, models_dir: Path, slope: Any, figures: Any, length: float) -> None:
    """The same with NanoDet-Plus on real images and Point-GNN's answers, over a recording that repeats."""
    frames = round(FRAMES_REAL * length)
    told = soak_edge(frames, str(models_dir), f"kitti-tracking:{kitti_root}:0000:0-43")
    check_edge("agent, real models", told, frames, slope, figures)


@pytest.mark.shared
def test_server_with_the_real_model(
    kitti_root: Path, models_dir: Path, child_server: Any, slope: Any, figures: Any, length: float
) -> None:
    """`vedette cloud serve` with Point-GNN under one request after the other, sweeps of different sizes."""
    code = "from vedette.cli import main; main()"
    arguments = ["cloud", "serve", "--models-dir", str(models_dir), "--port"]
    server = child_server(lambda port: [sys.executable, "-c", code, *arguments, str(port)])
    spec = f"kitti-tracking:{kitti_root}:0000:0-43"
    messages = [message_of(item) for item in open_recording(spec) if isinstance(item, Frame)]
    requests, boxes, rss_kb = round(REQUESTS * length), 0, []
    with grpc.insecure_channel(server.target) as channel:
        stub = detection_pb2_grpc.DetectionServiceStub(channel)
        for number in range(requests):
            boxes += len(detections_from(stub.DetectSweep(messages[number % len(messages)], timeout=120.0)))
            rss_kb.append(server.rss_mb() * 1e3)
    settled = rss_kb[round(requests * WARM_UP_SHARE) :]
    kb_per_request = slope(settled)
    figures(
        "server, real model",
        requests=requests,
        boxes=boxes,
        rss_kb_per_request=round(kb_per_request, 3),
        bound_kb_per_request=MOST_KB_PER_REQUEST,
        rss_mb={"first": round(rss_kb[0] / 1e3, 1), "settled": round(settled[0] / 1e3, 1), "last": rss_kb[-1] / 1e3},
    )
    assert boxes > requests
    assert kb_per_request < MOST_KB_PER_REQUEST


def message_of(frame: Frame) -> Any:
    assert frame.sweep is not None
    encoded = PolarCodec().encode(crop_to_camera(frame.sweep, frame.camera))
    times = (frame.sweep.start_ns, frame.sweep.end_ns)
    return detect_request_from(encoded, *times, frame.camera, trace_id=TRACE_ID, capture_time_ns=frame.stamp_ns)

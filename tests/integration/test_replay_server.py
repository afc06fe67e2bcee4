"""A replay in real time against the real server in another process: absent, and killed and restarted in the middle."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from vedette.config import EdgeConfig, LinkConfig, OffloadConfig
from vedette.edge.offload.link import LossReason
from vedette.frames import Frame, FrameItem, Sweep, TimeBase
from vedette.geometry import SE3, PinholeCamera
from vedette.replay.evaluate import evaluate_run
from vedette.replay.notes import notes_of
from vedette.replay.policies import PolicyName, PolicySpec
from vedette.replay.realtime import RealTime
from vedette.replay.request import replay_request
from vedette.replay.stopwatch import Stopwatch
from vedette.replay.truth import read_truth

SMALL_CLOUD = Path(__file__).with_name("small_cloud.py")
PERIOD_NS = 100_000_000
MOST_FRAMES = 600
FRAMES_AFTERWARDS = 30
CAMERA = PinholeCamera(
    np.array([[700.0, 0, 600, 0], [0, 700, 180, 0], [0, 0, 1, 0]]),
    SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3)),
    width_px=1242,
    height_px=375,
)


class Scatter:
    """A recording without labels, which ends when its script has been played."""

    name = "scatter"
    time_base = TimeBase.RECORDED
    missing_frame_count = 0
    problems = ()

    def __init__(self) -> None:
        self.frame_count = MOST_FRAMES

    def __iter__(self) -> Iterator[FrameItem]:
        rng = np.random.default_rng(0)
        points = rng.uniform((5, -5, -1, 0), (50, 5, 1, 1), (2000, 4)).astype(np.float32)
        index = 0
        while index < self.frame_count:
            stamp_ns = (index + 1) * PERIOD_NS
            yield Frame(index, self.name, stamp_ns, CAMERA, Sweep(points, stamp_ns, stamp_ns), None, None)
            index += 1
        self.frame_count = index

    def labels(self, frame_index: int) -> None:
        return None

    def close(self) -> None:
        pass


class Server:
    """The server's process, on the port of its first start."""

    def __init__(self) -> None:
        self.port = 0
        self.up = threading.Event()
        self.start()

    def start(self) -> None:
        command = [sys.executable, str(SMALL_CLOUD), str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline().rpartition(":")[2])
        self.up.set()

    def kill(self) -> None:
        self.up.clear()
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.kill()


def replayed(target: str, recording: Scatter, on_item: Callable[[], None]):
    """A run of cloud-only, its evaluation, and what its report would note."""
    edge = EdgeConfig(
        offload=OffloadConfig(deadline_ms=1000), link=LinkConfig(ping_interval_s=0.2, reconnect_after_s=0.5)
    )
    real = RealTime(recording, edge, target, detector2d=None, edge_detectors3d={}, edge_detector3d="none")
    record = real.run(PolicySpec(PolicyName.CLOUD_ONLY), PERIOD_NS, Stopwatch(), on_item)
    truth = read_truth(recording)
    request = replay_request("s", ["cloud-only"], target, None, None)
    return record, evaluate_run(record, truth), " ".join(notes_of(request, recording, [record], truth))


def test_server_killed_and_restarted(server: Server) -> None:
    """The replay goes on and finishes, uses the server again, and every request is accounted for."""
    recording = Scatter()
    frames = count()
    starting = threading.Thread(target=server.start)
    up_since: list[int] = []

    def script() -> None:
        index = next(frames)
        if index == 15:
            server.kill()
        if index == 25:
            starting.start()
        if index > 25 and server.up.is_set():
            up_since.append(index)
            recording.frame_count = min(recording.frame_count, up_since[0] + FRAMES_AFTERWARDS)

    record, run, notes = replayed(f"127.0.0.1:{server.port}", recording, script)
    starting.join()
    assert {publication.frame_index for publication in record.publications} == set(range(recording.frame_count))
    assert run["answers"] + sum(run["lost"].values()) == run["offered_frames"]
    assert run["lost"][str(LossReason.UNAVAILABLE)] >= 3
    answered = {answer.frame_index for answer in record.answers}
    assert min(answered) < 15
    assert max(answered) > up_since[0]
    assert "could not be reached for a while" in notes


def test_server_absent() -> None:
    """Nobody listens: every frame is still published, every request lost, and the report says so plainly."""
    recording = Scatter()
    recording.frame_count = 20
    record, run, notes = replayed("127.0.0.1:9", recording, lambda: None)
    assert {publication.frame_index for publication in record.publications} == set(range(20))
    assert run["answers"] == run["offloaded_frames"] == 0
    assert run["lost"].keys() <= {"unavailable", "superseded", "deadline"}
    assert sum(run["lost"].values()) == run["offered_frames"]
    assert "no server answered at 127.0.0.1:9" in notes

"""The agent's loop and link against the real server in another process, which dies in the middle of the run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from vedette.clock import WallClock
from vedette.config import LinkConfig, OffloadConfig
from vedette.edge.agent import MergeResult
from vedette.edge.counters import RunCounters
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.grpc_link import GrpcLink
from vedette.edge.offload.link import Answer, Loss, LossReason
from vedette.edge.propagating_agent import PropagatingAgent
from vedette.edge.runner import EdgeRunner
from vedette.frames import Frame, FrameItem, Sweep, TimeBase
from vedette.geometry import SE3, PinholeCamera
from vedette.publication import Publication
from vedette.telemetry.stages import MeasuredStages

SMALL_CLOUD = Path(__file__).with_name("small_cloud.py")
PERIOD_NS = 30_000_000
MOST_FRAMES = 1500
CAMERA = PinholeCamera(
    np.array([[700.0, 0, 600, 0], [0, 700, 180, 0], [0, 0, 1, 0]]),
    SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3)),
    width_px=1242,
    height_px=375,
)


class Server:
    """The server's process; started again on the port of its first start."""

    def __init__(self) -> None:
        self.port = 0
        self.start()

    def start(self) -> None:
        command = [sys.executable, str(SMALL_CLOUD), str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline().rpartition(":")[2])

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


class Script(RunCounters):
    """Kills the server after three answers, starts it after three losses, ends the run after three more answers."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server
        self.dead = False
        self.answered_again = 0
        self.restarted = False

    def on_answer(self, answer: Answer, result: MergeResult) -> None:
        super().on_answer(answer, result)
        self.answered_again += self.restarted
        if self.answered == 3:
            self._server.kill()
            self.dead = True

    def on_loss(self, loss: Loss, publication: Publication | None) -> None:
        super().on_loss(loss, publication)
        if self.dead and self.lost[LossReason.UNAVAILABLE] >= 3:
            self._server.start()
            self.dead, self.restarted = False, True

    @property
    def finished(self) -> bool:
        return self.answered_again >= 3


class SteadySource:
    """A recording that goes on until the script has been played, but not for ever."""

    name = "steady"
    time_base = TimeBase.RECORDED
    frame_count = None

    def __init__(self, script: Script) -> None:
        self._script = script
        self.delivered = 0

    def __iter__(self) -> Iterator[FrameItem]:
        rng = np.random.default_rng(0)
        points = rng.uniform((5, -5, -1, 0), (50, 5, 1, 1), (2000, 4)).astype(np.float32)
        while not self._script.finished and self.delivered < MOST_FRAMES:
            stamp_ns = self.delivered * PERIOD_NS
            yield Frame(self.delivered, self.name, stamp_ns, CAMERA, Sweep(points, stamp_ns, stamp_ns), None, None)
            self.delivered += 1

    def close(self) -> None:
        pass


class Collected:
    """A sink that keeps the indices of the frames that were published, not just foreseen."""

    def __init__(self) -> None:
        self.frames: list[int] = []

    def publish(self, publication: Publication) -> None:
        if not publication.forecast:
            self.frames.append(publication.frame_index)

    def close(self) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.kill()


def test_run_outlives_its_server(server: Server) -> None:
    """The run goes on while the server is gone, uses it again when it is back, and accounts for every request."""
    script = Script(server)
    source, sink = SteadySource(script), Collected()
    clock = WallClock(starts_at_ns=-PERIOD_NS)
    offload = OffloadConfig(deadline_ms=1000)
    link = GrpcLink(
        f"127.0.0.1:{server.port}", clock, link=LinkConfig(ping_interval_s=0.2, reconnect_after_s=0.5), offload=offload
    )
    agent = PropagatingAgent(FixedInterval(1), sink, clock, MeasuredStages())
    EdgeRunner(source, agent, link, clock=clock, deadline_ns=1_000_000_000, observer=script, prefetch_frames=4).run()
    assert script.finished, script.summary()
    assert script.frames == source.delivered
    assert script.bad == 0
    assert set(range(source.delivered)) <= set(sink.frames), "a frame without a publication"
    assert script.answered + script.lost.total() == script.offloaded
    assert script.lost[LossReason.UNAVAILABLE] >= 3
    assert script.lost[LossReason.FAILED] == script.lost[LossReason.REFUSED] == 0
    assert script.bytes_up > 0
    assert script.bytes_down > 0

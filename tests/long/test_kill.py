"""A server that dies and comes back, and a network that swallows everything: the run goes on and accounts for all.

Moments and durations follow from a seed. The runs are real: sockets, processes, the wall clock.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from vedette.clock import WallClock
from vedette.config import LinkConfig, OffloadConfig
from vedette.edge.agent import MergeResult
from vedette.edge.counters import RunCounters
from vedette.edge.offload.fixed import FixedInterval
from vedette.edge.offload.grpc_link import GrpcLink
from vedette.edge.offload.link import Answer, Loss, LossReason, OffloadRequest, Outcome
from vedette.edge.propagating_agent import PropagatingAgent
from vedette.edge.runner import EdgeRunner
from vedette.frames import Frame, FrameItem, Sweep, TimeBase
from vedette.geometry import SE3, PinholeCamera
from vedette.publication import Publication
from vedette.telemetry.stages import MeasuredStages

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

SEED = 20260
KILLS = 12
HOLES = 3
PERIOD_NS = 30_000_000
SECOND_NS = 1_000_000_000
DEADLINE_NS = SECOND_NS
QUICK = LinkConfig(ping_interval_s=0.2, reconnect_after_s=0.5)
MOST_FRAMES = 20_000
PATIENCE_S = 60.0
CAMERA = PinholeCamera(
    np.array([[700.0, 0, 600, 0], [0, 700, 180, 0], [0, 0, 1, 0]]),
    SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3)),
    width_px=1242,
    height_px=375,
)


class Steady:
    """A recording that goes on until the trouble is over, but not for ever."""

    name = "steady"
    time_base = TimeBase.RECORDED
    frame_count = None

    def __init__(self) -> None:
        self.over = threading.Event()
        self.delivered = 0

    def __iter__(self) -> Iterator[FrameItem]:
        points = np.random.default_rng(0).uniform((5, -5, -1, 0), (50, 5, 1, 1), (2000, 4)).astype(np.float32)
        while not self.over.is_set() and self.delivered < MOST_FRAMES:
            stamp_ns = self.delivered * PERIOD_NS
            yield Frame(self.delivered, self.name, stamp_ns, CAMERA, Sweep(points, stamp_ns, stamp_ns), None, None)
            self.delivered += 1

    def close(self) -> None:
        pass


class WatchedLink:
    """A link whose requests and outcomes are written down by frame.

    Args:
        link: does the work.
    """

    def __init__(self, link: GrpcLink) -> None:
        self._link = link
        self.submitted: Counter[int] = Counter()
        self.settled: Counter[int] = Counter()

    def start(self) -> None:
        self._link.start()

    def submit(self, request: OffloadRequest) -> None:
        self.submitted[request.frame_index] += 1
        self._link.submit(request)

    def wait(self, until_ns: int) -> Outcome | None:
        outcome = self._link.wait(until_ns)
        if outcome is not None:
            self.settled[outcome.frame_index] += 1
        return outcome

    @property
    def pending_count(self) -> int:
        return self._link.pending_count

    def close(self) -> None:
        self._link.close()


class Progress(RunCounters):
    """Counts, and lets another thread wait for the next answers; written by the run's thread alone."""

    def __init__(self) -> None:
        super().__init__()
        self.outcomes: Counter[int] = Counter()

    def on_answer(self, answer: Answer, result: MergeResult) -> None:
        super().on_answer(answer, result)
        self.outcomes[answer.frame_index] += 1

    def on_loss(self, loss: Loss, publication: Publication | None) -> None:
        super().on_loss(loss, publication)
        self.outcomes[loss.frame_index] += 1

    def await_answers(self, count: int) -> None:
        """Until there have been so many more."""
        wanted, give_up_s = self.answered + count, time.monotonic() + PATIENCE_S
        while self.answered < wanted:
            assert time.monotonic() < give_up_s, f"no answers any more: {self.summary()}"
            time.sleep(0.01)

    def await_silence(self, count: int) -> None:
        """Until so many more requests were not answered in time, or found no connection."""
        wanted, give_up_s = self._unheard + count, time.monotonic() + PATIENCE_S
        while self._unheard < wanted:
            assert time.monotonic() < give_up_s, f"nothing is lost: {self.summary()}"
            time.sleep(0.01)

    @property
    def _unheard(self) -> int:
        return self.lost[LossReason.DEADLINE] + self.lost[LossReason.UNAVAILABLE]


class Indices:
    """A sink that keeps the numbers of the frames that were published, not just foreseen."""

    def __init__(self) -> None:
        self.frames: set[int] = set()

    def publish(self, publication: Publication) -> None:
        if not publication.forecast:
            self.frames.add(publication.frame_index)

    def close(self) -> None:
        pass


def run_through(
    target: str, trouble: Callable[[Progress], None], config: LinkConfig = QUICK, deadline_ns: int = DEADLINE_NS
) -> Progress:
    """A run while trouble is made; checks that every frame and every request came to exactly one end."""
    source, sink, progress = Steady(), Indices(), Progress()
    clock = WallClock(starts_at_ns=-PERIOD_NS)
    link = WatchedLink(GrpcLink(target, clock, link=config, offload=OffloadConfig(deadline_ms=deadline_ns / 1e6)))
    agent = PropagatingAgent(FixedInterval(1), sink, clock, MeasuredStages())
    runner = EdgeRunner(source, agent, link, clock=clock, deadline_ns=deadline_ns, observer=progress, prefetch_frames=4)
    errors: list[BaseException] = []

    def make_trouble() -> None:
        try:
            trouble(progress)
        except BaseException as error:
            errors.append(error)
        finally:
            source.over.set()

    troubling = threading.Thread(target=make_trouble)
    troubling.start()
    runner.run()
    troubling.join()
    if errors:
        raise errors[0]
    assert source.delivered < MOST_FRAMES
    assert progress.frames == source.delivered
    assert set(range(source.delivered)) <= sink.frames, "a frame without a publication"
    assert set(link.submitted.values()) == {1}
    assert progress.outcomes == link.submitted, "a request without exactly one outcome"
    assert set(link.settled.values()) == {1}, "the link reported a request twice"
    return progress


def told(progress: Progress) -> dict[str, Any]:
    lost = {str(reason): count for reason, count in sorted(progress.lost.items())}
    return {"frames": progress.frames, "requests": progress.offloaded, "answered": progress.answered, "lost": lost}


def test_a_server_killed_again_and_again(child_server: Any, one_car_server: Any, figures: Any, length: float) -> None:
    """At random moments, for random times; after each restart there are answers again."""
    server = child_server(one_car_server(5))
    rng, kills = np.random.default_rng(SEED), round(KILLS * length)

    def trouble(progress: Progress) -> None:
        for _ in range(kills):
            progress.await_answers(int(rng.integers(1, 20)))
            time.sleep(rng.uniform(0.0, 0.3))
            server.kill()
            time.sleep(rng.uniform(0.0, 2.0))
            server.start()
        progress.await_answers(20)

    progress = run_through(server.target, trouble)
    assert server.starts == kills + 1
    assert progress.lost[LossReason.UNAVAILABLE] >= kills
    assert progress.lost[LossReason.FAILED] == progress.lost[LossReason.REFUSED] == 0
    figures("server killed", kills=kills, **told(progress))


def test_a_server_frozen_and_thawed(child_server: Any, one_car_server: Any, figures: Any) -> None:
    """It holds its connections and says nothing: requests are lost, and later it answers again."""
    server = child_server(one_car_server(5))
    rng = np.random.default_rng(SEED)

    def trouble(progress: Progress) -> None:
        for _ in range(HOLES):
            progress.await_answers(10)
            os.kill(server.process.pid, signal.SIGSTOP)
            progress.await_silence(int(rng.integers(1, 20)))
            os.kill(server.process.pid, signal.SIGCONT)
        progress.await_answers(20)

    progress = run_through(server.target, trouble)
    assert progress.lost[LossReason.DEADLINE] >= HOLES
    assert progress.lost[LossReason.FAILED] == progress.lost[LossReason.REFUSED] == 0
    figures("server frozen", times=HOLES, **told(progress))


class Network:
    """A network between agent and server that can turn into a black hole.

    While it is one, bytes vanish and nobody is told; connections from before stay dead afterwards, as when a NAT has
    forgotten them, and only new ones go through.

    Args:
        port: of the server.
        delay_s: what data takes, in each direction.
    """

    def __init__(self, port: int, delay_s: float = 0.0) -> None:
        self._port = port
        self._delay_s = delay_s
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._swallowed: list[threading.Event] = []
        self._hole = False
        self._lock = threading.Lock()
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def swallow(self) -> None:
        """From now on nothing goes through."""
        with self._lock:
            self._hole = True
            for swallowed in self._swallowed:
                swallowed.set()

    def restore(self) -> None:
        """New connections go through again."""
        with self._lock:
            self._hole = False

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            swallowed = threading.Event()
            with self._lock:
                self.connections += 1
                self._swallowed.append(swallowed)
                if self._hole:
                    swallowed.set()
            server = socket.create_connection(("127.0.0.1", self._port))
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._carry, args=(source, sink, swallowed), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket, swallowed: threading.Event) -> None:
        try:
            while data := source.recv(65_536):
                time.sleep(self._delay_s)
                if not swallowed.is_set():
                    sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            end.close()


def test_a_network_that_swallows_and_comes_back(child_server: Any, one_car_server: Any, figures: Any) -> None:
    """Old connections stay dead without a word; the link notices the silence and makes a new one."""
    server = child_server(one_car_server(5))
    network = Network(server.port)
    rng = np.random.default_rng(SEED)

    def trouble(progress: Progress) -> None:
        for _ in range(HOLES):
            progress.await_answers(10)
            network.swallow()
            progress.await_silence(int(rng.integers(1, 20)))
            network.restore()
        progress.await_answers(20)

    try:
        progress = run_through(network.target, trouble)
    finally:
        network.close()
    assert progress.lost[LossReason.DEADLINE] >= HOLES
    assert progress.lost[LossReason.FAILED] == progress.lost[LossReason.REFUSED] == 0
    assert network.connections > HOLES
    figures("network swallowed everything", times=HOLES, connections=network.connections, **told(progress))


def test_a_server_far_away(child_server: Any, one_car_server: Any, figures: Any) -> None:
    """Where every message takes long, a connection takes several times as long, and is made all the same."""
    server = child_server(one_car_server(5))
    network = Network(server.port, delay_s=0.6)
    try:
        progress = run_through(network.target, lambda progress: progress.await_answers(5), LinkConfig(), 3 * SECOND_NS)
    finally:
        network.close()
    figures("server far away", connections=network.connections, **told(progress))

"""The run's loop, against fakes that are stricter than the real agent and link."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from vedette.clock import SimulatedClock, WallClock
from vedette.detections import Detections3D
from vedette.edge.agent import FrameResult, MergeResult
from vedette.edge.counters import RunCounters
from vedette.edge.offload.link import Answer, Loss, LossReason, NullLink, OffloadRequest, Outcome
from vedette.edge.offload.policy import OffloadDecision
from vedette.edge.runner import EdgeRunner, trace_id
from vedette.errors import (
    ConfigError,
    DeadlineError,
    ImplausibleAnswerError,
    InvalidFrameError,
    MissingDataError,
    ModelInputError,
    VedetteError,
)
from vedette.frames import BadFrame, Frame, FrameItem, Sweep, TimeBase
from vedette.geometry import SE3, PinholeCamera
from vedette.publication import Publication

MS = 1_000_000
PERIOD_NS = 100 * MS
CAMERA = PinholeCamera(
    np.array([[700.0, 0, 600, 0], [0, 700, 180, 0], [0, 0, 1, 0]]), SE3.identity(), width_px=1242, height_px=375
)


def frame(index: int, *, sweep_tail_ns: int = 0) -> Frame:
    """A frame of a 10 Hz recording that starts at time 0."""
    stamp_ns = index * PERIOD_NS
    points = np.full((3, 4), 0.5, np.float32)
    sweep = Sweep(points, start_ns=stamp_ns, end_ns=stamp_ns + sweep_tail_ns)
    return Frame(index, "fake", stamp_ns, CAMERA, sweep, image=None, world_SE3_ego=None)


@dataclass
class ListSource:
    """Delivers a list, and optionally ends with an error."""

    items: list[FrameItem]
    error: VedetteError | None = None
    name: str = "fake"
    time_base: TimeBase = TimeBase.ASSUMED_10_HZ
    frame_count: int | None = None
    closed: bool = False

    def __iter__(self) -> Iterator[FrameItem]:
        yield from self.items
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.closed = True


@dataclass
class StrictAgent:
    """Refuses frames out of order, frames before their time, and answers it did not ask for."""

    clock: SimulatedClock | WallClock
    work_ns: int = 10 * MS
    send: frozenset[int] = frozenset()
    fails: dict[int, Exception] = field(default_factory=dict)
    fails_on_answer: Exception | None = None
    log: list[tuple[str, int]] = field(default_factory=list)
    published: list[int] = field(default_factory=list)
    asked: set[int] = field(default_factory=set)
    hold: frozenset[int] = frozenset()
    held: set[int] = field(default_factory=set)

    def process_frame(self, frame: Frame) -> FrameResult:
        assert self.clock.now_ns() >= frame.ready_ns, "nothing can be computed before the frame is complete"
        if frame.index in self.fails:
            raise self.fails[frame.index]
        if isinstance(self.clock, SimulatedClock):
            self.clock.advance_ns(self.work_ns)
        self.log.append(("process", frame.index))
        send = frame.index in self.send
        if send:
            self.asked.add(frame.index)
        held = frame.index in self.hold
        if held:
            self.held.add(frame.index)
        publication = None if held else self._publish(frame)
        return FrameResult(frame.index, publication, OffloadDecision(send, "listed"), {})

    def skip_frame(self, item: FrameItem) -> Publication:
        self.log.append(("skip", item.index))
        return self._publish(item)

    def merge_answer(self, answer: Answer) -> MergeResult:
        assert answer.frame_index in self.asked
        if self.fails_on_answer is not None:
            raise self.fails_on_answer
        self.asked.remove(answer.frame_index)
        self.log.append(("merge", answer.frame_index))
        return MergeResult(self._release(answer.frame_index, answer.stamp_ns))

    def give_up(self, loss: Loss) -> Publication | None:
        self.asked.remove(loss.frame_index)
        self.log.append(("give up", loss.frame_index))
        return self._release(loss.frame_index, loss.stamp_ns)

    def _release(self, index: int, stamp_ns: int) -> Publication | None:
        if index not in self.held:
            return None
        self.held.remove(index)
        return self._publish_at(index, stamp_ns)

    def _publish(self, item: FrameItem) -> Publication:
        return self._publish_at(item.index, item.stamp_ns)

    def _publish_at(self, index: int, stamp_ns: int) -> Publication:
        assert not self.held, "nothing is published while boxes are held"
        assert not self.published or index > self.published[-1], "one publication per item, in order"
        self.published.append(index)
        return Publication.empty(index, stamp_ns, self.clock.now_ns(), stamp_ns)


class DelayLink:
    """On the simulated clock: each request is answered, or lost, after a delay; refuses every misuse of the seam."""

    def __init__(self, clock: SimulatedClock, delay_ns: int, *, silent: bool = False) -> None:
        self.clock = clock
        self.delay_ns = delay_ns
        self.silent = silent
        self.requests: list[OffloadRequest] = []
        self.due: deque[tuple[int, OffloadRequest]] = deque()
        self.state = "new"

    def start(self) -> None:
        assert self.state == "new"
        self.state = "started"

    def submit(self, request: OffloadRequest) -> None:
        assert self.state == "started"
        assert request.frame_index not in {r.frame_index for r in self.requests}
        self.requests.append(request)
        self.due.append((self.clock.now_ns() + self.delay_ns, request))

    def wait(self, until_ns: int) -> Outcome | None:
        assert self.state == "started"
        assert until_ns >= self.clock.now_ns(), "a run never asks for a time in the past"
        if self.silent or not self.due or self.due[0][0] > until_ns:
            self.clock.sleep_until_ns(until_ns)
            return None
        at_ns, request = self.due.popleft()
        self.clock.sleep_until_ns(at_ns)
        if at_ns > request.deadline_ns:
            return Loss(request.frame_index, request.stamp_ns, at_ns, LossReason.DEADLINE, "late", 7)
        return Answer(request.frame_index, request.stamp_ns, at_ns, Detections3D.empty(), 100, 10, {})

    @property
    def pending_count(self) -> int:
        return len(self.due)

    def close(self) -> None:
        assert self.state == "started"
        self.state = "closed"


def run(
    items: list[FrameItem],
    *,
    delay_ns: int = 150 * MS,
    deadline_ns: int = 1000 * MS,
    silent: bool = False,
    prefetch_frames: int = 0,
    **agent_options: object,
) -> tuple[StrictAgent, DelayLink, RunCounters]:
    """Run on the simulated clock from start to end and check what must hold for every run."""
    clock = SimulatedClock()
    agent = StrictAgent(clock, **agent_options)  # type: ignore[arg-type]
    link = DelayLink(clock, delay_ns, silent=silent)
    counters = RunCounters()
    source = ListSource(items)
    EdgeRunner(
        source,
        agent,
        link,
        clock=clock,
        deadline_ns=deadline_ns,
        observer=counters,
        prefetch_frames=prefetch_frames,
    ).run()
    assert agent.published == [item.index for item in items], "exactly one publication per item"
    assert counters.frames == len(items)
    assert counters.offloaded == len(link.requests)
    assert counters.answered + counters.lost.total() == counters.offloaded, "exactly one outcome per request"
    assert link.state == "closed"
    assert not source.closed, "the source belongs to its owner"
    return agent, link, counters


def test_late_answer_is_merged_before_the_next_due_frame() -> None:
    """An answer 150 ms after frame 0 is merged between frames 1 and 2, on the clock at its arrival."""
    agent, _, counters = run([frame(i) for i in range(4)], send=frozenset({0}))
    assert agent.log == [("process", 0), ("process", 1), ("merge", 0), ("process", 2), ("process", 3)]
    assert (counters.answered, counters.bytes_up, counters.bytes_down) == (1, 100, 10)


def test_held_boxes_come_with_their_answer() -> None:
    """Frame 1 is held until its answer, 250 ms on; frame 2 and 3 are captured meanwhile, and the newer one wins."""
    agent, _, counters = run([frame(i) for i in range(5)], delay_ns=250 * MS, send=frozenset({1}), hold=frozenset({1}))
    assert agent.log == [("process", 0), ("process", 1), ("merge", 1), ("skip", 2), ("process", 3), ("process", 4)]
    assert (counters.answered, counters.skipped) == (1, 1)


def test_answers_of_earlier_frames_are_taken_in_while_boxes_are_held() -> None:
    """What was under way when the wait began comes first, and does not end it."""
    agent, _, _ = run([frame(i) for i in range(3)], delay_ns=150 * MS, send=frozenset({0, 1}), hold=frozenset({1}))
    assert agent.log == [("process", 0), ("process", 1), ("merge", 0), ("merge", 1), ("process", 2)]


def test_held_boxes_come_without_their_answer_once_it_is_lost() -> None:
    """Its deadline, 300 ms after capture, releases the frame; the loss carries the publication."""
    agent, _, counters = run(
        [frame(i) for i in range(6)], delay_ns=350 * MS, deadline_ns=300 * MS, send=frozenset({1}), hold=frozenset({1})
    )
    assert agent.log[:3] == [("process", 0), ("process", 1), ("give up", 1)]
    assert counters.lost == {LossReason.DEADLINE: 1}
    assert agent.published == [0, 1, 2, 3, 4, 5]


def test_held_boxes_do_not_wait_for_a_silent_link() -> None:
    """Half a second after the deadline the run stops asking, and goes on with the newest frame."""
    agent, link, counters = run(
        [frame(i) for i in range(12)], silent=True, deadline_ns=300 * MS, send=frozenset({0}), hold=frozenset({0})
    )
    assert agent.log[:2] == [("process", 0), ("give up", 0)]
    assert agent.log[2:] == [*(("skip", i) for i in range(1, 8)), *(("process", i) for i in range(8, 12))]
    assert counters.lost == {LossReason.ABANDONED: 1}
    assert link.clock.now_ns() == 1100 * MS + 10 * MS


def test_an_outcome_after_its_loss_was_told_is_passed_over() -> None:
    """A link that reports long after the deadline does not make two outcomes of one request."""
    agent, _, counters = run(
        [frame(i) for i in range(15)], delay_ns=900 * MS, deadline_ns=300 * MS, send=frozenset({0}), hold=frozenset({0})
    )
    assert counters.lost == {LossReason.ABANDONED: 1}
    assert [entry for entry in agent.log if entry[0] in {"merge", "give up"}] == [("give up", 0)]


def test_stop_releases_held_boxes() -> None:
    """Stopped while it waits, a run still publishes the frame in hand, and says that it was the run that ended."""
    clock = SimulatedClock()
    agent = StrictAgent(clock, send=frozenset({0}), hold=frozenset({0}))
    losses: list[Loss] = []

    class Told(RunCounters):
        def on_loss(self, loss: Loss, publication: Publication | None) -> None:
            super().on_loss(loss, publication)
            assert publication is not None
            losses.append(loss)

    class StoppingLink(DelayLink):
        def wait(self, until_ns: int) -> Outcome | None:
            if self.requests:
                runner.stop()
            return super().wait(until_ns)

    link, source = StoppingLink(clock, 150 * MS, silent=True), ListSource([frame(0), frame(1)])
    runner = EdgeRunner(source, agent, link, clock=clock, deadline_ns=1000 * MS, observer=Told())
    runner.run()
    assert agent.published == [0]
    assert [loss.detail for loss in losses] == ["the run ended before the outcome was known"]


def test_answers_after_the_last_frame_are_waited_for() -> None:
    """The answer to the last frame is merged although no frame follows."""
    agent, _, _ = run([frame(0), frame(1)], send=frozenset({1}))
    assert agent.log[-1] == ("merge", 1)


def test_answers_of_a_silent_link_are_given_up() -> None:
    """A link that never answers holds the end of the run up to the deadline and no longer."""
    agent, link, counters = run([frame(0), frame(1)], send=frozenset({0, 1}), silent=True)
    assert counters.lost == {LossReason.ABANDONED: 2}
    assert link.clock.now_ns() == 100 * MS + 1000 * MS + 500 * MS
    assert agent.asked == set()


@pytest.mark.parametrize(
    ("work_ms", "expected"),
    [
        (0, "pppppp"),  # free at once
        (100, "pppppp"),  # free exactly when the next frame is complete, which then has no newer one
        (110, "ppppppppppspp"),  # 10 ms more behind with each frame: one whole frame at the eleventh
        (150, "ppsppspp"),  # gets to frame 2 at 300, when frame 3 is complete
        (250, "pspsspspp"),  # gets to frame 3 at 500, when frames 4 and 5 are complete
    ],
)
def test_newest_wins(work_ms: int, expected: str) -> None:
    """A frame is passed over exactly when the next one is complete as the agent gets to it."""
    agent, _, counters = run([frame(i) for i in range(len(expected))], work_ns=work_ms * MS)
    assert "".join(kind[0] for kind, _ in agent.log) == expected
    assert counters.skipped == expected.count("s")


def test_frame_is_taken_when_its_sweep_is_complete() -> None:
    """With sweeps that end 40 ms after the image nothing is processed earlier (the agent asserts it)."""
    agent, _, _ = run([frame(i, sweep_tail_ns=40 * MS) for i in range(3)])
    assert agent.log == [("process", 0), ("process", 1), ("process", 2)]


def test_bad_frames_are_counted_and_answered_by_propagation() -> None:
    """A BadFrame of the source and a frame that the model cannot use are both set aside, and the stream goes on."""
    bad = BadFrame(1, "fake", PERIOD_NS, InvalidFrameError("truncated"))
    agent, _, counters = run([frame(0), bad, frame(2), frame(3)], fails={2: ModelInputError("nan in the image")})
    assert agent.log == [("process", 0), ("skip", 1), ("skip", 2), ("process", 3)]
    assert counters.bad == 2
    assert counters.last_error == "fake frame 2: nan in the image"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ModelInputError("odd"), LossReason.FAILED),
        (DeadlineError("kept no longer"), LossReason.DEADLINE),
        (ImplausibleAnswerError("all in the air"), LossReason.IMPLAUSIBLE),
    ],
)
def test_an_answer_that_cannot_be_merged_is_a_loss(error: VedetteError, reason: LossReason) -> None:
    """The outcome of the request is then a loss, not an answer."""
    agent, _, counters = run([frame(0), frame(1), frame(2)], send=frozenset({0}), fails_on_answer=error)
    assert counters.answered == 0
    assert counters.lost == {reason: 1}
    assert counters.bytes_up == 100, "they were sent all the same"
    assert ("give up", 0) in agent.log, "whoever waits is told"


@pytest.mark.parametrize("error", [ZeroDivisionError(), ConfigError("the profile has no stage")])
def test_defects_end_the_run(error: Exception) -> None:
    """Programming errors and wrong settings are not mistaken for a bad frame."""
    with pytest.raises(type(error)):
        run([frame(0)], fails={0: error})


@pytest.mark.parametrize("prefetch_frames", [0, 2])
def test_an_error_of_the_source_comes_after_its_frames(prefetch_frames: int) -> None:
    """Frames before a failure of the source are processed although reading runs ahead of them."""
    clock = SimulatedClock()
    agent, link = StrictAgent(clock, send=frozenset({1})), DelayLink(clock, 150 * MS)
    counters = RunCounters()
    runner = EdgeRunner(
        ListSource([frame(0), frame(1)], MissingDataError("camera went silent")),
        agent,
        link,
        clock=clock,
        deadline_ns=1000 * MS,
        observer=counters,
        prefetch_frames=prefetch_frames,
    )
    with pytest.raises(MissingDataError, match="camera went silent"):
        runner.run()
    assert agent.published == [0, 1]
    assert counters.lost == {LossReason.ABANDONED: 1}
    assert link.state == "closed"


def test_requests_carry_deadline_and_trace_id() -> None:
    """The deadline counts from capture; the trace id is the same in every run and differs between frames."""
    _, first, _ = run([frame(0), frame(3)], send=frozenset({0, 3}))
    _, again, _ = run([frame(0), frame(3)], send=frozenset({0, 3}))
    assert [r.deadline_ns for r in first.requests] == [1000 * MS, 1300 * MS]
    assert [r.trace_id for r in first.requests] == [r.trace_id for r in again.requests]
    assert len({r.trace_id for r in first.requests}) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", r.trace_id) for r in first.requests)


def test_trace_id_depends_on_the_recording() -> None:
    """The same frame number of two recordings has two trace ids."""
    one = frame(5)
    other = Frame(5, "other", one.stamp_ns, CAMERA, one.sweep, image=None, world_SE3_ego=None)
    assert trace_id(one) != trace_id(other)


def test_answer_without_a_request_is_a_defect() -> None:
    """A link that answers twice is not tolerated."""
    clock = SimulatedClock()
    link = DelayLink(clock, 150 * MS)
    stray = OffloadRequest(99, 0, 1000 * MS, frame(0).sweep, CAMERA, "0" * 32)  # type: ignore[arg-type]
    link.due.append((10 * MS, stray))
    runner = EdgeRunner(
        ListSource([frame(0), frame(1)]),
        StrictAgent(clock),
        link,
        clock=clock,
        deadline_ns=1000 * MS,
        observer=RunCounters(),
    )
    with pytest.raises(KeyError):
        runner.run()


def test_every_item_of_a_prefetched_source_comes_through() -> None:
    """Reading ahead in a thread loses and reorders nothing."""
    agent, _, _ = run([frame(i) for i in range(50)], prefetch_frames=3, work_ns=0)
    assert [index for _, index in agent.log] == list(range(50))


class EndlessSource(ListSource):
    """A live source: frames come until it is closed, each complete on arrival."""

    def __init__(self, clock: WallClock, period_s: float) -> None:
        super().__init__([])
        self._clock, self._period_s = clock, period_s
        self._closed = threading.Event()
        self.delivered = 0

    def __iter__(self) -> Iterator[FrameItem]:
        sweep = Sweep(np.full((3, 4), 0.5, np.float32), 0, 0)
        while not self._closed.wait(self._period_s):
            now_ns = self._clock.now_ns()
            yield Frame(self.delivered, "live", now_ns, CAMERA, Sweep(sweep.points_velo, now_ns, now_ns), None, None)
            self.delivered += 1

    def close(self) -> None:
        self._closed.set()


def test_stop_ends_a_live_run() -> None:
    """A run on a source without end stops when told to from another thread; a device on its own loses its requests."""
    clock = WallClock()
    source = EndlessSource(clock, 0.002)
    agent = StrictAgent(clock, send=frozenset({0, 1}))
    counters = RunCounters()
    runner = EdgeRunner(
        source, agent, NullLink(clock), clock=clock, deadline_ns=1000 * MS, observer=counters, prefetch_frames=2
    )
    thread = threading.Thread(target=runner.run)
    thread.start()
    while len(agent.published) < 5:
        assert thread.is_alive()
        threading.Event().wait(0.005)
    runner.stop()
    source.close()
    thread.join(10)
    assert not thread.is_alive()
    assert counters.lost.total() == counters.offloaded
    assert set(counters.lost) <= {LossReason.UNAVAILABLE}


def test_summary_reads_well() -> None:
    """The line at the end of a run names every count."""
    counters = RunCounters()
    assert counters.summary() == (
        "0 frames: 0 processed, 0 skipped, 0 bad; 0 offloaded, 0 answered, lost: none; 0.00 MB up, 0.00 MB down"
    )
    counters.on_loss(Loss(1, 0, 0, LossReason.DEADLINE, "", 2_000_000), None)
    counters.on_loss(Loss(2, 0, 0, LossReason.ABANDONED, "", 0), None)
    assert "lost: 1 abandoned, 1 deadline; 2.00 MB up" in counters.summary()

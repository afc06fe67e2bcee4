"""One direction of a link: when bytes arrive, worked out by hand, and what holds for every model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.datasets.traces import NEVER, RateTrace, Spans, constant_trace, step_trace
from vedette.replay.direction import DirectionModel, LinkDirection

MS = 1_000_000
BYTE_A_US = constant_trace(8_000_000)  # 1000 bytes a millisecond


def begun(at_ns: int = 0, trace: RateTrace | None = BYTE_A_US, **model: object) -> LinkDirection:
    link = LinkDirection(DirectionModel(trace, **model))
    link.begin(at_ns)
    return link


def sent(link: LinkDirection, start_ns: int, byte_count: int) -> int | None:
    """When a message arrives that is sent at an instant."""
    left_ns = link.carry(start_ns, byte_count)
    return None if left_ns is None else link.arrive(start_ns, left_ns)


def test_pieces_follow_one_another_at_the_rate() -> None:
    """Sent together, the second arrives a millisecond after the first."""
    link = begun(100 * MS, delay_ns=20 * MS)
    assert [sent(link, 100 * MS, 1000), sent(link, 100 * MS, 1000)] == [121 * MS, 122 * MS]
    assert sent(link, 300 * MS, 500) == 320 * MS + MS // 2


def test_an_outage_holds_what_is_to_be_sent() -> None:
    """One second at 8 Mbit/s, one without anything: a piece sent in the middle of the outage leaves at its end."""
    assert sent(begun(trace=step_trace([8_000_000, 0], 1000 * MS)), 1500 * MS, 1000) == 2001 * MS


def test_before_the_trace_begins_only_the_delay_counts() -> None:
    """Connections are built up then."""
    link = LinkDirection(DirectionModel(constant_trace(8_000), 5 * MS))
    assert sent(link, 7 * MS, 10**6) == 12 * MS
    link.begin(100 * MS)
    assert sent(link, 50 * MS, 10**6) == 55 * MS
    assert sent(link, 100 * MS, 1) == 106 * MS


def test_a_trace_can_begin_again() -> None:
    """Each run meets the same network, jitter and all, and nothing of what the one before had left on the way."""
    link = LinkDirection(DirectionModel(step_trace([8_000_000, 0], 1000 * MS), 5 * MS, jitter_ns=40 * MS))

    def run(begin_ns: int) -> list[int]:
        link.begin(begin_ns)
        return [(sent(link, begin_ns + i * 100 * MS, 20_000) or 0) - begin_ns for i in range(12)]

    first = run(0)
    link.carry(1200 * MS, 10**9)
    assert run(1500 * MS) == first


def test_a_dead_link_never_carries_anything() -> None:
    """No time of arrival, and not an endless loop."""
    assert sent(begun(trace=constant_trace(0)), 0, 1) is None


def test_a_stall_ends_for_all_at_once() -> None:
    """Frozen from 10 to 30 ms: what would arrive at 10, 15 and 29.9 ms comes at 30, what leaves meanwhile goes on."""
    link = begun(delay_ns=5 * MS, stalls=Spans(20 * MS, (10 * MS,)))
    assert sent(link, 0, 4_999) == 9 * MS + 999_000
    assert [sent(link, at_ns, 100) for at_ns in (5 * MS, 10 * MS, 24 * MS + 800_000)] == [30 * MS] * 3
    assert sent(link, 25 * MS, 100) == 30 * MS + 100_000


def test_a_black_hole_swallows_what_is_under_way() -> None:
    """From 100 to 200 ms: under way when it begins, sent in it, and after it; nothing else is held up by that."""
    link = begun(delay_ns=20 * MS, black_holes=Spans(100 * MS, (100 * MS,)))
    assert sent(link, 70 * MS, 1000) == 91 * MS
    assert sent(link, 85 * MS, 1000) is None
    assert sent(link, 150 * MS, 1000) is None
    assert sent(link, 199 * MS, 1000) is None
    assert sent(link, 200 * MS, 1000) == 221 * MS
    assert link.arrive(90 * MS, 300 * MS) is None  # of a connection that has seen it


def test_jitter_is_seeded() -> None:
    """The same seed gives the same times, another one others, and they differ from one message to the next."""

    def times(*seed: int) -> list[int | None]:
        link = begun(trace=None, jitter_ns=30 * MS, jitter_seed=seed)
        return [sent(link, i * 1000 * MS, 1) for i in range(20)]

    assert times(1, 0) == times(1, 0)
    assert times(1, 0) != times(1, 1)
    added_ns = [(at or 0) - i * 1000 * MS for i, at in enumerate(times(1, 0))]
    assert len(set(added_ns)) == 20
    assert 0 <= min(added_ns) < 6 * MS
    assert 24 * MS < max(added_ns) <= 30 * MS


@pytest.mark.parametrize(
    ("buffer_bytes", "at_ms", "gone", "next_ms"),
    [
        (None, 3, 3000, 4),  # the sender stops: 3000 bytes have left, the next one leaves at 3 + 1 ms
        (2000, 3, 5000, 6),  # 2000 more are in the buffer: the next one waits for them until 5 ms
        (9000, 3, 10_000, 11),  # all of it is in the buffer
        (2000, 0, 0, 1),  # not begun
    ],
)
def test_what_is_in_the_buffer_cannot_be_taken_back(
    buffer_bytes: int | None, at_ms: int, gone: int, next_ms: int
) -> None:
    """Bufferbloat: ten thousand bytes are given up while they are being sent, then a thousand are to be sent."""
    link = begun(buffer_bytes=buffer_bytes)
    assert link.carry(0, 10_000) == 10 * MS
    assert link.give_up(at_ms * MS) == gone
    assert link.carry(at_ms * MS, 1000) == next_ms * MS


def test_what_was_given_up_takes_room_in_the_buffer() -> None:
    """2000 bytes of the first are in a buffer of 2000 at 3 ms; at 4 ms, 1000 of the second have come in their place."""
    link = begun(buffer_bytes=2000)
    link.carry(0, 10_000)
    assert link.give_up(3 * MS) == 5000
    link.carry(3 * MS, 10_000)
    assert link.give_up(4 * MS) == 1000
    assert link.carry(4 * MS, 1000) == 7 * MS


traces = st.lists(st.tuples(st.integers(1, 300), st.sampled_from([0, 8_000, 333_333, 8_000_000])), min_size=1).map(
    lambda parts: RateTrace(
        tuple(sum(length for length, _ in parts[:i]) * MS for i in range(len(parts))),
        tuple(rate for _, rate in parts),
        sum(length for length, _ in parts) * MS,
    )
)
span_lists = st.just(NEVER) | st.builds(lambda start, more: Spans(50 * MS, (start,), start + 51 * MS + more),
                                        st.integers(0, 300 * MS), st.integers(0, 300 * MS))  # fmt: skip
models = st.builds(
    DirectionModel, traces, st.integers(0, 50 * MS), st.integers(0, 50 * MS), st.just((3,)),
    st.none() | st.integers(1500, 50_000), span_lists,
)  # fmt: skip
messages = st.lists(st.tuples(st.integers(0, 200 * MS), st.integers(0, 30_000)), min_size=1, max_size=12)


@given(models, messages, st.integers(0, 10**18))
def test_every_model_is_a_line(model: DirectionModel, parts: list[tuple[int, int]], begin_ns: int) -> None:
    """In order, none before its delay nor in a stall, no byte too many in any time, the same again and later."""

    def run(at_ns: int) -> list[tuple[int, int, int, int]]:
        link = LinkDirection(model)
        link.begin(at_ns)
        start_ns, found = at_ns, []
        for gap_ns, byte_count in parts:
            start_ns += gap_ns
            left_ns = link.carry(start_ns, byte_count)
            arrival_ns = None if left_ns is None else link.arrive(start_ns, left_ns)
            if left_ns is not None and arrival_ns is not None:
                found.append((start_ns - at_ns, byte_count, left_ns - at_ns, arrival_ns - at_ns))
        return found

    found = run(begin_ns)
    assert found == run(begin_ns) == run(0)
    assert model.trace is not None
    previous = (0, 0, 0, 0)
    for one in found:
        start_ns, byte_count, left_ns, arrival_ns = one
        assert left_ns >= max(start_ns, previous[2])
        assert arrival_ns >= max(left_ns + model.delay_ns, previous[3])
        assert model.stalls.end_ns(arrival_ns) == arrival_ns
        # the integral of the rate, exactly: all of it by then, and not one nanosecond earlier
        first_ns = max(start_ns, previous[2])
        assert model.trace.bytes_between(first_ns, left_ns) >= byte_count
        assert byte_count == 0 or model.trace.bytes_between(first_ns, left_ns - 1) < byte_count
        if model.stalls == NEVER:
            assert arrival_ns <= max(left_ns + model.delay_ns + model.jitter_ns, previous[3])
        previous = one


@given(models, messages, st.lists(st.integers(0, 200 * MS), min_size=12, max_size=12))
def test_bytes_are_conserved_when_messages_are_given_up(
    model: DirectionModel, parts: list[tuple[int, int]], patience_ns: list[int]
) -> None:
    """What senders count as sent is what the bottleneck has carried or the buffer holds, at every instant."""
    assert model.trace is not None
    link = LinkDirection(model)
    link.begin(0)
    now_ns = total = 0
    for (gap_ns, byte_count), wait_ns in zip(parts, patience_ns, strict=False):
        now_ns += gap_ns
        left_ns = link.carry(now_ns, byte_count)
        if left_ns is not None and left_ns <= now_ns + wait_ns:
            now_ns, total = left_ns, total + byte_count
        else:
            now_ns += wait_ns
            gone = link.give_up(now_ns)
            assert 0 <= gone <= byte_count
            total += gone
        assert total <= model.trace.bytes_between(0, now_ns) + (model.buffer_bytes or 0) + 1

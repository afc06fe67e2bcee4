"""Spans of time: which instants they hold, and what comes next."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vedette.datasets.traces import NEVER, Spans

TWICE = Spans(2, (5, 9))  # holds 5, 6 and 9, 10
AGAIN = Spans(2, (1, 6), 10)  # holds 1, 2, 6, 7, 11, 12, 16, 17, …
INSTANTS = Spans(0, (0,), 30)


@pytest.mark.parametrize(
    ("spans", "time_ns", "end_ns"),
    [
        (NEVER, 3, 3),
        (TWICE, 4, 4),
        (TWICE, 5, 7),
        (TWICE, 6, 7),
        (TWICE, 7, 7),
        (TWICE, 10, 11),
        (TWICE, 100, 100),
        (AGAIN, -9, -9),  # nothing before the beginning
        (AGAIN, 0, 0),
        (AGAIN, 12, 13),
        (AGAIN, 20, 20),  # the period's start lies in no span, the last start is in the period before
        (AGAIN, 1_000_007, 1_000_008),
        (Spans(2, (5, 7)), 5, 9),  # side by side
        (Spans(2, (0, 8), 10), 8, 12),  # side by side across the period
        (INSTANTS, 30, 30),  # an instant lasts no time
    ],
)
def test_end(spans: Spans, time_ns: int, end_ns: int) -> None:
    """A span holds its start and not its end."""
    assert spans.end_ns(time_ns) == end_ns


@pytest.mark.parametrize(
    ("spans", "time_ns", "start_ns"),
    [
        (NEVER, 0, None),
        (TWICE, -1, 5),
        (TWICE, 5, 9),
        (TWICE, 9, None),
        (AGAIN, -5, 1),
        (AGAIN, 6, 11),
        (AGAIN, 11, 16),
        (INSTANTS, -1, 0),
        (INSTANTS, 0, 30),
    ],
)
def test_next_start(spans: Spans, time_ns: int, start_ns: int | None) -> None:
    """The first start that is later."""
    assert spans.next_start_ns(time_ns) == start_ns


@pytest.mark.parametrize(
    ("first_ns", "last_ns", "expected"),
    [(0, 4, False), (0, 5, True), (6, 6, True), (7, 8, False), (7, 9, True), (11, 99, False), (-5, 99, True)],
)
def test_touch(first_ns: int, last_ns: int, expected: bool) -> None:
    """Both ends are included."""
    assert TWICE.touch(first_ns, last_ns) is expected


@pytest.mark.parametrize(
    "values",
    [
        (-1, (0,)),
        (1, (-1,)),
        (2, (5, 6)),
        (0, (5, 5)),
        (0, (5, 4)),
        (1, (), 5),
        (2, (4,), 5),
        (5, (0,), 5),
        (0, (5,), 5),
    ],
)
def test_refuses(values: tuple[int, tuple[int, ...], int]) -> None:
    """What overlaps, does not fit or never ends is no spans."""
    with pytest.raises(ValueError, match="spans"):
        Spans(*values)


@given(st.integers(1, 5), st.sets(st.integers(0, 30)), st.none() | st.integers(1, 40), st.integers(0, 200))
def test_the_same_as_looking_at_every_instant(length: int, starts: set[int], period: int | None, time_ns: int) -> None:
    """Against a table of all instants up to 300."""
    try:
        spans = Spans(length, tuple(sorted(starts)), period)
    except ValueError:
        return
    all_starts = [start + (period or 0) * i for i in range(320 if period else 1) for start in sorted(starts)]
    held = {start + offset for start in all_starts for offset in range(length)}
    assert spans.end_ns(time_ns) == next(at for at in range(time_ns, 400) if at not in held)
    assert spans.next_start_ns(time_ns) == next((at for at in sorted(all_starts) if at > time_ns), None)
    assert spans.touch(time_ns, time_ns + 7) == any(at in held for at in range(time_ns, time_ns + 8))

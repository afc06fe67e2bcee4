"""When something happens to a link: spans of time, at given instants or again and again.

at given instants         ──────██──────────────██───────────►      2 s at 20 s and at 90 s
again and again           ────────██────────██────────██─────►      2 s at the end of every 30 s
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Spans:
    """Spans of equal length that do not overlap; each holds its start and not its end.

    Args:
        length_ns: of each, in nanoseconds; 0 makes instants of them.
        starts_ns: of the spans, rising, 0 or later.
        period_ns: after which they all come again; None for once.

    Raises:
        ValueError: they overlap, do not fit into the period, or leave nothing of it.
    """

    length_ns: int = 0
    starts_ns: tuple[int, ...] = ()
    period_ns: int | None = None

    def __post_init__(self) -> None:
        if self.length_ns < 0 or (self.starts_ns and self.starts_ns[0] < 0):
            raise ValueError("spans must have a length and a first start of 0 or more")
        if any(later <= start or later < start + self.length_ns for start, later in pairwise(self.starts_ns)):
            raise ValueError(f"spans of {self.length_ns} ns overlap")
        if self.period_ns is not None and not self._fit(self.period_ns):
            raise ValueError(f"spans of {self.length_ns} ns do not fit into a period of {self.period_ns} ns")

    def _fit(self, period_ns: int) -> bool:
        """Whether all lie within the period and leave some of it."""
        if not self.starts_ns or self.starts_ns[-1] >= period_ns:
            return False
        return self.starts_ns[-1] + self.length_ns <= period_ns > self.length_ns * len(self.starts_ns)

    def end_ns(self, time_ns: int) -> int:
        """The first instant from ``time_ns`` on that lies in no span."""
        start_ns = self._last_start_ns(time_ns)
        while start_ns is not None and time_ns < start_ns + self.length_ns:
            time_ns = start_ns + self.length_ns
            start_ns = self._last_start_ns(time_ns)
        return time_ns

    def next_start_ns(self, time_ns: int) -> int | None:
        """The first start after ``time_ns``; None when there is none."""
        if not self.starts_ns:
            return None
        if self.period_ns is None or time_ns < 0:
            index = bisect_right(self.starts_ns, time_ns)
            return self.starts_ns[index] if index < len(self.starts_ns) else None
        period, within_ns = divmod(time_ns, self.period_ns)
        index = bisect_right(self.starts_ns, within_ns)
        wrapped, index = divmod(index, len(self.starts_ns))
        return (period + wrapped) * self.period_ns + self.starts_ns[index]

    def touch(self, first_ns: int, last_ns: int) -> bool:
        """Whether a span shares an instant with the time from ``first_ns`` to ``last_ns``, both included."""
        if self.end_ns(first_ns) > first_ns:
            return True
        start_ns = self.next_start_ns(first_ns - 1)
        return start_ns is not None and start_ns <= last_ns

    def _last_start_ns(self, time_ns: int) -> int | None:
        """The last start at or before ``time_ns``."""
        if not self.starts_ns or time_ns < self.starts_ns[0]:
            return None
        if self.period_ns is None:
            return self.starts_ns[bisect_right(self.starts_ns, time_ns) - 1]
        period, within_ns = divmod(time_ns, self.period_ns)
        wrapped, index = divmod(bisect_right(self.starts_ns, within_ns) - 1, len(self.starts_ns))
        return (period + wrapped) * self.period_ns + self.starts_ns[index]


NEVER = Spans()
"""No spans at all."""

"""How much may be sent: frames by share, bytes by minute and by month. Token buckets, filled as time passes."""

from __future__ import annotations

from typing import Final

_MINUTE_NS: Final = 60 * 10**9
_MONTH_NS: Final = 30 * 24 * 60 * _MINUTE_NS
_BURST: Final = 3.0
_FIRST: Final = 1.0
_LOAN_FRAMES: Final = 100


class Bucket:
    """An allowance that fills evenly up to a limit.

    Args:
        amount: what flows in during the period.
        period_ns: the period.
        limit: the most that it holds; it begins full.
        loan: it begins with this instead, or with what flows in during `loan_ns` where that is less, and pays it back
            evenly out of that inflow.
        loan_ns: see there; 0 for no loan.
    """

    def __init__(self, amount: float, period_ns: int, limit: float, *, loan: float = 0.0, loan_ns: int = 0) -> None:
        self._per_ns = amount / period_ns
        self._limit = limit
        self._debt = min(loan, self._per_ns * loan_ns)
        self._repaid_per_ns = self._debt / loan_ns if loan_ns else 0.0
        self._level = self._debt if loan_ns else limit
        self._filled_ns: int | None = None

    @property
    def level(self) -> float:
        """What is in it as of the last `fill`."""
        return self._level

    @property
    def fullness(self) -> float:
        """The level as a share of the limit, 0 to 1."""
        return max(0.0, self._level) / self._limit

    def fill(self, now_ns: int) -> None:
        """Let the time since the last call flow in."""
        if self._filled_ns is not None:
            elapsed_ns = max(now_ns - self._filled_ns, 0)
            repaid = min(self._debt, self._repaid_per_ns * elapsed_ns)
            self._debt -= repaid
            self._level = min(self._limit, self._level + self._per_ns * elapsed_ns - repaid)
        self._filled_ns = now_ns

    def take(self, amount: float) -> None:
        """Take out; may go below zero where the amount was not known beforehand."""
        self._level -= amount


class Budget:
    """The allowances of one vehicle together.

    Args:
        max_share: of the captured frames that may be sent, above 0 and at most 1: kept over every run of 100 frames and
            more. The first frame may be sent at once, and is saved afterwards.
        frame_ns: time from one frame to the next.
        bytes_a_minute: sent at most, with a minute's worth at once.
        bytes_a_month: likewise over thirty days, with two days' worth at once.
    """

    def __init__(self, *, max_share: float, frame_ns: int, bytes_a_minute: float, bytes_a_month: float) -> None:
        self._frames = Bucket(max_share, frame_ns, _BURST, loan=_FIRST, loan_ns=_LOAN_FRAMES * frame_ns)
        self._minute = Bucket(bytes_a_minute, _MINUTE_NS, bytes_a_minute)
        self._month = Bucket(bytes_a_month, _MONTH_NS, bytes_a_month / 15)

    def fill(self, now_ns: int) -> None:
        """Let time pass."""
        for bucket in (self._frames, self._minute, self._month):
            bucket.fill(now_ns)

    def shortage(self, byte_count: float) -> str | None:
        """What forbids to send so much now; None where nothing does."""
        if self._frames.level < 1.0:
            return "share of frames used up"
        if self._minute.level < byte_count:
            return "bytes of the minute used up"
        return "bytes of the month used up" if self._month.level < byte_count else None

    @property
    def fullness(self) -> float:
        """Of the allowance nearest to its end, 0 to 1."""
        return min(self._frames.fullness, self._minute.fullness, self._month.fullness)

    def take_frame(self) -> None:
        """A frame is sent."""
        self._frames.take(1.0)

    def take_bytes(self, byte_count: int) -> None:
        """So much was sent."""
        self._minute.take(byte_count)
        self._month.take(byte_count)

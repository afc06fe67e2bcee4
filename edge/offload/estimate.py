"""The link as it has shown itself: rate, delay and time at the far end, from the outcomes of earlier requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vedette.edge.offload.link import Answer, Loss, LossReason

_MEMORY: Final = 0.6
_FIRST_RATE_BPS: Final = 4e6
_FIRST_OVERHEAD_MS: Final = 150.0
_FIRST_BYTES: Final = 30_000.0
_LOST_RATE_SHARE: Final = 0.5
_FIRST_BACKOFF_NS: Final = 500_000_000
_MAX_BACKOFF_NS: Final = 4_000_000_000
_KNOWN_NS: Final = 10_000_000_000
_TELLING: Final = frozenset({LossReason.DEADLINE, LossReason.UNAVAILABLE})
"""Losses that speak about the link; the others are about the request, the server, or our own queue."""


class LinkEstimate:
    """What a request would take, had it the fate of the last ones.

    Args:
        deadline_ms: of a request; what a lost one is known to have exceeded.
    """

    def __init__(self, deadline_ms: float) -> None:
        self._deadline_ms = deadline_ms
        self._rate_bps = _FIRST_RATE_BPS
        self._overhead_ms = _FIRST_OVERHEAD_MS
        self._bytes: dict[str, float] = {}
        self._lost_in_a_row = 0
        self._silent_until_ns = 0
        self._learned_ns: int | None = None

    @property
    def rate_bps(self) -> float:
        """Of the uplink, bit/s."""
        return self._rate_bps

    @property
    def lost_in_a_row(self) -> int:
        """Requests that the link has lost since the last answer."""
        return self._lost_in_a_row

    def doubt(self, now_ns: int) -> None:
        """After ten seconds without an outcome, think no worse of the link than at first.

        A link that was found too slow is not asked again, and would never be heard to have recovered.
        """
        if self._learned_ns is not None and now_ns - self._learned_ns > _KNOWN_NS:
            self._rate_bps = max(self._rate_bps, _FIRST_RATE_BPS)
            self._overhead_ms = min(self._overhead_ms, _FIRST_OVERHEAD_MS)

    def is_open(self, now_ns: int) -> bool:
        """Whether it is worth trying: after losses in a row a pause, twice as long each time, 4 s at most."""
        return now_ns >= self._silent_until_ns

    def bytes_of(self, kind: str) -> float:
        """Size that a message of a kind is likely to have.

        Args:
            kind: as `on_answer` was told; of one not met yet a guess.
        """
        return self._bytes.get(kind, _FIRST_BYTES)

    def delay_ms(self, byte_count: float) -> float:
        """From sending to the answer, for a message of a size."""
        return self._overhead_ms + byte_count * 8e3 / self._rate_bps

    def on_answer(self, answer: Answer, kind: str) -> None:
        """Learn from an answer."""
        self._lost_in_a_row, self._silent_until_ns, self._learned_ns = 0, 0, answer.arrived_ns
        self._bytes[kind] = _mixed(self._bytes.get(kind), float(answer.bytes_up))
        uplink_ms, one_way_ms = _uplink_ms(answer.stage_ms)
        if uplink_ms > 0:
            self._rate_bps = _mixed(self._rate_bps, answer.bytes_up * 8e3 / uplink_ms)
        spent_ms = sum(ms for stage, ms in answer.stage_ms.items() if stage not in ("queue", "uplink"))
        self._overhead_ms = _mixed(self._overhead_ms, spent_ms + one_way_ms)

    def on_loss(self, loss: Loss) -> None:
        """Learn that a request was lost."""
        if loss.reason not in _TELLING:
            return
        self._lost_in_a_row += 1
        self._learned_ns = loss.at_ns
        pause_ns = min(_FIRST_BACKOFF_NS * 2 ** (self._lost_in_a_row - 1), _MAX_BACKOFF_NS)
        self._silent_until_ns = loss.at_ns + pause_ns
        if loss.reason is LossReason.DEADLINE and loss.bytes_up > 0:
            seen_bps = loss.bytes_up * 8e3 / self._deadline_ms
            self._rate_bps = max(self._rate_bps * _LOST_RATE_SHARE, min(seen_bps, self._rate_bps))


def _uplink_ms(stage_ms: Mapping[str, float]) -> tuple[float, float]:
    """Time on the wire without the way, and the way: an answer is small, so that its downlink is nearly all way."""
    uplink_ms, way_ms = stage_ms.get("uplink", 0.0), stage_ms.get("downlink", 0.0)
    one_way_ms = min(way_ms, uplink_ms)
    return uplink_ms - one_way_ms, one_way_ms


def _mixed(old: float | None, new: float) -> float:
    return new if old is None else _MEMORY * old + (1 - _MEMORY) * new

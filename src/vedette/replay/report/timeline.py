"""Which frames were offloaded, and when their answers came: a lane of bars per policy.

▏  ▏  ▏  ▏  ▏  ▏  ▏     a tick per frame, at its capture
████████                a bar per request from capture to answer
   ████████ ✕           ... or to its loss
×  ×                    requests superseded before they were sent
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vedette.edge.offload.link import LossReason
from vedette.replay.record import RunRecord
from vedette.replay.report import svg
from vedette.replay.report.palette import LOSS_COLOUR
from vedette.replay.report.plots import WIDTH, name_width
from vedette.replay.report.scales import LinearScale

_BAR: Final = 9.0
_PITCH: Final = 12.0
_MAX_ROWS: Final = 6


@dataclass(frozen=True)
class Trip:
    """One request on its way.

    Args:
        frame_index: of the request.
        start_s: capture, seconds since the start.
        end_s: answer or loss.
        lost: why it came back without an answer; None for an answer.
    """

    frame_index: int
    start_s: float
    end_s: float
    lost: LossReason | None


def trips_of(record: RunRecord, start_ns: int) -> list[Trip]:
    """All requests of a run, by capture.

    Args:
        record: the run.
        start_ns: what counts as 0 s.
    """
    answered = [
        Trip(a.frame_index, (a.stamp_ns - start_ns) / 1e9, (a.arrived_ns - start_ns) / 1e9, None)
        for a in record.answers
    ]
    lost = [
        Trip(loss.frame_index, (loss.stamp_ns - start_ns) / 1e9, (loss.at_ns - start_ns) / 1e9, loss.reason)
        for loss in record.losses
    ]
    return sorted([*answered, *lost], key=lambda trip: (trip.start_s, trip.frame_index))


def offload_timeline(
    trips_by_policy: Sequence[tuple[str, str, Sequence[Trip]]], capture_s: Sequence[float], duration_s: float
) -> str:
    """The lanes of all policies over one time axis.

    Args:
        trips_by_policy: name, colour, requests.
        capture_s: capture of every frame, seconds since the start.
        duration_s: until the last answer.
    """
    left = name_width([name for name, _, _ in trips_by_policy])
    scale = LinearScale(0.0, max(duration_s, 1e-3), left, WIDTH - 24)
    parts: list[str] = []
    top = 6.0
    for name, colour, trips in trips_by_policy:
        lane, height = _lane(trips, colour, scale, top, capture_s)
        parts.append(svg.text(0, top + 12, name, class_="name"))
        parts.append(lane)
        top += height + 14
    grid = []
    for value in scale.ticks():
        grid.append(svg.line(scale.position(value), 0, scale.position(value), top, class_="grid"))
        grid.append(svg.text(scale.position(value), top + 16, f"{value:g} s", class_="tick middle"))
    return svg.drawing(WIDTH, top + 24, *grid, *parts, label="Requests and answers over time")


def _lane(
    trips: Sequence[Trip], colour: str, scale: LinearScale, top: float, capture_s: Sequence[float]
) -> tuple[str, float]:
    ticks = svg.path(
        [(scale.position(at), top, scale.position(at), top + 5) for at in capture_s], stroke="#9ca3af", stroke_width=1.0
    )
    on_the_way = [trip for trip in trips if trip.lost is not LossReason.SUPERSEDED]
    rows = assign_rows(on_the_way)
    row_count = min(max(rows, default=0) + 1, _MAX_ROWS)
    bars = [
        _bar(trip, colour, scale, top + 9 + (row % _MAX_ROWS) * _PITCH)
        for trip, row in zip(on_the_way, rows, strict=True)
    ]
    below = top + 9 + row_count * _PITCH
    waited = [trip for trip in trips if trip.lost is LossReason.SUPERSEDED]
    crosses = [_cross(scale.position(trip.start_s), below + 4, trip) for trip in waited]
    height = below - top + (10 if waited else 0)
    return svg.tag("g", ticks, *bars, *crosses), height


def assign_rows(trips: Sequence[Trip]) -> list[int]:
    """The first row for each request, in order, in which nothing else is under way.

    Args:
        trips: by capture.
    """
    ends: list[float] = []
    rows = []
    for trip in trips:
        row = next((i for i, end in enumerate(ends) if end <= trip.start_s), len(ends))
        ends[row : row + 1] = [trip.end_s]
        rows.append(row)
    return rows


def _bar(trip: Trip, colour: str, scale: LinearScale, top: float) -> str:
    start, end = scale.position(trip.start_s), scale.position(trip.end_s)
    outcome = "answered" if trip.lost is None else f"lost: {trip.lost}"
    took_ms = (trip.end_s - trip.start_s) * 1e3
    title = svg.tooltip(f"frame {trip.frame_index}, {outcome} after {took_ms:.0f} ms")
    if trip.lost is None:
        return svg.rect(start, top, max(end - start, 2.0), _BAR, title, fill=colour, rx=2)
    bar = svg.rect(start, top, max(end - start, 2.0), _BAR, title, fill=LOSS_COLOUR, fill_opacity=0.25, rx=2)
    return bar + _cross(end, top + _BAR / 2, trip)


def _cross(x: float, y: float, trip: Trip) -> str:
    arms = svg.path([(x - 3, y - 3, x + 3, y + 3), (x - 3, y + 3, x + 3, y - 3)], stroke=LOSS_COLOUR, stroke_width=1.4)
    return svg.tag("g", svg.tooltip(f"frame {trip.frame_index}, lost: {trip.lost}"), arms)

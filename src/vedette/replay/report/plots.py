"""The plots over time and stages; all times in milliseconds or seconds, on a drawing 960 wide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from vedette.replay.report import svg
from vedette.replay.report.palette import stage_colour
from vedette.replay.report.scales import LinearScale, Scale, linear_scale, log_scale

WIDTH: Final = 960.0
_LEFT: Final = 64.0
_RIGHT: Final = 24.0
_BAR_HEIGHT: Final = 30.0
_BAR_PITCH: Final = 46.0
_MIN_NAME_WIDTH: Final = 104.0
_CHARACTER_WIDTH: Final = 7.6
"""Of the bold type of names, at most, on average."""
_VALUE_WIDTH: Final = 96.0


@dataclass(frozen=True)
class Series:
    """One policy's points.

    Args:
        name: in the tooltip.
        colour: of line and dots.
        points: x in seconds, y in the plot's unit; in order of x.
    """

    name: str
    colour: str
    points: Sequence[tuple[float, float]]


def name_width(names: Sequence[str]) -> float:
    """Room that the names of rows take at the left of a drawing."""
    return max([_MIN_NAME_WIDTH, *(_CHARACTER_WIDTH * len(name) + 8.0 for name in names)])


def stage_bars(stages_by_policy: Mapping[str, Mapping[str, float]]) -> str:
    """One stacked bar per policy on a common scale.

    Args:
        stages_by_policy: milliseconds by stage; stages below 0 (rounding) are left out.
    """
    totals = {policy: sum(max(ms, 0.0) for ms in stages.values()) for policy, stages in stages_by_policy.items()}
    scale = linear_scale(list(totals.values()), name_width(list(totals)), WIDTH - _VALUE_WIDTH)
    height = _BAR_PITCH * len(totals) + 24
    parts = [_vertical_grid(scale, 4, height - 22, "ms")]
    for row, (policy, stages) in enumerate(stages_by_policy.items()):
        top = 8 + row * _BAR_PITCH
        middle = top + _BAR_HEIGHT / 2 + 4
        parts.append(svg.text(0, middle, policy, class_="name"))
        parts.extend(_stacked(stages, scale, top))
        end = scale.position(totals[policy])
        total = f"{totals[policy]:,.0f} ms" if totals[policy] else "no own boxes"
        parts.append(svg.text(end + 8, middle, total, class_="value"))
    return svg.drawing(WIDTH, height, *parts, label="Mean latency by stage and policy")


def _stacked(stages: Mapping[str, float], scale: LinearScale, top: float) -> list[str]:
    parts = []
    spent_ms = 0.0
    for stage, ms in stages.items():
        if ms <= 0:
            continue
        start, end = scale.position(spent_ms), scale.position(spent_ms + ms)
        title = svg.tooltip(f"{stage}: {ms:.1f} ms")
        parts.append(svg.rect(start, top, end - start, _BAR_HEIGHT, title, fill=stage_colour(stage)))
        if end - start > 7.2 * len(stage):
            parts.append(svg.text((start + end) / 2, top + 19, stage, class_=_on(stage)))
        spent_ms += ms
    return parts


def _on(stage: str) -> str:
    """Text class that is legible on a stage's colour."""
    colour = stage_colour(stage)
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "on-dark" if 0.3 * red + 0.59 * green + 0.11 * blue < 140 else "on-light"


def _vertical_grid(scale: LinearScale, top: float, bottom: float, unit: str) -> str:
    parts = []
    for value in scale.ticks():
        x = scale.position(value)
        parts.append(svg.line(x, top, x, bottom, class_="grid"))
        parts.append(svg.text(x, bottom + 16, f"{value:,g} {unit}", class_="tick middle"))
    return svg.tag("g", *parts)


def latency_over_time(series: Sequence[Series], duration_s: float) -> str:
    """Dots for each answered frame, on a logarithmic axis.

    Args:
        series: seconds since the start, milliseconds.
        duration_s: of the recording.
    """
    values = [y for one in series for _, y in one.points if y > 0]
    return _over_time(series, duration_s, log_scale(values, 216.0, 12.0), "ms", steps=False)


def bytes_over_time(series: Sequence[Series], duration_s: float) -> str:
    """What had been sent up by each moment.

    Args:
        series: seconds since the start, megabytes in total.
        duration_s: of the run.
    """
    values = [y for one in series for _, y in one.points]
    return _over_time(series, duration_s, linear_scale(values, 216.0, 12.0), "MB", steps=True)


def _over_time(series: Sequence[Series], duration_s: float, y_scale: Scale, unit: str, *, steps: bool) -> str:
    x_scale = LinearScale(0.0, max(duration_s, 1e-3), _LEFT, WIDTH - _RIGHT)
    parts = [_vertical_grid(x_scale, 12, 216, "s")]
    for value in y_scale.ticks():
        y = y_scale.position(value)
        parts.append(svg.line(_LEFT, y, WIDTH - _RIGHT, y, class_="grid"))
        parts.append(svg.text(_LEFT - 8, y + 4, f"{value:,g} {unit}", class_="tick end"))
    for one in series:
        places = [(x_scale.position(x), y_scale.position(y)) for x, y in one.points]
        parts.append(_stepped(places, one.colour) if steps else _dotted(places, one))
    return svg.drawing(WIDTH, 240, *parts, label=f"{unit} over time")


def _stepped(places: Sequence[tuple[float, float]], colour: str) -> str:
    corners = [place for (_, y0), (x, y) in pairwise(places) for place in ((x, y0), (x, y))]
    return svg.polyline([*places[:1], *corners], stroke=colour, stroke_width=2.0)


def _dotted(places: Sequence[tuple[float, float]], one: Series) -> str:
    dots = [
        svg.tag("circle", svg.tooltip(f"{one.name}: {ms:.0f} ms at {at_s:.2f} s"), cx=x, cy=y, r=3.0, fill=one.colour)
        for (x, y), (at_s, ms) in zip(places, one.points, strict=True)
    ]
    return svg.polyline(places, stroke=one.colour, stroke_width=1.2, stroke_opacity=0.45) + "".join(dots)

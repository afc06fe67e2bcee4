"""The report as one HTML file that works without a network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import yaml

from vedette.replay.evaluate import first_own_publications
from vedette.replay.report import plots
from vedette.replay.report.definitions import REPORT_DEFINITIONS
from vedette.replay.report.gallery import busiest, gallery
from vedette.replay.report.input import ReportInput
from vedette.replay.report.palette import in_order, stage_colour
from vedette.replay.report.pictures import pixel_definitions
from vedette.replay.report.style import CSS
from vedette.replay.report.summary import Row, summary_rows
from vedette.replay.report.timeline import offload_timeline, trips_of


def render_page(report: ReportInput) -> str:
    """The page's HTML."""
    body = "".join(
        [
            _head(report),
            *_first_look(report),
            _section("Figures", _figures(report)),
            _section("Where the latency goes", _stages(report)),
            _section("Latency of each frame", _latency(report)),
            _section("What was offloaded, and when the answer came", _timeline(report)),
            _section("Bytes sent up", _bytes(report)),
            *_further_looks(report),
            _section("Definitions", _definitions()),
            _section("Settings", _card(f"<pre>{escape(_as_yaml(report.document['config']))}</pre>")),
        ]
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.title)}</title><style>{CSS}</style></head>"
        f"<body>{pixel_definitions(report.snapshots)}<main>{body}</main></body></html>\n"
    )


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>"


def _card(content: str, *, wide: bool = False) -> str:
    return f'<div class="{"card wide" if wide else "card"}">{content}</div>'


def _soft(sentence: str) -> str:
    return f'<p class="soft">{escape(sentence)}</p>'


def _legend(entries: Iterable[tuple[str, str]]) -> str:
    items = (
        f'<span><span class="swatch" style="background:{colour}"></span>{escape(name)}</span>'
        for name, colour in entries
    )
    return f'<div class="legend">{"".join(items)}</div>'


def _policy_legend(report: ReportInput) -> str:
    return _legend((policy, report.colour(policy)) for policy in report.policies)


def _head(report: ReportInput) -> str:
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in report.facts.items())
    notes = "".join(f"<li>{escape(note)}</li>" for note in report.notes)
    return f'<h1>{escape(report.title)}</h1><dl class="facts">{facts}</dl><ul class="notes">{notes}</ul>'


def _first_look(report: ReportInput) -> list[str]:
    """A picture before the figures: what was driven through, and what each policy made of it."""
    if not report.snapshots:
        return []
    lead = (
        f"One drive of {len(report.truth)} frames, replayed once under each policy. This is one of its frames; figures"
        " follow, more frames are further down."
    )
    return [_section("What each policy saw", _soft(lead) + gallery(report, [busiest(report)]))]


def _further_looks(report: ReportInput) -> list[str]:
    further = [shot for shot in report.snapshots if shot is not busiest(report)]
    return [_section("More frames", gallery(report, further))] if further else []


def _figures(report: ReportInput) -> str:
    head = "".join(
        f'<th><span class="swatch" style="background:{report.colour(policy)}"></span>{escape(policy)}</th>'
        for policy in report.policies
    )
    rows = []
    group = ""
    for row in summary_rows(report.document["runs"]):
        if row.group != group:
            group = row.group
            rows.append(f'<tr class="group"><th colspan="{len(report.policies) + 1}">{escape(group)}</th></tr>')
        rows.append(_row(row))
    table = f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return _soft("Accuracy is 0 to 100 against the recording's labels. The best value is bold.") + _card(
        table, wide=True
    )


def _row(row: Row) -> str:
    cells = "".join(
        f'<td class="best">{text}</td>' if i in row.best else f"<td>{text}</td>" for i, text in enumerate(row.texts)
    )
    return f"<tr><td>{escape(row.label)}</td>{cells}</tr>"


def _stages(report: ReportInput) -> str:
    measured = {run["policy"]: run["latency_ms"]["stages"] for run in report.document["runs"]}
    stages = {policy: {name: by_stage[name] for name in in_order(by_stage)} for policy, by_stage in measured.items()}
    names = in_order(name for by_stage in stages.values() for name in by_stage)
    head = "".join(f"<th>{escape(policy)}</th>" for policy in stages)
    rows = "".join(
        f"<tr><td>{_swatch(name)}{escape(name)}</td>"
        + "".join(
            f"<td>{by_stage[name]:.1f}</td>" if name in by_stage else "<td>–</td>" for by_stage in stages.values()
        )
        + "</tr>"
        for name in names
    )
    table = f"<table><thead><tr><th>stage, mean ms</th>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return (
        _soft("Mean over the frames that got boxes from their own data.")
        + _card(plots.stage_bars(stages))
        + _card(table, wide=True)
    )


def _swatch(stage: str) -> str:
    return f'<span class="swatch" style="background:{stage_colour(stage)}"></span>'


def _latency(report: ReportInput) -> str:
    series = []
    for record in report.records:
        own = first_own_publications(record.publications).values()
        points = sorted(((p.stamp_ns - report.start_ns) / 1e9, p.latency_ns / 1e6) for p in own)
        series.append(plots.Series(record.policy, report.colour(record.policy), points))
    plot = plots.latency_over_time(series, _duration_s(report))
    note = "One dot per frame answered from its own data, at its capture; frames without a dot were only propagated."
    return _soft(note) + _card(_policy_legend(report) + plot)


def _duration_s(report: ReportInput) -> float:
    return (report.truth[-1].stamp_ns - report.start_ns) / 1e9


def _timeline(report: ReportInput) -> str:
    lanes = [
        (record.policy, report.colour(record.policy), trips_of(record, report.start_ns)) for record in report.records
    ]
    end_s = max([_duration_s(report), *(trip.end_s for _, _, trips in lanes for trip in trips)])
    captures_s = [(frame.stamp_ns - report.start_ns) / 1e9 for frame in report.truth]
    note = (
        "A tick per frame at its capture; a bar per request from capture to answer; pale red ending in a cross: lost;"
        " a cross below: superseded by a newer frame before it was sent."
    )
    return _soft(note) + _card(offload_timeline(lanes, captures_s, end_s))


def _bytes(report: ReportInput) -> str:
    series = []
    for record in report.records:
        events = [(a.arrived_ns, a.bytes_up) for a in record.answers] + [(x.at_ns, x.bytes_up) for x in record.losses]
        total = 0
        points = [(0.0, 0.0)]
        for at_ns, byte_count in sorted(events):
            total += byte_count
            points.append(((at_ns - report.start_ns) / 1e9, total / 1e6))
        series.append(plots.Series(record.policy, report.colour(record.policy), points))
    end_s = max([_duration_s(report), *(x for one in series for x, _ in one.points)])
    return _soft("In total, counted when the outcome is known.") + _card(
        _policy_legend(report) + plots.bytes_over_time(series, end_s)
    )


def _definitions() -> str:
    entries = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in REPORT_DEFINITIONS.items())
    return _card(f'<dl class="definitions">{entries}</dl>')


def _as_yaml(config: Mapping[str, Any]) -> str:
    return yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True)

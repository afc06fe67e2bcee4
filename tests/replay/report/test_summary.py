"""Rows of figures."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from vedette.replay.policies import PolicyName
from vedette.replay.report.summary import Better, Row, summary_rows
from vedette.replay.report.terminal import terminal_report


@pytest.mark.parametrize(
    ("values", "better", "best"),
    [
        ((1.0, 3.0, 2.0), Better.HIGHER, {1}),
        ((1.0, 3.0, 1.0), Better.LOWER, {0, 2}),
        ((None, 3.0), Better.HIGHER, set()),  # nothing to compare with
        ((2.0, 2.0), Better.HIGHER, set()),
        ((1.0, 3.0), Better.NEITHER, set()),
        ((None, None), Better.LOWER, set()),
    ],
)
def test_best(values, better, best):
    """Only where values differ and one direction is better."""
    assert Row("g", "l", values, better=better).best == best


def test_texts():
    """Digits, thousands, and a dash for what is not defined."""
    assert Row("g", "l", (1234.56, None, 0.0), digits=1).texts == ("1,234.6", "–", "0.0")


def test_rows_and_table(simulated, street):
    """The table on the terminal holds every row, the notes and the definitions."""
    _, _, runs = simulated(street(20))
    rows = summary_rows(runs)
    labels = [row.label for row in rows]
    assert "F1, 3D IoU 0.5, to 50 m" in labels
    assert "lost: superseded" in labels
    assert all(len(row.values) == 3 for row in rows)
    assert not any(row.group.startswith("cyclist") for row in rows)  # nothing of that class was labelled
    out = io.StringIO()
    Console(file=out, width=120).print(terminal_report("Replay of street", runs, ["A note."], width=120))
    shown = out.getvalue()
    for expected in [
        "Replay of street",
        "edge-only",
        "cloud-only",
        "moby",
        "A note.",
        "KITTI average precision",
        *labels,
    ]:
        assert expected in shown


def test_plain_streaming_stands_last(simulated, street):
    """It is near 0 while the vehicle drives for policies without forecasts; the boxes carried on tell more."""
    _, _, runs = simulated(street(20))
    labels = [row.label for row in summary_rows(runs) if row.group.startswith("car")]
    carried = [i for i, label in enumerate(labels) if "carried on" in label]
    plain = [i for i, label in enumerate(labels) if label.startswith("streaming") and "carried on" not in label]
    assert carried
    assert plain == [len(labels) - 2, len(labels) - 1]


def test_long_names_are_broken_where_they_can_be(simulated, street):
    """After colons and hyphens, in a column that is not wide; and every policy has its column."""
    policies = [*PolicyName, "edge-only:other", "cloud-only:raw"]
    _, _, runs = simulated(street(8), policies)
    runs[-2]["policy"] = "edge-only:pillars-large-synth"
    out = io.StringIO()
    Console(file=out, width=110).print(terminal_report("t", runs, [], width=110))
    shown = out.getvalue()
    cells = {cell.strip() for line in shown.splitlines() for cell in re.split("[┃│]", line)}
    assert {"edge-only:", "pillars-large-", "synth", "cloud-only:raw", "moby-device"} <= cells
    assert {"constant-", "velocity-2d"} <= cells or "constant-velocity-2d" in cells
    assert max(map(len, shown.splitlines())) <= 110


@pytest.mark.parametrize(("width", "tables"), [(200, 1), (80, 2), (40, 6)])
def test_many_runs_on_a_narrow_terminal(simulated, street, width, tables):
    """Names and figures stay whole: what does not fit beside each other stands below, and no line is too long."""
    _, _, runs = simulated(street(20))
    named = [run | {"policy": f"{run['policy']} {folder}"} for folder in ("lte", "wifi") for run in runs]
    out = io.StringIO()
    Console(file=out, width=width).print(terminal_report("Both", named, [], width=width))
    figures = out.getvalue().split("Which boxes are scored")[0]
    assert max(map(len, figures.splitlines())) <= width
    assert "…" not in figures
    assert figures.count("┏") == tables
    for word in ("edge-only", "cloud-only", "moby", "lte", "wifi"):
        assert word in figures


def test_names_have_rows_where_labels_have_them(simulated, street):
    """The street's labels have none; of runs with figures the objects are counted in the label, and fewer is better."""
    _, _, runs = simulated(street(5))
    assert not [row for row in summary_rows(runs) if "identity" in row.label]
    key = "vehicle.3d.0.5.r50"
    named = [{**run, f"label_tracks.{key}": 3, f"id_switches.{key}": count} for count, run in enumerate(runs)]
    (row,) = [row for row in summary_rows(named) if "identity" in row.label]
    assert (row.label, row.texts, row.best) == ("identity switches of 3 objects", ("0", "1", "2"), {0})

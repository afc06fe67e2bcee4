"""The keys of a report and what stands under them."""

from __future__ import annotations

import json

import pytest

from vedette.evaluation.streaming import PublishedDetections, StampedLabels
from vedette.evaluation.summary import (
    DEFINITIONS,
    accuracy_metrics,
    precision_cells,
    precision_metrics,
    streaming_metrics,
)
from vedette.evaluation.table import Metric, Table
from vedette.evaluation.targets import CAR


def test_figures_and_counts_of_a_small_run(frame, row):
    """One car found, one missed, one van found as a car."""
    figures = accuracy_metrics([frame([row(), row(x=9), row(x=20, type="Van")], [row(), row(x=20)])])
    expected = {
        "f1.car.3d.0.5.r50": 200 / 3,
        "tp.car.3d.0.5.r50": 1,
        "fp.car.3d.0.5.r50": 0,
        "fn.car.3d.0.5.r50": 1,
        "labels.car.3d.0.5.r50": 2,
        "f1.car.bev.0.7.r50": 200 / 3,
        "f1.vehicle.3d.0.5.r50": 80.0,
        "f1.van.3d.0.5.r50": 0.0,
        "ap.r40.car.3d.0.5.moderate": 0.0,
        "ap.r40.vehicle.bev.0.7.hard": 2.5,
        "labels.car.moderate": 2,
        "labels.van.moderate": 1,
        "labels.cyclist.hard": 0,
        "fp.cyclist.3d.0.5.r50": 0,
    }
    assert {key: figures[key] for key in expected} == pytest.approx(expected)


def test_no_figure_without_labels(frame, row):
    """A class without labels has its false alarms counted, and neither F1 nor AP."""
    figures = accuracy_metrics([frame([row(type="Van")], [row(x=30)])])
    assert figures["fp.car.3d.0.5.r50"] == 1
    assert not [key for key in figures if key.startswith(("f1.car", "ap.r40.car"))]


def test_perfect_run_scores_100_and_is_json(frame, row):
    """Fifty cars, each found: everything defined is 100, and every value is plain."""
    figures = accuracy_metrics([frame([row()], [row()])] * 50)
    scores = {key: value for key, value in figures.items() if key.startswith(("f1.", "ap."))}
    assert set(scores.values()) == {100.0}
    assert json.loads(json.dumps(figures, allow_nan=False)) == figures


def test_streaming_figures_lag_by_a_frame(objects, row):
    """A car that stands still is found in all frames but the first, which came before any publication."""
    labels = [StampedLabels(100 * k, objects([row()], scored=False)) for k in range(4)]
    publications = [PublishedDetections(100 * k + 50, 100 * k, objects([row()], scored=True)) for k in range(4)]
    figures = streaming_metrics(labels, publications)
    assert figures["streaming_tp.car.3d.0.5.r50"] == 3
    assert figures["streaming_f1.car.3d.0.5.r50"] == pytest.approx(100 * 6 / 7)
    assert figures["streaming_ap.r40.car.3d.0.5.moderate"] == pytest.approx(100 * 2 / 40)
    assert all(key.startswith("streaming_") for key in figures)


def test_a_moving_car_is_out_of_date(objects, row):
    """Boxes are scored as they were published: 2 m further on they no longer match at 0.5."""
    labels = [StampedLabels(100 * k, objects([row(x=2.0 * k)], scored=False)) for k in range(4)]
    publications = [PublishedDetections(100 * k + 1, 100 * k, objects([row(x=2.0 * k)], scored=True)) for k in range(4)]
    figures = streaming_metrics(labels, publications)
    assert (figures["streaming_tp.car.3d.0.5.r50"], figures["streaming_fp.car.3d.0.5.r50"]) == (0, 3)


def test_orientation_and_r11_under_their_own_keys(frame, row):
    """Orientation is of the 2D overlap; R11 comes when asked for."""
    cells = precision_cells(Table.from_frames([frame([row()], [row()])]), [CAR], Metric)
    figures = precision_metrics(cells, with_r11=True)
    assert figures["aos.r11.car.2d.0.7.easy"] == pytest.approx(100 / 11)
    assert figures["ap.r11.car.bev.0.5.hard"] == pytest.approx(100 / 11)
    assert not [key for key in figures if key.startswith("aos") and ".2d." not in key]


def test_no_frames():
    """An empty run has counts of zero and no figures."""
    assert set(accuracy_metrics([]).values()) == {0}


def test_definitions_for_every_kind_of_figure():
    """What is printed beside the numbers names the limits that define them."""
    assert set(DEFINITIONS) == {"f1", "ap", "identity", "streaming", "streaming_carried"}
    assert "50 m" in DEFINITIONS["f1"]
    assert "0.15/0.30/0.50" in DEFINITIONS["ap"]

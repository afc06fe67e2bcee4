"""Scales, marks, timelines and overlays."""

from __future__ import annotations

import re

import numpy as np
import pytest

from vedette.detections import Detections3D
from vedette.edge.offload.link import LossReason
from vedette.geometry import SE3, PinholeCamera
from vedette.replay.report import svg
from vedette.replay.report.palette import in_order, policy_colour
from vedette.replay.report.pictures import (
    Snapshot,
    bev_overlay,
    box_edges_px,
    choose_frames,
    image_overlay,
    render_bev,
)
from vedette.replay.report.plots import name_width, stage_bars
from vedette.replay.report.scales import LinearScale, linear_scale, log_scale
from vedette.replay.report.timeline import Trip, assign_rows, offload_timeline

CAMERA = PinholeCamera(
    np.array([[500.0, 0, 500, 0], [0, 500, 200, 0], [0, 0, 1, 0]]),
    SE3(np.array([[0.0, -1, 0], [0, 0, -1], [1, 0, 0]]), np.zeros(3)),
    width_px=1000,
    height_px=400,
)


def test_tags_are_escaped():
    """Attributes and text cannot break out."""
    assert svg.text(1.0, 2.5, "<b>", class_='x"y') == '<text x="1" y="2.5" class="x&quot;y">&lt;b&gt;</text>'
    assert svg.line(0, 0, 1 / 3, 1, stroke_width=2.0) == '<line x1="0" y1="0" x2="0.33" y2="1" stroke-width="2"/>'


@pytest.mark.parametrize(
    ("high", "ticks"),
    [(10.0, [0, 2, 4, 6, 8, 10]), (1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]), (420.0, [0, 100, 200, 300, 400])],
)
def test_linear_ticks(high, ticks):
    """Round steps; positions in proportion."""
    scale = LinearScale(0.0, high, 0.0, 100.0)
    assert scale.ticks() == pytest.approx(ticks)
    assert scale.position(high / 4) == pytest.approx(25)
    assert scale.position(2 * high) == 100


def test_log_scale_holds_its_values():
    """Ends are ticks around the values; equal ratios are equally far apart."""
    scale = log_scale([30.0, 1500.0], 100.0, 0.0)
    assert (scale.low, scale.high) == (20.0, 2000.0)
    assert scale.ticks() == [20, 50, 100, 200, 500, 1000, 2000]
    assert scale.position(200.0) == pytest.approx(50.0)


@pytest.mark.parametrize("values", [[], [0.0], [5.0, 5.0], [1e-9]])
def test_scales_of_little(values):
    """Nothing, zeros and equal values still make a scale."""
    assert linear_scale(values, 0.0, 1.0).ticks()
    assert log_scale([value for value in values if value > 0], 0.0, 1.0).ticks()


def test_rows_of_a_timeline():
    """A request takes the first row that is free at its capture."""
    trips = [Trip(i, start, end, None) for i, (start, end) in enumerate([(0, 2), (1, 3), (2, 4), (2.5, 5)])]
    assert assign_rows(trips) == [0, 1, 0, 2]


def test_timeline_marks_losses():
    """Answers, losses and superseded requests have their own marks with what happened."""
    trips = [
        Trip(0, 0.0, 0.5, None),
        Trip(1, 0.1, 0.2, LossReason.SUPERSEDED),
        Trip(2, 0.2, 3.2, LossReason.DEADLINE),
    ]
    drawn = offload_timeline([("moby", "#000000", trips)], [0.0, 0.1, 0.2], 3.2)
    for expected in (
        "frame 0, answered after 500 ms",
        "frame 1, lost: superseded",
        "frame 2, lost: deadline after 3000 ms",
    ):
        assert expected in drawn


def test_stage_order_and_colours():
    """Stages stand as a frame passes them; unknown policies have colours of their own."""
    assert in_order(["other", "detect3d", "new", "capture", "uplink"]) == [
        "capture",
        "uplink",
        "detect3d",
        "new",
        "other",
    ]
    assert policy_colour("mine", ["moby", "mine"]) != policy_colour("moby", ["moby", "mine"])


def test_any_number_of_policies_has_colours():
    """No two of twenty alike, all colours of the page's notation, and the usual ones keep theirs."""
    policies = ["cloud-only", *(f"edge-only:model-{index}" for index in range(18)), "moby"]
    colours = [policy_colour(policy, policies) for policy in policies]
    assert len(set(colours)) == 20
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours)
    assert (colours[0], colours[-1]) == (policy_colour("cloud-only", ["cloud-only"]), policy_colour("moby", ["moby"]))


def test_long_names_have_room():
    """Bars and lanes begin right of the longest name; short names keep the usual place."""
    assert name_width(["moby"]) == name_width([]) == 104
    assert name_width(["edge-only:pillars-large-synth", "moby"]) > 7 * len("edge-only:pillars-large-synth")
    for name in ("moby", "edge-only:pillars-large-synth"):
        drawn = offload_timeline([(name, "#000000", [Trip(0, 0.0, 0.5, None)])], [0.0], 1.0)
        assert f'<rect x="{svg.number(name_width([name]))}"' in drawn
        assert f'<rect x="{svg.number(name_width([name]))}"' in stage_bars({name: {"lift": 5.0}})


def test_edges_of_a_box_ahead():
    """A cube of 2 m, 10 m ahead: its rear face, 9 m off, is 111 px wide around the centre."""
    edges = np.array(box_edges_px(np.array([[10.0, 0, 0, 2, 2, 2, 0]]), CAMERA))
    assert edges.shape == (12, 4)
    assert edges[:, 0::2].min() == pytest.approx(500 - 500 / 9)
    assert edges[:, 1::2].max() == pytest.approx(200 + 500 / 9)


def test_edges_of_boxes_beside_and_behind():
    """A box that passes the camera is cut to finite pixels; one behind it, or none at all, draws nothing."""
    beside = box_edges_px(np.array([[1.0, 1.5, 0, 4, 1, 1, 0]]), CAMERA)
    assert beside
    assert np.isfinite(beside).all()
    assert len(beside) < 12
    assert box_edges_px(np.array([[-10.0, 0, 0, 2, 2, 2, 0]]), CAMERA) == []
    assert box_edges_px(np.zeros((0, 7)), CAMERA) == []


def test_bev_pixels():
    """A point 10 m ahead and 2 m to the left is where it should be; what stands above the road is darker."""
    pixels = render_bev(
        np.array([[10.0, 2.0, -1.6, 0], [20.0, -2.0, 0.4, 0], [99.0, 0, 0, 0], [-1, 0, 0, 0]], np.float32)
    )
    assert pixels.shape == (528, 720)
    assert np.argwhere(pixels < 255).tolist() == [[240, 120], [288, 240]]
    assert pixels[288, 240] < pixels[240, 120]


@pytest.mark.parametrize(
    ("count", "wanted", "expected"), [(10, 5, [1, 3, 5, 7, 9]), (3, 6, [0, 1, 2]), (1, 6, [0]), (44, 2, [11, 33])]
)
def test_frames_are_spread(count, wanted, expected):
    """Evenly over the recording, no frame twice."""
    assert choose_frames(list(range(count)), wanted) == expected


def test_overlays_say_what_the_recording_lacks():
    """A frame without image or sweep is not an empty picture."""
    nothing = Detections3D.empty()
    bare, whole = Snapshot(3, CAMERA, None, None), Snapshot(3, CAMERA, "data:image", "data:sweep")
    assert "no image in the recording" in image_overlay(bare, nothing, nothing, "#000000")
    assert "no sweep in the recording" in bev_overlay(bare, nothing, nothing, "#000000")
    assert 'href="#image-3"' in image_overlay(whole, nothing, nothing, "#000000")
    assert 'href="#bev-3"' in bev_overlay(whole, nothing, nothing, "#000000")
    assert "in the recording" not in image_overlay(whole, nothing, nothing, "#000000")

"""Which boxes the chance is fitted to, and the fit itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.kitti.convert import camera_objects_from_detections
from vedette.detections import Detections3D
from vedette.evaluation.objects import CameraObjects

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def on_path(monkeypatch):
    """Benchmarks are scripts."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def boxes(street, *places, object_class=ObjectClass.CAR):
    """Detections of one class."""
    return street.answer(*(street.box(*place) for place in places), object_class=object_class)


def labels_of(detections, street, occlusion=0, **changes) -> CameraObjects:
    """Labels that say the same."""
    objects = camera_objects_from_detections(detections, street.camera)
    count = len(objects.types)
    seen = {"truncation": np.zeros(count), "occlusion": np.full(count, occlusion), "scores": None}
    return replace(objects, **seen | changes)


def verdicts_of(street, shown: Detections3D, labels: CameraObjects):
    """By row."""
    from fit_chance import verdicts

    return dict(verdicts(shown, labels, street.camera))


def test_right_and_wrong(street):
    """On its label, and 5 m from every label."""
    shown = boxes(street, (15.0, 2.0), (25.0, -3.0))
    labels = labels_of(boxes(street, (15.1, 2.0), (30.0, -3.0)), street)
    assert verdicts_of(street, shown, labels) == {0: True, 1: False}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"occlusion": 3}, id="hidden too much to count"),
        pytest.param({"types": ("Tram",)}, id="of a class that is none of them"),
    ],
)
def test_on_a_label_that_does_not_count_it_is_left_out(street, changes):
    """Neither right nor a false alarm."""
    shown = boxes(street, (15.0, 2.0))
    assert verdicts_of(street, shown, labels_of(shown, street, **changes)) == {}


def test_where_nothing_is_labelled_it_is_left_out(street):
    """More than half of its image box lies in a region without labels; the same box on a label is right."""
    shown = boxes(street, (15.0, 2.0))
    assert verdicts_of(street, shown, labels_of(shown, street, types=("DontCare",))) == {}


@pytest.mark.parametrize(
    ("place", "object_class"),
    [
        pytest.param((51.0, 2.0), ObjectClass.CAR, id="too far"),
        pytest.param((48.0, 2.0), ObjectClass.CAR, id="lower than 25 px"),
        pytest.param((-15.0, 2.0), ObjectClass.CAR, id="out of view"),
        pytest.param((15.0, 2.0), ObjectClass.PEDESTRIAN, id="no vehicle"),
    ],
)
def test_what_f1_does_not_ask_about_is_left_out(street, place, object_class):
    """Rows after it keep their numbers."""
    near = street.box(12.0, -3.0)
    told = np.stack([street.box(*place), near])
    classes = np.array([object_class, ObjectClass.CAR], np.int64)
    shown = Detections3D(told, np.full(2, 0.9), classes)
    assert verdicts_of(street, shown, labels_of(street.answer(near), street)) == {1: True}


def test_the_fit_finds_the_odds():
    """Right three times in four without a sign, once in four with it: log 3, and twice that the other way."""
    from fit_chance import fit, reliability

    sign = np.repeat([0.0, 1.0], 4000)
    right = np.tile([1.0, 1.0, 1.0, 0.0], 1000).tolist() + np.tile([0.0, 0.0, 0.0, 1.0], 1000).tolist()
    weights = fit(np.stack([np.ones(8000), sign], axis=1), np.array(right))
    assert weights == pytest.approx([np.log(3.0), -2.0 * np.log(3.0)], abs=0.01)
    assert reliability(np.array([0.1, 0.15, 0.9]), np.array([0.0, 1.0, 1.0])) == [
        (2, pytest.approx(0.125), 0.5),
        (1, 0.9, 1.0),
    ]

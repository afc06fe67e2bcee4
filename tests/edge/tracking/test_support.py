"""What of an answer the sweep bears out."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.detections import Detections3D
from vedette.edge.lifting.scene import view_scene
from vedette.edge.tracking.support import is_rubbish, looked_at, supported

SOLID = (15.0, 2.0, 0.3)


@pytest.fixture
def bears_out(street):
    """Whether the sweep of a street with one car bears out boxes."""
    solid = street.box(*SOLID)
    scene = view_scene(street.sweep([solid]), street.camera, street.detections([solid]))
    return lambda answer: supported(answer, scene.xyz_velo, scene.ground).tolist()


@pytest.mark.parametrize(
    ("place", "size", "up_m", "kind", "good"),
    [
        pytest.param(SOLID, (4.0, 1.6, 1.5), 0.0, ObjectClass.CAR, True, id="where it is"),
        pytest.param((15.5, 2.3, 0.3), (4.4, 1.7, 1.5), 0.3, ObjectClass.CAR, True, id="roughly where it is"),
        pytest.param((30.0, -4.0, 0.0), (4.0, 1.6, 1.5), 0.0, ObjectClass.CAR, False, id="on empty road"),
        pytest.param(SOLID, (4.0, 1.6, 1.5), 3.0, ObjectClass.CAR, False, id="in the air"),
        pytest.param(SOLID, (4.0, 1.6, 1.5), -3.0, ObjectClass.CAR, False, id="in the ground"),
        pytest.param(SOLID, (20.0, 1.6, 1.5), 0.0, ObjectClass.CAR, False, id="a car of 20 m"),
        pytest.param(SOLID, (0.4, 1.6, 1.5), 0.0, ObjectClass.CAR, False, id="a car of 0.4 m"),
        pytest.param(SOLID, (12.0, 2.5, 3.0), 0.0, ObjectClass.BUS, True, id="a bus of 12 m"),
    ],
)
def test_a_box_stands_holds_points_and_has_a_size(street, bears_out, place, size, up_m, kind, good):
    """Each on its own is enough to be doubted."""
    box = street.box(*place, size)
    box[2] += up_m
    assert bears_out(street.answer(box, object_class=kind)) == [good]


def test_every_box_by_itself(street, bears_out):
    """Good ones are not dragged down by bad ones; no boxes are no problem."""
    good, bad = street.box(*SOLID), street.box(30.0, -4.0)
    assert bears_out(street.answer(bad, good, bad)) == [False, True, False]
    assert bears_out(Detections3D.empty()) == []


@pytest.mark.parametrize(
    ("good", "rubbish"),
    [
        ("", False),
        ("g", False),
        ("b", False),  # one box may be wrong
        ("bb", True),
        ("bg", False),
        ("bbg", True),
        ("bbgg", False),  # half and half
        ("bbbgg", True),
        ("bbbbgggggg", False),
    ],
)
def test_when_an_answer_is_rubbish_as_a_whole(good, rubbish):
    """At least two bad boxes, and more bad than good ones."""
    assert is_rubbish(np.array([letter == "g" for letter in good], bool)) is rubbish


def test_where_the_camera_looks(street):
    """By direction alone: what hangs in the sky ahead can be checked, what is beside or behind cannot."""
    boxes = np.array([street.box(20, 0), street.box(20, 0), street.box(20, 25), street.box(-20, 0), street.box(0, 9)])
    boxes[1, 2] += 50.0
    assert looked_at(boxes, street.camera).tolist() == [True, True, False, False, False]
    assert looked_at(np.zeros((0, 7)), street.camera).tolist() == []

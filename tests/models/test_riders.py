"""People and what they ride."""

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.detections import Detections2D
from vedette.models.riders import merge_riders

PERSON, BICYCLE, MOTORCYCLE, CAR = (
    int(c) for c in (ObjectClass.PEDESTRIAN, ObjectClass.CYCLIST, ObjectClass.MOTORCYCLE, ObjectClass.CAR)
)


def found(*rows):
    """Detections from (class, score, box)."""
    return Detections2D(
        np.array([row[2] for row in rows], float).reshape(-1, 4),
        np.array([row[1] for row in rows], float),
        np.array([row[0] for row in rows], np.int64),
    )


def rows_of(detections):
    """And back."""
    return [
        (int(c), float(s), tuple(b.tolist()))
        for c, s, b in zip(detections.class_ids, detections.scores, detections.boxes_px, strict=True)
    ]


ON = (10, 0, 30, 60)
BIKE = (0, 30, 40, 80)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([(PERSON, 0.9, ON)], [(PERSON, 0.9, ON)], id="a person walks"),
        pytest.param([(BICYCLE, 0.9, BIKE)], [], id="a lone bicycle is dropped"),
        pytest.param([(MOTORCYCLE, 0.9, BIKE)], [], id="a lone motorcycle too"),
        pytest.param(
            [(PERSON, 0.6, ON), (BICYCLE, 0.9, BIKE)], [(BICYCLE, 0.9, (0, 0, 40, 80))], id="union, better score"
        ),
        pytest.param(
            [(MOTORCYCLE, 0.5, BIKE), (PERSON, 0.6, ON)], [(MOTORCYCLE, 0.6, (0, 0, 40, 80))], id="motorcycle"
        ),
        # the person covers 0.25 of the bicycle: 10 of 40 wide, all of its height
        pytest.param([(PERSON, 0.6, (30, 0, 60, 80)), (BICYCLE, 0.9, BIKE)], [(PERSON, 0.6, (30, 0, 60, 80))], id="by"),
        # and here 0.325: 13 of 40
        pytest.param(
            [(PERSON, 0.6, (27, 0, 60, 80)), (BICYCLE, 0.9, BIKE)], [(BICYCLE, 0.9, (0, 0, 60, 80))], id="just on"
        ),
        pytest.param(
            [(PERSON, 0.9, (0, 0, 13, 60)), (PERSON, 0.8, ON), (BICYCLE, 0.7, BIKE)],
            [(PERSON, 0.9, (0, 0, 13, 60)), (BICYCLE, 0.8, (0, 0, 40, 80))],
            id="of two people the one who covers more rides",
        ),
        pytest.param(
            [(PERSON, 0.9, ON), (BICYCLE, 0.7, BIKE), (MOTORCYCLE, 0.6, (0, 55, 40, 80))],
            [(BICYCLE, 0.9, (0, 0, 40, 80))],
            id="one person rides one thing",
        ),
        pytest.param(
            [
                (PERSON, 0.9, ON),
                (PERSON, 0.8, (110, 0, 130, 60)),
                (BICYCLE, 0.7, (100, 30, 140, 80)),
                (BICYCLE, 0.6, BIKE),
            ],
            [(BICYCLE, 0.9, (0, 0, 40, 80)), (BICYCLE, 0.8, (100, 0, 140, 80))],
            id="two riders, each on their own",
        ),
        pytest.param([(CAR, 0.9, BIKE), (BICYCLE, 0.5, BIKE)], [(CAR, 0.9, BIKE)], id="a car rides nothing"),
    ],
)
def test_riders(before, after):
    """Each case as (class, score, box) before and after."""
    assert rows_of(merge_riders(found(*before))) == after

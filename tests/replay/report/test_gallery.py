"""What stands above the pictures."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from vedette.detections import Detections3D
from vedette.publication import Publication
from vedette.replay.report.gallery import busiest, caption

START_NS = 5_000_000_000


def published(count: int, stamp_ns: int, publish_ns: int, basis_ns: int) -> Publication:
    boxes = np.tile([10.0, 0, 0, 4, 2, 1.5, 0], (count, 1))
    detections = Detections3D(boxes, np.ones(count), np.zeros(count, np.int64))
    return Publication(
        3, stamp_ns, publish_ns, basis_ns, detections, np.arange(count), ("r",) * count, np.zeros((count, 2))
    )


@pytest.mark.parametrize(
    ("publication", "expected"),
    [
        (None, "nothing published"),
        (published(2, START_NS, START_NS + 80_000_000, START_NS), "2 boxes from its own data, published 80 ms after"),
        (published(1, START_NS + 100_000_000, START_NS + 110_000_000, START_NS), "1 box from data 110 ms old"),
        (published(0, START_NS + 100_000_000, START_NS + 110_000_000, START_NS - 1), "0 boxes from no data yet"),
    ],
)
def test_captions(publication: Publication | None, expected: str) -> None:
    """Own data, older data, and the time before the first answer, when there is no data that could be old."""
    assert caption(publication, START_NS).startswith(expected)


def test_the_first_look_is_at_a_frame_that_every_policy_has_data_for(street: Any, report_of: Any) -> None:
    """Though an earlier one has as many labels: a picture without boxes would read as a failure."""
    report = report_of(street(12))
    assert busiest(report).index == 9
    only_moby = dataclasses.replace(report, records=[one for one in report.records if one.policy == "moby"])
    assert busiest(only_moby).index == 3

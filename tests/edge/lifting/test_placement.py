"""The image of boxes, quickly."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.edge.lifting.placement import overlaps_px, quick_bounds_px


def test_quick_bounds_agree_with_the_exact_ones(street):
    """For boxes wholly before the camera the quick projection is the exact one."""
    boxes = np.array([street.box(15, 3, 0.4), street.box(30, -8, -2.0), street.box(9, 6, 1.0)])
    assert quick_bounds_px(boxes, street.camera) == pytest.approx(street.camera.project_boxes(boxes)[0], abs=1e-6)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ([0, 0, 10, 10], 1.0),
        ([5, 0, 15, 10], 1 / 3),
        ([10, 0, 20, 10], 0.0),
        ([30, 30, 40, 40], 0.0),
        ([0, 0, 10, 5], 0.5),
        ([3, 3, 3, 3], 0.0),
    ],
)
def test_overlaps_row_by_row(other, expected):
    """Shared area over joint area."""
    assert overlaps_px(np.array([[0, 0, 10, 10.0]]), np.array([other], np.float64)) == pytest.approx(expected)

"""Boxes from anchors."""

import numpy as np
import pytest

from vedette.models.pillar_keys import SplitPillars
from vedette.models.split_pillars.anchor_head import decode_anchors


@pytest.fixture
def decode(anchor_keys):
    """Decodes maps, channels last, with some of the head's keys replaced."""

    def run(maps, **changes):
        keys = SplitPillars(**{**anchor_keys, "head": {**anchor_keys["head"], **changes}})
        plain = {name: np.moveaxis(array[0], -1, 0).astype(np.float32) for name, array in maps.items()}
        return decode_anchors(plain, keys.head, keys.grid, 2)

    return run


def put(maps, anchor, scores, code, direction=(0.0, 1.0)):
    """An answer for one anchor of the cell in row 1, column 2."""
    maps["cls_preds"][0, 1, 2, 2 * anchor : 2 * anchor + 2] = scores
    maps["box_preds"][0, 1, 2, 7 * anchor : 7 * anchor + 7] = code
    maps["dir_cls_preds"][0, 1, 2, 2 * anchor : 2 * anchor + 2] = direction


def test_an_anchor_itself(decode, anchor_maps):
    """All corrections 0: the third of four columns on 0 to 8 m is at 16/3, the second of four rows on -4 to 4 at -4/3.

    The car's anchor is 4 x 3 x 1.5 m, its underside at -1.75. The yaw 0 is brought into [offset, offset + pi), which
    makes it pi, and the first bin leaves it there.
    """
    put(anchor_maps, 0, [2.0, -3.0], [0.0] * 7, direction=(1.0, 0.0))
    found = decode(anchor_maps)
    np.testing.assert_allclose(found.boxes, [[16 / 3, -4 / 3, -1.0, 4, 3, 1.5, -np.pi]], atol=1e-6)
    np.testing.assert_allclose(found.scores, [1 / (1 + np.exp(-2))], atol=1e-6)
    assert found.channels.tolist() == [0]


def test_corrections(decode, anchor_maps):
    """The diagonal of 4 x 3 is 5; z counts in heights; sizes are factors' logarithms; the second bin turns by pi."""
    put(anchor_maps, 1, [0.0, -1.0], [0.2, -0.1, 0.5, np.log(1.25), np.log(0.5), np.log(2.0), 0.25])
    expected = [16 / 3 + 1.0, -4 / 3 - 0.5, -1.0 + 0.75, 5.0, 1.5, 3.0, 1.5 + 0.25 + np.pi - 2 * np.pi]
    np.testing.assert_allclose(decode(anchor_maps).boxes, [expected], atol=1e-6)


def test_an_anchor_of_another_class(decode, anchor_maps):
    """Anchors follow the card; but the class is that of the best score, whatever the anchor is for."""
    put(anchor_maps, 3, [1.0, 0.5], [0.0] * 7)
    found = decode(anchor_maps)
    np.testing.assert_allclose(found.boxes[0, 2:6], [-0.6, 0.8, 0.6, 1.8], atol=1e-6)
    assert found.channels.tolist() == [0]


@pytest.mark.parametrize(
    ("yaw", "direction", "expected"),
    [
        (0.9, (1.0, 0.0), 0.9),  # in [0.785, 3.927) already
        (0.9, (0.0, 1.0), 0.9 - np.pi),
        (0.5, (1.0, 0.0), 0.5 - np.pi),  # below the offset: the other end of the same axis
        (0.5, (0.0, 1.0), 0.5),
        (-3.0, (1.0, 0.0), -3.0),
    ],
)
def test_directions(decode, anchor_maps, yaw, direction, expected):
    """Every yaw has an axis; the bin chooses the end."""
    put(anchor_maps, 0, [2.0, -3.0], [0, 0, 0, 0, 0, 0, yaw], direction)
    np.testing.assert_allclose(decode(anchor_maps).boxes[0, 6], expected, atol=1e-6)


def test_without_directions(decode, anchor_maps):
    """The yaw as it comes, in [-pi, pi)."""
    put(anchor_maps, 0, [2.0, -3.0], [0, 0, 0, 0, 0, 0, 4.0])
    np.testing.assert_allclose(decode(anchor_maps, direction=None).boxes[0, 6], 4.0 - 2 * np.pi, atol=1e-6)


def test_anchors_at_the_centres_of_cells(decode, anchor_maps):
    """Four cells of 2 m: the third's centre is at 5 m, the second row's at -1 m."""
    put(anchor_maps, 0, [2.0, -3.0], [0.0] * 7)
    np.testing.assert_allclose(decode(anchor_maps, align_centre=True).boxes[0, :2], [5.0, -1.0], atol=1e-6)


def test_older_versions(decode, anchor_maps):
    """Width before length in the code, and yaw clockwise from minus y."""
    put(anchor_maps, 0, [2.0, -3.0], [0, 0, 0, np.log(2.0), 0, 0, 0.25])
    old = {"size_order": "width_length_height", "yaw": "clockwise_from_minus_y", "direction": None}
    np.testing.assert_allclose(decode(anchor_maps, **old).boxes[0, 3:], [4, 6, 1.5, -0.25 - np.pi / 2], atol=1e-6)


def test_a_velocity_behind_the_box_is_not_read(decode, anchor_maps):
    """Networks of nuScenes have nine numbers a box."""
    put(anchor_maps, 1, [2.0, -3.0], [0.0] * 7)
    nine = np.full((1, 4, 4, 36), 7.0)
    nine[0, 1, 2, 9:16] = [0.2, 0, 0, 0, 0, 0, 0]
    found = decode({**anchor_maps, "box_preds": nine}, code_length=9)
    np.testing.assert_allclose(found.boxes[0, :6], [16 / 3 + 1, -4 / 3, -1.0, 4, 3, 1.5], atol=1e-6)

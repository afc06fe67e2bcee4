"""Masks from maps and coefficients."""

import numpy as np
import pytest

from vedette.models.camera2d.masks import instance_masks, pixel_window

NO_PLACE = [0.0, 0.0, 0.0, 0.0, 0.0]


def test_a_map_becomes_a_mask_inside_the_box_only():
    """The map is 1 left of the image's middle and -1 right of it; the box holds a part of both."""
    maps = np.full((1, 8, 16), -1.0, np.float32)
    maps[:, :, :8] = 1.0
    mask = instance_masks(maps, np.array([[1.0, *NO_PLACE]], np.float32), np.array([[10.0, 8.0, 50.0, 24.0]]), (64, 32))
    expected = np.zeros((32, 64), bool)
    expected[8:24, 10:32] = True
    np.testing.assert_array_equal(mask[0], expected)


def test_maps_are_summed_by_the_coefficients():
    """2 x 1 - 1 x 3 is below 0, 2 x 1 - 0.5 x 3 above."""
    maps = np.stack([np.full((4, 4), 1.0), np.full((4, 4), 3.0)]).astype(np.float32)
    own = np.array([[2.0, -1.0, *NO_PLACE], [2.0, -0.5, *NO_PLACE]], np.float32)
    masks = instance_masks(maps, own, np.array([[0.0, 0.0, 8.0, 8.0]] * 2), (8, 8))
    assert not masks[0].any()
    assert masks[1].all()


@pytest.mark.parametrize(
    ("place", "inside"),
    [
        pytest.param([0, 1, 0, 0, 0], lambda u, v: u > 0, id="right half"),
        pytest.param([0, 0, -1, 0, 0], lambda u, v: v < 0, id="upper half"),
        pytest.param([1, 0, 0, -1, -1], lambda u, v: u * u + v * v < 1, id="ellipse"),
    ],
)
def test_the_place_in_the_box_counts(place, inside):
    """Pixels whose centres satisfy the formula; those within a cell of the border may go either way."""
    box = np.array([[20.0, 40.0, 100.0, 120.0]])
    own = np.array([[0.0, *place]], np.float32)
    mask = instance_masks(np.zeros((1, 80, 80), np.float32), own, box, (160, 160))[0]
    y, x = np.mgrid[40:120, 20:100] + 0.5
    expected = inside((x - 60) / 40, (y - 80) / 40)
    assert (mask[40:120, 20:100] == expected).mean() > 0.99
    assert mask.sum() == mask[40:120, 20:100].sum()


def test_enlarging_keeps_borders_where_they_are():
    """A map that rises evenly crosses 0 at 40 % of its width, wherever the box begins, at any ratio of the sizes."""
    ramp = np.tile((np.arange(48) + 0.5) / 48 - 0.4, (14, 1)).astype(np.float32)[None]
    own = np.array([[1.0, *NO_PLACE]], np.float32)
    for left in (0.0, 13.0, 30.0):
        mask = instance_masks(ramp, own, np.array([[left, 3.0, 120.0, 35.0]]), (124, 37))[0]
        assert int(mask[20].argmax()) == 50  # the first centre beyond 0.4 x 124 = 49.6
        assert mask[20, 50:120].all()


def test_no_objects():
    """Masks of nobody have the image's size all the same."""
    nobody = instance_masks(np.zeros((2, 4, 4), np.float32), np.zeros((0, 7), np.float32), np.zeros((0, 4)), (9, 7))
    assert nobody.shape == (0, 7, 9)


def test_a_box_at_the_corner_of_the_image():
    """The window ends with the image."""
    own = np.array([[1.0, *NO_PLACE]], np.float32)
    mask = instance_masks(np.ones((1, 4, 4), np.float32), own, np.array([[6.2, 5.5, 8.0, 7.0]]), (8, 7))[0]
    assert mask.sum() == mask[6:, 6:].sum() == 2


def test_every_box_a_pixel_wide_has_a_pixel():
    """Also where both sides round to the even number between them."""
    assert pixel_window(np.array([1.5, 0.5, 2.5, 1.5])) == (slice(1, 2), slice(2, 3))

"""Pictures as inputs: boxes and masks go where the pixels go."""

import numpy as np
import pytest

pytest.importorskip("torch")

from vedette.models.camera2d.training.augment import Placement, drawn_focus, drawn_placement, placed, restyled, whole
from vedette.models.camera2d.training.samples import LabelledPicture, PictureSet

SIZE_PX = (192, 96)
WINDOW_PX = (160, 64)


def picture_of(box, size=(375, 1242), visible_share=1.0, channel=0):
    """A white rectangle that fills its box, on black."""
    pixels, owners = np.zeros((*size, 3), np.uint8), np.full(size, -1, np.int32)
    x1, y1, x2, y2 = box
    pixels[y1:y2, x1:x2], owners[y1:y2, x1:x2] = 255, 0
    boxes = np.array([box], np.float64)
    return LabelledPicture(pixels, owners, boxes, np.array([channel]), np.array([visible_share]))


def test_the_whole_picture_fills_the_input():
    """Half as wide, a third as high."""
    placement = whole((400, 300), (200, 100))
    np.testing.assert_allclose(
        placement.boxes(np.array([[40.0, 30.0, 400.0, 300.0]]), (200, 100)), [[20, 10, 200, 100]]
    )


def test_a_mirrored_box_keeps_its_corners_in_order():
    """x' = 100 - x."""
    placement = Placement((-1.0, 1.0), (100.0, 0.0))
    np.testing.assert_allclose(placement.boxes(np.array([[10.0, 5.0, 30.0, 8.0]]), (100, 50)), [[70, 5, 90, 8]])


@pytest.mark.parametrize("seed", range(12))
def test_box_mask_and_pixels_stay_together(seed):
    """Wherever a rectangle comes to lie, its box is tight around its mask (2 pixels a cell) and its white pixels."""
    rng = np.random.default_rng(seed)
    picture = picture_of((500, 120, 740, 260))
    sample = placed(picture, drawn_placement(rng, picture, SIZE_PX, WINDOW_PX), WINDOW_PX)
    rows, columns = np.nonzero(sample.owners == 0)
    tight = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]) * 2.0
    np.testing.assert_allclose(sample.boxes_px[0], tight, atol=2.0)
    white_rows, white_columns = np.nonzero((sample.pixels_bgr > 190).all(axis=2))
    bright = [white_columns.min(), white_rows.min(), white_columns.max() + 1, white_rows.max() + 1]
    np.testing.assert_allclose(sample.boxes_px[0], bright, atol=1.0)


def test_an_object_of_each_class_comes_into_view_as_often():
    """Nine cars and one cyclist: about half of the parts are chosen to show the cyclist."""
    boxes = np.array([[10.0 * row, 10.0, 10.0 * row + 8.0, 20.0] for row in range(10)])
    picture = LabelledPicture(
        np.zeros((30, 110, 3), np.uint8),
        np.full((30, 110), -1, np.int32),
        boxes,
        np.array([0] * 9 + [5]),
        np.ones(10),
    )
    rng = np.random.default_rng(0)
    points = [drawn_focus(rng, picture) for _ in range(200)]
    assert 70 < sum(point[0] > 90 for point in points) < 130


def test_there_may_be_nothing_to_look_at():
    """The only object is hidden: any part of the picture is as good."""
    picture = picture_of((10, 10, 20, 20), size=(96, 192), visible_share=0.1)
    rng = np.random.default_rng(0)
    assert drawn_focus(rng, picture) is None
    placement = drawn_placement(rng, picture, SIZE_PX, WINDOW_PX)
    assert placed(picture, placement, WINDOW_PX).pixels_bgr.shape == (64, 160, 3)


@pytest.mark.parametrize("seed", range(4))
def test_masks_lie_in_boxes(make_shard, tmp_path, seed):
    """Of drawn pictures with objects that hide one another, after every change."""
    make_shard(tmp_path, pictures=1, seed=seed)
    picture = PictureSet(tmp_path).pictures[0].read()
    placement = drawn_placement(np.random.default_rng(seed), picture, SIZE_PX, WINDOW_PX)
    sample = placed(picture, placement, WINDOW_PX)
    for row, (x1, y1, x2, y2) in enumerate(sample.boxes_px):
        rows, columns = np.nonzero(sample.owners == row)
        inside = (
            (columns * 2 + 1 > x1 - 1) & (columns * 2 + 1 < x2 + 1) & (rows * 2 + 1 > y1 - 1) & (rows * 2 + 1 < y2 + 1)
        )
        assert inside.all()


@pytest.mark.parametrize(
    ("box", "visible_share", "channel", "ignored"),
    [
        pytest.param((600, 100, 700, 180), 1.0, 0, False, id="in plain view"),
        pytest.param((600, 100, 700, 180), 0.2, 0, True, id="four fifths hidden"),
        pytest.param((600, 100, 700, 109), 1.0, 0, False, id="9 pixels high"),
        pytest.param((600, 100, 700, 107), 1.0, 0, True, id="7 pixels high"),
        pytest.param((600, 100, 700, 180), 1.0, -1, True, id="of a class that is not learnt"),
    ],
)
def test_what_nobody_could_judge_is_ignored(box, visible_share, channel, ignored):
    """Neither to be found nor to be missed."""
    picture = picture_of(box, visible_share=visible_share, channel=channel)
    sample = placed(picture, whole((1242, 375), (768, 224)), (768, 224))
    assert sample.ignored.tolist() == [ignored]


def test_restyling_changes_how_a_picture_looks_and_is_the_same_for_the_same_draw():
    """Never its size."""
    pixels = np.random.default_rng(0).integers(0, 255, (64, 96, 3), dtype=np.uint8)
    for seed in range(8):
        changed = restyled(np.random.default_rng(seed), pixels)
        assert changed.shape == pixels.shape
        assert changed.dtype == np.uint8
        assert (changed != pixels).any()
        np.testing.assert_array_equal(changed, restyled(np.random.default_rng(seed), pixels))

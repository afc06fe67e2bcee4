"""Overlap: areas known in closed form, exact edge cases, and shapely on random boxes."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from vedette.geometry import (
    bev_corners,
    bev_intersection_area,
    bev_iou,
    bev_iou_pairs,
    ioa_2d,
    iou_2d,
    iou_3d,
    iou_3d_pairs,
)

PI = np.pi


def box(
    x: float = 0.0, y: float = 0.0, length: float = 2.0, width: float = 1.0, yaw: float = 0.0, z: float = 0.0
) -> np.ndarray:
    """One box of height 2."""
    return np.array([[x, y, z, length, width, 2.0, yaw]])


def random_boxes(rng: np.random.Generator, count: int, spread: float) -> np.ndarray:
    """Boxes of sizes from 5 cm to 15 m around the origin."""
    centre = rng.uniform(-spread, spread, (count, 3)) * [1.0, 1.0, 0.2]
    return np.column_stack([centre, np.exp(rng.uniform(-3, 2.7, (count, 3))), rng.uniform(-7, 7, count)])


def shapely_area(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The (N, M) intersection areas by shapely."""
    polygons_a, polygons_b = shapely.polygons(bev_corners(a)), shapely.polygons(bev_corners(b))
    return shapely.area(shapely.intersection(polygons_a[:, None], polygons_b[None]))


OCTAGON = 8 * (np.sqrt(2) - 1)  # a square of side 2 and itself turned by 45 degrees


@pytest.mark.parametrize(
    ("a", "b", "area"),
    [
        pytest.param(box(), box(), 2.0, id="identical"),
        pytest.param(box(x=1.0), box(), 1.0, id="half along"),
        pytest.param(box(y=0.75), box(), 0.5, id="quarter across"),
        pytest.param(box(), box(yaw=PI / 2), 1.0, id="cross"),
        pytest.param(box(), box(yaw=PI), 2.0, id="half turn"),
        pytest.param(box(length=2.0, width=2.0), box(length=2.0, width=2.0, yaw=PI / 4), OCTAGON, id="octagon"),
        pytest.param(box(length=10.0, width=10.0), box(x=1.0, yaw=0.7), 2.0, id="one inside the other"),
        pytest.param(box(length=10.0, width=10.0), box(x=5.0, yaw=PI / 4, width=2.0), 2.0, id="half through a side"),
        pytest.param(
            box(length=20.0, width=0.2, yaw=PI / 4), box(length=2.0, width=2.0), 0.4 * np.sqrt(2) - 0.02, id="thin"
        ),
        pytest.param(box(x=2.0), box(), 0.0, id="touching at an end"),
        pytest.param(box(y=1.0), box(), 0.0, id="touching at a side"),
        pytest.param(box(x=2.0, y=1.0), box(), 0.0, id="touching at a corner"),
        pytest.param(box(x=5.0), box(), 0.0, id="apart"),
        pytest.param(box(x=1.9, y=1.9, yaw=PI / 4, length=3.0, width=0.1), box(), 0.0, id="circles meet, boxes do not"),
        pytest.param(box(length=0.0), box(), 0.0, id="no length"),
        pytest.param(box(length=0.0, width=0.0), box(length=0.0, width=0.0), 0.0, id="two points"),
        pytest.param(box(length=-2.0, width=-1.0), box(), 0.0, id="negative size is empty"),
    ],
)
@pytest.mark.parametrize("turn", [0.0, 0.3, PI / 2, PI, -2.0])
@pytest.mark.parametrize("far", [0.0, 70.0])
def test_known_areas_wherever_the_pair_lies(a: np.ndarray, b: np.ndarray, area: float, turn: float, far: float) -> None:
    """A pair's overlap does not depend on where it lies and how it is turned; touching is exactly nothing."""
    cos, sin = np.cos(turn), np.sin(turn)
    moved = []
    for one in (a, b):
        x, y = one[0, 0], one[0, 1]
        moved.append(
            box(far + cos * x - sin * y, sin * x + cos * y - far, one[0, 3], one[0, 4], one[0, 6] + turn, one[0, 2])
        )
    for first, second in (moved, moved[::-1]):
        measured = bev_intersection_area(first, second)[0, 0]
        assert measured == (0.0 if area == 0.0 else pytest.approx(area, rel=1e-12))


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.5, 3.0, 20.0]))
def test_areas_equal_shapely(seed: int, spread: float) -> None:
    """Random boxes of very different sizes: the areas of shapely, symmetric, never above the smaller box."""
    rng = np.random.default_rng(seed)
    a, b = random_boxes(rng, 6, spread), random_boxes(rng, 7, spread)
    areas = bev_intersection_area(a, b)
    np.testing.assert_allclose(areas, shapely_area(a, b), atol=1e-11, rtol=1e-9)
    np.testing.assert_allclose(areas, bev_intersection_area(b, a).T, atol=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_areas_on_a_grid(seed: int) -> None:
    """Quarter turns on a grid, where edges and corners coincide all the time (and shapely at times finds nothing)."""
    rng = np.random.default_rng(seed)
    a, b = (
        np.column_stack([rng.integers(-2, 3, (6, 3)), rng.integers(1, 4, (6, 3)), rng.integers(-4, 5, 6) * PI / 2])
        for _ in range(2)
    )
    low, high = zip(*(_upright_corners(boxes) for boxes in (a, b)), strict=True)
    shared = np.minimum(high[0][:, None], high[1][None]) - np.maximum(low[0][:, None], low[1][None])
    np.testing.assert_allclose(bev_intersection_area(a, b), np.clip(shared, 0.0, None).prod(axis=2), atol=1e-12)


def _upright_corners(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest x and y of boxes that stand at quarter turns."""
    is_turned = np.round(boxes[:, 6] / (PI / 2)).astype(int) % 2 == 1
    half = np.where(is_turned[:, None], boxes[:, [4, 3]], boxes[:, [3, 4]]) / 2
    return boxes[:, :2] - half, boxes[:, :2] + half


@given(st.integers(0, 2**32 - 1))
def test_identical_boxes_have_iou_one(seed: int) -> None:
    """A box is wholly itself, also written with another heading for the same outline."""
    boxes = random_boxes(np.random.default_rng(seed), 5, 50.0)
    half_turn, quarter_turn = boxes.copy(), boxes[:, [0, 1, 2, 4, 3, 5, 6]]
    half_turn[:, 6] += PI
    quarter_turn[:, 6] += PI / 2
    for same in (boxes, half_turn, quarter_turn):
        np.testing.assert_allclose(bev_iou_pairs(boxes, same), 1.0, atol=1e-12)
        np.testing.assert_allclose(iou_3d_pairs(boxes, same), 1.0, atol=1e-12)
    np.testing.assert_array_equal(np.diag(iou_3d(boxes, boxes)), 1.0)


@given(st.floats(-1e-9, 1e-9), st.floats(-1e-9, 1e-9), st.floats(-1e-9, 1e-9))
def test_iou_is_continuous_at_identity(dx: float, dy: float, turn: float) -> None:
    """A shift by a nanometre changes the IoU by as little: nothing flips between nearly coinciding edges."""
    moved = box(dx, dy, yaw=0.3 + turn)
    assert bev_iou(box(yaw=0.3), moved)[0, 0] == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize(
    ("dz", "height", "expected"),
    [(0.0, 2.0, 1.0), (1.0, 2.0, 1 / 3), (2.0, 2.0, 0.0), (0.0, 1.0, 0.5), (0.0, 0.0, 0.0)],
)
def test_iou_3d_by_height(dz: float, height: float, expected: float) -> None:
    """With the same outline, the IoU is that of the height intervals."""
    other = box(z=dz)
    other[0, 5] = height
    assert iou_3d(box(), other)[0, 0] == pytest.approx(expected, abs=1e-15)


@given(st.integers(0, 2**32 - 1))
def test_pairs_are_the_diagonal(seed: int) -> None:
    """Row by row is the diagonal of all against all, and 3D never exceeds the least of its factors."""
    rng = np.random.default_rng(seed)
    a, b = random_boxes(rng, 6, 3.0), random_boxes(rng, 6, 3.0)
    np.testing.assert_array_equal(bev_iou_pairs(a, b), np.diag(bev_iou(a, b)))
    np.testing.assert_array_equal(iou_3d_pairs(a, b), np.diag(iou_3d(a, b)))
    for values in (bev_iou(a, b), iou_3d(a, b)):
        assert ((values >= 0) & (values <= 1)).all()


def test_many_blocks_agree_with_one() -> None:
    """A pile of boxes that takes several blocks gives the figures of the small calls."""
    a = random_boxes(np.random.default_rng(3), 120, 1.0)
    whole = bev_iou(a, a)
    assert np.count_nonzero(whole) > 3 * 4096 / 2
    np.testing.assert_array_equal(whole[50:60, :5], bev_iou(a[50:60], a[:5]))


@pytest.mark.parametrize("function", [bev_iou, iou_3d, bev_intersection_area])
def test_no_boxes(function: object) -> None:
    """No boxes on either side: an empty table of the right shape."""
    assert function(np.zeros((0, 7)), box()).shape == (0, 1)
    assert function(box(), np.zeros((0, 7))).shape == (1, 0)
    assert bev_iou_pairs(np.zeros((0, 7)), np.zeros((0, 7))).shape == (0,)


@pytest.mark.parametrize(
    ("b", "iou", "ioa"),
    [
        ([0, 0, 10, 10], 1.0, 1.0),
        ([5, 0, 15, 10], 1 / 3, 0.5),
        ([10, 0, 20, 10], 0.0, 0.0),
        ([2, 2, 4, 4], 0.04, 0.04),
        ([-5, -5, 15, 15], 0.25, 1.0),
        ([3, 3, 3, 3], 0.0, 0.0),
        ([8, 8, 2, 2], 0.0, 0.0),
    ],
)
def test_image_boxes(b: list[float], iou: float, ioa: float) -> None:
    """Edges are edges: a box from 0 to 10 is 10 wide."""
    a = np.array([[0, 0, 10, 10]])
    assert iou_2d(a, [b])[0, 0] == pytest.approx(iou)
    assert ioa_2d(a, [b])[0, 0] == pytest.approx(ioa)
    assert iou_2d(a, np.zeros((0, 4))).shape == (1, 0)
    assert ioa_2d([[3, 3, 3, 3]], a)[0, 0] == 0.0


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (np.zeros((2, 6)), box(), "boxes a"),
        (box(), np.zeros(7), "boxes b"),
        (box(), box(x=np.nan), "boxes b.*finite"),
        (box(x=np.inf), box(), "boxes a.*finite"),
    ],
)
def test_refuses_bad_boxes(a: np.ndarray, b: np.ndarray, words: str) -> None:
    """The message says which side is wrong."""
    for function in (bev_iou, iou_3d, bev_iou_pairs, iou_3d_pairs):
        with pytest.raises(ValueError, match=words):
            function(a, b)


def test_refuses_unequal_pairs_and_bad_image_boxes() -> None:
    """Pairs need equal numbers; image boxes need four columns."""
    with pytest.raises(ValueError, match="as many a as b, got 1 and 2"):
        bev_iou_pairs(box(), np.zeros((2, 7)))
    for function in (iou_2d, ioa_2d):
        with pytest.raises(ValueError, match="image boxes b"):
            function(np.zeros((1, 4)), np.zeros((1, 5)))

"""Objects set into scenes where every beam can be followed by hand."""

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.geometry import bev_iou, points_in_boxes
from vedette.models.pillars.training.pasting import (
    MAX_AZIMUTH_RAD,
    NOTHING,
    Cutting,
    MixedBank,
    Pasting,
    bank_of,
    cuttings_of,
    paste,
)
from vedette.models.pillars.training.shards import NOBODY, Sample

CARS_ONLY = Pasting(most=1, shares=(1, 0, 0, 0, 0))
NOTHING_ONLY = Pasting(most=1, shares=(0, 0, 0, 0, 1))
GROUND_Z_M = -1.6
CAR_POINTS = 160 * 40
SIZE_M = (4.0, 1.8, 1.5)


def ground():
    """Every 25 cm, ahead and to the sides."""
    x, y = np.meshgrid(np.arange(4, 40, 0.25), np.arange(-25, 25, 0.25))
    return np.column_stack([x.ravel(), y.ravel(), np.full(x.size, GROUND_Z_M)])


def upright(distance_m, heights_m, azimuths_rad):
    """Points on an arc about the sensor, at heights above the ground."""
    azimuth, height = np.meshgrid(azimuths_rad, heights_m)
    x, y = distance_m * np.cos(azimuth), distance_m * np.sin(azimuth)
    return np.column_stack([x.ravel(), y.ravel(), height.ravel() + GROUND_Z_M])


def sample_of(*clouds, boxes=()):
    """Points of nobody, and boxes of cars that have none of them."""
    points = np.concatenate(clouds).astype(np.float32)
    table = np.array(boxes, float).reshape(-1, 7)
    return Sample(points, np.full(len(points), NOBODY), table, np.zeros(len(table), np.int64))


def car_at(distance_m, class_id=ObjectClass.CAR):
    """A car across the view, its nearer side a wall of points, standing 30 cm too high for this ground."""
    y, z = np.meshgrid(np.linspace(-1.9, 1.9, 160), np.linspace(0.2, 1.4, 40))
    points = np.column_stack([np.full(y.size, distance_m - 0.85), y.ravel(), z.ravel() + GROUND_Z_M + 0.3])
    box = np.array([distance_m, 0, GROUND_Z_M + 0.3 + 0.75, *SIZE_M, np.pi / 2])
    return Cutting(points.astype(np.float32), box, int(class_id))


def bank_with(*cuttings):
    """Of cars and of things that are none."""
    return bank_of([], cuttings)


def pasted(sample, bank, pasting=CARS_ONLY):
    """The first of some seeds with which the one object tried is tried at all, and what came of it."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        if rng.integers(2) == 1:
            return paste(sample, bank, pasting, np.random.default_rng(seed))
    raise AssertionError("no seed tries")


def test_it_stands_on_the_ground_as_far_away_as_it_was():
    """Its bottom on the road, its points with it, somewhere in the view."""
    joined = pasted(sample_of(ground()), bank_with(car_at(15.0)))
    box = joined.boxes_velo[0]
    assert box[2] - box[5] / 2 == pytest.approx(GROUND_Z_M, abs=1e-5)
    assert np.hypot(box[0], box[1]) == pytest.approx(15.0, abs=1e-6)
    assert abs(np.arctan2(box[1], box[0])) <= MAX_AZIMUTH_RAD
    own = joined.points_velo_m[joined.owners == 0]
    assert len(own) == CAR_POINTS
    assert points_in_boxes(own, joined.boxes_velo + np.array([0, 0, 0, 0.01, 0.01, 0.01, 0])).all()
    assert own[:, 2].min() == pytest.approx(GROUND_Z_M + 0.2, abs=1e-4)
    assert joined.class_ids.tolist() == [int(ObjectClass.CAR)]


def test_it_hides_what_is_behind_it():
    """A wall 25 m away, all around: where the car stands before it, nothing is left of it; beside, all."""
    wall = upright(25.0, np.arange(0.5, 1.0, 0.1), np.linspace(-1.2, 1.2, 1200))
    before = sample_of(ground(), wall)
    joined = pasted(before, bank_with(car_at(10.0)))
    box = joined.boxes_velo[0]
    azimuth = np.arctan2(box[1], box[0])
    left = joined.points_velo_m[np.hypot(joined.points_velo_m[:, 0], joined.points_velo_m[:, 1]) > 24.9]
    left = left[left[:, 2] > GROUND_Z_M + 0.45]
    off = np.abs(np.arctan2(left[:, 1], left[:, 0]) - azimuth)
    assert not (off < np.arctan2(1.8, 9.15)).any()
    assert len(left) == pytest.approx(len(wall) * (1 - 2 * np.arctan2(1.9, 9.15) / 2.4), rel=0.05)


def test_it_is_hidden_by_what_is_before_it():
    """A fence 6 m away, up to the sensor's height and more, all around: not a point of a car 15 m away is left, and
    it is not pasted at all."""
    fence = upright(6.0, np.arange(0.0, 3.0, 0.02), np.linspace(-1.2, 1.2, 2000))
    before = sample_of(ground(), fence)
    joined = pasted(before, bank_with(car_at(15.0)))
    assert joined is before


def test_it_is_hidden_in_part():
    """A low fence before it leaves the points above."""
    fence = upright(6.0, np.arange(0.0, 1.1, 0.02), np.linspace(-1.2, 1.2, 2000))
    joined = pasted(sample_of(ground(), fence), bank_with(car_at(15.0)))
    own = joined.points_velo_m[joined.owners == 0]
    assert 0 < len(own) < CAR_POINTS
    # a beam over the fence's top, 0.5 m below the sensor at 6 m, is 1.2 m below at 14.15 m: 0.4 m above the ground
    assert own[:, 2].min() > GROUND_Z_M + 0.3


def test_what_stood_inside_the_box_is_gone():
    """Road beneath it may stay, a stick within may not."""
    stick = np.array([[10.0, y, GROUND_Z_M + 0.3] for y in np.arange(-12, 12, 0.2)])
    joined = pasted(sample_of(ground(), stick), bank_with(car_at(10.0)))
    free = joined.points_velo_m[joined.owners == NOBODY]
    assert len(joined.boxes_velo) == 1
    shrunk = joined.boxes_velo - np.array([0, 0, -0.06, 0, 0, 0.14, 0])
    assert not points_in_boxes(free, shrunk).any()


@pytest.mark.parametrize(
    "sample",
    [
        pytest.param(
            sample_of(ground(), boxes=[[12, y, -0.8, 9, 9, 1.5, 0] for y in (-14, -5, 4, 13)]), id="others stand there"
        ),
        pytest.param(
            sample_of(ground(), upright(14.9, [0.6, 1.0, 1.4], np.linspace(-1.2, 1.2, 1500))), id="a hedge grows there"
        ),
        pytest.param(sample_of(ground()[ground()[:, 0] < 6]), id="there is no ground"),
    ],
)
def test_where_it_cannot_stand_it_is_not_set(sample):
    """The sample comes back as it was."""
    assert pasted(sample, bank_with(car_at(15.0))) is sample


def test_two_do_not_stand_in_each_other():
    """Sixteen tried at one distance: those that are set do not overlap."""
    joined = paste(sample_of(ground()), bank_with(car_at(15.0)), Pasting(16, (1, 0, 0, 0, 0)), np.random.default_rng(2))
    assert len(joined.boxes_velo) >= 3
    overlap = bev_iou(joined.boxes_velo, joined.boxes_velo)
    assert (overlap[~np.eye(len(overlap), dtype=bool)] == 0).all()


def test_what_is_no_object_adds_points_and_no_box():
    """The network is asked there, and the answer is: nothing."""
    before = sample_of(ground())
    joined = pasted(before, bank_with(car_at(15.0, NOBODY)), NOTHING_ONLY)
    assert len(joined.boxes_velo) == len(joined.class_ids) == 0
    assert (joined.owners == NOBODY).all()
    assert np.count_nonzero(joined.points_velo_m[:, 2] > GROUND_Z_M + 0.19) == CAR_POINTS


def test_owners_go_on_speaking_about_their_boxes(make_scene):
    """Of the sample's own cars and of those set in."""
    sample = make_scene([(12.0, 6.0, 0.4), (30.0, -8.0, 2.0)])
    joined = paste(
        sample, bank_of([make_scene([(20.0, 0.0, 1.0)])]), Pasting(8, (1, 0, 0, 0, 0)), np.random.default_rng(5)
    )
    assert len(joined.boxes_velo) > 2
    grown = joined.boxes_velo + np.array([0, 0, 0, 2e-3, 2e-3, 2e-3, 0])
    owned = np.flatnonzero(joined.owners != NOBODY)
    assert points_in_boxes(joined.points_velo_m, grown)[joined.owners[owned], owned].all()
    np.testing.assert_array_equal(joined.boxes_velo[:2], sample.boxes_velo)


def test_the_same_numbers_paste_the_same(make_scene):
    """Training can be repeated."""
    bank = bank_of([make_scene([(20.0, 0.0, 1.0), (14.0, 4.0, 0.2)])])
    first, second = (paste(make_scene([]), bank, Pasting(), np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(first.points_velo_m, second.points_velo_m)
    np.testing.assert_array_equal(first.boxes_velo, second.boxes_velo)


def test_an_empty_bank_pastes_nothing(make_scene):
    """Whatever the shares."""
    sample = make_scene([(20.0, 0.0, 1.0)])
    assert paste(sample, bank_of([]), Pasting(), np.random.default_rng(1)) is sample


def test_objects_with_points_enough_are_cut_out(make_scene):
    """By class; what has four points, or is of no class, is not."""
    kinds = [ObjectClass.CAR, ObjectClass.BUS, ObjectClass.CYCLIST, ObjectClass.OTHER]
    sample = make_scene([(10, 0, 0), (20, 5, 0), (30, -5, 0), (40, 5, 0)], classes=kinds)
    hardly = make_scene([(15, 0, 0)], points_each=4)
    cuttings = cuttings_of(sample)
    assert [cutting.class_id for cutting in cuttings] == [int(kind) for kind in kinds[:3]]
    assert [len(cutting.points_velo_m) for cutting in cuttings] == [120, 120, 120]
    bank = bank_of([sample, hardly], [car_at(15.0, NOBODY)])
    assert [bank.count(channel) for channel in (0, 1, 2, 3, NOTHING)] == [1, 1, 0, 1, 1]
    assert bank.draw(2, np.random.default_rng(0)) is None


def test_of_mixed_banks_each_is_drawn_from_by_its_weight(make_scene):
    """A few real cars are pasted as often as thousands of others; who has none of a kind is passed over."""
    few, many = bank_of([make_scene([(20.0, 0.0, 1.0)])]), bank_of([make_scene([(10.0, 0.0, 1.0)] * 50)])
    bank, rng = MixedBank([(few, 3.0), (many, 1.0)]), np.random.default_rng(0)
    near = [bank.draw(0, rng).box_velo[0] == 20.0 for _ in range(400)]
    assert 0.68 < np.mean(near) < 0.82
    assert bank.draw(3, rng) is None
    cyclists = bank_of([make_scene([(10.0, 0.0, 1.0)], classes=[ObjectClass.CYCLIST])])
    assert MixedBank([(few, 3.0), (cyclists, 1.0)]).draw(3, rng).class_id == ObjectClass.CYCLIST

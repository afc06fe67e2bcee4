"""Figures of detectors that are right, blind, and wrong in a known way."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")

from vedette.classes import ObjectClass
from vedette.models.pillars.decode import Found
from vedette.models.pillars.training.evaluate import evaluate


def found(boxes, scores, channel=0):
    channels = np.full(len(scores), channel, np.int64)
    return Found(np.array(boxes, float).reshape(-1, 7), np.array(scores, float), channels)


@pytest.fixture
def scenes(make_scene):
    """50 cars, one a scene."""
    rng = np.random.default_rng(0)
    return [make_scene([(rng.uniform(10, 30), rng.uniform(-3, 3), 0.2)], seed) for seed in range(50)]


def test_a_detector_that_gives_the_labels_gets_everything(scenes):
    """More than 40 labels, so that 100 can be had."""
    figures = evaluate(scenes, lambda sample: found(sample.boxes_velo, [0.9]))
    assert figures["ap.r40.car.3d.0.7"] == figures["ap.r40.car.bev.0.5"] == 100.0
    assert figures["f1.car.bev.0.5.r50"] == 100.0


@pytest.mark.parametrize(
    ("kind", "channel", "keys"),
    [
        (ObjectClass.BUS, 1, ("ap.r40.van.3d.0.7", "f1.van.bev.0.5.r50")),
        (ObjectClass.PEDESTRIAN, 2, ("ap.r40.pedestrian.3d.0.5", "f1.pedestrian.bev.0.25.r50")),
        (ObjectClass.CYCLIST, 3, ("ap.r40.cyclist.3d.0.5", "f1.cyclist.bev.0.25.r50")),
    ],
)
def test_every_class_is_measured_by_itself(make_scene, kind, channel, keys):
    """All of one class, found; of the others there is neither label nor detection."""
    samples = [make_scene([(10.0 + x, 2.0, 0.2)], classes=[kind]) for x in range(5) for _ in range(10)]
    figures = evaluate(samples, lambda sample: found(sample.boxes_velo, [0.9], channel))
    assert [figures[key] for key in keys] == [100.0, 100.0]
    assert figures["f1.car.bev.0.5.r50"] == 0.0


def test_a_blind_detector_gets_nothing(scenes):
    """Without a division by zero."""
    figures = evaluate(scenes, lambda sample: found([], []))
    assert figures["ap.r40.car.bev.0.5"] == figures["recall.car.bev.0.5.r50"] == 0.0


def test_the_best_cut_lies_between_right_and_wrong(scenes):
    """Right boxes at 0.4, false alarms at 0.2: at 0.5 nothing is left."""
    aside = np.array([0, 5.0, 0, 0, 0, 0, 0])
    figures = evaluate(scenes, lambda sample: found([sample.boxes_velo[0], sample.boxes_velo[0] + aside], [0.4, 0.2]))
    assert 0.2 < figures["best_cut.car"] <= 0.4
    assert figures["f1.car.bev.0.5.r50.best_cut"] == 100.0
    assert figures["f1.car.bev.0.5.r50"] == 0.0


@pytest.mark.parametrize(
    ("kind", "points", "precision"),
    [
        (ObjectClass.VAN, 100, 100.0),
        (ObjectClass.TRUCK, 100, 100.0),
        (ObjectClass.CAR, 9, 100.0),
        (ObjectClass.OTHER, 100, 50.0),
        (ObjectClass.PEDESTRIAN, 100, 50.0),
    ],
)
def test_vans_and_hardly_seen_cars_are_neutral_and_the_rest_is_not(make_scene, kind, points, precision):
    """Each scene has a car too, so that there is something to count."""
    sample = make_scene([(15.0, -3.0, 0.0), (15.0, 3.0, 0.0)], points_each=points, classes=[kind, kind])
    car = make_scene([(15.0, -3.0, 0.0)])
    figures = evaluate([sample, car, car], lambda sample: found(sample.boxes_velo, [0.9] * len(sample.boxes_velo)))
    assert figures["precision.car.bev.0.5.r50"] == precision

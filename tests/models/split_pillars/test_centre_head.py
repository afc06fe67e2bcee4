"""Boxes from heat maps."""

import numpy as np
import pytest

from vedette.errors import ModelError
from vedette.models.pillar_keys import SplitPillars
from vedette.models.split_pillars.candidates import Candidates, settle, with_good_at_half
from vedette.models.split_pillars.centre_head import decode_centres


@pytest.fixture
def decode(centre_keys):
    """Decodes maps with some of the head's keys replaced."""

    def run(answers, class_count=2, **changes):
        keys = SplitPillars(**{**centre_keys, "head": {**centre_keys["head"], **changes}})
        plain = {name: array[0].astype(np.float32) for name, array in answers.items()}
        return decode_centres(plain, keys.head, keys.grid, class_count)

    return run


def test_a_car_as_autoware_tells_it(decode, one_car, car_box):
    """Width, length, height as logarithms; sine, cosine; yaw clockwise from minus y."""
    found = decode(one_car)
    np.testing.assert_allclose(found.boxes, [car_box], atol=1e-6)
    np.testing.assert_allclose(found.scores, [0.8], atol=1e-6)
    assert found.channels.tolist() == [0]


@pytest.mark.parametrize("yaw", [0.3, -2.0, 3.0])
def test_autowares_yaw(decode, one_car, yaw):
    """ROS' yaw is -a - pi/2 for its a, so that a = -yaw - pi/2."""
    theirs = -yaw - np.pi / 2
    one_car["rot"][0, :, 1, 2] = [np.sin(theirs), np.cos(theirs)]
    np.testing.assert_allclose(decode(one_car).boxes[:, 6], [yaw], atol=1e-6)


def test_a_car_as_openpcdet_tells_it(decode, one_car, car_box):
    """Length first, cosine first, yaw counter-clockwise from x."""
    one_car["dim"][0, :, 1, 2] = np.log([4.0, 2.0, 1.5])
    one_car["rot"][0, :, 1, 2] = [np.cos(0.5), np.sin(0.5)]
    openpcdet = {
        "size_order": "length_width_height",
        "rotation_order": "cosine_sine",
        "yaw": "counter_clockwise_from_x",
    }
    np.testing.assert_allclose(decode(one_car, **openpcdet).boxes, [[*car_box[:6], 0.5]], atol=1e-6)


def test_sizes_in_metres(decode, one_car, car_box):
    """mmdetection3d with `norm_bbox: False`; a size that is none stays positive."""
    one_car["dim"][0, :, 1, 2] = [2.0, 4.0, -1.0]
    np.testing.assert_allclose(decode(one_car, sizes="metres").boxes[0, 3:6], [4.0, 2.0, 0.01])


def test_a_wild_size_stays_finite(decode, one_car):
    """exp(1000) would not be."""
    one_car["dim"][0, :, 1, 2] = [1000.0, -1000.0, 0.0]
    np.testing.assert_allclose(decode(one_car).boxes[0, 3:6], [np.exp(-5), np.exp(5), 1.0], rtol=1e-6)


def test_variances_behind_the_values_are_not_read(decode, one_car, car_box):
    """Autoware's models of kind sigma have twice the channels."""
    doubled = {name: np.concatenate([array, array + 7], axis=1) for name, array in one_car.items() if name != "heatmap"}
    np.testing.assert_allclose(decode({**doubled, "heatmap": one_car["heatmap"]}).boxes, [car_box], atol=1e-6)


def test_several_groups_of_maps(decode, one_car, centre_maps):
    """nuScenes' networks have one for each few classes; channels count on."""
    second = {f"{name}_1": array.copy() for name, array in centre_maps.items()}
    second["heatmap_1"][:] = -10.0
    second["heatmap_1"][0, 1, 3, 0] = 5.0
    second["height_1"][0, 0, 3, 0] = 0.25
    names = {"offset": "reg", "heat": "heatmap", "z": "height", "size": "dim", "rotation": "rot"}
    groups = [names, {key: f"{name}_1" for key, name in names.items()}]
    found = decode({**one_car, **second}, class_count=4, maps=groups)
    assert found.channels.tolist() == [0, 3]
    np.testing.assert_allclose(found.boxes[1, :3], [0.0, 2.0, 0.25])
    with pytest.raises(ModelError, match=r"\[2, 2\] are for 4 classes; the card has 5"):
        decode({**one_car, **second}, class_count=5, maps=groups)


def test_probabilities(decode, one_car):
    """Heat that has been through the logistic function already; logits are refused as such."""
    with pytest.raises(ModelError, match=r"scores span -10 to 1\.38629, .* `scores: logits`"):
        decode(one_car, scores="probabilities")
    one_car["heatmap"][:] = 0.0
    one_car["heatmap"][0, 1, 0, 0] = 0.75
    found = decode(one_car, scores="probabilities")
    assert (found.scores.tolist(), found.channels.tolist()) == ([0.75], [1])


def test_a_rotation_that_is_none(decode, one_car):
    """Autoware drops boxes whose sine and cosine are short, by class."""
    one_car["rot"][0, :, 1, 2] = [0.2, 0.0]
    assert len(decode(one_car).boxes) == 1
    assert len(decode(one_car, min_rotation_norm=[0.1, 0.3]).boxes) == 1
    assert len(decode(one_car, min_rotation_norm=[0.3, 0.1]).boxes) == 0


def test_the_best_candidates_are_decoded(decode, one_car):
    """Those above the least score, best first, at most so many."""
    one_car["heatmap"][0, 1] = np.linspace(0, 1, 16).reshape(4, 4)
    assert decode(one_car, max_candidates=2).scores.tolist() == pytest.approx([0.8, 1 / (1 + np.exp(-1))])
    assert len(decode(one_car, min_score=0.72).boxes) == 2


def test_the_good_score_becomes_a_half(centre_keys):
    """Odds of 1 to 4 are good: all odds times 4, so that 1 to 1 becomes 4 to 1."""
    head = SplitPillars(**{**centre_keys, "head": {**centre_keys["head"], "good_score": 0.2}}).head
    np.testing.assert_allclose(with_good_at_half(np.array([0.0, 0.2, 0.5, 1.0]), head), [0.0, 0.5, 0.8, 1.0])


@pytest.fixture
def pair():
    """Two boxes that overlap by a third of what they cover, and one far away and high."""
    boxes = np.array([[0, 0, 0, 4, 2, 1, 0], [2, 0, 0, 4, 2, 1, 0], [30, 0, 9, 4, 2, 1, 0]], np.float64)
    return Candidates(boxes, np.array([0.5, 0.9, 0.7]), np.array([0, 1, 0]))


@pytest.mark.parametrize(
    ("changes", "scores"),
    [
        ({"nms_iou": 0.3}, [0.9, 0.7]),
        ({"nms_iou": 0.34}, [0.9, 0.7, 0.5]),
        ({"nms_iou": 0.3, "nms_across_classes": False}, [0.9, 0.7, 0.5]),
        ({"nms_iou": 1.0, "max_candidates": 2}, [0.9, 0.7]),
        ({"nms_iou": 1.0, "centre_range_m": [-9, -9, -9, 99, 9, 5]}, [0.9, 0.5]),
    ],
)
def test_what_stays(centre_keys, pair, changes, scores):
    """Of boxes that overlap too much the best; of all, those in range, best first."""
    head = SplitPillars(**{**centre_keys, "head": {**centre_keys["head"], **changes}}).head
    assert settle(pair, head).scores.tolist() == scores

"""Where scores are cut."""

import numpy as np
import pytest

pytest.importorskip("open3d")

from vedette.classes import ObjectClass
from vedette.detections import Detections2D
from vedette.evaluation.objects import CameraObjects
from vedette.frames import CameraImage
from vedette.models.camera2d.training.cut import USUAL_CUT, best_cut, logit_shift
from vedette.models.camera2d.training.evaluate import TruePicture
from vedette.models.camera2d.training.samples import LabelledPicture

CAR, VAN, PEDESTRIAN = (int(ObjectClass[name]) for name in ("CAR", "VAN", "PEDESTRIAN"))


class Answers:
    """Always the same: boxes of 40 pixels side by side at numbered places, half a pixel off as detections are."""

    name = "answers"

    def __init__(self, *seen: tuple[int, float, int]) -> None:
        places, scores, class_ids = zip(*seen, strict=True)
        self._found = Detections2D(boxes_at(places) - 0.5, np.array(scores), np.array(class_ids))

    def detect(self, image: CameraImage) -> Detections2D:
        """The same."""
        return self._found


def boxes_at(places) -> np.ndarray:
    """At numbered places."""
    return np.array([[50.0 * place, 10.0, 50.0 * place + 40.0, 50.0] for place in places])


def truth(places, visible_share=None) -> list[TruePicture]:
    """A picture with cars at some places."""
    pixels = np.zeros((60, 600, 3), np.uint8)
    shares = np.ones(len(places)) if visible_share is None else np.array(visible_share)
    picture = LabelledPicture(
        pixels, np.full((60, 600), -1, np.int32), boxes_at(places), np.zeros(len(places), np.int64), shares
    )
    return [TruePicture(CameraImage(pixels, 0), CameraObjects.empty(scored=False), picture)]


def test_the_cut_takes_the_hits_and_leaves_the_false_alarms():
    """Three hits down to 0.3; below it nothing but errors."""
    detector = Answers((0, 0.9, CAR), (1, 0.6, CAR), (2, 0.3, CAR), (7, 0.2, CAR), (8, 0.1, CAR))
    assert best_cut(detector, truth([0, 1, 2])) == 0.3


def test_a_late_hit_is_not_worth_many_false_alarms():
    """Two of three at 0.6: F1 4/5; all three at 0.1 with four errors: 6/10."""
    alarms = [(place, 0.3, CAR) for place in (6, 7, 8, 9)]
    detector = Answers((0, 0.9, CAR), (1, 0.6, CAR), *alarms, (2, 0.1, CAR))
    assert best_cut(detector, truth([0, 1, 2])) == 0.6


def test_a_second_sight_of_one_object_is_an_error():
    """F1 is 1 with the first, 2/3 with both."""
    assert best_cut(Answers((0, 0.9, CAR), (0, 0.8, CAR)), truth([0])) == 0.9


def test_vehicles_are_taken_for_one_another_people_are_not():
    """The van counts, the pedestrian does not."""
    assert best_cut(Answers((0, 0.9, VAN), (1, 0.5, VAN), (1, 0.4, PEDESTRIAN)), truth([0, 1])) == 0.5


def test_hidden_objects_are_neutral():
    """Without the rule, the sight at 0.8 would be an error, and the best cut 0.9."""
    detector = Answers((0, 0.9, CAR), (1, 0.8, CAR), (2, 0.7, CAR))
    assert best_cut(detector, truth([0, 1, 2], visible_share=[1.0, 0.1, 1.0])) == 0.7


def test_nothing_hit_changes_nothing():
    """The shift is 0 then."""
    assert best_cut(Answers((5, 0.9, CAR)), truth([0])) == USUAL_CUT
    assert logit_shift(USUAL_CUT) == pytest.approx(0.0)


def test_the_shift_carries_the_cut_to_the_usual_one():
    """A logit of -1 moved by it is that of 0.4."""
    cut = 1 / (1 + np.exp(1.0))
    assert 1 / (1 + np.exp(1.0 - logit_shift(cut))) == pytest.approx(USUAL_CUT)

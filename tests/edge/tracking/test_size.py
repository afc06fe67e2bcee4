"""Size: from the class's typical one to the object's own."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.edge.lifting.priors import prior
from vedette.edge.tracking.size import SizeBelief

CAR, VAN = ObjectClass.CAR, ObjectClass.VAN
TYPICAL = prior(CAR).size_m


def seen(times, length, width, height=None, start=None):
    """A belief after equal views."""
    belief = start or SizeBelief(CAR)
    for _ in range(times):
        belief = belief.observed_extents(length, width)
        belief = belief if height is None else belief.observed_height(height)
    return belief


def test_at_first_the_class_decides():
    """No view: the typical size."""
    assert SizeBelief(CAR).size_m == pytest.approx(TYPICAL)


@pytest.mark.parametrize("times", [3, 10, 40])
def test_views_and_prior_are_mixed(times):
    """From the third view on, half of the length and two fifths of the width are what was seen, however often."""
    size = seen(times, 4.9, 1.93).size_m
    assert size[:2] == pytest.approx([(TYPICAL[0] + 4.9) / 2, 0.6 * TYPICAL[1] + 0.4 * 1.93])


def test_parts_of_the_object_do_not_shrink_it():
    """Extents far below the typical one show a part of the object and do not count."""
    assert seen(10, 0.4, 0.2).size_m == pytest.approx(TYPICAL)


def test_one_bad_view_among_many_hardly_matters():
    """A single outlier does not move the size by more than 2 cm."""
    good = seen(12, 4.4, 1.8, 1.6)
    bad = good.observed_extents(6.5, 2.7).observed_height(2.3)
    assert bad.size_m == pytest.approx(good.size_m, abs=0.02)


def test_three_views_of_a_high_roof_make_a_van():
    """A vehicle's class follows its height; two views are not enough."""
    assert seen(2, 4.5, 1.8, 2.1).refined_class is CAR
    assert seen(3, 4.5, 1.8, 2.1).refined_class is VAN
    assert seen(3, 4.5, 1.8, 2.1).size_m[2] == pytest.approx(2.1)


@pytest.mark.parametrize("height_m", [0.3, 4.0])
def test_heights_a_class_cannot_have_are_left_out(height_m):
    """A car is neither 0.3 m nor 4 m high; such a view was of something else."""
    assert seen(5, 4.0, 1.6, height_m).heights_m == ()


def test_answers_replace_views():
    """After an answer of its class the size is the median of the answers."""
    belief = seen(10, 4.9, 1.9)
    for length in (4.0, 4.2, 9.0):
        belief = belief.anchored(CAR, np.array([length, 1.7, 1.5]))
    assert belief.size_m == pytest.approx([4.2, 1.7, 1.5])


def test_an_answer_of_another_class_does_not_resize():
    """A car-only detector cannot make a van smaller."""
    van = seen(5, 5.0, 1.9, 2.1)
    assert van.anchored(CAR, np.array([4.0, 1.6, 1.5])).size_m == pytest.approx(van.size_m)


def test_answers_of_the_right_class_count_again():
    """What a wrong answer said is forgotten when a right one comes."""
    van = seen(5, 5.0, 1.9, 2.1).anchored(CAR, np.array([4.0, 1.6, 1.5])).anchored(VAN, np.array([5.2, 1.9, 2.2]))
    assert van.size_m == pytest.approx([5.2, 1.9, 2.2])


def test_memory_is_bounded():
    """A track of an hour holds no more than one of a few seconds."""
    belief = seen(500, 4.2, 1.7, 1.5)
    for _ in range(50):
        belief = belief.anchored(CAR, np.array(TYPICAL))
    assert (len(belief.lengths_m), len(belief.heights_m), len(belief.anchors_m)) == (25, 25, 5)

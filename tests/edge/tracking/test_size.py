"""Size: from the class's typical one to the object's own."""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.edge.lifting.priors import prior
from vedette.edge.tracking.size import SizeBelief

CAR, VAN = ObjectClass.CAR, ObjectClass.VAN
TYPICAL = prior(CAR).size_m


def seen(times, length, width, height=None, start=None, sigmas=(0.05, 0.05)):
    """A belief after equal views that show both ends of length and width."""
    belief = start or SizeBelief(CAR)
    for _ in range(times):
        belief = belief.observed_plan((length, width), sigmas)
        belief = belief if height is None else belief.observed_height(height)
    return belief


def test_at_first_the_class_decides():
    """No view: the typical size."""
    assert SizeBelief(CAR).size_m == pytest.approx(TYPICAL)


def test_clear_views_pull_the_size_to_what_they_show():
    """One clear view goes more than half of the way, ten come close; never farther than what is seen."""
    once, often = (seen(times, 4.9, 1.93).size_m for times in (1, 10))
    assert (TYPICAL[0] + 4.9) / 2 < once[0] < often[0] < 4.9
    assert often[:2] == pytest.approx([4.9, 1.93], abs=0.15)


def test_a_view_that_shows_no_end_tells_nothing():
    """What a view came to is as unsure as what was known before: the view has added nothing."""
    (length, length_sigma), (width, width_sigma) = SizeBelief(CAR).plan
    after = seen(10, length, width, sigmas=(length_sigma, width_sigma))
    assert after.plan == SizeBelief(CAR).plan


def test_vague_views_do_not_outvote_a_clear_one():
    """A car is seen whole and clearly; then twenty vague views of it from behind, each coming to a shorter one."""
    clear = seen(4, 4.6, 1.7)
    vague = clear
    for _ in range(20):
        (_, length_sigma), (_, width_sigma) = vague.plan
        vague = vague.observed_plan((vague.size_m[0] - 0.02, 1.7), (0.97 * length_sigma, 0.97 * width_sigma))
    assert vague.size_m[0] > 4.25


def test_the_spread_never_becomes_absurdly_small():
    """A hundred equal views share their errors: a decimetre or so of doubt remains."""
    (_, length_sigma), (_, width_sigma) = seen(100, 4.4, 1.7).plan
    assert length_sigma > 0.1
    assert width_sigma > 0.04


def test_one_bad_view_among_many_is_forgotten():
    """A single outlier moves the size by a few decimetres at most, and ten good views bring it back."""
    good = seen(12, 4.4, 1.7, 1.6)
    bad = good.observed_plan((6.5, 1.7), (0.05, 0.05))
    assert bad.size_m[0] < 4.9
    assert seen(10, 4.4, 1.7, 1.6, start=bad).size_m == pytest.approx(good.size_m, abs=0.08)


def test_how_strange_a_size_is():
    """By one spread too long and two too wide: one and four."""
    length_sigma, width_sigma = prior(CAR).plan_sigma_m
    known = SizeBelief(CAR).anchored(CAR, np.array([TYPICAL[0] + length_sigma, TYPICAL[1] + 2 * width_sigma, 1.5]))
    assert known.strangeness == pytest.approx(5.0)
    assert SizeBelief(CAR).strangeness == pytest.approx(0.0)
    assert seen(9, 4.6, 1.8).without_plan().strangeness == pytest.approx(0.0)


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


@pytest.mark.parametrize(
    ("seen_m", "answered_m", "contradicted"),
    [
        pytest.param((2.1, 2.1), 1.5, False, id="two views are not enough"),
        pytest.param((2.1, 2.1, 2.1), 1.5, True, id="a van is no car"),
        pytest.param((1.5, 1.5, 1.5), 1.95, True, id="a car is no van"),
        pytest.param((1.6, 1.6, 1.6), 1.45, False, id="cars differ"),
        pytest.param((2.0, 2.0, 2.0), 1.61, False, id="just within a quarter"),
        pytest.param((2.0, 2.0, 2.0), 1.59, True, id="just beyond"),
    ],
)
def test_what_images_showed_may_contradict_an_answer(seen_m, answered_m, contradicted):
    """An answer whose height differs by more than a quarter from what three images showed is about something else."""
    belief = SizeBelief(CAR)
    for height_m in seen_m:
        belief = belief.observed_height(height_m)
    assert belief.contradicts(answered_m) is contradicted


def test_answers_of_the_right_class_count_again():
    """What a wrong answer said is forgotten when a right one comes."""
    van = seen(5, 5.0, 1.9, 2.1).anchored(CAR, np.array([4.0, 1.6, 1.5])).anchored(VAN, np.array([5.2, 1.9, 2.2]))
    assert van.size_m == pytest.approx([5.2, 1.9, 2.2])


def test_memory_is_bounded():
    """A track of an hour holds no more than one of a few seconds."""
    belief = seen(500, 4.2, 1.7, 1.5)
    for _ in range(50):
        belief = belief.anchored(CAR, np.array(TYPICAL))
    assert (len(belief.heights_m), len(belief.anchors_m)) == (25, 5)

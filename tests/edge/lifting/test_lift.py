"""Lifting whole detections in scenes whose truth is known.

Tolerances: rays are 0.2 degrees apart (5 cm at 15 m), the outermost 1.5 % of an object's points are left out of its
outline, and the axis is searched in steps of 2 degrees and, of a new object, bent by the guess by up to 3; together
0.15 m and 5 degrees at 15 m. Sizes are the class's
own here, so that nothing is lost to the prior.
"""

from __future__ import annotations

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.detections import Detections2D
from vedette.edge.lifting.hint import LiftHint
from vedette.edge.lifting.lift import lift_frame
from vedette.edge.lifting.lifted import Rung, ray_covariance_m2
from vedette.edge.lifting.priors import prior
from vedette.edge.lifting.scene import Scene, view_scene
from vedette.edge.tracking.heading import HeadingBelief, axis_gap
from vedette.edge.tracking.size import SizeBelief

CAR_SIZE = prior(ObjectClass.CAR).size_m
CENTRE_TOLERANCE_M = 0.15
AXIS_TOLERANCE = np.deg2rad(5.0)


def lift(street, solids, detections, hints=None):
    """Lift detections of a scene, by class alone unless hints are given."""
    scene = view_scene(street.sweep(solids), street.camera, detections)
    hints = hints or [LiftHint.of_class(ObjectClass(int(c))) for c in detections.class_ids]
    return lift_frame(detections, hints, scene, street.camera).seen


def assert_is_box(lifted, truth, tolerance_m=CENTRE_TOLERANCE_M):
    """Centre, axis and bottom as the truth has them."""
    assert np.hypot(*(lifted.xy_velo - truth[:2])) < tolerance_m
    assert axis_gap(lifted.heading.yaw, truth[6]) < AXIS_TOLERANCE
    assert lifted.bottom_z == pytest.approx(truth[2] - truth[5] / 2, abs=0.03)


@pytest.mark.parametrize("yaw_deg", [-60, -20, 0, 10, 35, 80])
@pytest.mark.parametrize(("x", "y"), [(12.0, 4.0), (15.0, -5.0)])
def test_a_car_alone(street, x, y, yaw_deg):
    """Two faces of a car: its box, whichever way it stands."""
    truth = street.box(x, y, np.deg2rad(yaw_deg), CAR_SIZE)
    (lifted,) = lift(street, [truth], street.detections([truth]))
    assert lifted.rung in {Rung.TWO_FACES, Rung.ONE_FACE}
    assert_is_box(lifted, truth, 0.25)


def test_through_a_gap_and_behind_a_post(street):
    """A wall seen around the car and a post before it change nothing."""
    truth = street.box(15.0, 3.0, 0.3, CAR_SIZE)
    wall, post = street.box(28.0, 0.0, np.pi / 2, [40, 0.5, 3.0]), street.box(8.0, 1.5, 0, [0.2, 0.2, 2.0])
    (lifted,) = lift(street, [truth, wall, post], street.detections([truth]))
    assert_is_box(lifted, truth, 0.25)


def test_the_nearer_of_two_overlapping_owns_its_points(street):
    """Of two cars one behind the other the far one is half hidden: each gets its own place."""
    near, far = street.box(10.0, 1.5, 0.0, CAR_SIZE), street.box(16.5, 4.2, 0.0, CAR_SIZE)
    first, second = lift(street, [near, far], street.detections([near, far]))
    assert_is_box(first, near)
    assert abs(second.xy_velo[0] - far[0]) < 0.6
    assert abs(second.xy_velo[1] - far[1]) < 0.4


def test_the_order_of_detections_does_not_matter(street):
    """Near to far is decided inside."""
    near, far = street.box(10.0, 2.5, 0.0, CAR_SIZE), street.box(16.5, 3.2, 0.0, CAR_SIZE)
    forward = lift(street, [near, far], street.detections([near, far]))
    backward = lift(street, [near, far], street.detections([far, near]))
    assert forward[0].box_velo == pytest.approx(backward[1].box_velo)
    assert forward[1].box_velo == pytest.approx(backward[0].box_velo)


def test_a_track_brings_size_and_heading(street):
    """Of a car longer than cars are, the rear alone is seen: the known size tells where its middle is."""
    size = (5.0, 1.8, 1.5)
    truth = street.box(15.0, 0.0, 0.0, size)
    belief = SizeBelief(ObjectClass.CAR).anchored(ObjectClass.CAR, np.array(size))
    hint = LiftHint(HeadingBelief(0.0, 5.0), belief, np.array([15.1, 0.1]), 0.2, anchored=True)
    (lifted,) = lift(street, [truth], street.detections([truth]), [hint])
    assert_is_box(lifted, truth)
    assert lifted.box_velo[3:6] == pytest.approx(size)


def test_a_pedestrian_is_placed_by_its_middle(street):
    """No faces to fit: the middle of the points, a little farther along the ray."""
    truth = street.box(10.0, -1.5, 0.0, prior(ObjectClass.PEDESTRIAN).size_m)
    (lifted,) = lift(street, [truth], street.detections([truth], ObjectClass.PEDESTRIAN))
    assert lifted.rung is Rung.CENTROID
    assert np.hypot(*(lifted.xy_velo - truth[:2])) < 0.35


def test_one_point_is_enough_for_a_centroid(street):
    """A car of which one ray comes back: a box near it, with a spread that says so."""
    truth = street.box(40.0, 0.0, 0.0, CAR_SIZE)
    detections = street.detections([truth])
    scene = view_scene(street.sweep([]), street.camera, detections)
    hit = np.array([[38.05, 0.0, -1.0]], np.float32)
    pixels = street.camera.project_velo(hit)[0].T.astype(np.float32)
    lonely = Scene(hit.T, pixels, scene.ground, (np.array([0]),), (np.array([True]),))
    hints = [LiftHint.of_class(ObjectClass.CAR)]
    (lifted,) = lift_frame(detections, hints, lonely, street.camera).seen
    assert (lifted.rung, lifted.point_count) == (Rung.CENTROID, 1)
    assert np.hypot(*(lifted.xy_velo - truth[:2])) < 2.0
    assert lifted.covariance_m2[0, 0] > 0.3


def test_without_points_the_height_in_the_image_gives_a_range(street):
    """No point at all and no track: 1.53 m seen as high as a car at 20 m is, is at 20 m less half its depth."""
    truth = street.box(20.0, 2.0, 0.0, CAR_SIZE)
    (lifted,) = lift(street, [], street.detections([truth]))
    assert lifted.rung is Rung.IMAGE
    # the box in the image is as high as the near face, 2 m before the middle, and the camera looks down on its roof
    assert lifted.xy_velo[0] == pytest.approx(18.0, rel=0.1)
    assert np.sqrt(lifted.covariance_m2[0, 0]) > 2.0


def test_without_points_a_track_is_left_to_its_prediction(street):
    """No point, but a track: nothing is lifted."""
    truth = street.box(20.0, 2.0, 0.0, CAR_SIZE)
    hint = LiftHint(HeadingBelief(0.0), SizeBelief(ObjectClass.CAR), truth[:2], 0.5)
    assert lift(street, [], street.detections([truth]), [hint]) == (None,)


def test_without_points_at_the_lower_border_nothing_is_known(street):
    """Cut by the border the height tells nothing either."""
    detections = Detections2D(np.array([[600.0, 200.0, 700.0, 374.0]]), np.array([0.8]), np.array([0]))
    assert lift(street, [], detections) == (None,)


def test_cut_by_the_side_of_the_image(street):
    """A car half out of the image keeps its side where it is; its middle is at most half a length off."""
    truth = street.box(4.5, 3.2, 0.0, CAR_SIZE)
    (lifted,) = lift(street, [truth], street.detections([truth]))
    assert abs(lifted.xy_velo[1] - truth[1]) < 0.3
    assert abs(lifted.xy_velo[0] - truth[0]) < CAR_SIZE[0] / 2


def test_the_sweep_shows_what_the_border_cuts(street):
    """A car of which the image shows half: the sweep sees on where the image ends, and the box is whole."""
    truth = street.box(5.5, 4.4, 0.0, CAR_SIZE)
    (lifted,) = lift(street, [truth], street.detections([truth]))
    assert_is_box(lifted, truth, 0.25)


def test_a_side_longer_than_any_car_is_wide_is_its_side(street):
    """A track that has the axis wrong by a quarter turn learns better from one clear view."""
    truth = street.box(15.0, 4.0, 0.2, CAR_SIZE)
    hint = LiftHint(HeadingBelief(0.2 + np.pi / 2, 3.0), SizeBelief(ObjectClass.CAR), truth[:2], 0.5)
    (lifted,) = lift(street, [truth], street.detections([truth]), [hint])
    assert_is_box(lifted, truth)


def test_the_length_of_a_long_car_is_learnt(street):
    """Side and rear of a car of 4.8 m: the first view brings the size a third of the way, and the box is not behind."""
    truth = street.box(12.0, 5.0, -0.5, [4.8, 1.75, 1.5])
    (lifted,) = lift(street, [truth], street.detections([truth]))
    assert 4.2 < lifted.size.size_m[0] < 4.9
    assert_is_box(lifted, truth, 0.25)


def test_a_good_box_has_a_better_score_than_a_guess(street):
    """Two faces, a single point, and no point at all."""
    truth = street.box(15.0, 4.0, 0.3, CAR_SIZE)
    (good,) = lift(street, [truth], street.detections([truth]))
    (guess,) = lift(street, [], street.detections([truth]))
    assert good.agreement > 0.8
    assert good.score > 0.9 > 0.6 > guess.score


def test_no_detections(street):
    """Nothing to lift gives nothing."""
    assert lift(street, [], Detections2D.empty()) == ()


def test_ray_covariance():
    """Along the ray and across it, whatever its direction."""
    covariance = ray_covariance_m2(np.array([3.0, 4.0]), 2.0, 1.0)
    ray, across = np.array([0.6, 0.8]), np.array([-0.8, 0.6])
    assert ray @ covariance @ ray == pytest.approx(4.0)
    assert across @ covariance @ across == pytest.approx(1.0)
    assert ray @ covariance @ across == pytest.approx(0.0)


def test_a_mask_keeps_what_stands_before_the_object_out(street):
    """A van parked close before a car, in one box with it: with the car's mask the car is found."""
    car, van = street.box(15.0, 1.0, 0.0, CAR_SIZE), street.box(12.0, 2.7, 0.0, [1.2, 1.2, 2.2])
    boxed = street.detections([car])
    mask = np.zeros((1, 375, 1242), np.bool_)
    x1, y1, x2, y2 = boxed.boxes_px[0].astype(int)
    mask[0, y1:y2, x1 : x2 + 1] = True
    van_px = street.detections([van]).boxes_px[0].astype(int)
    mask[0, :, van_px[0] - 2 : van_px[2] + 3] = False
    masked = Detections2D(boxed.boxes_px, boxed.scores, boxed.class_ids, mask)
    (lifted,) = lift(street, [car, van], masked)
    assert abs(lifted.xy_velo[0] - car[0]) < 0.3

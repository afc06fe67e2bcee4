"""Sweep in, objects out."""

import numpy as np
import pytest
import structlog

from vedette.classes import ObjectClass
from vedette.errors import ModelCardError
from vedette.frames import Sweep
from vedette.models.cards import read_card
from vedette.models.sessions import OnnxModel, SessionOptions
from vedette.models.split_pillars import SplitPillarsDetector
from vedette.models.split_pillars.importing import card_from_files


@pytest.fixture
def detector(write_backbone, write_encoder, open_detector):
    """A detector that always sees the same."""

    def build(maps, keys, **changes):
        return open_detector(write_backbone(maps), write_encoder(np.ones((10, 2))), keys, **changes)

    return build


@pytest.fixture
def open_detector(write_split_card, sha256):
    """A detector of two files."""

    def build(backbone, encoder, keys, **changes):
        told = {**card_from_files(backbone, encoder), "sha256": sha256(backbone)}
        card = read_card(write_split_card(keys, **changes), defaults=told)
        return SplitPillarsDetector(OnnxModel(backbone, card, SessionOptions(), {"voxel_encoder": encoder}))

    return build


def test_a_car(detector, one_car, centre_keys, car_box, sweep, camera):
    """Where the maps say, of the class that the card says."""
    found = detector(one_car, centre_keys).detect(sweep, camera)
    np.testing.assert_allclose(found.boxes_velo, [car_box], atol=1e-6)
    np.testing.assert_allclose(found.scores, [0.8], atol=1e-6)
    assert found.class_ids.tolist() == [ObjectClass.CAR]


def test_from_a_point_to_a_box(open_detector, write_mirror, write_encoder, centre_keys):
    """Through both files: the point's intensity is the heat of its cell, and all else.

    Column 5, row 1, where the encoder gives (2, 0, 0): 2 cells further along x, sizes exp(0), exp(2), exp(0), sine 2.
    """
    weights = np.zeros((10, 3))
    weights[3, 0] = 4.0
    keys = {**centre_keys, "head": {"kind": "centres", "stride": 1, "min_score": 0.6}}
    sweep = Sweep(np.array([[5.5, -2.5, 0.0, 0.5], [1.5, 2.5, 0.0, 0.0]], np.float32), 0, 0)
    found = open_detector(write_mirror(), write_encoder(weights), keys).detect_around(sweep)
    np.testing.assert_allclose(found.scores, [1 / (1 + np.exp(-2.0))], rtol=1e-6)
    np.testing.assert_allclose(found.boxes_velo, [[7, -3, 2, 1, np.exp(2), 1, -np.pi]], rtol=1e-6)


def test_a_network_with_anchors(detector, anchor_maps, anchor_keys, sweep, camera):
    """The pedestrian's first anchor in row 2, column 1: x 8/3, y 4/3; OpenPCDet's names are KITTI's."""
    anchor_maps["cls_preds"][0, 2, 1, 2 * 2 + 1] = 2.0
    anchor_maps["dir_cls_preds"][0, 2, 1, 2 * 2] = 1.0
    found = detector(anchor_maps, anchor_keys, labels="kitti", classes=("Car", "Pedestrian")).detect(sweep, camera)
    np.testing.assert_allclose(found.boxes_velo, [[8 / 3, 4 / 3, -0.6, 0.8, 0.6, 1.8, -np.pi]], atol=1e-6)
    assert found.class_ids.tolist() == [ObjectClass.PEDESTRIAN]


def test_no_point_in_the_grid(detector, one_car, centre_keys, camera):
    """The network is not run, and nothing is found."""
    nowhere = Sweep(np.array([[-5.0, 0.0, 0.0, 0.5]], np.float32), 0, 0)
    assert len(detector(one_car, centre_keys).detect(nowhere, camera)) == 0


def test_a_network_that_thinks_in_another_frame(detector, one_car, centre_keys, car_box, camera):
    """Its x axis is our y axis, its origin 2 m below the sensor and 1 m ahead: nuScenes' way round is the other."""
    keys = {**centre_keys, "frame": {"origin_velo_m": [1.0, 0.0, -2.0], "yaw_velo_rad": np.pi / 2}}
    theirs = Sweep(np.array([[1.0, 4.25, -2.0, 0.5]], np.float32), 0, 0)  # its (4.25, 0, 0)
    found = detector(one_car, keys).detect_around(theirs)
    np.testing.assert_allclose(found.boxes_velo, [[1.0 + 1.5, 5.0, -2.5, 4, 2, 1.5, np.pi / 2]], atol=1e-6)
    behind_the_grid = Sweep(np.array([[4.25, -4.0, 0.0, 0.5]], np.float32), 0, 0)  # inside for a network in velo
    assert len(detector(one_car, keys).detect_around(behind_the_grid)) == 0
    assert len(detector(one_car, centre_keys).detect_around(behind_the_grid)) == 1


@pytest.fixture
def around(one_car, centre_keys):
    """A grid around the sensor, x from -4 to 4 m, with the car ahead, at 1 m, and another 3.25 m behind."""
    one_car["heatmap"][0, 0, 2, 0] = 1.0
    one_car["reg"][0, :, 2, 0] = [0.375, 0.0]
    grid = {**centre_keys["grid"], "range_m": [-4, -4, -2, 4, 4, 2]}
    return one_car, {**centre_keys, "grid": grid}


def test_scores_are_on_our_scale(detector, one_car, centre_keys, sweep, camera):
    """A network whose good score is 0.8 gives 0.5 for it."""
    keys = {**centre_keys, "head": {**centre_keys["head"], "good_score": 0.8}}
    np.testing.assert_allclose(detector(one_car, keys).detect(sweep, camera).scores, [0.5], atol=1e-6)


def test_only_what_the_camera_sees_is_told(detector, around, camera):
    """The input may be all points, but the answer is the camera's view; all around is there on request."""
    sweep = Sweep(np.array([[-2.0, 0.0, 0.0, 0.5]], np.float32), 0, 0)
    found = detector(*around).detect(sweep, camera)
    np.testing.assert_allclose(found.boxes_velo[:, :2], [[1.0, -1.5]], atol=1e-6)
    everywhere = detector(*around).detect_around(sweep)
    np.testing.assert_allclose(everywhere.boxes_velo[:, :2], [[1.0, -1.5], [-3.25, 0.0]], atol=1e-6)


def test_points_out_of_view_are_used_or_not(detector, around, camera):
    """KITTI's networks were trained on what the camera sees."""
    maps, keys = around
    behind = Sweep(np.array([[-2.0, 0.0, 0.0, 0.5]], np.float32), 0, 0)
    assert len(detector(maps, {**keys, "points": "in_view"}).detect(behind, camera)) == 0
    assert len(detector(maps, {**keys, "points": "all"}).detect(behind, camera)) == 1


def test_classes_that_are_none_of_ours_are_left_out(detector, one_car, centre_keys, sweep, camera):
    """A traffic cone hotter than the car."""
    one_car["heatmap"][0, 1, 3, 3] = 5.0
    cones = detector(one_car, centre_keys, labels="nuscenes", classes=("car", "traffic_cone"))
    assert cones.detect(sweep, camera).class_ids.tolist() == [ObjectClass.CAR]


def test_pillars_left_out_are_logged_as_an_error(detector, one_car, centre_keys, camera):
    """Losing data is one."""
    keys = {**centre_keys, "grid": {**centre_keys["grid"], "max_pillars": 1}}
    sweep = Sweep(np.array([[1, 0, 0, 0], [3, 0, 0, 0], [5, 0, 0, 0]], np.float32), 0, 0)
    with structlog.testing.capture_logs() as logs:
        detector(one_car, keys).detect(sweep, camera)
    expected = {"event": "model.pillars_left_out", "log_level": "error", "model": "theirs@1"}
    assert logs == [{**expected, "left_out": 2, "max_pillars": 1}]


def test_norms_for_another_number_of_classes(detector, one_car, centre_keys):
    """One a class, or none at all."""
    keys = {**centre_keys, "head": {**centre_keys["head"], "min_rotation_norm": [0.3]}}
    with pytest.raises(ModelCardError, match="min_rotation_norm has 1 numbers; expected 2"):
        detector(one_car, keys)

"""Samples from labels made by hand."""

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.datasets.kitti.splits import load_splits
from vedette.errors import ConfigError
from vedette.evaluation.objects import CameraObjects
from vedette.frames import BadFrame, Frame, Sweep
from vedette.geometry import SE3, PinholeCamera
from vedette.models.pillars.grid import AnswerGrid
from vedette.models.pillars.training import real_samples
from vedette.models.pillars.training.real_samples import sample_of, samples_of_source, write_real_samples
from vedette.models.pillars.training.shards import NOBODY, SampleSet, read_manifest
from vedette.models.pillars.training.targets import make_targets

CAM_R_VELO = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
PROJECTION = np.array([[100.0, 0.0, 100.0, 0.0], [0.0, 100.0, 58.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
CAMERA = PinholeCamera(PROJECTION, SE3(CAM_R_VELO, np.zeros(3)), 200, 116)
CAR = ("Car", (0, 0, 1, 1), (10.0, 2.0, -0.9, 4.0, 1.8, 1.5, 0.0))
NOWHERE = (0.0, 0.0, 0.0, -1.0, -1.0, -1.0, 0.0)


def labels_of(*rows):
    """Of type, image box and box in the velo frame."""
    types, boxes_px, boxes = zip(*rows, strict=True)
    x, y, z, length, width, height, yaw = np.array(boxes, float).T
    boxes_cam = np.column_stack([-y, -z + height / 2, x, height, width, length, -yaw - np.pi / 2])
    count = len(rows)
    return CameraObjects(
        types,
        np.zeros(count),
        np.zeros(count, np.int64),
        np.zeros(count),
        np.array(boxes_px, float).reshape(count, 4),
        boxes_cam,
    )


def points(*rows):
    return np.array(rows, np.float32)


def test_points_belong_to_the_box_they_are_in():
    """Also 4 cm beside it, which is how well boxes are drawn; not 10 cm."""
    cloud = points([10, 2, -0.9], [10, 2.94, -0.9], [10, 3.0, -0.9], [20, 0, -1.6])
    sample = sample_of(cloud, labels_of(CAR), CAMERA)
    np.testing.assert_array_equal(sample.owners, [0, 0, NOBODY, NOBODY])
    np.testing.assert_allclose(sample.boxes_velo, [CAR[2]], atol=1e-9)
    np.testing.assert_array_equal(sample.class_ids, [int(ObjectClass.CAR)])


def test_where_boxes_overlap_the_first_has_the_point():
    """One owner each."""
    beside = ("Van", (0, 0, 1, 1), (10.0, 3.5, -0.9, 4.0, 1.8, 1.5, 0.0))
    sample = sample_of(points([10, 2.75, -0.9]), labels_of(CAR, beside), CAMERA)
    np.testing.assert_array_equal(sample.owners, [0])


def test_only_what_the_camera_sees_is_kept():
    """Neither behind nor beside, nor beyond the reach of stored samples."""
    cloud = points([10, 0, 0], [-10, 0, 0], [10, 20, 0], [10, 0, 9], [90, 0, 0])
    np.testing.assert_array_equal(sample_of(cloud, labels_of(CAR), CAMERA).points_velo_m, cloud[:1])


def test_points_in_regions_that_were_left_out_go():
    """The image's left half is a don't-care region: a labelled car's points there stay, others go."""
    region = ("DontCare", (0, 0, 100, 116), NOWHERE)
    cloud = points([10, 2, -0.9], [10, 5, -0.9], [10, -5, -0.9])
    sample = sample_of(cloud, labels_of(CAR, region), CAMERA)
    np.testing.assert_array_equal(sample.points_velo_m, cloud[[0, 2]])
    np.testing.assert_array_equal(sample.owners, [0, NOBODY])
    assert len(sample.boxes_velo) == 1


@pytest.mark.parametrize("kind", ["Person_sitting", "Person", "Misc", "Tram"])
def test_around_what_is_none_of_the_classes_nothing_is_asked(kind):
    """Its box stays, of no class; that of a pedestrian is asked for."""
    box = (10.0, 2.0, -0.9, 0.8, 0.6, 1.2, 0.0)
    cloud = points(*([10, 2, -0.9 + 0.05 * k] for k in range(-5, 6)))
    grid = AnswerGrid(2)
    targets = make_targets(sample_of(cloud, labels_of((kind, (0, 0, 1, 1), box)), CAMERA), grid)
    assert targets.heat.max() == 0.0
    assert not targets.asked[:, 67, 15].any()
    walking = make_targets(sample_of(cloud, labels_of(("Pedestrian", (0, 0, 1, 1), box)), CAMERA), grid)
    assert walking.heat[2].max() == 1.0
    assert walking.asked.all()


@pytest.fixture
def recordings(monkeypatch):
    """Sources of a labelled frame, one without labels, a bad one and another labelled one; gives who was closed."""
    sweep = Sweep(np.array([[10, 2, -0.9, 0.5], [20, 0, -1.6, 0.1]], np.float32), 0, 0)
    closed = []

    class Recorded:
        def __init__(self, source):
            self.source = source

        def __iter__(self):
            for index in (3, 4, 5, 60):
                if index == 5:
                    yield BadFrame(5, self.source, 0, ConfigError("broken"))
                else:
                    yield Frame(index, self.source, 0, CAMERA, sweep, None, None)

        def labels(self, index):
            return None if index == 4 else labels_of(CAR)

        def close(self):
            closed.append(self.source)

    monkeypatch.setattr(real_samples, "open_recording", Recorded)
    return closed


def test_frames_with_labels_become_samples(recordings):
    """The recording is closed behind them."""
    assert len(list(samples_of_source("kitti-tracking:DIR:0000"))) == 2
    assert len(list(samples_of_source("kitti-object:DIR", frozenset([60])))) == 1
    assert recordings == ["kitti-tracking:DIR:0000", "kitti-object:DIR"]


def test_a_folder_of_real_samples_says_so(recordings, tmp_path):
    """A shard each; of the object frames those of the folds. The recipe names kinds and folds, and no path."""
    in_fold = {fold: 60 in load_splits().object_frames(fold) for fold in (0, 1)}
    assert in_fold == {0: True, 1: False}
    sources = ["kitti-object:DIR", "kitti-raw:DIR:2011_09_26_drive_0001"]
    assert write_real_samples(tmp_path, sources, [0]) == 1 + 2
    samples = SampleSet(tmp_path)
    assert len(samples) == 3
    assert not samples.of_world
    assert read_manifest(tmp_path)["recipe"] == {"sources": ["kitti-object", "kitti-raw"], "folds": [0]}


def test_object_frames_are_never_used_without_folds(recordings, tmp_path):
    """All of them would be training and report at once."""
    with pytest.raises(ConfigError, match="--folds"):
        write_real_samples(tmp_path, ["kitti-object:DIR"], [])

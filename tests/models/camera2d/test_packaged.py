"""The weights that come with the package, on a world that they have not seen."""

import numpy as np
import pytest

from vedette.classes import VEHICLES
from vedette.datasets.source_spec import open_recording
from vedette.evaluation.objects import DONT_CARE
from vedette.frames import CameraImage
from vedette.geometry import iou_2d
from vedette.models.registry import ModelRegistry

NAME = "camera2d-world"


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    """With nothing imported."""
    return ModelRegistry(tmp_path_factory.mktemp("models"))


def test_it_is_there_without_import_and_says_what_it_does(registry):
    """Its hash is that of its card, and it is small enough to come along."""
    stored = registry.store.find(NAME)
    stored.verify()
    assert stored.card.family == "camera2d"
    assert any(figure.metric == "ap.r40.car.2d.0.7.moderate" for figure in stored.card.accuracy)
    assert stored.model_path.stat().st_size < 10e6


def test_it_sees_nothing_in_black_and_in_grey(registry):
    """At the score that the edge cuts at."""
    detector = registry.load_detector2d(NAME, 0.4)
    for value in (0, 128):
        found = detector.detect(CameraImage(np.full((375, 1242, 3), value, np.uint8), 0))
        assert len(found) == 0
        assert found.masks.shape == (0, 375, 1242)


def test_it_finds_the_cars_ahead(registry):
    """In two frames, every vehicle 40 pixels high and in full view, with a mask that fills a good part of its box."""
    pytest.importorskip("open3d")
    detector = registry.load_detector2d(NAME, 0.4)
    recording = open_recording("synth:swap:900:10-11")
    seen = 0
    for frame in recording:
        labels = recording.labels(frame.index)
        found = detector.detect(frame.image)
        vehicles = np.isin(found.class_ids, list(VEHICLES))
        for kind, box_px, occlusion in zip(labels.types, labels.boxes_px, labels.occlusion, strict=True):
            if kind == DONT_CARE or kind not in {"Car", "Van", "Truck"} or occlusion or box_px[3] - box_px[1] < 40:
                continue
            overlaps = iou_2d(box_px[None], found.boxes_px)[0] * vehicles
            assert overlaps.max(initial=0.0) > 0.5
            x1, y1, x2, y2 = found.boxes_px[overlaps.argmax()]
            assert found.masks[overlaps.argmax()].sum() > 0.4 * (x2 - x1) * (y2 - y1)
            seen += 1
    assert seen > 0

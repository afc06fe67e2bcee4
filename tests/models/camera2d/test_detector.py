"""From an image to objects with masks."""

import numpy as np
import pytest

from vedette.classes import ObjectClass
from vedette.errors import ModelLoadError
from vedette.frames import CameraImage
from vedette.models.registry import ModelRegistry

LEFT = np.tile(np.where(np.arange(32) < 18, 1.0, -1.0), (1, 1, 32, 1))
"""A map above 0 left of column 18 of 32: left of pixel 36 of 64."""


@pytest.fixture
def imported(tmp_path, two_outputs, write_card, camera2d_fields):
    """Imports a model with these outputs and loads its detector."""

    def load(rows, maps=LEFT, **changes):
        model = two_outputs(rows, maps)
        registry = ModelRegistry(tmp_path / "models", packaged=tmp_path / "packaged")
        registry.import_file(model, card=write_card(model, **{**camera2d_fields, **changes}))
        return registry.load_detector2d("tiny", 0.5)

    return load


def test_box_and_mask_come_out_where_they_were_put(imported, car_rows):
    """In an image twice as tall and half as wide as the model's input. Boxes count from the first pixel's centre."""
    found = imported(car_rows).detect(CameraImage(np.zeros((128, 32, 3), np.uint8), 0))
    np.testing.assert_allclose(found.boxes_px, [[9.5, 7.5, 25.5, 55.5]], atol=1e-5)
    np.testing.assert_allclose(found.scores, [0.9], atol=1e-6)
    assert found.class_ids.tolist() == [ObjectClass.CAR]
    expected = np.zeros((1, 128, 32), bool)
    expected[0, 8:56, 10:18] = True
    np.testing.assert_array_equal(found.masks, expected)


def test_a_second_sight_of_one_object_goes_with_its_mask(imported, car_rows):
    """The neighbouring cell saw the same box with a lower score; a pedestrian in the same place stays."""
    car_rows[0, 2 * 8 + 4] = car_rows[0, 2 * 8 + 3]
    car_rows[0, 2 * 8 + 4, [0, 1]] = 0.6, 0.7
    car_rows[0, 2 * 8 + 4, 2:6] = np.log([2.0, 2.0, 2.0, 1.0])
    found = imported(car_rows).detect(CameraImage(np.zeros((64, 64, 3), np.uint8), 0))
    assert found.class_ids.tolist() == [ObjectClass.CAR, ObjectClass.PEDESTRIAN]
    assert found.masks.shape == (2, 64, 64)


def test_nothing_seen_is_a_valid_answer(imported, rows):
    """No objects, no masks."""
    found = imported(rows).detect(CameraImage(np.zeros((375, 1242, 3), np.uint8), 0))
    assert len(found) == 0
    assert found.masks.shape == (0, 375, 1242)


@pytest.mark.parametrize(
    ("rows_shape", "maps_shape"),
    [
        pytest.param((1, 80, 13), (1, 1, 32, 32), id="a column too many"),
        pytest.param((1, 84, 12), (1, 1, 32, 32), id="other cells"),
        pytest.param((1, 80, 12), (1, 1, 16, 16), id="coarser maps"),
        pytest.param((1, 80, 12), (1, 2, 32, 32), id="a map without coefficient"),
    ],
)
def test_outputs_of_another_shape_are_refused_at_import(imported, rows_shape, maps_shape):
    """Read as if they fitted, they would give nonsense."""
    outputs = [
        {"name": "rows", "dtype": "float32", "shape": rows_shape},
        {"name": "maps", "dtype": "float32", "shape": maps_shape},
    ]
    with pytest.raises(ModelLoadError, match="family camera2d with 2 classes and this input gives 2 outputs"):
        imported(np.zeros(rows_shape), np.zeros(maps_shape), outputs=outputs)


def test_a_model_with_one_output_is_refused(imported, rows, camera2d_fields):
    """Of another family, most likely."""
    with pytest.raises(ModelLoadError):
        imported(rows, outputs=camera2d_fields["outputs"][:1])

"""From a file to a running detector."""

import numpy as np
import onnx
import pytest

from vedette.errors import ModelCardError, ModelError, ModelHashError, ModelLoadError, UnknownModelError
from vedette.frames import CameraImage
from vedette.models.cards import read_card
from vedette.models.preparing import prepare
from vedette.models.registry import ModelRegistry


@pytest.fixture
def registry(tmp_path):
    """An empty one."""
    return ModelRegistry(tmp_path / "models", packaged=tmp_path / "packaged")


def test_an_export_of_ones_own_is_imported_by_its_card_and_runs(registry, constant_model, write_card, car_rows):
    """The card need not know the hash; the box comes out where it was put, scaled to the image."""
    model = constant_model(car_rows)
    card = registry.import_file(model, card=write_card(sha256=None))
    assert registry.list() == [card]
    found = registry.load_detector2d("tiny", 0.5).detect(CameraImage(np.zeros((128, 64, 3), np.uint8), 0))
    np.testing.assert_allclose(found.boxes_px, [[16, 0, 48, 96]], atol=1e-6)
    np.testing.assert_allclose(found.scores, [0.9], atol=1e-6)


def test_importing_twice_is_importing_once(registry, constant_model, write_card, car_rows):
    """The same card is returned."""
    model = constant_model(car_rows)
    first = registry.import_file(model, card=write_card(sha256=None))
    assert registry.import_file(model, card=write_card(sha256=None)) == first
    assert len(registry.list()) == 1


def test_name_and_version_given_win(registry, constant_model, write_card, car_rows):
    """So that two exports can stand side by side."""
    model = constant_model(car_rows)
    card = registry.import_file(model, name="other", version="3.1", card=write_card(sha256=None))
    assert card.label == "other@3.1"


@pytest.mark.parametrize("wrong", [{"name": "../up"}, {"version": "new"}])
def test_name_and_version_given_are_checked(registry, constant_model, write_card, car_rows, wrong):
    """They become folders."""
    with pytest.raises(ModelCardError, match=next(iter(wrong))):
        registry.import_file(constant_model(car_rows), card=write_card(sha256=None), **wrong)


def test_an_unknown_file_without_a_card_says_what_to_do(registry, constant_model, car_rows):
    """Known files are listed, and the flag is named."""
    with pytest.raises(ModelCardError, match=r"point_gnn_car_T1\.onnx.*give --card CARD\.yaml"):
        registry.import_file(constant_model(car_rows))


def test_a_card_of_another_file_is_refused(registry, constant_model, write_card, car_rows):
    """Nothing is imported."""
    with pytest.raises(ModelHashError):
        registry.import_file(constant_model(car_rows), card=write_card(sha256="0" * 64))
    assert registry.list() == []


def test_a_file_that_is_no_model_is_not_imported(registry, tmp_path, write_card):
    """It fails at import, not in service."""
    (tmp_path / "page.onnx").write_text("<html>not found</html>")
    with pytest.raises(ModelLoadError):
        registry.import_file(tmp_path / "page.onnx", card=write_card(sha256=None))
    assert registry.list() == []


def test_a_file_that_keeps_its_numbers_elsewhere_is_not_imported(registry, constant_model, write_card, car_rows):
    """They would not come along; the message says how to make it one file."""
    path = constant_model(car_rows)
    onnx.save(onnx.load(path), path, save_as_external_data=True, location="beside.bin", size_threshold=0)
    with pytest.raises(ModelLoadError, match=r"keeps numbers in other files \(beside\.bin\).*in one piece"):
        registry.import_file(path, card=write_card(sha256=None))
    assert registry.list() == []


def test_a_file_that_is_absent_is_named(registry, tmp_path):
    """Not a bare FileNotFoundError."""
    with pytest.raises(ModelError, match=r"absent\.onnx: cannot be read"):
        registry.import_file(tmp_path / "absent.onnx")


def test_a_file_changed_after_import_is_not_loaded(registry, constant_model, write_card, car_rows):
    """The hash is verified on every load."""
    registry.import_file(constant_model(car_rows), card=write_card(sha256=None))
    path = registry.store.find("tiny").model_path
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(ModelHashError):
        registry.load_detector2d("tiny", 0.5)


def test_a_model_for_another_task_is_refused(registry, constant_model, write_card, car_rows):
    """A 2D detector is no 3D detector and gives no masks."""
    registry.import_file(constant_model(car_rows), card=write_card(sha256=None))
    with pytest.raises(ModelCardError, match="tiny@1 is a model for detect2d; expected one for detect3d"):
        registry.load_detector3d("tiny")
    with pytest.raises(ModelCardError, match="expected one for segment"):
        registry.load_detector2d("tiny", 0.5, mask_model="tiny")


def test_a_missing_model_says_how_to_import_it(registry):
    """The default 2D detector is a known one."""
    with pytest.raises(UnknownModelError, match=r"vedette models import PATH/nanodet_plus_m_1\.5x_384x640\.onnx"):
        registry.load_detector2d("nanodet-plus", 0.4)


def test_preparing_runs_the_model(registry, constant_model, write_card, car_rows):
    """And says on what it runs."""
    registry.import_file(constant_model(car_rows), card=write_card(sha256=None))
    done = prepare(registry, "tiny")
    assert done.label == "tiny@1"
    assert done.providers == ("CPUExecutionProvider",)


@pytest.mark.parametrize("columns", [34, 3, 7])
def test_an_output_that_the_family_cannot_read_is_refused(registry, constant_model, write_card, columns):
    """3 classes and 4 sides: the rest must be 4 x bins, at least 2. Said at import, not in service."""
    outputs = [{"name": "output", "dtype": "float32", "shape": [1, 85, columns]}]
    model, card = constant_model(np.zeros((1, 85, columns))), write_card(sha256=None, outputs=outputs)
    with pytest.raises(ModelLoadError, match="family nanodet_plus with 3 classes"):
        registry.import_file(model, card=card)
    assert registry.list() == []


def test_the_stored_card_is_complete(registry, constant_model, write_card, car_rows):
    """The hash is filled in on disk too."""
    card = registry.import_file(constant_model(car_rows), card=write_card(sha256=None))
    assert read_card(registry.store.find("tiny").folder / "card.yaml") == card

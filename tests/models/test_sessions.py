"""Running ONNX files."""

import numpy as np
import pytest

from vedette.errors import ModelError, ModelInputError, ModelLoadError
from vedette.models.cards import read_card
from vedette.models.sessions import OnnxModel, SessionOptions


@pytest.fixture
def opened(constant_model, write_card, nanodet_rows):
    """A model that gives zeros."""
    path = constant_model(nanodet_rows)
    return OnnxModel(path, read_card(write_card(path)), SessionOptions())


@pytest.fixture
def image():
    """An input that fits."""
    return np.zeros((1, 3, 64, 64), np.float32)


def test_runs(opened, image):
    """The outputs come in the card's order."""
    (output,) = opened.run({"data": image})
    assert output.shape == (1, 85, 35)
    assert opened.providers == ("CPUExecutionProvider",)
    assert opened.skipped_providers == ()


@pytest.mark.parametrize(
    ("inputs", "complaint"),
    [
        ({}, r"inputs \[\] given; expected \['data'\]"),
        ({"image": np.zeros((1, 3, 64, 64), np.float32)}, r"\['image'\] given"),
        ({"data": np.zeros((1, 3, 64, 65), np.float32)}, r"float32\[1, 3, 64, 65\]; expected float32\[1, 3, 64, 64\]"),
        ({"data": np.zeros((3, 64, 64), np.float32)}, r"float32\[3, 64, 64\]"),
        ({"data": np.zeros((1, 3, 64, 64))}, "float64"),
    ],
)
def test_refuses_inputs_that_do_not_fit(opened, inputs, complaint):
    """Before the runtime sees them."""
    with pytest.raises(ModelInputError, match=complaint):
        opened.run(inputs)


def test_an_output_that_is_not_finite_is_an_error(constant_model, write_card, nanodet_rows, image):
    """NaN must not wander on as a box."""
    nanodet_rows[0, 3, 4] = np.nan
    path = constant_model(nanodet_rows)
    with pytest.raises(ModelError, match="output output is not finite"):
        OnnxModel(path, read_card(write_card(path)), SessionOptions()).run({"data": image})


@pytest.mark.parametrize("damage", ["empty", "half", "noise", "text", "absent"])
def test_a_corrupted_file_is_refused(constant_model, write_card, nanodet_rows, damage):
    """Whatever the damage, the error is ours and names the file."""
    path = constant_model(nanodet_rows)
    whole = path.read_bytes()
    spoiled = {"empty": b"", "half": whole[: len(whole) // 2], "noise": bytes(range(256)) * 20, "text": b"<html>"}
    card = read_card(write_card(path))
    path.unlink()
    if damage != "absent":
        path.write_bytes(spoiled[damage])
    with pytest.raises(ModelLoadError, match=f"{path}: ONNX Runtime refuses it"):
        OnnxModel(path, card, SessionOptions())


@pytest.mark.parametrize(
    "changes",
    [
        {"inputs": [{"name": "image", "dtype": "float32", "shape": [1, 3, 64, 64]}]},
        {"inputs": [{"name": "data", "dtype": "int64", "shape": [1, 3, 64, 64]}]},
        {"inputs": [{"name": "data", "dtype": "float32", "shape": ["N", 3, 64, 64]}]},
        {"outputs": [{"name": "output", "dtype": "float32", "shape": [1, 85, 36]}]},
        {"outputs": [{"name": n, "dtype": "float32", "shape": [1, 85, 35]} for n in ("output", "more")]},
    ],
)
def test_a_signature_other_than_the_cards_is_refused(constant_model, write_card, nanodet_rows, changes):
    """Both are shown."""
    path = constant_model(nanodet_rows)
    with pytest.raises(ModelLoadError, match=r"puts are .*; the card says "):
        OnnxModel(path, read_card(write_card(path, **changes)), SessionOptions())


def test_providers_that_are_not_there_are_skipped_and_reported(constant_model, write_card, nanodet_rows):
    """The order asked for is kept among those that are."""
    path = constant_model(nanodet_rows)
    options = SessionOptions(("NoSuchExecutionProvider", "CPUExecutionProvider"))
    opened = OnnxModel(path, read_card(write_card(path)), options)
    assert opened.providers == ("CPUExecutionProvider",)
    assert opened.skipped_providers == ("NoSuchExecutionProvider",)


@pytest.mark.parametrize("providers", [(), ("NoSuchExecutionProvider",)])
def test_no_provider_at_all_lists_those_there_are(constant_model, write_card, nanodet_rows, providers):
    """The message names the setting."""
    path = constant_model(nanodet_rows)
    with pytest.raises(ModelLoadError, match=r"this machine has .*CPUExecutionProvider.*models\.providers"):
        OnnxModel(path, read_card(write_card(path)), SessionOptions(providers))

"""`vedette models`."""

import os

import numpy as np
import pytest

from vedette.errors import ConfigError, ModelCardError, ModelError, UnknownModelError
from vedette.models.store import PACKAGED_FOLDER


@pytest.fixture
def imported(invoke, constant_model, write_card, car_rows, tmp_path):
    """The tiny model, imported; gives its file in the folder."""
    result = invoke("import", constant_model(car_rows), "--card", write_card(sha256=None))
    assert result.exit_code == 0, result.output
    assert "tiny@1" in result.output
    return tmp_path / "models" / "tiny" / "1" / "model.onnx"


def test_list_show_verify_prepare(invoke, imported):
    """Each speaks of what was imported."""
    assert imported.is_file()
    assert "tiny@1" in invoke("list").output
    assert "family: nanodet_plus" in invoke("show", "tiny").output
    assert "tiny@1  intact" in invoke("verify").output
    assert "tiny@1  ready, 1 engine made in" in invoke("prepare", "tiny").output
    assert "tiny@1  ready, cached: loads in" in invoke("prepare", "tiny").output


def test_list_of_an_empty_folder_has_what_is_packaged_and_says_how_to_add(invoke):
    """The next step is on the screen."""
    result = invoke("list")
    assert result.exit_code == 0
    assert "camera2d-world@1" in result.output
    assert "vedette models import FILE.onnx" in result.output


def test_a_narrow_screen_cuts_no_name(invoke, constant_model, write_card, car_rows, monkeypatch):
    """A name is there to be typed."""
    name = "a-name-of-thirty-letters-or-so"
    card = write_card(sha256=None, name=name, licence="Apache-2.0 (code and weights), and nothing else")
    assert invoke("import", constant_model(car_rows), "--card", card).exit_code == 0
    monkeypatch.setenv("COLUMNS", "80")
    assert f"{name}@1" in invoke("list").output


def test_a_damaged_file_fails_verification(invoke, imported):
    """Exit status 1, and the file is named."""
    imported.write_bytes(imported.read_bytes()[:-1])
    result = invoke("verify")
    assert result.exit_code == 1
    assert "model.onnx" in result.output


def test_a_card_that_cannot_be_used_does_not_hide_the_others(invoke, imported):
    """The others are listed, the broken one complained about."""
    broken = imported.parents[1] / "2"
    broken.mkdir()
    (broken / "card.yaml").write_text("schema_version: 99")
    result = invoke("list")
    assert result.exit_code == 1
    assert "tiny@1" in result.output
    assert "schema 99" in result.output


def test_engines_of_models_that_are_gone_are_told_and_removed_on_request(invoke, imported, tmp_path):
    """What is in use stays."""
    assert invoke("prepare", "tiny").exit_code == 0
    left = tmp_path / "models" / ".engines" / "left"
    left.mkdir()
    result = invoke("prepare", "tiny")
    assert "1 engine of models, runtimes or devices that are gone (0.0 MB); to remove:" in result.output
    assert left.is_dir()
    result = invoke("prepare", "tiny", "--clear")
    assert "removed 1 engine" in result.output
    assert "cached" in result.output
    assert not left.exists()


def test_an_unknown_name_is_our_error(invoke):
    """The program turns it into one line and exit status 2."""
    assert isinstance(invoke("show", "nope").exception, UnknownModelError)


@pytest.mark.shared
@pytest.mark.parametrize(("flag", "value"), [("--name", "../elsewhere"), ("--version", "new"), ("--name", "")])
def test_a_name_that_is_none_is_our_error(invoke, weights_dir, flag, value):
    """For published files too, whose cards are not the user's."""
    error = invoke("import", weights_dir / "yolox_nano_416.onnx", flag, value).exception
    assert isinstance(error, ModelCardError)
    assert f"{flag.removeprefix('--')}: String should" in str(error)


def test_one_card_cannot_describe_two_files(invoke):
    """Refused before anything is read."""
    assert isinstance(invoke("import", "a.onnx", "b.onnx", "--name", "x").exception, ConfigError)


def test_a_file_that_cannot_be_used_does_not_hide_the_others(invoke, weights_dir, tmp_path):
    """The one before and the one behind are imported; the bad one is complained about, with exit status 1."""
    bad = tmp_path / "bad.onnx"
    bad.write_bytes(b"not a model")
    names = ("yolox_nano_416.onnx", "nanodet_plus_m_1.5x_384x640.onnx")
    result = invoke("import", weights_dir / names[0], bad, weights_dir / names[1])
    assert result.exit_code == 1
    assert str(bad) in result.output
    assert "yolox-nano@1" in result.output
    assert "nanodet-plus@1" in result.output


def test_one_file_that_cannot_be_used_is_our_error(invoke, tmp_path):
    """The program turns it into one line and exit status 2."""
    (tmp_path / "bad.onnx").write_bytes(b"not a model")
    assert isinstance(invoke("import", tmp_path / "bad.onnx").exception, ModelError)


@pytest.fixture
def yolov8(constant_model):
    """A YOLOv8-style export with two classes that sees nothing."""
    return constant_model(np.zeros((1, 6, 84), np.float32), (1, 3, 64, 64), ("images", "output0"))


def test_an_export_of_ones_own_needs_no_card(invoke, yolov8, tmp_path):
    """What was decided is on the screen, and on the card."""
    options = ["--family", "yolov8", "--name", "mine", "--classes", "car, person", "--licence", "ours"]
    result = invoke("import", yolov8, *options, "--preprocess", "channels=bgr", "--preprocess", "mean=1,2,3")
    assert result.exit_code == 0, result.output
    assert "classes by the table 'coco': car, person" in result.output
    assert "input: bgr, centre, pad 114, minus 1, 2, 3, divided by 255" in result.output
    assert "licence: ours" in result.output
    assert "mean:\n  - 1.0\n" in invoke("show", "mine").output


def test_class_names_from_a_file(invoke, yolov8, tmp_path):
    """A name a line."""
    names = tmp_path / "names.txt"
    names.write_text("Car\n\n Pedestrian\n")
    result = invoke("import", yolov8, "--family", "yolov8", "--labels", names)
    assert "classes by the table 'kitti': Car, Pedestrian" in result.output


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--classes", "car"], "go with --family"),
        (["--classes", ""], "go with --family"),
        (["--family", "resnet"], "expected one of yolox, nanodet, nanodet_plus, yolov8"),
        (["--family", "yolov8", "--card", "card.yaml"], "--family has a card written"),
        (["--family", "yolov8", "--labels", "absent.txt"], r"absent.txt: cannot be read as a list of class names"),
        (["--family", "yolov8", "--labels", "absent.txt", "--classes", "car"], "give one"),
        (["--family", "yolov8", "--preprocess", "rgb"], "expected KEY=VALUE"),
    ],
)
def test_options_that_do_not_go_together(invoke, yolov8, options, complaint):
    """Said before anything is read."""
    error = invoke("import", yolov8, *options).exception
    assert isinstance(error, ConfigError)
    assert complaint in str(error)


def test_no_class_names_are_none_of_the_models(invoke, yolov8):
    """As from a script whose variable is empty."""
    error = invoke("import", yolov8, "--family", "yolov8", "--classes", "").exception
    assert isinstance(error, ModelCardError)


def test_preprocess_keys_that_are_none(invoke, yolov8):
    """The card says which there are."""
    error = invoke("import", yolov8, "--family", "yolov8", "--classes", "car,bus", "--preprocess", "hue=1").exception
    assert isinstance(error, ModelCardError)
    assert "preprocess.hue" in str(error)


@pytest.mark.timeout(30)  # it hangs with nobody
def test_class_names_from_a_pipe_are_not_waited_for(invoke, yolov8, tmp_path):
    """Nobody may ever write into it."""
    os.mkfifo(tmp_path / "names")
    error = invoke("import", yolov8, "--family", "yolov8", "--labels", tmp_path / "names").exception
    assert isinstance(error, ConfigError)
    assert "names: neither file nor folder but a pipe or a device" in str(error)


@pytest.mark.parametrize(
    ("version", "stands_for"), [("1", "pillars-nano-synth@1 in {own}"), ("0.1", "pillars-nano-synth@1 in {packaged}")]
)
def test_a_name_of_the_package_is_taken_with_a_note(
    invoke, constant_model, write_card, car_rows, tmp_path, version, stands_for
):
    """With what the name now stands for: the same version is the user's, a higher one stays the package's."""
    card = write_card(sha256=None, name="pillars-nano-synth", version=version)
    output = " ".join(invoke("import", constant_model(car_rows), "--card", card).output.split())
    own = tmp_path / "models" / "pillars-nano-synth" / version
    packaged = PACKAGED_FOLDER / "pillars-nano-synth" / "1"
    assert f"pillars-nano-synth@{version} {own} note: pillars-nano-synth@1 comes with the package" in output
    assert f"now stands for {stands_for.format(own=own, packaged=packaged)}. To undo it, remove {own}" in output


def test_other_names_are_taken_without_a_note(invoke, constant_model, write_card, car_rows):
    """There is nothing to tell."""
    assert "note" not in invoke("import", constant_model(car_rows), "--card", write_card(sha256=None)).output

"""`vedette models`."""

import pytest
from typer.testing import CliRunner

from vedette.cli.models import app
from vedette.errors import ConfigError, UnknownModelError


@pytest.fixture
def invoke(tmp_path):
    """Runs a sub-command on an empty folder."""

    def run(*arguments):
        return CliRunner().invoke(app, [*map(str, arguments), "--models-dir", str(tmp_path / "models")])

    return run


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
    assert "tiny@1  ready" in invoke("prepare", "tiny").output


def test_list_of_an_empty_folder_says_how_to_begin(invoke):
    """The next step is on the screen."""
    result = invoke("list")
    assert result.exit_code == 0
    assert "vedette models import FILE.onnx" in result.output


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


def test_an_unknown_name_is_our_error(invoke):
    """The program turns it into one line and exit status 2."""
    assert isinstance(invoke("show", "nope").exception, UnknownModelError)


def test_one_card_cannot_describe_two_files(invoke):
    """Refused before anything is read."""
    assert isinstance(invoke("import", "a.onnx", "b.onnx", "--name", "x").exception, ConfigError)

"""`vedette models samples | train | export`."""

import inspect
import os
import signal
import sys
from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from vedette.cli import models_train
from vedette.cli.models import app
from vedette.errors import ConfigError, MissingDataError, MissingPackageError, ModelCardError
from vedette.models.cards import ModelCard
from vedette.models.store import ModelStore
from vedette.models.training_config import write_config
from vedette.models.training_run import TrainingRequest

TRAINING = {
    "family": "pillars",
    "options": {},
    "config": {"steps": 1},
    "samples": [],
    "held_out": {"folder": "h"},
    "start": None,
    "torch": "2",
}


def invoke(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture
def made(monkeypatch):
    """The folders of pictures that would be made."""
    pictures = pytest.importorskip("vedette.models.camera2d.training.pictures")
    calls = []
    monkeypatch.setattr(pictures, "write_pictures", lambda *arguments: calls.append(arguments))
    return calls


def test_samples_are_made_to_learn_from_and_to_measure_on(made, tmp_path):
    """Smaller pictures to learn from, full ones to measure on."""
    assert invoke("samples", "camera2d", tmp_path, "--seeds", "2000-2001", "--each", 3).exit_code == 0
    assert made == [(tmp_path / "train", range(2000, 2002), 3, 0.7), (tmp_path / "held-out", range(900, 912), 3, 1.0)]


def test_samples_to_measure_on_may_be_left_out(made, tmp_path):
    """Then there are those to learn from alone; a single seed is a range."""
    invoke("samples", "camera2d", tmp_path, "--seeds", "2000", "--held-out-seeds", "none")
    assert [call[:2] for call in made] == [(tmp_path / "train", range(2000, 2001))]


@pytest.mark.parametrize("seeds", ["", "5-4", "a-b", "1-"])
def test_seeds_are_a_range(made, tmp_path, seeds):
    """Backwards, or none, is refused; an open end is the first."""
    result = invoke("samples", "camera2d", tmp_path, "--seeds", seeds)
    assert isinstance(result.exception, ConfigError) is (seeds != "1-")


def test_pillars_samples_follow_a_recipe(monkeypatch, tmp_path):
    """Scenarios with commas between."""
    samples = pytest.importorskip("vedette.models.pillars.training.samples")
    calls = []
    monkeypatch.setattr(samples, "write_samples", lambda *arguments: calls.append(arguments))
    assert invoke("samples", "pillars", tmp_path, "--scenarios", "town,junction", "--processes", 2).exit_code == 0
    assert calls == [
        (samples.Recipe(("town", "junction"), 1000, 1007, 20), tmp_path / "train", 2),
        (samples.Recipe(("town", "junction"), 900, 901, 20), tmp_path / "held-out", 2),
    ]


@pytest.mark.parametrize(
    ("source", "folds", "message"),
    [
        ("kitti-object:x", "1 2", "numbers from 0 to 4 with commas between"),
        ("kitti-object:x", "9", "numbers from 0 to 4"),
        ("kitti-raw:x:y", "0", "only kitti-object sources have them; given: kitti-raw:x:y"),
    ],
)
def test_folds_that_are_none_are_refused(tmp_path, source, folds, message):
    """And not passed over."""
    result = invoke("samples", "recordings", tmp_path / "out", "--data", source, "--folds", folds)
    assert isinstance(result.exception, ConfigError)
    assert message in str(result.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "option", [("--learning-rate", "nan"), ("--learning-rate", -1), ("--learning-rate", 2), ("--minutes", "nan")]
)
def test_numbers_that_no_training_takes_are_refused(tmp_path, option):
    """By the name of the option."""
    result = invoke("train", "camera2d", tmp_path, "--samples", "a", "--held-out", "b", *option)
    assert isinstance(result.exception, ConfigError)
    assert option[0] in str(result.exception)


FOLDERS = ["--samples", "a", "--held-out", "b"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["train", "camera2d", "run", *FOLDERS, "--photographs", ""], "--photographs"),
        (["train", "camera2d", "run", *FOLDERS, "--start", ""], "--start"),
        (["train", "pillars", "run", "--samples", "a", "--held-out", ""], "--held-out"),
        (["train", "pillars", "", *FOLDERS], "RUN"),
        (["samples", "camera2d", ""], "FOLDER"),
        (["export", "", "--name", "x"], "RUN"),
        (["export", "run", "--name", "x", "--calibration", ""], "--calibration"),
    ],
)
def test_no_path_is_not_the_current_folder(arguments, named):
    """As from a script whose variable is empty."""
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert f"Invalid value for '{named}'" in result.output


def test_no_samples_are_not_those_of_the_current_folder():
    """Likewise."""
    result = invoke("train", "camera2d", "run", "--samples", "", "--held-out", "b")
    assert isinstance(result.exception, ConfigError)
    assert "--samples is empty" in str(result.exception)


@dataclass
class Work:
    """What a training was asked for, and how it ends."""

    requests: list
    stop_after: int | None = None
    interrupted: bool = False

    def __call__(self, request, *more, stopped=None, **options):
        self.requests.append((request, more if stopped is None else (*more, stopped), options))
        if self.interrupted:
            os.kill(os.getpid(), signal.SIGINT)
            return not (stopped or more[0])()
        return self.stop_after is None


@pytest.fixture
def work(monkeypatch):
    """Stands for the training of camera2d."""
    train = pytest.importorskip("vedette.models.camera2d.training.train", reason="needs torch: vedette[train]")
    stand_in = Work([])
    monkeypatch.setattr(train, "train", stand_in)
    return stand_in


def test_options_become_a_request(work, tmp_path):
    """And at the end the next command is on the screen."""
    folders = ["--samples", "a", "--samples", "b", "--held-out", "c"]
    result = invoke("train", "camera2d", tmp_path / "run", *folders, "--steps", 7, "--minutes", 2, "--start", "x.pt")
    assert result.exit_code == 0
    request = work.requests[0][0]
    assert isinstance(request, TrainingRequest)
    assert (request.samples, str(request.held_out), str(request.start)) == (("a", "b"), "c", "x.pt")
    assert (request.steps, request.batch, request.learning_rate, request.seed) == (7, 8, 2e-3, 0)
    assert (request.schedule.minutes, request.schedule.evaluate_steps) == (2.0, 500)
    assert f"vedette models export {tmp_path / 'run'} --name NAME" in result.output


def test_photographs_are_read_before_the_training(work, tmp_path):
    """What was skipped is on the screen; without the option there are none."""
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((9, 9, 3), np.uint8))
    (tmp_path / "b.jpg").write_text("no picture")
    folders = ["--samples", "a", "--held-out", "c"]
    result = invoke("train", "camera2d", tmp_path / "run", *folders, "--photographs", tmp_path)
    assert (result.exit_code, len(work.requests[0][1][1].pictures_bgr)) == (0, 1)
    assert ": 1 used; 1 skipped that cannot be read" in result.output
    invoke("train", "camera2d", tmp_path / "run", *folders)
    assert work.requests[1][1][1] is None
    result = invoke("train", "camera2d", tmp_path / "run", *folders, "--photographs", tmp_path / "nowhere")
    assert isinstance(result.exception, MissingDataError)
    assert len(work.requests) == 2


def test_pillars_have_a_size_and_negatives(monkeypatch, tmp_path):
    """Both reach the training, the size as the configuration has it."""
    train = pytest.importorskip("vedette.models.pillars.training.train", reason="needs torch: vedette[train]")
    work = Work([])
    monkeypatch.setattr(train, "train", work)
    folders = ["--samples", "a=0.6", "--held-out", "c", "--start", "x.pt"]
    assert invoke("train", "pillars", tmp_path, *folders, "--size", "large", "--hard-negatives").exit_code == 0
    request, (size, _), options = work.requests[0]
    assert (request.samples, request.batch, size in train.SIZES) == (("a=0.6",), 4, True)
    assert (str(size), options) == ("large", {"negatives": True})


def test_time_up_is_not_a_failure(work, tmp_path):
    """What follows in a script may use the checkpoint."""
    work.stop_after = 1
    result = invoke("train", "camera2d", tmp_path, "--samples", "a", "--held-out", "b")
    assert result.exit_code == 0
    assert "The same command goes on" in result.output


def test_ctrl_c_stops_gently_and_fails(work, tmp_path):
    """So that no script exports half a training by mistake."""
    work.interrupted = True
    result = invoke("train", "camera2d", tmp_path, "--samples", "a", "--held-out", "b")
    assert result.exit_code == 130
    assert "checkpoint.pt holds all of it. The same command goes on" in result.output


@pytest.mark.parametrize("family", ["pillars", "camera2d"])
def test_defaults_are_those_of_the_family(family):
    """What help shows is what a configuration has."""
    pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")
    if family == "pillars":
        from vedette.models.pillars.training.trainer import TrainConfig as Config
    else:
        from vedette.models.camera2d.training.train import TrainingConfig as Config
    command = getattr(models_train, f"train_{family}")
    shown = {name: one.default for name, one in inspect.signature(command).parameters.items()}
    config = Config()
    for name in ("steps", "batch", "learning_rate", "seed"):
        assert shown[name] == getattr(config, name)


def test_a_missing_package_is_told_with_the_extra_that_brings_it(monkeypatch, tmp_path):
    """One clear line instead of a traceback."""
    for name in [name for name in sys.modules if ".training." in name]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    result = invoke("train", "pillars", tmp_path, "--samples", "a", "--held-out", "b")
    assert isinstance(result.exception, MissingPackageError)
    assert "training needs the package torch" in str(result.exception)
    assert "pip install 'vedette[train]'" in str(result.exception)


def test_only_a_training_can_be_exported(tmp_path):
    """Said before anything is loaded."""
    result = invoke("export", tmp_path, "--name", "x", "--models-dir", tmp_path / "models")
    assert isinstance(result.exception, MissingDataError)


def test_options_of_pillars_are_not_for_others(tmp_path):
    """They would be ignored in silence."""
    pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")
    pytest.importorskip("onnx")
    write_config(tmp_path, {**TRAINING, "family": "camera2d"})
    result = invoke("export", tmp_path, "--name", "x", "--models-dir", tmp_path / "models", "--mirrored")
    assert isinstance(result.exception, ConfigError)
    assert "are for pillars" in str(result.exception)


@pytest.mark.parametrize(("name", "version"), [("../../evil", "1"), ("x", "one"), ("", "1"), ("X", "1")])
def test_a_name_that_no_card_may_have_is_refused(tmp_path, name, version):
    """Before minutes of measuring, and before any folder is looked at."""
    result = invoke("export", tmp_path, "--name", name, "--version", version, "--models-dir", tmp_path / "models")
    assert isinstance(result.exception, ModelCardError)
    assert "should match pattern" in str(result.exception)


def test_a_name_that_is_taken_is_refused(tmp_path):
    """Before minutes of measuring."""
    (tmp_path / "models" / "x" / "1").mkdir(parents=True)
    result = invoke("export", tmp_path, "--name", "x", "--models-dir", tmp_path / "models")
    assert isinstance(result.exception, ConfigError)
    assert "x@1 is already there" in str(result.exception)


def test_an_export_under_a_name_of_the_package_says_so(monkeypatch, tmp_path):
    """Nobody is to run another model than the one that the guides speak of and not know."""
    card = ModelCard.model_construct(name="pillars-nano-synth", version="1", accuracy=())
    monkeypatch.setattr(models_train, "_exported", lambda *_, **__: card)
    monkeypatch.setattr(ModelStore, "put", lambda *_: None)
    result = invoke("export", tmp_path, "--name", card.name, "--models-dir", tmp_path / "models")
    assert result.exit_code == 0, result.output
    assert "note: pillars-nano-synth@1 comes with the package" in " ".join(result.output.split())

"""Training on drawn pictures, and what comes out of it."""

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from vedette.errors import ConfigError, MissingDataError
from vedette.frames import CameraImage
from vedette.models.camera2d.training.export import card_of, export, export_onnx, read_checkpoint
from vedette.models.camera2d.training.network import Architecture, normalised
from vedette.models.camera2d.training.photographs import Photographs
from vedette.models.camera2d.training.samples import CLASSES, PictureSet
from vedette.models.camera2d.training.train import Trainer, TrainingConfig, one_cycle, train
from vedette.models.cards import card_as_yaml, read_card
from vedette.models.registry import ModelRegistry
from vedette.models.training_run import ExportRequest, Schedule, TrainingRequest

SMALL = Architecture(len(CLASSES), widths=(16, 16, 16, 32, 32), blocks=(0, 1, 1, 1), neck=16, map_count=4)
TEXTS = {
    "name": "small",
    "version": "1",
    "title": "Small",
    "training_data": "drawings",
    "training_recipe": "a few steps",
    "licence": "Apache-2.0",
    "source": "this test",
}


def config(steps: int, batch: int = 4) -> TrainingConfig:
    """A short run of a small network."""
    return TrainingConfig(
        steps,
        seed=3,
        batch=batch,
        learning_rate=5e-3,
        size_px=(192, 96),
        window_px=(160, 64),
        architecture=SMALL,
    )


@pytest.fixture(scope="module")
def shards(make_shard, tmp_path_factory):
    """A folder with a shard."""
    folder = tmp_path_factory.mktemp("shards")
    make_shard(folder, pictures=12)
    return folder


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """More would wait for one another when tests run side by side."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def weights(trainer):
    """All of them, in one row."""
    return torch.cat([value.flatten().float() for value in trainer.network.state_dict().values()]).numpy()


def test_fifty_steps_lower_the_loss(shards):
    """Boxes and masks, by a quarter at least."""
    trainer = Trainer(config(50), PictureSet(shards).pictures)
    entries = [trainer.advance().values() for _ in range(50)]
    for part in ("box_loss", "mask_loss"):
        first, last = (np.mean([entry[part] for entry in some]) for some in (entries[:5], entries[-5:]))
        assert last < 0.75 * first


def test_a_run_that_was_interrupted_ends_as_one_that_was_not(shards, tmp_path):
    """Bit for bit."""
    whole = Trainer(config(6, batch=2), PictureSet(shards).pictures)
    for _ in range(6):
        whole.advance()
    first = Trainer(config(6, batch=2), PictureSet(shards).pictures)
    for _ in range(3):
        first.advance()
    first.save(tmp_path / "half.pt")
    second = Trainer(config(6, batch=2), PictureSet(shards).pictures)
    second.load(tmp_path / "half.pt")
    for _ in range(3):
        second.advance()
    np.testing.assert_array_equal(weights(second), weights(whole))


def test_a_checkpoint_of_another_run_is_refused(shards, tmp_path):
    """Its learning rates would be others."""
    trainer = Trainer(config(6), PictureSet(shards).pictures)
    trainer.save(tmp_path / "one.pt")
    with pytest.raises(ConfigError, match=r"one\.pt: was made with"):
        Trainer(config(7), PictureSet(shards).pictures).load(tmp_path / "one.pt")


@pytest.fixture(scope="module")
def photographs():
    """Two of noise."""
    noise = np.random.default_rng(1).integers(0, 255, (2, 80, 160, 3)).astype(np.uint8)
    return Photographs(Path("photographs"), list(noise), "ddd", (), 0)


def test_with_photographs_a_run_learns_other_things_and_goes_on_as_well(shards, photographs, tmp_path):
    """Bit for bit: what is drawn follows from the step."""
    plain, whole, first, second = (
        Trainer(config(4, batch=2), PictureSet(shards).pictures, some)
        for some in (None, photographs, photographs, photographs)
    )
    for trainer, steps in ((plain, 4), (whole, 4), (first, 2)):
        for _ in range(steps):
            trainer.advance()
    first.save(tmp_path / "half.pt")
    second.load(tmp_path / "half.pt")
    for _ in range(2):
        second.advance()
    np.testing.assert_array_equal(weights(second), weights(whole))
    assert (weights(plain) != weights(whole)).any()


def test_other_photographs_make_another_training(request_, photographs, shards, tmp_path, monkeypatch):
    """The folder may move; the configuration and the card tell which they were."""
    monkeypatch.setattr("vedette.models.camera2d.training.train.TrainingConfig", small_config)
    short = replace(request_, run=tmp_path / "run", steps=1)
    assert train(short, photographs=photographs)
    assert train(short, photographs=replace(photographs, folder=Path("moved")))
    with pytest.raises(ConfigError, match=r"photographs\.sha256 was \"ddd\" and is \"eee\""):
        train(short, photographs=replace(photographs, fingerprint="eee"))
    with pytest.raises(ConfigError, match=r"photographs was .* and is null"):
        train(short)
    card = export(ExportRequest(short.run, "small", "2", tmp_path, None))
    assert " --samples SAMPLES1 --photographs PHOTOGRAPHS1 --steps 1" in card.training_recipe
    assert "SHA-256 over the photographs: PHOTOGRAPHS1 ddd;" in card.training_recipe
    assert card.training_data.endswith(
        "; 2 photographs without labels behind and before the objects; no other real picture"
    )
    assert card.licence == "Apache-2.0, as far as the licences of the photographs allow"


@pytest.fixture(scope="module")
def request_(shards, tmp_path_factory):
    """Ten steps, looking at two pictures after five."""
    run = tmp_path_factory.mktemp("run") / "one"
    schedule = Schedule(log_steps=5, evaluate_steps=5, evaluate_samples=2)
    return TrainingRequest(run, (str(shards),), shards, 10, 2, 5e-3, 3, None, 1, schedule)


@pytest.fixture(scope="module")
def finished(request_):
    """The folder of that run, of a small network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vedette.models.camera2d.training.train.TrainingConfig", small_config)
        assert train(request_)
    return request_.run


def small_config(steps, seed, batch, learning_rate):
    """As the training makes one from a request."""
    return replace(config(steps, batch), seed=seed, learning_rate=learning_rate)


def test_no_pictures_no_training(request_, tmp_path):
    """And it says how to make some."""
    with pytest.raises(MissingDataError, match="no pictures; expected a folder that vedette models samples"):
        train(replace(request_, run=tmp_path / "run", samples=(str(tmp_path),)))
    assert not (tmp_path / "run").exists()


def test_a_run_says_what_it_was_made_from(finished, shards):
    """Configuration with the hash of the shards, and a log of losses and figures."""
    written = json.loads((finished / "config.json").read_text())
    assert written["options"] == {"steps": 10, "batch": 2, "learning-rate": 5e-3, "seed": 3}
    assert written["samples"][0]["sha256"] == PictureSet(shards).fingerprint
    with (finished / "log.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["step"] for line in lines] == ["5", "5", "10", "10"]
    assert [line["mask_loss"] != "" for line in lines] == [True, False, True, False]
    assert [line["ap.r40.car.2d.0.5.moderate"] != "" for line in lines] == [False, True, False, True]


def test_a_finished_run_is_not_trained_on(finished, request_, monkeypatch):
    """Asking again changes nothing."""
    monkeypatch.setattr("vedette.models.camera2d.training.train.TrainingConfig", small_config)
    before = (finished / "checkpoint.pt").read_bytes()
    assert train(request_)
    assert (finished / "checkpoint.pt").read_bytes() == before


def test_a_run_may_begin_with_the_weights_of_another(finished, shards):
    """And with nothing else of it."""
    other = Trainer(config(7), PictureSet(shards).pictures)
    other.start_from(finished / "checkpoint.pt")
    trained = Trainer(config(10, batch=2), PictureSet(shards).pictures)
    trained.load(finished / "checkpoint.pt")
    np.testing.assert_array_equal(weights(other), weights(trained))
    assert other.step == 0


@pytest.fixture(scope="module")
def exported(finished, tmp_path_factory):
    """The network of the run, and a registry with its export."""
    trained = read_checkpoint(finished / "checkpoint.pt")
    folder = tmp_path_factory.mktemp("export")
    export_onnx(trained.network, trained.size_px, folder / "model.onnx")
    (folder / "card.yaml").write_text(card_as_yaml(card_of(trained, folder / "model.onnx", TEXTS)))
    registry = ModelRegistry(folder / "models")
    registry.import_file(folder / "model.onnx", card=folder / "card.yaml")
    return trained, registry


def test_the_export_says_what_the_network_says(exported):
    """On noise."""
    trained, registry = exported
    pixels = np.random.default_rng(0).integers(0, 255, (1, 96, 192, 3), dtype=np.uint8)
    tensor = normalised(torch.from_numpy(pixels))
    with torch.no_grad():
        rows, maps = trained.network(tensor)
    answers = registry.open("small").run({"image": np.ascontiguousarray(tensor.numpy())})
    np.testing.assert_allclose(answers[0], rows.numpy(), atol=1e-4)
    np.testing.assert_allclose(answers[1], maps.numpy(), atol=1e-4)
    assert answers[0][..., : len(CLASSES)].min() >= 0.0


def test_the_export_looks_at_a_black_picture(exported):
    """Whatever it makes of it is a valid answer."""
    found = exported[1].load_detector2d("small", 0.001).detect(CameraImage(np.zeros((375, 1242, 3), np.uint8), 0))
    assert found.masks.shape == (len(found), 375, 1242)


def test_a_run_is_exported_with_a_card_that_tells_how_to_repeat_it(finished, shards, tmp_path):
    """Measured on the pictures that the run was measured on."""
    card = export(ExportRequest(finished, "small", "2", tmp_path, None))
    assert read_card(tmp_path / "card.yaml") == card
    assert card.training_data == (
        "SAMPLES1: 12 pictures of 1 generated worlds, vedette models samples camera2d --seeds 0-0 --each 12 --scale"
        " 0.7; no real picture"
    )
    assert card.training_recipe.startswith(
        "vedette models train camera2d RUN1 --samples SAMPLES1 --steps 10 --batch 2 --learning-rate 0.005 --seed 3, "
    )
    assert f"SAMPLES1 {PictureSet(shards).fingerprint}" in card.training_recipe
    assert {"ap.r40.car.2d.0.5.moderate"} < {one.metric for one in card.accuracy}
    assert "small@2" in card.accuracy[0].command
    ModelRegistry(tmp_path / "models").import_file(tmp_path / "model.onnx", card=tmp_path / "card.yaml")


FOREIGN = {"network": {}, "optimiser": {}, "averaged": {}, "step": 7, "config": {"network": {}}}
"""A checkpoint of pillars."""


def test_a_checkpoint_of_another_family_cannot_be_exported(finished, tmp_path):
    """Beside a configuration of this one."""
    shutil.copy(finished / "config.json", tmp_path)
    torch.save(FOREIGN, tmp_path / "checkpoint.pt")
    with pytest.raises(ConfigError, match=r"checkpoint\.pt: not of a training of camera2d"):
        export(ExportRequest(tmp_path, "small", "2", tmp_path / "out", None))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["another family", "another size", "another program"])
def test_weights_that_are_no_start_leave_no_configuration(request_, finished, tmp_path, monkeypatch, kind):
    """Nobody could go on with it."""
    monkeypatch.setattr("vedette.models.camera2d.training.train.TrainingConfig", small_config)
    other = torch.load(finished / "checkpoint.pt", weights_only=True)
    del other["network"]["rows.weight"]
    states = {"another family": FOREIGN, "another size": other, "another program": Path("a class of its own")}
    torch.save(states[kind], tmp_path / "start.pt")
    with pytest.raises(ConfigError, match=r"start\.pt: .*expected"):
        train(replace(request_, run=tmp_path / "run", start=tmp_path / "start.pt"))
    assert not (tmp_path / "run").exists()


def test_a_run_without_a_checkpoint_cannot_be_exported(tmp_path):
    """Said with the path."""
    with pytest.raises(MissingDataError, match=r"checkpoint\.pt: not there"):
        read_checkpoint(tmp_path / "checkpoint.pt")


def test_the_learning_rate_rises_and_falls():
    """From little to the highest to next to nothing."""
    rates = [one_cycle(progress) for progress in np.linspace(0.0, 1.0, 101)]
    assert int(np.argmax(rates)) == 10
    assert rates[10] == pytest.approx(1.0)
    assert rates[-1] == pytest.approx(0.002)
    assert (np.diff(rates[10:]) < 0).all()

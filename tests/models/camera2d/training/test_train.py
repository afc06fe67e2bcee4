"""The loop on drawn pictures, and what comes out of it."""

import json

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from vedette.errors import MissingDataError, ModelError
from vedette.frames import CameraImage
from vedette.models.camera2d.training.export import card_of, export_onnx, read_checkpoint
from vedette.models.camera2d.training.network import Architecture, normalised
from vedette.models.camera2d.training.samples import CLASSES, shard_hashes, stored_pictures
from vedette.models.camera2d.training.train import Trainer, TrainingConfig, one_cycle, train
from vedette.models.cards import card_as_yaml
from vedette.models.registry import ModelRegistry

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
        None,
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
    trainer = Trainer(config(50), lambda: stored_pictures(shards))
    entries = [trainer.step() for _ in range(50)]
    for part in ("box", "mask"):
        first, last = (np.mean([entry[part] for entry in some]) for some in (entries[:5], entries[-5:]))
        assert last < 0.75 * first


def test_a_run_that_was_interrupted_ends_as_one_that_was_not(shards, tmp_path):
    """Bit for bit."""
    whole = Trainer(config(6, batch=2), lambda: stored_pictures(shards))
    for _ in range(6):
        whole.step()
    first = Trainer(config(6, batch=2), lambda: stored_pictures(shards))
    for _ in range(3):
        first.step()
    first.save(tmp_path / "half.pt")
    second = Trainer(config(6, batch=2), lambda: stored_pictures(shards))
    second.load(tmp_path / "half.pt")
    for _ in range(3):
        second.step()
    np.testing.assert_array_equal(weights(second), weights(whole))


def test_a_checkpoint_of_another_run_is_refused(shards, tmp_path):
    """Its schedule would be another."""
    trainer = Trainer(config(6), lambda: stored_pictures(shards))
    trainer.save(tmp_path / "one.pt")
    with pytest.raises(ModelError, match=r"one\.pt is of a run with"):
        Trainer(config(7), lambda: stored_pictures(shards)).load(tmp_path / "one.pt")


def test_no_pictures_no_training(tmp_path):
    """And it says how to make some."""
    with pytest.raises(MissingDataError, match=r"training\.pictures"):
        train(config(2), tmp_path, tmp_path / "run")


@pytest.fixture(scope="module")
def finished(shards, tmp_path_factory):
    """The folder of a run of ten steps."""
    run = tmp_path_factory.mktemp("run") / "one"
    train(config(10, batch=2), shards, run)
    return run


def test_a_run_says_what_it_was_made_from(finished, shards):
    """Configuration with the hashes of the shards, and a log."""
    written = json.loads((finished / "config.json").read_text())
    assert written["seed"] == 3
    assert written["shards"] == shard_hashes(shards)
    lines = [json.loads(line) for line in (finished / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [10]


def test_a_finished_run_is_not_trained_on(finished, shards):
    """Asking again changes nothing."""
    before = read_checkpoint(finished / "checkpoint.pt").step_count
    train(config(10, batch=2), shards, finished)
    assert read_checkpoint(finished / "checkpoint.pt").step_count == before == 10


def test_a_run_may_begin_with_the_weights_of_another(finished, shards):
    """And with nothing else of it."""
    other = Trainer(config(7), lambda: stored_pictures(shards))
    other.start_from(finished / "checkpoint.pt")
    trained = Trainer(config(10, batch=2), lambda: stored_pictures(shards))
    trained.load(finished / "checkpoint.pt")
    np.testing.assert_array_equal(weights(other), weights(trained))
    assert other.step_count == 0


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


def test_the_learning_rate_rises_and_falls():
    """From little to the highest to next to nothing."""
    rates = [one_cycle(progress) for progress in np.linspace(0.0, 1.0, 101)]
    assert int(np.argmax(rates)) == 10
    assert rates[10] == pytest.approx(1.0)
    assert rates[-1] == pytest.approx(0.002)
    assert (np.diff(rates[10:]) < 0).all()

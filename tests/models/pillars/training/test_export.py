"""The exported file says what the network says."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")
onnx = pytest.importorskip("onnx", reason="needs onnx: pip install 'vedette[train]'")

from torch import nn  # noqa: E402

from vedette.errors import ConfigError, MissingDataError  # noqa: E402
from vedette.models.cards import ModelCard, read_card  # noqa: E402
from vedette.models.checkpoints import CHECKPOINT_FILE  # noqa: E402
from vedette.models.pillars.detector import INPUTS, outputs_for  # noqa: E402
from vedette.models.pillars.features import Pillars, pillarise  # noqa: E402
from vedette.models.pillars.network import PillarsNetwork  # noqa: E402
from vedette.models.pillars.training.batches import scenes_of  # noqa: E402
from vedette.models.pillars.training.evaluate import main as evaluate_main  # noqa: E402
from vedette.models.pillars.training.export import Provenance, export, load_network, write_model  # noqa: E402
from vedette.models.pillars.training.graph import onnx_model  # noqa: E402
from vedette.models.pillars.training.mixture import Share  # noqa: E402
from vedette.models.pillars.training.network import SIZES, NetworkConfig, PillarNet, scores_of  # noqa: E402
from vedette.models.pillars.training.pasting import bank_of  # noqa: E402
from vedette.models.pillars.training.trainer import TrainConfig, Trainer  # noqa: E402
from vedette.models.registry import ModelRegistry  # noqa: E402
from vedette.models.sessions import OnnxModel, SessionOptions  # noqa: E402
from vedette.models.training_config import CONFIG_FILE, write_config  # noqa: E402
from vedette.models.training_run import ExportRequest  # noqa: E402

SMALL = NetworkConfig(point_width=8, widths=(8, 16, 16), depths=(0, 1, 1), neck_width=8, head_width=8)
FINE = replace(SMALL, depths=(1, 1, 1), join_size=3, stride=1)
PLAIN = (1.0, 1.0, 1.0, 1.0)
RECIPE = {"scenarios": ["town", "junction"], "first_seed": 1000, "last_seed": 1007, "scans": 20}
WORLD = {"folder": "world", "count": 12, "weight": 2.0, "sha256": "5" * 64, "recipe": RECIPE}
REAL = {
    "folder": "real",
    "count": 7,
    "weight": 0.5,
    "sha256": "6" * 64,
    "recipe": {"sources": ["kitti-object"], "folds": [1, 2]},
}


def a_run(*samples, start=None):
    """What a training was made from."""
    return {
        "family": "pillars",
        "options": {"steps": 10, "batch": 2, "learning-rate": 0.003, "seed": 0, "size": "nano"},
        "config": {"steps": 10},
        "samples": list(samples),
        "start": start,
        "torch": torch.__version__,
    }


def random_network(config, seed=0):
    """Ready for use, normalisation with statistics as after a training."""
    torch.manual_seed(seed)
    network = PillarNet(config)
    for module in network.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            nn.init.normal_(module.running_mean, std=0.2)
            nn.init.uniform_(module.running_var, 0.3, 2.0)
            nn.init.uniform_(module.weight, 0.7, 1.4)
            nn.init.normal_(module.bias, std=0.2)
    return network.eval()


def opened(model, config, folder, *, mirrored=False):
    """In ONNX Runtime, behind a card."""
    onnx.save(model, folder / "model.onnx")
    card = ModelCard(
        schema_version=1,
        name="small",
        version="1",
        title="Small",
        family="pillars",
        task="detect3d",
        inputs=INPUTS,
        outputs=outputs_for(config.classes, config.grid),
        labels="kitti",
        classes=("Car", "Van", "Pedestrian", "Cyclist"),
        frame="velo",
        units="metres",
        training_data="none",
        training_recipe="none",
        licence="Apache-2.0",
        source="this test",
        file="model.onnx",
        sha256="0" * 64,
        mirrored=mirrored,
    )
    return OnnxModel(folder / "model.onnx", card, SessionOptions())


def torch_answer(network, sample):
    """Scores and code of one sample."""
    scenes = scenes_of([sample])
    with torch.no_grad():
        answer = network(scenes.features, scenes.slots, scenes.cells, 1)
    return scores_of(answer)[0].numpy(), answer.code[0].numpy()


@pytest.mark.parametrize("config", [SIZES["nano"], SIZES["large"]], ids=["nano", "large"])
def test_onnx_runtime_says_what_torch_says(config, samples, tmp_path):
    """Both sizes as they are shipped, in two parts."""
    network = random_network(config)
    model = opened(onnx_model(network, PLAIN), config, tmp_path)
    heat, regression = PillarsNetwork(model).run(pillarise(samples[0].points_velo_m))
    scores, code = torch_answer(network, samples[0])
    np.testing.assert_allclose(heat, scores, atol=2e-5)
    np.testing.assert_allclose(regression, code, atol=2e-3, rtol=1e-3)


@pytest.mark.parametrize("config", [SMALL, FINE], ids=["half size", "full size"])
def test_in_parts_it_says_what_it_says_as_one(config, samples, tmp_path):
    """Bit for bit: a maximum does not depend on the order."""
    model = opened(onnx_model(random_network(config), PLAIN), config, tmp_path)
    pillars = pillarise(samples[0].points_velo_m)
    heat, regression = PillarsNetwork(model).run(pillars)
    whole = model.run({"features": pillars.features, "slots": pillars.slots, "cells": pillars.cells})
    np.testing.assert_array_equal(whole[0][0], heat)
    np.testing.assert_array_equal(whole[1][0], regression)


@pytest.mark.parametrize("count", [1, 1023, 1025, 9000])
def test_any_number_of_pillars_and_points_will_do(count, tmp_path):
    """Padding changes nothing: random features, a point or two a quarter."""
    network = random_network(SMALL)
    rng = np.random.default_rng(count)
    pillar = np.sort(np.concatenate([np.arange(count), rng.integers(0, count, count // 2)]))
    slots = np.sort(4 * pillar + rng.integers(0, 4, len(pillar)))
    cells = np.sort(rng.choice(256 * 224, count, replace=False))
    features = rng.normal(size=(len(slots), 8)).astype(np.float32)
    model = opened(onnx_model(network, PLAIN), SMALL, tmp_path)
    _, regression = PillarsNetwork(model).run(Pillars(features, slots, cells))
    tensors = [torch.from_numpy(array) for array in (features, slots, cells)]
    with torch.no_grad():
        answer = network(*tensors, 1)
    np.testing.assert_allclose(regression, answer.code[0].numpy(), atol=1e-4)


def test_the_same_weights_give_the_same_file():
    """Byte for byte, and no empty picture in it: 4 bytes a weight and little more."""
    network = random_network(SMALL)
    blob = onnx_model(network, PLAIN).SerializeToString()
    assert blob == onnx_model(network, PLAIN).SerializeToString()
    assert len(blob) < 4 * sum(weight.numel() for weight in network.parameters()) + 20_000


def test_exponents_bend_the_scores_of_their_class(samples, tmp_path):
    """To that power, and the order stays."""
    network = random_network(SMALL)
    model = opened(onnx_model(network, (1.0, 2.0, 0.5, 1.0)), SMALL, tmp_path)
    heat, _ = PillarsNetwork(model).run(pillarise(samples[0].points_velo_m))
    scores, _ = torch_answer(network, samples[0])
    np.testing.assert_allclose(heat, scores ** np.array([1.0, 2.0, 0.5, 1.0]).reshape(4, 1, 1), atol=1e-5)


def provenance(run, *, mirrored=False):
    return Provenance("small", "1", 10, mirrored, run, {"made": "by hand"})


@pytest.fixture(scope="module")
def trained(samples):
    """A network of three steps."""
    torch.set_num_threads(1)
    trainer = Trainer(TrainConfig(steps=3, batch=2, network=SMALL), [Share(samples)], bank_of(samples))
    for _ in range(3):
        trainer.advance()
    return trainer.network.eval()


@pytest.fixture(scope="module")
def exported(trained, samples, tmp_path_factory):
    """A registry of the folder of models that it was exported into."""
    folder = tmp_path_factory.mktemp("models")
    write_model(trained, samples, samples, provenance(a_run(WORLD)), folder / "out/small/1")
    return ModelRegistry(folder / "own", packaged=folder / "out")


def test_the_card_says_what_was_measured(exported):
    """And the model is found and loaded as a detector."""
    card = read_card(exported.store.find("small").folder / "card.yaml")
    assert {one.value for one in card.accuracy} <= set(np.arange(0, 100.01, 0.01).round(2).tolist())
    assert all("small@1" in one.command for one in card.accuracy)
    assert "by hand" in card.accuracy[0].data
    assert {"ap.r40.van.3d.0.7", "ap.r40.cyclist.bev.0.5"} < {one.metric for one in card.accuracy}
    assert card.classes == ("Car", "Van", "Pedestrian", "Cyclist")
    assert exported.load_detector3d("small").name == "small@1"


def test_a_card_of_the_world_alone_is_free(exported):
    """What it learnt from is on it, with its hash and share."""
    card = read_card(exported.store.find("small").folder / "card.yaml")
    assert card.licence.startswith("Apache-2.0")
    assert "KITTI" not in card.title + card.training_data
    assert card.training_data == (
        "SAMPLES1: 12 samples of our generated world (LiDAR of HDL-64E geometry), vedette models samples pillars"
        " --seeds 1000-1007 --scenarios town,junction --scans 20"
    )
    assert card.training_recipe == (
        "vedette models train pillars RUN1 --samples SAMPLES1=2 --steps 10 --batch 2 --learning-rate 0.003 --seed 0"
        f" --size nano, torch {torch.__version__}; SHA-256 over the shards: SAMPLES1 {'5' * 64}; averaged weights; then"
        " vedette models export, 8-bit integers"
    )


def test_a_card_with_real_samples_has_kittis_licence(trained, samples, tmp_path):
    """However small their share; and whether it looks twice is on the card too."""
    run = provenance(a_run(WORLD, REAL), mirrored=True)
    card = write_model(trained, samples, samples, run, tmp_path)
    assert "non-commercial" in card.licence
    assert "KITTI" in card.title
    assert "SAMPLES2: 7 labelled frames of KITTI (kitti-object; object folds 1,2)" in card.training_data
    assert "--samples SAMPLES2=0.5" in card.training_recipe
    assert "vedette models export --mirrored" in card.training_recipe
    assert card.mirrored
    assert read_card(tmp_path / "card.yaml") == card


def test_what_began_with_kittis_weights_has_kittis_licence_too(trained, samples, tmp_path):
    """Though its own samples are all of the world."""
    start = {"sha256": "7" * 64, "step": 6, "training": a_run(REAL)}
    card = write_model(trained, samples, samples, provenance(a_run(WORLD, start=start)), tmp_path)
    assert "non-commercial" in card.licence


def test_looking_twice_averages_in_the_runtime_too(samples, tmp_path):
    """A network that is not the same to left and right says something else then."""
    model = onnx_model(random_network(SMALL), PLAIN)
    pillars = pillarise(samples[0].points_velo_m)
    once, twice = (
        PillarsNetwork(opened(model, SMALL, tmp_path, mirrored=mirrored)).run(pillars)[0] for mirrored in (False, True)
    )
    assert np.abs(once - twice).max() > 1e-3


def test_a_training_is_exported_and_measured_again(trained, samples, sample_folder, tmp_path, monkeypatch, capsys):
    """The command on the card gives the card's figures, also of a model that looks twice."""
    run = tmp_path / "run"
    run.mkdir()
    trainer = Trainer(TrainConfig(steps=3, batch=2, network=SMALL), [Share(samples)], bank_of(samples))
    trainer.start_from(trained.state_dict())
    trainer.save(run / CHECKPOINT_FILE)
    document = a_run({**WORLD, "folder": str(sample_folder)})
    (run / CONFIG_FILE).write_text(json.dumps({**document, "held_out": {"folder": str(sample_folder)}}))
    models = tmp_path / "models"
    card = export(ExportRequest(run, "small", "1", models / "small" / "1", None), None, mirrored=True)
    assert card.mirrored
    assert "exported after 0 steps" in card.training_recipe
    monkeypatch.setenv("VEDETTE_MODELS__FOLDER", str(models))
    monkeypatch.setattr(sys, "argv", ["evaluate", "small@1", str(sample_folder)])
    evaluate_main()
    figures = json.loads(capsys.readouterr().out)
    assert {one.metric: one.value for one in card.accuracy} == {
        one.metric: figures[one.metric] for one in card.accuracy
    }


def test_a_checkpoint_of_another_family_cannot_be_exported(sample_folder, tmp_path):
    """Beside a configuration of this one."""
    document = a_run({**WORLD, "folder": str(sample_folder)})
    write_config(tmp_path / "run", {**document, "held_out": {"folder": str(sample_folder)}})
    foreign = {"network": {}, "optimiser": {}, "step": 7, "config": {"architecture": {}}}
    torch.save(foreign, tmp_path / "run" / CHECKPOINT_FILE)
    with pytest.raises(ConfigError, match=r"checkpoint\.pt: not of a training of pillars"):
        export(ExportRequest(tmp_path / "run", "small", "1", tmp_path / "out", None), None, mirrored=False)
    assert not (tmp_path / "out").exists()


def test_a_run_without_a_checkpoint_cannot_be_exported(tmp_path):
    """Said with the path."""
    with pytest.raises(MissingDataError, match=r"checkpoint\.pt"):
        load_network(tmp_path)


def test_a_checkpoint_becomes_its_averaged_network(samples, tmp_path):
    """Of its own size, ready for use."""
    trainer = Trainer(TrainConfig(steps=3, batch=2, network=FINE), [Share(samples)], bank_of(samples))
    for _ in range(2):
        trainer.advance()
    trainer.save(tmp_path / "checkpoint.pt")
    loaded, step = load_network(tmp_path)
    assert isinstance(loaded, PillarNet)
    assert not loaded.training
    assert (step, loaded.config) == (2, FINE)
    for name, value in trainer.averaged.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value)

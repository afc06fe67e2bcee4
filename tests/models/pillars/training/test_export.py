"""The exported file says what the network says."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")

from vedette.errors import MissingDataError  # noqa: E402
from vedette.models.cards import read_card  # noqa: E402
from vedette.models.pillars.features import Pillars, pillarise  # noqa: E402
from vedette.models.pillars.network import PillarsNetwork  # noqa: E402
from vedette.models.pillars.training.batches import collate  # noqa: E402
from vedette.models.pillars.training.export import Provenance, load_network, write_model  # noqa: E402
from vedette.models.pillars.training.graph import onnx_model  # noqa: E402
from vedette.models.pillars.training.network import NetworkConfig, PillarNet  # noqa: E402
from vedette.models.pillars.training.train import TrainConfig, Trainer  # noqa: E402
from vedette.models.registry import ModelRegistry  # noqa: E402

SMALL = NetworkConfig(point_width=8, widths=(8, 16, 16), depths=(0, 1, 1), neck_width=8, head_width=8)


@pytest.fixture(scope="module")
def network(samples):
    """Trained for three steps, so that normalisation has something to fold in."""
    torch.set_num_threads(1)
    trainer = Trainer(TrainConfig(steps=3, batch=2, network=SMALL), samples)
    for _ in range(3):
        trainer.advance()
    return trainer.network.eval()


@pytest.fixture(scope="module")
def exported(network, samples, tmp_path_factory):
    """A registry of the folder of models that it was exported into."""
    folder = tmp_path_factory.mktemp("models")
    run = {
        "samples": {"count": 12, "sha256": "5" * 64},
        "config": {"network": {"classes": 1}, "batch": 2, "learning_rate": 3e-3, "seed": 0},
        "torch": torch.__version__,
    }
    write_model(network, samples, Provenance("small", "1", 10, run, {"made": "by hand"}), folder / "out/small/1")
    return ModelRegistry(folder / "own", packaged=folder / "out")


def torch_answer(network, sample):
    scenes, _ = collate([sample])
    with torch.no_grad():
        heat, regression = network(scenes.features, scenes.slots, scenes.cells, 1)
    return heat[0].numpy(), regression[0].numpy()


def test_onnx_runtime_says_what_torch_says(exported, network, samples):
    """In parts as in one; the heat but for the shift of the scores, which is the same everywhere."""
    model = exported.open("small", "detect3d")
    pillars = pillarise(samples[0].points_velo_m)
    heat, regression = PillarsNetwork(model).run(pillars)
    logits, expected = torch_answer(network, samples[0])
    np.testing.assert_allclose(regression, expected, atol=1e-4)
    shift = np.log(heat / (1 - heat)) - logits
    np.testing.assert_allclose(shift, np.median(shift), atol=1e-3)
    whole = model.run({"features": pillars.features, "slots": pillars.slots, "cells": pillars.cells})
    np.testing.assert_array_equal(whole[0][0], heat)
    np.testing.assert_array_equal(whole[1][0], regression)


@pytest.mark.parametrize("count", [1, 1023, 1024, 1025, 9000])
def test_any_number_of_pillars_and_points_will_do(exported, network, count):
    """Padding changes nothing: random features, a point or two a pillar."""
    rng = np.random.default_rng(count)
    slots = np.sort(np.concatenate([np.arange(count), rng.integers(0, count, count // 2)]))
    cells = np.sort(rng.choice(256 * 224, count, replace=False))
    features = rng.normal(size=(len(slots), 8)).astype(np.float32)
    _, regression = PillarsNetwork(exported.open("small")).run(Pillars(features, slots, cells))
    tensors = [torch.from_numpy(array) for array in (features, slots, cells)]
    with torch.no_grad():
        _, expected = network(*tensors, 1)
    np.testing.assert_allclose(regression, expected[0].numpy(), atol=1e-4)


def test_the_same_weights_give_the_same_file(network):
    """Byte for byte, and no empty picture in it: 4 bytes a weight and little more."""
    blob = onnx_model(network).SerializeToString()
    assert blob == onnx_model(network).SerializeToString()
    assert len(blob) < 4 * sum(weight.numel() for weight in network.parameters()) + 20_000


def test_the_shift_moves_scores(network):
    """By as much as asked for."""
    plain, moved = (onnx_model(network, shift) for shift in (0.0, 0.5))
    bias = [
        next(np.frombuffer(one.raw_data, np.float32) for one in model.graph.initializer if one.name == "heat_last_bias")
        for model in (plain, moved)
    ]
    np.testing.assert_allclose(bias[1] - bias[0], 0.5, atol=1e-6)


def test_the_card_says_what_was_measured(exported):
    """And the model is found and loaded as a detector."""
    card = read_card(exported.store.find("small").folder / "card.yaml")
    assert {one.value for one in card.accuracy} <= set(np.arange(0, 100.01, 0.01).round(2).tolist())
    assert all("small@1" in one.command for one in card.accuracy)
    assert "by hand" in card.accuracy[0].data
    assert exported.load_detector3d("small").name == "small@1"


def test_a_run_without_a_checkpoint_cannot_be_exported(tmp_path):
    """Said with the path."""
    with pytest.raises(MissingDataError, match=r"checkpoint\.pt"):
        load_network(tmp_path)


def test_a_checkpoint_becomes_the_network_that_was_saved(samples, tmp_path):
    """Of its own size, ready for use."""
    trainer = Trainer(TrainConfig(steps=2, batch=2, network=SMALL), samples)
    trainer.advance()
    trainer.save(tmp_path / "checkpoint.pt")
    loaded, step = load_network(tmp_path)
    assert isinstance(loaded, PillarNet)
    assert not loaded.training
    assert (step, loaded.config) == (1, SMALL)

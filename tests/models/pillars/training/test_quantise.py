"""Integers against the numbers they stand for."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch: pip install 'vedette[train]'")
onnx = pytest.importorskip("onnx", reason="needs onnx: pip install 'vedette[train]'")

from onnx import TensorProto, numpy_helper  # noqa: E402

from vedette.models.pillars.features import pillarise  # noqa: E402
from vedette.models.pillars.training.graph import HEADS, onnx_model  # noqa: E402
from vedette.models.pillars.training.mixture import Share  # noqa: E402
from vedette.models.pillars.training.network import NetworkConfig  # noqa: E402
from vedette.models.pillars.training.pasting import bank_of  # noqa: E402
from vedette.models.pillars.training.quantise import quantised  # noqa: E402
from vedette.models.pillars.training.shards import level  # noqa: E402
from vedette.models.pillars.training.trainer import TrainConfig, Trainer  # noqa: E402

CONFIG = NetworkConfig(
    point_width=8, widths=(8, 16, 16), depths=(1, 1, 1), neck_width=8, join_size=3, head_width=8, stride=1
)


@pytest.fixture(scope="module")
def models(samples):
    """In 32 bits and in integers, of a network that has learnt for thirty steps; calibrated on all samples but one."""
    torch.set_num_threads(1)
    trainer = Trainer(TrainConfig(steps=30, batch=2, network=CONFIG), [Share(samples)], bank_of(samples))
    for _ in range(30):
        trainer.advance()
    model = onnx_model(trainer.network.eval(), (1.0, 1.0, 1.0, 1.0))
    return model, quantised(model, [samples[index] for index in range(1, len(samples))])


def answer_of(model, sample):
    import onnxruntime

    pillars = pillarise(level(sample)[0].points_velo_m)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"features": pillars.features, "slots": pillars.slots, "cells": pillars.cells})


def test_integers_say_nearly_what_the_numbers_say(models, samples):
    """On a sample that calibration has not seen: scores within 0.05, half of them within 0.005; of boxes where there
    is something, offsets within a fifth of a pillar, and sizes within 5 % as a rule."""
    (heat, code), (rough_heat, rough_code) = (answer_of(model, samples[0]) for model in models)
    off = np.abs(rough_heat - heat)
    assert off.max() < 0.05
    assert np.median(off) < 0.005
    warm = heat[0].max(axis=0) > 0.5 * heat.max()
    off = np.abs(rough_code - code)[0][:, warm]
    assert np.median(off[:2], axis=1).max() < 0.2
    assert np.median(off[3:6], axis=1).max() < 0.05


def test_only_convolutions_but_the_last_are_in_integers(models):
    """Rows of points and pillars, and what comes out in metres, stay in 32 bits."""
    plain, rough = models
    makers = {output: node for node in rough.graph.node for output in node.output}

    def fed_by(node, place):
        maker = makers.get(node.input[place])
        return None if maker is None else maker.op_type

    for node in rough.graph.node:
        if node.op_type == "Conv":
            assert (fed_by(node, 1) == "DequantizeLinear") == (node.output[0] not in HEADS), node.output
        if node.op_type == "Gemm":
            assert fed_by(node, 0) != "DequantizeLinear"
    kinds = [node.op_type for node in rough.graph.node]
    assert kinds.count("Conv") == [node.op_type for node in plain.graph.node].count("Conv")
    assert [one.name for one in rough.graph.output] == ["heat", "regression"]


def test_weights_have_seven_bits(models):
    """Pairs of products with eight overflow where the processor sums in sixteen."""
    rough = models[1]
    weights = [
        numpy_helper.to_array(one)
        for one in rough.graph.initializer
        if one.data_type == TensorProto.INT8 and len(one.dims) == 4
    ]
    assert weights
    assert max(int(np.abs(weight.astype(int)).max()) for weight in weights) <= 64


def test_the_same_samples_give_the_same_integers(models, samples):
    """A file can be made again."""
    again = quantised(models[0], [samples[index] for index in range(1, len(samples))])
    assert again.SerializeToString() == models[1].SerializeToString()

"""From 32-bit numbers to 8-bit integers: a model a quarter as large, and about three times as fast.

Weights by output channel, activations by tensor, their ranges from what some samples bring about (post-training, no
weight is changed further). The last convolutions stay as they are: their outputs are metres and logarithms, of which
256 steps are too few. Weights have seven bits, since processors without VNNI instructions sum pairs of products in
sixteen, which eight overflow.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from vedette.models.pillars.features import pillarise
from vedette.models.pillars.network import POINT_ROWS
from vedette.models.pillars.training.graph import HEADS
from vedette.models.pillars.training.shards import Sample, level

_OPERATORS: Final = ("Conv", "Relu", "Concat", "DepthToSpace")


def quantised(model: onnx.ModelProto, samples: Iterable[Sample]) -> onnx.ModelProto:
    """The model with integer convolutions.

    Args:
        model: of `graph.onnx_model`.
        samples: a few dozen, like those it will see.
    """
    chosen = [node.name for node in model.graph.node if _in_integers(node)]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "float.onnx"), Path(folder, "integer.onnx")
        onnx.save(model, source)
        quantize_static(
            source,
            target,
            _Inputs(samples),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            nodes_to_quantize=chosen,
            extra_options={"QuantizeBias": True},
        )
        return _without_names(onnx.load(target))


def _without_names(model: onnx.ModelProto) -> onnx.ModelProto:
    """Of nodes, and the shapes between them: a hundredth of the file, which nobody reads."""
    for node in model.graph.node:
        node.ClearField("name")
    model.graph.ClearField("value_info")
    return model


def _in_integers(node: onnx.NodeProto) -> bool:
    """Convolutions but for the last, and what stands between them; rows and shapes are none of that."""
    return node.op_type in _OPERATORS and node.name not in (*HEADS, POINT_ROWS, "pillars", "quarter_shape")


class _Inputs(CalibrationDataReader):
    """What the model gets of each sample."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._samples = iter(samples)

    def get_next(self) -> dict[str, Any] | None:
        """Of the next sample, None after the last."""
        sample = next(self._samples, None)
        if sample is None:
            return None
        pillars = pillarise(level(sample)[0].points_velo_m)
        return {
            "features": pillars.features.astype(np.float32),
            "slots": pillars.slots.astype(np.int64),
            "cells": pillars.cells.astype(np.int64),
        }

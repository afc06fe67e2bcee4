"""The network as an ONNX graph, built node by node.

Normalisation is folded into the convolutions before it. Written out by hand, the graph is the same for the same
weights, byte for byte, it bakes no empty picture in (`ConstantOfShape` makes it when the model runs), and the two
tensors at which the runtime cuts it bear names.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from vedette.models.pillars.detector import INPUTS, outputs_for
from vedette.models.pillars.grid import CELLS, COLUMNS, ROWS
from vedette.models.pillars.network import PILLAR_ROWS, POINT_ROWS
from vedette.models.pillars.training.network import PillarNet, SceneNet

_OPSET: Final = 18  # the first whose ScatterElements takes a maximum
_IR_VERSION: Final = 9
_TYPES: Final = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64}


def onnx_model(network: PillarNet, heat_shift: float = 0.0) -> onnx.ModelProto:
    """The network as an ONNX model.

    Args:
        network: with its weights.
        heat_shift: added to the heat before the sigmoid, which moves all scores but not their order.
    """
    graph = _Graph()
    width = network.config.point_width
    graph.points(network)
    graph.maximum(width)
    graph.picture(width)
    graph.scene(network.scene, "picture", heat_shift)
    made = helper.make_graph(
        graph.nodes,
        "pillars",
        [helper.make_tensor_value_info(spec.name, _TYPES[spec.dtype], spec.shape) for spec in INPUTS],
        [
            helper.make_tensor_value_info(spec.name, _TYPES[spec.dtype], spec.shape)
            for spec in outputs_for(network.config.classes)
        ],
        graph.constants,
    )
    model = helper.make_model(
        made, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION, producer_name="vedette"
    )
    onnx.checker.check_model(model)
    return model


class _Graph:
    """Nodes and constants so far."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def points(self, network: PillarNet) -> None:
        """From features to a row per point."""
        factor, shift = _norm(network.point_norm)
        weight = network.point_linear.weight.detach().numpy() * factor[:, None]
        self.add(
            "Gemm", ["features", self.constant("point_weight", weight.T), self.constant("point_bias", shift)], "lin"
        )
        self.add("Relu", ["lin"], POINT_ROWS)

    def maximum(self, width: int) -> None:
        """From rows of points to the largest of each pillar."""
        self.add("Shape", ["cells"], "pillar_count")
        self.add("Concat", ["pillar_count", self.constant("width", np.array([width]))], "pillars_shape", axis=0)
        self.zeros("pillars_shape", "no_pillars")
        self.add("Shape", [POINT_ROWS], "rows_shape")
        self.add("Unsqueeze", ["slots", self.constant("last", np.array([1]))], "slot_column")
        self.add("Expand", ["slot_column", "rows_shape"], "slot_of_channel")
        self.add("ScatterElements", ["no_pillars", "slot_of_channel", POINT_ROWS], PILLAR_ROWS, axis=0, reduction="max")

    def picture(self, width: int) -> None:
        """From rows of pillars to the picture from above."""
        self.zeros(self.constant("flat_shape", np.array([CELLS, width])), "empty")
        self.add("Unsqueeze", ["cells", "last"], "cell_column")
        self.add("ScatterND", ["empty", "cell_column", PILLAR_ROWS], "flat")
        self.add("Reshape", ["flat", self.constant("picture_shape", np.array([1, ROWS, COLUMNS, width]))], "upright")
        self.add("Transpose", ["upright"], "picture", perm=[0, 3, 1, 2])

    def scene(self, scene: SceneNet, picture: str, heat_shift: float) -> None:
        """From the picture to the answer."""
        half = self.sequence("half", scene.half_stage, self.sequence("full", scene.full_stage, picture))
        quarter = self.sequence("quarter", scene.quarter_stage, half)
        near = self.block("half_neck", scene.half_neck, half)
        far = self.block("quarter_neck", scene.quarter_neck, quarter)
        self.add("Concat", [near, far], "both", axis=1)
        joined = self.block("join", scene.join, "both")
        heat = self.head("heat", scene.heat, joined, heat_shift, "heat_logits")
        self.add("Sigmoid", [heat], "heat")
        self.head("regression", scene.regression, joined, 0.0, "regression")

    def sequence(self, name: str, blocks: nn.Sequential, source: str) -> str:
        """Blocks one after another."""
        for index, block in enumerate(blocks):
            assert isinstance(block, nn.Sequential)
            source = self.block(f"{name}{index}", block, source)
        return source

    def block(self, name: str, block: nn.Sequential, source: str) -> str:
        """A convolution with its normalisation folded in, and a ramp."""
        convolution, norm = block[0], block[1]
        assert isinstance(convolution, nn.Conv2d | nn.ConvTranspose2d)
        assert isinstance(norm, nn.BatchNorm2d)
        factor, shift = _norm(norm)
        transposed = isinstance(convolution, nn.ConvTranspose2d)
        along = (1, -1, 1, 1) if transposed else (-1, 1, 1, 1)  # where the output channels are
        weight = convolution.weight.detach().numpy() * factor.reshape(along)
        self.convolve(name, convolution, (weight, shift), source, f"{name}_sum")
        return self.add("Relu", [f"{name}_sum"], f"{name}_out")

    def head(self, name: str, head: nn.Sequential, source: str, shift: float, output: str) -> str:
        """A block, and a convolution to the answer."""
        block, last = head[0], head[1]
        assert isinstance(block, nn.Sequential)
        assert isinstance(last, nn.Conv2d)
        assert last.bias is not None
        weight, bias = last.weight.detach().numpy(), last.bias.detach().numpy() + np.float32(shift)
        return self.convolve(f"{name}_last", last, (weight, bias), self.block(f"{name}_first", block, source), output)

    def convolve(
        self,
        name: str,
        like: nn.Conv2d | nn.ConvTranspose2d,
        weights: tuple[NDArray[np.float32], NDArray[np.float32]],
        source: str,
        output: str,
    ) -> str:
        """A convolution with another weight and bias."""
        weight, bias = weights
        inputs = [source, self.constant(f"{name}_weight", weight), self.constant(f"{name}_bias", bias)]
        kind = "ConvTranspose" if isinstance(like, nn.ConvTranspose2d) else "Conv"
        pads = [int(like.padding[0]), int(like.padding[1])] * 2
        return self.add(kind, inputs, output, kernel_shape=like.kernel_size, strides=like.stride, pads=pads)

    def zeros(self, shape: str, output: str) -> None:
        """An array of zeros that is made when the model runs."""
        self.add("ConstantOfShape", [shape], output, value=helper.make_tensor("zero", TensorProto.FLOAT, [1], [0.0]))

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """One node; gives the name of its output."""
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def constant(self, name: str, value: NDArray[Any]) -> str:
        """A constant; gives its name."""
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name


def _norm(norm: nn.BatchNorm1d | nn.BatchNorm2d) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What normalisation multiplies by and adds, in use."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    factor = norm.weight.detach() / torch.sqrt(norm.running_var + norm.eps)
    shift = norm.bias.detach() - norm.running_mean * factor
    return factor.numpy(), shift.numpy()

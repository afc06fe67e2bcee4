"""The network as an ONNX graph, built node by node.

Normalisation is folded into the layers before it; doubling the size becomes a 1 by 1 convolution to four times the
channels, which integers can do too. Written out by hand, the graph is the same for the same weights, byte for byte, it
bakes no empty picture in (`ConstantOfShape` makes it when the model runs), and the two tensors at which the runtime
cuts it bear names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from vedette.models.pillars.box_code import CODE_LENGTH
from vedette.models.pillars.detector import INPUTS, outputs_for
from vedette.models.pillars.grid import CELLS, COLUMNS, QUARTERS, ROWS
from vedette.models.pillars.network import PILLAR_ROWS, POINT_ROWS
from vedette.models.pillars.training.network import QUALITY_SHARE, PillarNet, SceneNet

_OPSET: Final = 18  # the first whose ScatterElements takes a maximum
_IR_VERSION: Final = 9
_TYPES: Final = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64}
HEADS: Final = ("heat_last", "told_last")
"""Convolutions whose outputs are the answer, by node name."""


def onnx_model(network: PillarNet, exponents: Sequence[float]) -> onnx.ModelProto:
    """The network as an ONNX model.

    Args:
        network: with its weights.
        exponents: above 0, of the scores of each class, which moves all of them but not their order.
    """
    graph = _Graph()
    config = network.config
    graph.rows("point", network.points, "features", POINT_ROWS)
    graph.maximum(config.point_width)
    graph.rows("pillar", network.pillars, PILLAR_ROWS, "pillars")
    graph.picture(config.widths[0])
    graph.scene(network.scene, "picture")
    graph.scores(np.array(exponents, np.float32))
    made = helper.make_graph(
        graph.nodes,
        "pillars",
        [helper.make_tensor_value_info(spec.name, _TYPES[spec.dtype], spec.shape) for spec in INPUTS],
        [
            helper.make_tensor_value_info(spec.name, _TYPES[spec.dtype], spec.shape)
            for spec in outputs_for(config.classes, config.grid)
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

    def rows(self, name: str, layers: nn.Sequential, source: str, output: str) -> None:
        """A linear layer of rows with its normalisation folded in, and a ramp."""
        linear, norm = layers[0], layers[1]
        assert isinstance(linear, nn.Linear)
        assert isinstance(norm, nn.BatchNorm1d)
        factor, shift = _norm(norm)
        weight = linear.weight.detach().numpy() * factor[:, None]
        constants = [self.constant(f"{name}_weight", weight.T), self.constant(f"{name}_bias", shift)]
        self.add("Gemm", [source, *constants], f"{name}_sum")
        self.add("Relu", [f"{name}_sum"], output)

    def maximum(self, width: int) -> None:
        """From a row per point to a row per pillar, those of its quarters beside each other."""
        self.constant("last", np.array([-1]))
        self.add("Unsqueeze", ["slots", "last"], "slot_column")
        self.add("Shape", [POINT_ROWS], "point_shape")
        self.add("Expand", ["slot_column", "point_shape"], "slot_index")
        self.add("Shape", ["cells"], "pillar_count")
        self.add("Mul", ["pillar_count", self.constant("quarters", np.array([QUARTERS]))], "quarter_count")
        self.add("Concat", ["quarter_count", self.constant("width", np.array([width]))], "quarter_shape", axis=0)
        self.zeros("quarter_shape", "no_rows")
        inputs = ["no_rows", "slot_index", POINT_ROWS]
        self.add("ScatterElements", inputs, "quarter_rows", axis=0, reduction="max")
        shape = self.constant("pillar_shape", np.array([-1, QUARTERS * width]))
        self.add("Reshape", ["quarter_rows", shape], PILLAR_ROWS)

    def picture(self, width: int) -> None:
        """Pillars seen from above."""
        self.zeros(self.constant("flat_shape", np.array([CELLS, width])), "empty")
        self.add("Unsqueeze", ["cells", "last"], "cell_column")
        self.add("ScatterND", ["empty", "cell_column", "pillars"], "flat")
        self.add("Reshape", ["flat", self.constant("picture_shape", np.array([1, ROWS, COLUMNS, width]))], "upright")
        self.add("Transpose", ["upright"], "picture", perm=[0, 3, 1, 2])

    def scene(self, scene: SceneNet, picture: str) -> None:
        """From the picture to the answer."""
        full = self.sequence("full", scene.full_stage, picture)
        half = self.sequence("half", scene.half_stage, full)
        quarter = self.sequence("quarter", scene.quarter_stage, half)
        near = self.block("half_neck", scene.half_neck, half)
        far = self.doubling("quarter_neck", scene.quarter_neck, quarter)
        self.add("Concat", [near, far], "both", axis=1)
        joined = self.block("join", scene.join, "both")
        if scene.finer is not None and scene.finer_join is not None:
            self.add("Concat", [full, self.doubling("finer", scene.finer, joined)], "all", axis=1)
            joined = self.block("finer_join", scene.finer_join, "all")
        self.head("heat", scene.heat, joined)
        self.head("told", scene.told, joined)

    def scores(self, exponents: NDArray[np.float32]) -> None:
        """Heat and quality together, as `network.scores_of` does, to the power of the exponents."""
        self.slice("told_last", 0, CODE_LENGTH, "regression")
        self.slice("told_last", CODE_LENGTH, CODE_LENGTH + 1, "quality_logits")
        column = exponents.reshape(1, -1, 1, 1)
        for name, logits, share in (
            ("warm", "heat_last", 1.0 - QUALITY_SHARE),
            ("good", "quality_logits", QUALITY_SHARE),
        ):
            self.add("Sigmoid", [logits], f"{name}_chance")
            power = self.constant(f"{name}_power", (column * share).astype(np.float32))
            self.add("Pow", [f"{name}_chance", power], name)
        self.add("Mul", ["warm", "good"], "heat")

    def slice(self, source: str, first: int, end: int, output: str) -> None:
        """Some channels."""
        bounds = [self.constant(f"{output}_{word}", np.array([n])) for word, n in (("first", first), ("end", end))]
        self.add("Slice", [source, *bounds, self.constant(f"{output}_axis", np.array([1]))], output)

    def sequence(self, name: str, blocks: nn.Sequential, source: str) -> str:
        """Blocks one after another."""
        for index, block in enumerate(blocks):
            assert isinstance(block, nn.Sequential)
            source = self.block(f"{name}{index}", block, source)
        return source

    def block(self, name: str, block: nn.Sequential, source: str) -> str:
        """A convolution with its normalisation folded in, and a ramp."""
        convolution, norm = block[0], block[1]
        assert isinstance(convolution, nn.Conv2d)
        assert isinstance(norm, nn.BatchNorm2d)
        factor, shift = _norm(norm)
        weight = convolution.weight.detach().numpy() * factor.reshape(-1, 1, 1, 1)
        stride, pad = int(convolution.stride[0]), int(convolution.padding[0])
        self.convolve(name, (weight, shift), source, f"{name}_sum", stride=stride, pad=pad)
        return self.add("Relu", [f"{name}_sum"], f"{name}_out")

    def doubling(self, name: str, block: nn.Sequential, source: str) -> str:
        """A transposed convolution of 2 by 2 that gives every cell four: a plain one to four times the channels."""
        convolution, norm = block[0], block[1]
        assert isinstance(convolution, nn.ConvTranspose2d)
        assert isinstance(norm, nn.BatchNorm2d)
        factor, shift = _norm(norm)
        weight = convolution.weight.detach().numpy() * factor.reshape(1, -1, 1, 1)  # (in, out, 2, 2)
        fourfold = weight.transpose(1, 2, 3, 0).reshape(-1, len(weight), 1, 1)
        self.convolve(name, (fourfold, np.repeat(shift, 4)), source, f"{name}_sum", stride=1, pad=0)
        self.add("Relu", [f"{name}_sum"], f"{name}_four")
        return self.add("DepthToSpace", [f"{name}_four"], f"{name}_out", blocksize=2, mode="CRD")

    def head(self, name: str, head: nn.Sequential, source: str) -> None:
        """A block, and a convolution to the answer `NAME_last`."""
        block, last = head[0], head[1]
        assert isinstance(block, nn.Sequential)
        assert isinstance(last, nn.Conv2d)
        assert last.bias is not None
        weights = last.weight.detach().numpy(), last.bias.detach().numpy()
        self.convolve(
            f"{name}_last", weights, self.block(f"{name}_first", block, source), f"{name}_last", stride=1, pad=0
        )

    def convolve(
        self,
        name: str,
        weights: tuple[NDArray[np.float32], NDArray[np.float32]],
        source: str,
        output: str,
        *,
        stride: int,
        pad: int,
    ) -> None:
        """A convolution with a weight and a bias."""
        weight, bias = weights
        inputs = [source, self.constant(f"{name}_weight", weight), self.constant(f"{name}_bias", bias)]
        size = list(weight.shape[2:])
        self.add("Conv", inputs, output, kernel_shape=size, strides=[stride] * 2, pads=[pad] * 4)

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

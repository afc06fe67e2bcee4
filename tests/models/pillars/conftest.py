"""A model whose answer is known beforehand, and a registry that has it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from vedette.models.cards import ModelCard, card_as_yaml
from vedette.models.pillars.detector import INPUTS, outputs_for
from vedette.models.pillars.grid import AnswerGrid
from vedette.models.pillars.network import PILLAR_ROWS, POINT_ROWS
from vedette.models.registry import ModelRegistry

_TYPES = {"float32": TensorProto.FLOAT, "int64": TensorProto.INT64}
CLASSES = ("Car", "Van", "Pedestrian", "Cyclist")


def pillars_card(grid: AnswerGrid, sha256: str = "0" * 64) -> ModelCard:
    """A card of the four classes."""
    return ModelCard(
        schema_version=1,
        name="tiny-pillars",
        version="1",
        title="Tiny",
        family="pillars",
        task="detect3d",
        inputs=INPUTS,
        outputs=outputs_for(len(CLASSES), grid),
        labels="kitti",
        classes=CLASSES,
        frame="velo",
        units="metres",
        range_m=70.0,
        training_data="none",
        training_recipe="by hand",
        licence="Apache-2.0",
        source="this test",
        file="tiny.onnx",
        sha256=sha256,
    )


def _model(heat: np.ndarray, regression: np.ndarray) -> onnx.ModelProto:
    """Gives these maps as soon as there is a point."""
    outputs = outputs_for(len(heat), AnswerGrid(256 // heat.shape[1]))
    constants = {"heat_map": heat[None], "boxes": regression[None], "zero": np.zeros((), np.float32)}
    nodes = [
        helper.make_node("Relu", ["features"], [POINT_ROWS]),
        helper.make_node("Identity", [POINT_ROWS], [PILLAR_ROWS]),
        helper.make_node("ReduceMax", [PILLAR_ROWS], ["peak"], keepdims=0),
        helper.make_node("Mul", ["peak", "zero"], ["nothing"]),
        helper.make_node("Add", ["heat_map", "nothing"], ["heat"]),
        helper.make_node("Add", ["boxes", "nothing"], ["regression"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(spec.name, _TYPES[spec.dtype], spec.shape) for spec in INPUTS],
        [helper.make_tensor_value_info(spec.name, _TYPES[spec.dtype], spec.shape) for spec in outputs],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


@pytest.fixture
def registry_with(tmp_path: Path) -> Callable[[np.ndarray, np.ndarray], ModelRegistry]:
    """Makes a registry with a model `tiny-pillars` that always gives the same maps."""

    def make(heat: np.ndarray, regression: np.ndarray) -> ModelRegistry:
        path = tmp_path / "tiny.onnx"
        onnx.save(_model(heat, regression), path)
        card = tmp_path / "card.yaml"
        grid = AnswerGrid(256 // heat.shape[1])
        card.write_text(card_as_yaml(pillars_card(grid, hashlib.sha256(path.read_bytes()).hexdigest())))
        registry = ModelRegistry(tmp_path / "models", packaged=tmp_path / "packaged")
        registry.import_file(path, card=card)
        return registry

    return make

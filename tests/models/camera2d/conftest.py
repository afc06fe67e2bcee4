"""A tiny ONNX model of the family, with outputs known beforehand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

CLASSES = ["car", "pedestrian"]
CELLS = 8 * 8 + 4 * 4
COLUMNS = len(CLASSES) + 4 + 1 + 5


@pytest.fixture
def camera2d_fields(card_fields: dict[str, Any]) -> dict[str, Any]:
    """A complete card: input 64x64, two classes, one map."""
    return {
        **card_fields,
        "family": "camera2d",
        "labels": "vedette",
        "classes": CLASSES,
        "outputs": [
            {"name": "rows", "dtype": "float32", "shape": [1, CELLS, COLUMNS]},
            {"name": "maps", "dtype": "float32", "shape": [1, 1, 32, 32]},
        ],
    }


@pytest.fixture
def rows() -> np.ndarray:
    """Nothing seen."""
    return np.zeros((1, CELLS, COLUMNS), np.float32)


@pytest.fixture
def car_rows(rows: np.ndarray) -> np.ndarray:
    """A car of score 0.9 in the third row and fourth column of the 8-pixel grid, whose centre is (28, 20).

    The distances are 1, 2, 3 and 1 strides: the box is (20, 4, 52, 28). Its mask is where the only map is above 0.
    """
    row = rows[0, 2 * 8 + 3]
    row[0] = 0.9
    row[2:6] = np.log([1.0, 2.0, 3.0, 1.0])
    row[6] = 1.0
    return rows


@pytest.fixture
def two_outputs(tmp_path: Path) -> Callable[[np.ndarray, np.ndarray], Path]:
    """Writes a model that takes one 64x64 image and always gives the same rows and maps."""

    def write(rows: np.ndarray, maps: np.ndarray) -> Path:
        nodes = [
            helper.make_node("ReduceMax", ["data"], ["peak"], keepdims=0),
            helper.make_node("Mul", ["peak", "zero"], ["nothing"]),
            helper.make_node("Add", ["constant_rows", "nothing"], ["rows"]),
            helper.make_node("Add", ["constant_maps", "nothing"], ["maps"]),
        ]
        graph = helper.make_graph(
            nodes,
            "constant",
            [helper.make_tensor_value_info("data", TensorProto.FLOAT, (1, 3, 64, 64))],
            [
                helper.make_tensor_value_info("rows", TensorProto.FLOAT, rows.shape),
                helper.make_tensor_value_info("maps", TensorProto.FLOAT, maps.shape),
            ],
            [
                numpy_helper.from_array(np.zeros((), np.float32), "zero"),
                numpy_helper.from_array(rows.astype(np.float32), "constant_rows"),
                numpy_helper.from_array(maps.astype(np.float32), "constant_maps"),
            ],
        )
        path = tmp_path / "two.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
        return path

    return write

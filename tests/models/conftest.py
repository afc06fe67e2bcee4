"""Tiny ONNX models with outputs known beforehand, and cards to go with them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import yaml
from click.testing import Result
from onnx import TensorProto, helper, numpy_helper
from typer.testing import CliRunner

from vedette.cli.models import app

CardFields = dict[str, Any]


@pytest.fixture
def card_fields() -> CardFields:
    """A complete card of a model `data 1x3x64x64 -> output 1x85x35`, the NanoDet layout with three classes."""
    return {
        "schema_version": 1,
        "name": "tiny",
        "version": "1",
        "title": "Tiny",
        "family": "nanodet_plus",
        "task": "detect2d",
        "inputs": [{"name": "data", "dtype": "float32", "shape": [1, 3, 64, 64]}],
        "outputs": [{"name": "output", "dtype": "float32", "shape": [1, 85, 35]}],
        "labels": "coco",
        "classes": ["person", "bicycle", "car"],
        "frame": "image",
        "units": "pixels",
        "training_data": "none",
        "training_recipe": "by hand",
        "licence": "Apache-2.0",
        "source": "this test",
        "file": "tiny.onnx",
        "sha256": "0" * 64,
    }


@pytest.fixture
def constant_model(tmp_path: Path) -> Callable[..., Path]:
    """Writes a model that takes one image and always gives the same array."""

    def write(
        output: np.ndarray, input_shape: tuple[int, ...] = (1, 3, 64, 64), names: tuple[str, str] = ("data", "output")
    ) -> Path:
        zero = numpy_helper.from_array(np.zeros((), np.float32), "zero")
        constant = numpy_helper.from_array(output.astype(np.float32), "constant")
        nodes = [
            helper.make_node("ReduceMax", [names[0]], ["peak"], keepdims=0),
            helper.make_node("Mul", ["peak", "zero"], ["nothing"]),
            helper.make_node("Add", ["constant", "nothing"], [names[1]]),
        ]
        graph = helper.make_graph(
            nodes,
            "constant",
            [helper.make_tensor_value_info(names[0], TensorProto.FLOAT, input_shape)],
            [helper.make_tensor_value_info(names[1], TensorProto.FLOAT, output.shape)],
            [zero, constant],
        )
        path = tmp_path / f"{names[1]}{len(list(tmp_path.glob('*.onnx')))}.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
        return path

    return write


@pytest.fixture
def write_card(tmp_path: Path, card_fields: CardFields) -> Callable[..., Path]:
    """Writes a card: the complete one with some fields replaced, or left out where the value is None."""

    def write(model: Path | None = None, **changes: Any) -> Path:
        fields = {**card_fields, **changes}
        if model is not None:
            fields["sha256"] = hashlib.sha256(model.read_bytes()).hexdigest()
        path = tmp_path / f"card{len(list(tmp_path.glob('card*.yaml')))}.yaml"
        path.write_text(yaml.safe_dump({key: value for key, value in fields.items() if value is not None}))
        return path

    return write


@pytest.fixture
def nanodet_rows() -> np.ndarray:
    """Output of the tiny NanoDet that saw nothing: scores 0, distances spread evenly."""
    return np.zeros((1, 85, 35), np.float32)


@pytest.fixture
def car_rows(nanodet_rows: np.ndarray) -> np.ndarray:
    """One car of score 0.9 in the third row and fourth column of the 8-pixel grid.

    Its point is (24, 16); the distances are sharply 1, 2, 3 and 4 strides: the box is (16, 0, 48, 48).
    """
    row = nanodet_rows[0, 2 * 8 + 3]
    row[2] = 0.9
    for side, stride_count in enumerate((1, 2, 3, 4)):
        row[3 + side * 8 + stride_count] = 100.0
    return nanodet_rows


@pytest.fixture
def invoke(tmp_path: Path) -> Callable[..., Result]:
    """Runs a sub-command of `vedette models` on a folder of its own, `models`."""

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(app, [*map(str, arguments), "--models-dir", str(tmp_path / "models")])

    return run

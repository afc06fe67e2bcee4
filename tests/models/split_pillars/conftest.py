"""Networks in two files of the shape of users' exports, small, with answers known beforehand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import yaml
from onnx import TensorProto, helper, numpy_helper

from vedette.frames import Sweep
from vedette.geometry import SE3, PinholeCamera

OPENPCDET_FEATURES = [
    *("x", "y", "z", "intensity"),
    *("from_mean_x", "from_mean_y", "from_mean_z"),
    *("from_centre_x", "from_centre_y", "from_centre_z"),
]


@pytest.fixture
def grid() -> dict[str, Any]:
    """8 x 8 pillars of 1 m, ahead of the sensor, 3 points each."""
    return {"range_m": [0, -4, -2, 8, 4, 2], "pillar_m": [1, 1, 4], "max_points": 3, "max_pillars": 10}


@pytest.fixture
def centre_keys(grid: dict[str, Any]) -> dict[str, Any]:
    """A network as Autoware has them: maps of 4 x 4 cells."""
    return {"grid": grid, "features": OPENPCDET_FEATURES, "head": {"kind": "centres", "stride": 2}}


@pytest.fixture
def anchor_keys(grid: dict[str, Any]) -> dict[str, Any]:
    """A network as OpenPCDet has them: cars and pedestrians, lying and standing, on maps of 4 x 4 cells."""
    anchors = [
        {"sizes_m": [[4.0, 3.0, 1.5]], "rotations_rad": [0.0, 1.5], "bottom_m": -1.75},
        {"sizes_m": [[0.8, 0.6, 1.8]], "rotations_rad": [0.0, 1.5], "bottom_m": -1.5},
    ]
    return {
        "grid": grid,
        "features": OPENPCDET_FEATURES,
        "head": {"kind": "anchors", "stride": 2, "anchors": anchors},
    }


@pytest.fixture
def write_encoder(tmp_path: Path) -> Callable[..., Path]:
    """Writes an encoder that multiplies each point's features by a matrix and takes the maximum of a pillar's."""

    def write(weights: np.ndarray, points: int = 3, pillars: int | str = "pillars", keepdims: int = 0) -> Path:
        width = weights.shape[1]
        nodes = [
            helper.make_node("MatMul", ["voxels", "weights"], ["rows"]),
            helper.make_node("ReduceMax", ["rows"], ["pillar_features"], axes=[1], keepdims=keepdims),
        ]
        shape = [pillars, 1, width] if keepdims else [pillars, width]
        return _save(
            tmp_path / f"encoder{len(list(tmp_path.glob('*.onnx')))}.onnx",
            nodes,
            {"voxels": [pillars, points, len(weights)]},
            {"pillar_features": shape},
            {"weights": weights},
        )

    return write


@pytest.fixture
def write_backbone(tmp_path: Path) -> Callable[..., Path]:
    """Writes a backbone that always gives the same maps."""

    def write(maps: Mapping[str, np.ndarray], width: int = 2, rows: int = 8, columns: int = 8) -> Path:
        nodes = [
            helper.make_node("ReduceMax", ["spatial_features"], ["peak"], keepdims=0),
            helper.make_node("Mul", ["peak", "zero"], ["nothing"]),
            *(helper.make_node("Add", [f"{name}_constant", "nothing"], [name]) for name in maps),
        ]
        return _save(
            tmp_path / f"backbone{len(list(tmp_path.glob('*.onnx')))}.onnx",
            nodes,
            {"spatial_features": [1, width, rows, columns]},
            {name: list(array.shape) for name, array in maps.items()},
            {"zero": np.zeros(()), **{f"{name}_constant": array for name, array in maps.items()}},
        )

    return write


@pytest.fixture
def write_mirror(tmp_path: Path) -> Callable[..., Path]:
    """Writes a backbone whose maps are the first channels of what was scattered, three in all."""

    def write(size: tuple[int | str, int | str] = (8, 8)) -> Path:
        channels = {"heatmap": 2, "reg": 2, "height": 1, "dim": 3, "rot": 2}
        integers = {"zero": 0, "one": 1, **{f"{name}_end": count for name, count in channels.items()}}
        return _save(
            tmp_path / f"mirror{len(list(tmp_path.glob('*.onnx')))}.onnx",
            [
                helper.make_node("Slice", ["spatial_features", "zero", f"{name}_end", "one"], [name])
                for name in channels
            ],
            {"spatial_features": [1, 3, *size]},
            {name: [1, count, *size] for name, count in channels.items()},
            {name: np.array([value], np.int64) for name, value in integers.items()},
        )

    return write


@pytest.fixture
def write_split_card(tmp_path: Path) -> Callable[..., Path]:
    """Writes what a user writes: everything that the files do not tell; fields that are None are left out."""

    def write(keys: Mapping[str, Any], classes: tuple[str, ...] = ("CAR", "PEDESTRIAN"), **changes: Any) -> Path:
        fields = {
            "schema_version": 1,
            "name": "theirs",
            "version": "1",
            "title": "Theirs",
            "labels": "autoware",
            "classes": list(classes),
            "frame": "base_link",
            "units": "metres, radians",
            "training_data": "none",
            "training_recipe": "by hand",
            "licence": "Apache-2.0",
            "source": "this test",
            "split_pillars": dict(keys),
            **changes,
        }
        path = tmp_path / f"split{len(list(tmp_path.glob('split*.yaml')))}.yaml"
        path.write_text(yaml.safe_dump({key: value for key, value in fields.items() if value is not None}))
        return path

    return write


@pytest.fixture
def centre_maps() -> dict[str, np.ndarray]:
    """Two classes, nothing found: logits of -10, sizes of 1 m, no rotation."""
    return {
        "heatmap": np.full((1, 2, 4, 4), -10.0),
        "reg": np.zeros((1, 2, 4, 4)),
        "height": np.zeros((1, 1, 4, 4)),
        "dim": np.zeros((1, 3, 4, 4)),
        "rot": np.zeros((1, 2, 4, 4)),
        "vel": np.zeros((1, 2, 4, 4)),
    }


@pytest.fixture
def one_car(centre_maps: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """A car of score 0.8 in row 1, column 2: centre (4 + 0.5 * 2, -2 + 0.25 * 2, -0.5), 4 x 2 x 1.5 m, yaw 0.

    Autoware's yaw of that is -pi/2: clockwise from minus y.
    """
    centre_maps["heatmap"][0, 0, 1, 2] = np.log(0.8 / 0.2)
    centre_maps["reg"][0, :, 1, 2] = [0.5, 0.25]
    centre_maps["height"][0, 0, 1, 2] = -0.5
    centre_maps["dim"][0, :, 1, 2] = np.log([2.0, 4.0, 1.5])
    centre_maps["rot"][0, :, 1, 2] = [-1.0, 0.0]
    return centre_maps


@pytest.fixture
def car_box() -> list[float]:
    """That car in our terms."""
    return [5.0, -1.5, -0.5, 4.0, 2.0, 1.5, 0.0]


@pytest.fixture
def anchor_maps() -> dict[str, np.ndarray]:
    """Four anchors, two classes, nothing found."""
    return {
        "cls_preds": np.full((1, 4, 4, 8), -10.0),
        "box_preds": np.zeros((1, 4, 4, 28)),
        "dir_cls_preds": np.zeros((1, 4, 4, 8)),
    }


@pytest.fixture
def sweep() -> Sweep:
    """One point ahead, in the middle of the grid."""
    return Sweep(np.array([[4.25, 0.5, 0.0, 0.5]], np.float32), 0, 0)


@pytest.fixture
def camera() -> PinholeCamera:
    """At the LiDAR, looking along x, 90 degrees wide and high."""
    cam_R_velo = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    projection = np.array([[50.0, 0.0, 50.0, 0.0], [0.0, 50.0, 50.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    return PinholeCamera(projection, SE3(cam_R_velo, np.zeros(3)), 101, 101)


@pytest.fixture
def sha256() -> Callable[[Path], str]:
    """Of a file."""
    return lambda path: hashlib.sha256(path.read_bytes()).hexdigest()


def _save(
    path: Path,
    nodes: list[Any],
    inputs: Mapping[str, list[Any]],
    outputs: Mapping[str, list[Any]],
    constants: Mapping[str, np.ndarray],
) -> Path:
    def described(tensors: Mapping[str, list[Any]]) -> list[Any]:
        return [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in tensors.items()]

    typed = {name: array if array.dtype == np.int64 else array.astype(np.float32) for name, array in constants.items()}
    initializers = [numpy_helper.from_array(array, name) for name, array in typed.items()]
    graph = helper.make_graph(nodes, "made", described(inputs), described(outputs), initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path

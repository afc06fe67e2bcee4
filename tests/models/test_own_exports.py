"""Users' own 2D exports: the official shapes, with outputs worked out by hand."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from vedette.classes import ObjectClass
from vedette.errors import ModelCardError, ModelError, ModelLoadError
from vedette.frames import CameraImage
from vedette.models.class_names import coco_names
from vedette.models.own_exports import OwnExport
from vedette.models.registry import ModelRegistry

YOLOX_CELLS = {416: 3549, 640: 8400}  # 52^2 + 26^2 + 13^2, 80^2 + 40^2 + 20^2
CAR = coco_names().index("car")


@pytest.fixture
def registry(tmp_path):
    """An empty one."""
    return ModelRegistry(tmp_path / "models", packaged=tmp_path / "packaged")


@pytest.fixture
def take(registry, constant_model):
    """Imports a model that always answers the same, and gives its card."""

    def import_it(output, family, size=(64, 64), **said):
        path = constant_model(output, (1, 3, size[1], size[0]), ("images", "output0"))
        return registry.import_file(path, name="own", export=OwnExport(family, **said))

    return import_it


def detect(registry, width=64, height=64):
    return registry.load_detector2d("own", 0.5).detect(CameraImage(np.zeros((height, width, 3), np.uint8), 0))


@pytest.mark.parametrize("size", [416, 640])
def test_yolox_as_its_exporter_writes_it(take, registry, size):
    """`images 1x3xSxS -> 1xNx85`: a car of 0.9 x 0.8 in cell (10, 5) of stride 8, centre (84, 44), 32 by 16."""
    output = np.zeros((1, YOLOX_CELLS[size], 85), np.float32)
    output[0, 5 * (size // 8) + 10, :5] = [0.5, 0.5, np.log(4), np.log(2), 0.9]
    output[0, 5 * (size // 8) + 10, 5 + CAR] = 0.8
    card = take(output, "yolox", (size, size))
    assert (card.title, card.labels, len(card.classes)) == (f"YOLOX, input {size}x{size}", "coco", 80)
    assert (card.preprocess.channels, card.preprocess.fit) == ("bgr", "top_left")
    found = detect(registry, size, size)
    np.testing.assert_allclose(found.boxes_px, [[68, 36, 100, 52]], atol=1e-4)
    np.testing.assert_allclose(found.scores, [0.72], atol=1e-6)
    assert found.class_ids.tolist() == [ObjectClass.CAR]


@pytest.mark.parametrize(
    ("family", "strides", "cells", "corner"),
    [("nanodet_plus", 4, 3598, 0), ("nanodet_plus", 3, 3549, 0), ("nanodet", 3, 3549, 4), ("nanodet", 4, 3598, 4)],
)
@pytest.mark.parametrize("bins", [8, 11])
def test_nanodet_of_three_or_four_strides(take, registry, family, strides, cells, corner, bins):
    """416x416: a car in cell (10, 5) of stride 8, 1, 2, 3, 4 strides to the sides of (80, 40), or of the centre."""
    output = np.zeros((1, cells, 80 + 4 * bins), np.float32)
    output[0, 5 * 52 + 10, CAR] = 0.8
    for side, count in enumerate((1, 2, 3, 4)):
        output[0, 5 * 52 + 10, 80 + side * bins + count] = 100
    assert len(take(output, family, (416, 416)).classes) == 80
    box = np.array([72, 24, 104, 72]) + corner
    np.testing.assert_allclose(detect(registry, 416, 416).boxes_px, [box], atol=1e-4)


def yolov8_output(classes=80, cells=8400, column=CAR):
    """`output0 1x(4+C)xN`: an object of score 0.8, centre (320, 200), 60 wide and 40 high."""
    output = np.zeros((1, 4 + classes, cells), np.float32)
    output[0, :4, 7] = [320, 200, 60, 40]
    output[0, 4 + column, 7] = 0.8
    return output


@pytest.mark.parametrize("layout", ["rows", "columns", "end to end"])
def test_yolov8_in_every_layout(take, registry, layout):
    """640x640; the same box."""
    output = yolov8_output()
    if layout == "columns":
        output = output.transpose(0, 2, 1)
    if layout == "end to end":
        output = np.zeros((1, 300, 6), np.float32)
        output[0, 0] = [290, 180, 350, 220, 0.8, CAR]
    card = take(output, "yolov8", (640, 640))
    assert (card.preprocess.channels, card.preprocess.fit, card.preprocess.deviation[0]) == ("rgb", "centre", 255)
    np.testing.assert_allclose(detect(registry, 640, 640).boxes_px, [[290, 180, 350, 220]], atol=1e-3)


def red_means_car(path, operation="Identity"):
    """A YOLOv8-style export whose score of a car is the mean of its input's first channel, or a function of it."""
    base = np.zeros((1, 84, 84), np.float32)
    base[0, :4, 7] = [32, 32, 20, 20]
    pick = np.zeros((1, 84, 84), np.float32)
    pick[0, 4 + CAR, 7] = 1
    arrays = {"base": base, "pick": pick, "zero": np.zeros(1, np.int64)}
    nodes = [
        helper.make_node("Gather", ["images", "zero"], ["first"], axis=1),
        helper.make_node("ReduceMean", ["first"], ["plain_mean"], keepdims=0),
        helper.make_node(operation, ["plain_mean"], ["mean"]),
        helper.make_node("Mul", ["pick", "mean"], ["scored"]),
        helper.make_node("Add", ["base", "scored"], ["output0"]),
    ]
    graph = helper.make_graph(
        nodes,
        "red",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, (1, 3, 64, 64))],
        [helper.make_tensor_value_info("output0", TensorProto.FLOAT, (1, 84, 84))],
        [numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


@pytest.mark.parametrize(
    ("preprocess", "score"),
    [
        ({}, 1.0),  # RGB, divided by 255
        ({"deviation": [510, 255, 255]}, 0.5),
        ({"mean": [51, 0, 0]}, 0.8),
        ({"channels": "bgr"}, None),  # the first channel is blue then
    ],
)
def test_what_the_card_says_of_the_input_is_what_the_model_gets(registry, tmp_path, preprocess, score):
    """A red picture."""
    path = red_means_car(tmp_path / "red.onnx")
    registry.import_file(path, name="own", export=OwnExport("yolov8", preprocess=preprocess))
    found = registry.load_detector2d("own", 0.1).detect(CameraImage(np.full((64, 64, 3), (0, 0, 255), np.uint8), 0))
    np.testing.assert_allclose(found.scores, [] if score is None else [score], atol=1e-5)


def test_a_model_that_fails_in_service_says_so(registry, tmp_path):
    """The square root of a red below the mean is no number; of the first frame's it was one."""
    path = red_means_car(tmp_path / "root.onnx", "Sqrt")
    registry.import_file(path, name="own", export=OwnExport("yolov8", preprocess={"mean": [51, 51, 51]}))
    detector = registry.load_detector2d("own", 0.1)
    assert len(detector.detect(CameraImage(np.full((64, 64, 3), 255, np.uint8), 0))) == 1
    with pytest.raises(ModelError, match=r"own@1: output output0 is not finite; expected numbers"):
        detector.detect(CameraImage(np.zeros((64, 64, 3), np.uint8), 0))


def test_names_in_the_file(registry, constant_model):
    """ultralytics' exporter writes them into the metadata."""
    path = constant_model(yolov8_output(2, 84, 1), (1, 3, 64, 64), ("images", "output0"))
    model = onnx.load(path)
    helper.set_model_props(model, {"names": "{0: 'person', 1: 'truck'}", "task": "detect"})
    onnx.save(model, path)
    card = registry.import_file(path, export=OwnExport("yolov8", licence="AGPL-3.0"))
    assert (card.classes, card.labels, card.licence) == (("person", "truck"), "coco", "AGPL-3.0")
    helper.set_model_props(model, {"names": "{0: 'person', 1: 'truck'}", "task": "segment"})
    onnx.save(model, path)
    with pytest.raises(ModelLoadError, match="is an export for the task 'segment'; expected 'detect'"):
        registry.import_file(path, export=OwnExport("yolov8"))


@pytest.mark.parametrize("names", ["", "{", "[1]", "{1: 'car', 2: 'bus'}", "__import__('os')", "{}"])
def test_names_in_the_file_that_are_none(registry, constant_model, names):
    """They are passed over; nothing is executed."""
    path = constant_model(yolov8_output(2, 84, 1), (1, 3, 64, 64), ("images", "output0"))
    model = onnx.load(path)
    helper.set_model_props(model, {"names": names})
    onnx.save(model, path)
    with pytest.raises(ModelCardError, match="has 2 classes and no names"):
        registry.import_file(path, export=OwnExport("yolov8"))


@pytest.mark.parametrize(
    ("names", "labels", "table"),
    [
        (("person", "toaster"), None, "coco"),
        (("Car", "Pedestrian"), None, "kitti"),
        (("car", "pedestrian"), None, "nuscenes"),
        (("car", "cyclist"), None, "vedette"),
        (("car", "none"), "kitti", None),
        (("CAR", "none"), None, "autoware"),
        (("car", "rider"), None, "cityscapes"),
        (("car", "bicycle"), "nuscenes", "nuscenes"),
    ],
)
def test_tables(take, names, labels, table):
    """The first that knows all names, or the one that is asked for."""
    output = yolov8_output(2, 84, 1)
    if table is None:
        with pytest.raises(ModelCardError, match="map to nothing: car; the nearest table, 'kitti', has Car, Van"):
            take(output, "yolov8", names=names, labels=labels)
        return
    assert take(output, "yolov8", names=names, labels=labels).labels == table


def test_names_that_map_to_nothing_are_listed(take):
    """With the way out."""
    with pytest.raises(ModelCardError, match=r"map to nothing: auto, lorry; .*--classes.*'none'"):
        take(yolov8_output(3, 84, 1), "yolov8", names=("auto", "car", "lorry"))


@pytest.mark.parametrize(
    ("family", "shape", "said", "complaint"),
    [
        ("yolox", (1, 83, 85), {}, r"gives output0 float32 1x83x85; expected .*1xNx\(5 \+ classes\), N being 84 or 85"),
        ("yolox", (1, 84, 5), {}, "expected one output"),
        ("yolox", (1, 84, 7), {}, "has 2 classes and no names"),
        ("yolox", (1, 84, 7), {"names": ("car",)}, "has 2 classes; 1 names are given"),
        ("yolox", (84, 85), {}, "expected one output"),
        ("nanodet_plus", (1, 86, 112), {}, "N being 85 or 84"),
        ("nanodet_plus", (1, 85, 111), {}, r"with 80 classes they would be 7\.75 bins.*79 or 67 or 43"),
        ("nanodet_plus", (1, 85, 112), {"names": ("car",) * 76}, "would be 9 bins a side"),
        ("yolov8", (1, 50, 50), {}, r"expected .*1x\(4 \+ classes\)xN or .*N being 84 or 85 or 340"),
    ],
)
def test_shapes_that_are_not_the_familys(take, registry, family, shape, said, complaint):
    """What was met, and what would be right; nothing is stored."""
    with pytest.raises((ModelLoadError, ModelCardError), match=complaint):
        take(np.zeros(shape, np.float32), family, **said)
    assert registry.list() == []


def test_yolov5_is_told_by_its_cells(take):
    """640x640: 3 x 8400 rows of a box, objectness and 80 scores."""
    with pytest.raises(ModelLoadError, match="three boxes a cell are YOLOv5's, which is not taken"):
        take(np.zeros((1, 25200, 85), np.float32), "yolov8", (640, 640))


@pytest.mark.parametrize("shape", [("batch", 3, 64, 64), (1, 3, "height", "width"), (2, 3, 64, 64), (1, 64, 64, 3)])
def test_inputs_of_no_fixed_size(registry, tmp_path, shape):
    """The option that makes them so is named."""
    node = helper.make_node("Identity", ["images"], ["output0"])
    tensors = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("images", "output0")]
    graph = helper.make_graph([node], "free", tensors[:1], tensors[1:])
    path = tmp_path / "free.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    with pytest.raises(ModelLoadError, match="expected one input float32 1x3xHxW of fixed size: export without"):
        registry.import_file(path, export=OwnExport("yolox"))


def spoilt(family, value, where):
    """A plausible export with some numbers replaced."""
    output = yolov8_output(80, 84) if family == "yolov8" else np.zeros((1, 84, 85), np.float32)
    output[where] = value
    return output


@pytest.mark.parametrize(
    ("family", "value", "where", "complaint"),
    [
        ("yolov8", np.nan, (0, 1, 3), "output0 is not finite"),
        ("yolov8", np.inf, (0, 50, 3), "output0 is not finite"),
        ("yolox", np.nan, (0, 3, 1), "output0 is not finite"),
        ("yolov8", -4.5, (0, slice(4, None)), r"scores from -4\.5 to .*expected 0 to 1.*logistic function"),
        ("yolov8", 3.0, (0, 60, 3), "scores from 0 to 3"),
        ("yolov8", 5000.0, (0, slice(0, 4)), "100% of the boxes are far out of the input of 64x64"),
        ("yolov8", -8.0, (0, slice(2, 4)), "inside out"),
        ("yolov8", 0.5, (0, slice(0, 4)), r"no box reaches beyond 0\.75; .*not as shares"),
        ("yolox", 200.0, (0, slice(None), slice(0, 4)), "exported without --decode_in_inference"),
    ],
)
def test_absurd_answers_are_refused(take, registry, family, value, where, complaint):
    """By the first frame, before anything is stored."""
    with pytest.raises(ModelError, match=complaint):
        take(spoilt(family, value, where), family)
    assert registry.list() == []


def test_a_family_that_needs_a_card():
    """Which ones do not is said."""
    with pytest.raises(ModelCardError, match=r"family pillars: needs a card .*yolox, nanodet, nanodet_plus, yolov8"):
        OwnExport("pillars")


def test_names_for_files_come_from_files(registry, constant_model, tmp_path):
    """In the letters that names have."""
    path = constant_model(np.zeros((1, 84, 85), np.float32), (1, 3, 64, 64), ("images", "output"))
    path = path.rename(tmp_path / "My YOLOX_(v2).final.onnx")
    assert registry.import_file(path, export=OwnExport("yolox")).label == "my-yolox-v2-final@1"


def test_names_of_tensors_that_no_card_may_have(registry, constant_model):
    """A terminal would obey them."""
    path = constant_model(np.zeros((1, 6, 84), np.float32), (1, 3, 64, 64), ("images\x1b[31m", "output0"))
    with pytest.raises(ModelLoadError, match="a tensor whose name or shape no card can have"):
        registry.import_file(path, export=OwnExport("yolov8", ("car", "person")))

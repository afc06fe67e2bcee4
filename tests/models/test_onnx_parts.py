"""Looking into ONNX files."""

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

from vedette.errors import ModelLoadError
from vedette.models.onnx_parts import cut_out, files_beside


@pytest.fixture
def model():
    """doubled = 2 x, summed = doubled + y, answer = 3 summed."""
    graph = helper.make_graph(
        [
            helper.make_node("Mul", ["x", "two"], ["doubled"]),
            helper.make_node("Add", ["doubled", "y"], ["summed"]),
            helper.make_node("Mul", ["summed", "three"], ["answer"]),
        ],
        "chain",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]) for name in ("x", "y")],
        [helper.make_tensor_value_info("answer", TensorProto.FLOAT, ["N"])],
        [numpy_helper.from_array(np.array(v, np.float32), n) for n, v in (("two", 2.0), ("three", 3.0))],
    )
    whole = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return whole.SerializeToString()


@pytest.mark.parametrize(
    ("inputs", "outputs", "expected"),
    [
        (("x", "y"), ("answer",), {"answer": 24}),
        (("x", "y"), ("doubled", "summed"), {"doubled": 6, "summed": 8}),
        (("doubled", "y"), ("answer",), {"answer": 15}),
        (("summed",), ("answer",), {"answer": 9}),
        (("x",), ("doubled",), {"doubled": 6}),
    ],
)
def test_a_part_computes_what_it_did_in_the_whole(model, inputs, outputs, expected):
    """Fed 3 for whatever comes first and 2 for y."""
    part = cut_out(model, inputs, outputs)
    session = ort.InferenceSession(part)
    values = session.run(list(outputs), {name: np.full(1, 2 if name == "y" else 3, np.float32) for name in inputs})
    assert dict(zip(outputs, (float(value[0]) for value in values), strict=True)) == expected


def test_only_what_is_needed_is_kept(model):
    """Neither the nodes outside nor their weights."""
    part = onnx.load_from_string(cut_out(model, ("summed",), ("answer",)))
    assert [node.op_type for node in part.graph.node] == ["Mul"]
    assert [one.name for one in part.graph.initializer] == ["three"]
    assert part.opset_import[0].version == 17


@pytest.mark.parametrize(
    ("inputs", "outputs", "missing"),
    [(("x", "y"), ("nothing",), "nothing"), (("x",), ("answer",), "y"), (("other",), ("answer",), "x, y")],
)
def test_a_tensor_that_is_not_there_is_named(model, inputs, outputs, missing):
    """Also one that the part would need and is not fed."""
    with pytest.raises(ModelLoadError, match=f"has no tensor {missing}"):
        cut_out(model, inputs, outputs)


def test_bytes_that_are_no_model_are_refused():
    """The error is ours."""
    with pytest.raises(ModelLoadError, match="not an ONNX file"):
        cut_out(b"\xff\xff\xff", ("x",), ("y",))


def test_files_beside_a_model_are_named(model, tmp_path):
    """Also those of a constant within a node."""
    whole = onnx.load_from_string(model)
    assert files_beside(whole.SerializeToString()) == []
    many = numpy_helper.from_array(np.zeros(2000, np.float32), "many")
    whole.graph.initializer.append(many)
    whole.graph.node.append(helper.make_node("Constant", [], ["more"], value=many))
    onnx.save(
        whole,
        tmp_path / "graph.onnx",
        save_as_external_data=True,
        location="weights.bin",
        convert_attribute=True,
        size_threshold=1000,
    )
    assert files_beside((tmp_path / "graph.onnx").read_bytes()) == ["weights.bin"]


def external(name):
    """A tensor whose numbers stand in a file of its name."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=f"{name}.bin")
    return tensor


def sparse(name):
    return onnx.SparseTensorProto(values=external(name), dims=[2])


def in_a_function(whole, name):
    node = helper.make_node("Constant", [], ["c"], value=external(name))
    whole.functions.append(helper.make_function("mine", "F", [], ["c"], [node], [helper.make_opsetid("", 17)]))


def in_the_default_of_a_function(whole, name):
    in_a_function(whole, "c")
    function = whole.functions[0]
    function.ClearField("node")
    function.attribute_proto.append(helper.make_attribute("value", external(name)))


def in_a_branch(whole, name):
    inner = helper.make_graph([], "inner", [], [], [external(name)])
    outer = helper.make_graph([helper.make_node("If", ["x"], ["y"], then_branch=inner)], "outer", [], [])
    whole.graph.node.append(helper.make_node("If", ["x"], ["y"], then_branch=outer))


@pytest.mark.parametrize(
    "place",
    [
        in_a_function,
        in_the_default_of_a_function,
        in_a_branch,
        lambda whole, name: whole.graph.sparse_initializer.append(sparse(name)),
        lambda whole, name: whole.graph.node[0].attribute.append(helper.make_attribute("a", [external(name)])),
        lambda whole, name: whole.graph.node[0].attribute.append(helper.make_attribute("a", sparse(name))),
        lambda whole, name: whole.graph.node[0].attribute.append(helper.make_attribute("a", [sparse(name)])),
        lambda whole, name: whole.graph.node[0].attribute.append(
            helper.make_attribute("a", [helper.make_graph([], "g", [], [], [external(name)])])
        ),
    ],
)
def test_files_beside_a_model_are_found_wherever_numbers_may_stand(model, place):
    """In local functions, in graphs within graphs, in sparse tensors, in lists."""
    whole = onnx.load_from_string(model)
    place(whole, "hidden")
    assert files_beside(whole.SerializeToString()) == ["hidden.bin"]

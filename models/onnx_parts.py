"""Looks into ONNX files.

Cuts a part out of a graph, so that what lies between two tensors can run by itself; tells which numbers stand in other
files.

Only the few fields needed are described here; protobuf carries all others through untouched. That spares the edge the
`onnx` package. Field numbers: onnx/onnx, `onnx.proto`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from vedette.errors import ModelLoadError

_Field = descriptor_pb2.FieldDescriptorProto
_FIELDS: Final[dict[str, tuple[tuple[str, int, str, bool], ...]]] = {
    "Model": (("graph", 7, "Graph", False), ("functions", 25, "Function", True)),
    "Function": (("node", 7, "Node", True), ("attribute_proto", 11, "Attribute", True)),
    "Graph": (
        ("node", 1, "Node", True),
        ("initializer", 5, "Tensor", True),
        ("sparse_initializer", 15, "SparseTensor", True),
        ("input", 11, "ValueInfo", True),
        ("output", 12, "ValueInfo", True),
    ),
    "Node": (("input", 1, "string", True), ("output", 2, "string", True), ("attribute", 5, "Attribute", True)),
    "Attribute": (
        ("t", 5, "Tensor", False),
        ("g", 6, "Graph", False),
        ("tensors", 10, "Tensor", True),
        ("graphs", 11, "Graph", True),
        ("sparse_tensor", 22, "SparseTensor", False),
        ("sparse_tensors", 23, "SparseTensor", True),
    ),
    "SparseTensor": (("values", 1, "Tensor", False), ("indices", 2, "Tensor", False)),
    "Tensor": (("name", 8, "string", False), ("external_data", 13, "Entry", True)),
    "Entry": (("key", 1, "string", False), ("value", 2, "string", False)),
    "ValueInfo": (("name", 1, "string", False), ("type", 2, "Type", False)),
    "Type": (("tensor_type", 1, "TensorType", False),),
    "TensorType": (("elem_type", 1, "int32", False),),
}
_FLOAT32: Final = 1


def cut_out(model: bytes, inputs: Sequence[str], outputs: Sequence[str]) -> bytes:
    """The part of a model between some tensors.

    Args:
        model: an ONNX file without external data; nodes of the part may have no subgraphs that use outer tensors.
        inputs: names of tensors that are fed; those that are not inputs of the model are float32.
        outputs: names of tensors that are read, float32.

    Returns:
        An ONNX file.

    Raises:
        ModelLoadError: it is no ONNX file, or a tensor that the part needs is not in it.
    """
    whole = _parse(model)
    part = type(whole)()
    part.CopyFrom(whole)
    for field in ("node", "initializer", "input", "output"):
        part.graph.ClearField(field)
    needed, used = _needed_nodes(whole.graph, set(inputs), outputs)
    part.graph.node.extend(needed)
    part.graph.initializer.extend(one for one in whole.graph.initializer if one.name in used)
    declared = {value.name: value for value in whole.graph.input}
    for name in inputs:
        if name in declared:
            part.graph.input.append(declared[name])
        else:
            _add_float_tensor(part.graph.input, name)
    for name in outputs:
        _add_float_tensor(part.graph.output, name)
    return bytes(part.SerializeToString(deterministic=True))


def files_beside(model: bytes) -> list[str]:
    """Names of the files that hold numbers of a model which is not in one piece.

    Args:
        model: an ONNX file.

    Raises:
        ModelLoadError: it is no ONNX file.
    """
    entries = (entry for tensor in _tensors(_parse(model)) for entry in tensor.external_data)
    return sorted({entry.value for entry in entries if entry.key == "location"})


def _tensors(message: Message) -> Iterator[Any]:
    """All that are anywhere within a message, in graphs within graphs and in functions too."""
    for field, held in message.ListFields():
        if field.message_type is not None:
            for one in held if field.is_repeated else (held,):
                if field.message_type.name == "Tensor":
                    yield one
                yield from _tensors(one)


def _needed_nodes(graph: Any, inputs: set[str], outputs: Iterable[str]) -> tuple[list[Any], set[str]]:
    """The nodes between, in order, and the names of all tensors that they use.

    Nodes of an ONNX graph stand in an order in which each comes after those it depends on.
    """
    wanted, used, needed = set(outputs), set(), []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            needed.append(node)
            used.update(node.input)
            wanted = (wanted - set(node.output)) | (set(node.input) - inputs)
    missing = wanted - {one.name for one in graph.initializer} - {""}
    if missing:
        raise ModelLoadError(f"the model has no tensor {', '.join(sorted(missing))}; expected the published export")
    return needed[::-1], used


def _parse(model: bytes) -> Any:
    whole = _message_class("Model")()
    try:
        whole.ParseFromString(model)
    except DecodeError as error:
        raise ModelLoadError("not an ONNX file; expected one as an exporter writes it") from error
    return whole


def _add_float_tensor(values: Any, name: str) -> None:
    values.add(name=name).type.tensor_type.elem_type = _FLOAT32


def _message_class(name: str) -> type[Message]:
    """A class for one of the messages above."""
    pool = descriptor_pool.DescriptorPool()
    pool.Add(_file())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"onnx_parts.{name}"))


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="onnx_parts.proto", package="onnx_parts", syntax="proto2")
    for message, fields in _FIELDS.items():
        described = file.message_type.add(name=message)
        for name, number, kind, repeated in fields:
            scalar = {"string": _Field.TYPE_STRING, "int32": _Field.TYPE_INT32}.get(kind)
            described.field.add(
                name=name,
                number=number,
                label=_Field.LABEL_REPEATED if repeated else _Field.LABEL_OPTIONAL,
                type=_Field.TYPE_MESSAGE if scalar is None else scalar,
                type_name=f".onnx_parts.{kind}" if scalar is None else None,
            )
    return file

"""Runs ONNX files through ONNX Runtime, on the first execution provider that is there, and checks what goes in and out.

The runtime falls back to the CPU in silence. Here the providers that were asked for and are not used are kept, and
logged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import onnxruntime as ort
import structlog
from numpy.typing import NDArray
from pydantic import ValidationError

from vedette.errors import ModelError, ModelInputError, ModelLoadError
from vedette.models.cards import ModelCard, TensorSpec
from vedette.models.onnx_parts import cut_out
from vedette.models.opening import Graph, SessionOptions, open_session

__all__ = ["OnnxModel", "OnnxPart", "SessionOptions", "metadata_of", "signature_of"]

_DTYPES: Final[dict[str, str]] = {"tensor(float)": "float32", "tensor(int64)": "int64"}


class OnnxModel:
    """A loaded model: named arrays in, arrays out.

    Args:
        path: the ONNX file.
        card: what its inputs and outputs must be.
        options: providers and threads.
        companions: where the further files on the card are, by name.

    Raises:
        ModelLoadError: the runtime refuses the file, none of the providers is there, or the signature is another.
    """

    def __init__(
        self,
        path: Path,
        card: ModelCard,
        options: SessionOptions,
        companions: Mapping[str, Path] = MappingProxyType({}),
    ) -> None:
        self.card = card
        self._companions = companions
        self._path = path
        self._options = options
        self._session = open_session(_graph(path, card.sha256, card.inputs), options)
        self.providers: tuple[str, ...] = tuple(self._session.get_providers())
        self.skipped_providers: tuple[str, ...] = tuple(p for p in options.providers if p not in self.providers)
        if self.skipped_providers:
            structlog.get_logger(__name__).warning(
                "model.providers_skipped", model=card.label, skipped=self.skipped_providers, used=self.providers
            )
        _check_signature(path, "input", self._session.get_inputs(), card.inputs)
        _check_signature(path, "output", self._session.get_outputs(), card.outputs)

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Run the model once.

        Args:
            inputs: an array for every input on the card, of the dtype and shape that stand there.

        Returns:
            The outputs in the card's order, all finite.

        Raises:
            ModelInputError: an input is missing, unknown, or of another dtype or shape.
            ModelError: the runtime failed, or an output is not finite.
        """
        _check_inputs(self.card, inputs)
        return _run(self._session, self.card.label, [spec.name for spec in self.card.outputs], inputs)

    def part(self, inputs: Sequence[str], outputs: Sequence[str]) -> OnnxPart:
        """What lies between some of the model's tensors, to run by itself.

        Args:
            inputs: names of tensors that are fed.
            outputs: names of tensors that are read.

        Raises:
            ModelLoadError: the model has no such tensors, or the runtime refuses the part.
        """
        blob = cut_out(self._path.read_bytes(), inputs, outputs)
        graph = Graph(
            blob,
            f"{self._path}, from {inputs[0]} to {outputs[0]}",
            hashlib.sha256(blob).hexdigest(),
            shapes=", ".join(inputs),
        )
        session = open_session(graph, self._options)
        return OnnxPart(session, self.card.label, tuple(outputs))

    def companion(self, name: str) -> OnnxPart:
        """A further file of the model, to run by itself.

        Args:
            name: of one of the card's companions.

        Raises:
            ModelLoadError: the file was not given, the runtime refuses it, or its inputs or outputs are not the card's.
        """
        companion = next(one for one in self.card.companions if one.name == name)
        path = self._companions.get(name)
        if path is None:
            option = name.replace("_", "-")
            raise ModelLoadError(f"{self.card.label}: {companion.file} is not given; import with --{option} FILE.onnx")
        session = open_session(Graph(str(path), str(path), companion.sha256, _shapes(companion.inputs)), self._options)
        _check_signature(path, "input", session.get_inputs(), companion.inputs)
        _check_signature(path, "output", session.get_outputs(), companion.outputs)
        return OnnxPart(session, self.card.label, tuple(spec.name for spec in companion.outputs))


def signature_of(path: Path) -> tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]:
    """Inputs and outputs of an ONNX file, as a card has them.

    Args:
        path: the file.

    Raises:
        ModelLoadError: the runtime refuses the file, or a tensor is of a type or name that no model of ours has.
    """
    session = open_session(Graph(str(path), str(path)), SessionOptions())
    return _specs(path, session.get_inputs()), _specs(path, session.get_outputs())


def metadata_of(path: Path) -> dict[str, str]:
    """What an exporter wrote into an ONNX file beside the graph.

    Args:
        path: the file.

    Raises:
        ModelLoadError: the runtime refuses the file.
    """
    session = open_session(Graph(str(path), str(path)), SessionOptions())
    return dict(session.get_modelmeta().custom_metadata_map)


def _graph(path: Path, sha256: str, inputs: Sequence[TensorSpec]) -> Graph:
    varies = any(isinstance(length, str) for spec in inputs for length in spec.shape)
    return Graph(str(path), str(path), sha256, _shapes(inputs), varies)


def _shapes(inputs: Sequence[TensorSpec]) -> str:
    return ", ".join(f"{one.name} {one.dtype}[{'x'.join(map(str, one.shape))}]" for one in inputs)


def _specs(path: Path, nodes: Sequence[ort.NodeArg]) -> tuple[TensorSpec, ...]:
    unknown = [f"{node.name} {node.type}" for node in nodes if node.type not in _DTYPES]
    if unknown:
        raise ModelLoadError(
            f"{path}: has {', '.join(unknown)}; expected float32 or int64 (export without half precision)"
        )
    try:
        return tuple(
            TensorSpec.model_validate(
                {
                    "name": node.name,
                    "dtype": _DTYPES[node.type],
                    "shape": [length if isinstance(length, int) else str(length or "N") for length in node.shape],
                }
            )
            for node in nodes
        )
    except ValidationError as error:
        raise ModelLoadError(
            f"{path}: has a tensor whose name or shape no card can have: {error.errors()[0]['msg']}"
        ) from error


class OnnxPart:
    """A part of a model, from `OnnxModel.part` or `OnnxModel.companion`.

    Args:
        session: of the part.
        label: name and version of the model.
        outputs: names of the tensors that are read.
    """

    def __init__(self, session: ort.InferenceSession, label: str, outputs: tuple[str, ...]) -> None:
        self._session = session
        self._label = label
        self._outputs = outputs

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Run the part once.

        Args:
            inputs: an array for every tensor that is fed.

        Returns:
            The tensors that are read, in the order asked for, all finite.

        Raises:
            ModelError: the runtime failed, or a tensor is not finite.
        """
        return _run(self._session, self._label, self._outputs, inputs)


def _run(
    session: ort.InferenceSession, label: str, names: Sequence[str], inputs: Mapping[str, NDArray[Any]]
) -> tuple[NDArray[Any], ...]:
    try:
        outputs = session.run(list(names), dict(inputs))
    except Exception as error:  # the runtime's exceptions share no base of their own
        raise ModelError(f"{label}: the run failed: {_one_line(error)}") from error
    for name, output in zip(names, outputs, strict=True):
        if not np.isfinite(output).all():
            raise ModelError(f"{label}: output {name} is not finite; expected numbers")
    return tuple(outputs)


def _check_signature(path: Path, kind: str, nodes: Sequence[Any], specs: Sequence[TensorSpec]) -> None:
    """Compare the graph with the card; the words that name varying lengths need not be the same."""
    met = {node.name: (_DTYPES.get(node.type, node.type), _fixed(node.shape)) for node in nodes}
    expected = {spec.name: (spec.dtype, _fixed(spec.shape)) for spec in specs}
    if met != expected:
        raise ModelLoadError(f"{path}: its {kind}s are {_signature(met)}; the card says {_signature(expected)}")


def _fixed(shape: Sequence[int | str | None]) -> tuple[int | None, ...]:
    return tuple(length if isinstance(length, int) else None for length in shape)


def _signature(tensors: Mapping[str, tuple[str, tuple[int | None, ...]]]) -> str:
    return ", ".join(
        f"{name} {dtype}[{'x'.join('?' if length is None else str(length) for length in shape)}]"
        for name, (dtype, shape) in tensors.items()
    )


def _check_inputs(card: ModelCard, inputs: Mapping[str, NDArray[Any]]) -> None:
    names = [spec.name for spec in card.inputs]
    if set(inputs) != set(names):
        raise ModelInputError(f"{card.label}: inputs {sorted(inputs)} given; expected {sorted(names)}")
    for spec in card.inputs:
        array = inputs[spec.name]
        fits = array.ndim == len(spec.shape) and all(
            isinstance(want, str) or want == length for want, length in zip(spec.shape, array.shape, strict=True)
        )
        if not fits or array.dtype != spec.dtype:
            raise ModelInputError(
                f"{card.label}: input {spec.name} is {array.dtype}{list(array.shape)};"
                f" expected {spec.dtype}{list(spec.shape)}"
            )


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())

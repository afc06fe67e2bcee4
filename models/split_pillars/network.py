"""The two files, with the scatter between them: rows of pillars written where the pillars stand, 0 elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from vedette.errors import ModelCardError, ModelError, ModelLoadError
from vedette.geometry import NDArrayFloat32
from vedette.models.cards import ModelCard, TensorSpec
from vedette.models.pillar_keys import SplitPillars
from vedette.models.sessions import OnnxModel
from vedette.models.split_pillars import anchor_head, centre_head
from vedette.models.split_pillars.features import Pillars

ENCODER: Final = "voxel_encoder"
"""The companion file's name on the card."""
BLOCK: Final = 2048
"""Pillars that an encoder for any number gets at once: its inner tensors stay small, and memory does not grow."""


def keys_of(card: ModelCard) -> SplitPillars:
    """The card's part about the network.

    Args:
        card: of a model of this family.

    Raises:
        ModelCardError: it has none.
    """
    if card.split_pillars is None:
        raise ModelCardError(
            f"{card.label}: family {card.family} needs the key split_pillars; see docs/models-import.md"
        )
    return card.split_pillars


class SplitPillarsNetwork:
    """The head's answers for a scene in pillars.

    Args:
        model: the backbone and head, with the encoder as companion.

    Raises:
        ModelCardError: the card lacks the encoder or the family's keys.
        ModelLoadError: the shapes of the two files do not fit each other or the card's keys.
    """

    def __init__(self, model: OnnxModel) -> None:
        self._model, self._card, self._keys = model, model.card, keys_of(model.card)
        self._channels = _channels(self._keys, len(self._card.classes))
        self._width = _check_backbone(self._card, self._keys)
        self._input, self._block = _check_encoder(self._card, self._keys, self._width)
        _check_answers(self._card, self._keys, self._channels)
        self._encoder = model.companion(ENCODER)

    def run(self, pillars: Pillars) -> dict[str, NDArrayFloat32]:
        """Run the network.

        Args:
            pillars: at least one.

        Returns:
            ``(channels,rows,columns) float32`` by name.

        Raises:
            ModelError: a file failed on this input, or answered in another shape than its signature and the card's
                keys have.
        """
        size = (self._keys.grid.rows, self._keys.grid.columns)
        canvas = np.zeros((self._width, size[0] * size[1]), np.float32)
        canvas[:, pillars.cells] = self._rows(pillars.features).T
        answers = self._model.run({self._card.inputs[0].name: canvas.reshape(1, self._width, *size)})
        named = dict(zip((spec.name for spec in self._card.outputs), answers, strict=True))
        return {name: self._checked(name, named) for name in self._channels}

    def _rows(self, features: NDArrayFloat32) -> NDArrayFloat32:
        """``(P,C)`` of the encoder."""
        missing = -len(features) % self._block
        padded = np.pad(features, ((0, missing), (0, 0), (0, 0)))
        blocks = [
            self._encoder.run({self._input: padded[start : start + self._block]})[0]
            for start in range(0, len(padded), self._block)
        ]
        rows: NDArrayFloat32 = np.concatenate(blocks)
        if rows.size != len(padded) * self._width:
            raise ModelError(
                f"{self._card.label}: the encoder gave {list(rows.shape)} for {len(padded)} pillars; expected"
                f" {[len(padded), self._width]}"
            )
        return rows.reshape(len(padded), self._width)[: len(features)]

    def _checked(self, name: str, answers: Mapping[str, NDArrayFloat32]) -> NDArrayFloat32:
        """An answer with its channels first, without the batch."""
        possible = _shapes(self._keys, self._channels[name])
        answer = answers[name]
        if answer.shape not in possible:
            raise ModelError(
                f"{self._card.label}: output {name} came as {list(answer.shape)}; expected {_alternatives(possible)}"
            )
        return np.moveaxis(answer[0], -1, 0) if _channels_last(self._keys) else answer[0]


def _channels(keys: SplitPillars, class_count: int) -> dict[str, tuple[int, ...]]:
    """By output, how many channels it may have."""
    if keys.head.kind == "centres":
        return centre_head.channels_of(keys.head, class_count)
    return anchor_head.channels_of(keys.head, class_count)


def _channels_last(keys: SplitPillars) -> bool:
    return keys.head.kind == "anchors" and keys.head.layout == "channels_last"


def _shapes(keys: SplitPillars, channels: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The shapes that an output may have."""
    size = keys.map_size
    return [(1, *size, count) if _channels_last(keys) else (1, count, *size) for count in channels]


def _check_backbone(card: ModelCard, keys: SplitPillars) -> int:
    """How many channels it takes."""
    expected = (1, "channels", keys.grid.rows, keys.grid.columns)
    width = card.inputs[0].shape[1] if len(card.inputs) == 1 and _fits(card.inputs[0], expected) else None
    if not isinstance(width, int):
        raise ModelLoadError(
            f"{card.label}: the backbone takes {_signature(card.inputs)}; expected one float32 input {list(expected)}"
            f" with a fixed number of channels: the card's grid has {keys.grid.rows} rows, {keys.grid.columns} columns"
        )
    return width


def _check_encoder(card: ModelCard, keys: SplitPillars, width: int) -> tuple[str, int]:
    """The name of its input, and how many pillars it takes at once."""
    companion = next((one for one in card.companions if one.name == ENCODER), None)
    if companion is None:
        raise ModelCardError(f"{card.label}: no companion {ENCODER}; import with --voxel-encoder FILE.onnx")
    inputs, outputs = companion.inputs, companion.outputs
    expected = ("pillars", keys.grid.max_points, len(keys.features))
    if len(inputs) != 1 or not _fits(inputs[0], expected):
        raise ModelLoadError(
            f"{card.label}: the voxel encoder takes {_signature(inputs)}; expected one float32 input {list(expected)},"
            f" as max_points and the {len(keys.features)} features of the card say"
        )
    possible: list[tuple[int | str, ...]] = [("pillars", width), ("pillars", 1, width)]
    told = outputs[0].shape != ()  # a squeeze may leave the signature without a shape; then the first frame tells
    if len(outputs) != 1 or (told and not any(_fits(outputs[0], shape) for shape in possible)):
        raise ModelLoadError(
            f"{card.label}: the voxel encoder gives {_signature(outputs)}; expected one float32 output"
            f" {_alternatives(possible)}, as the backbone takes {width} channels"
        )
    pillars = inputs[0].shape[0]
    return inputs[0].name, pillars if isinstance(pillars, int) else BLOCK


def _check_answers(card: ModelCard, keys: SplitPillars, channels: Mapping[str, tuple[int, ...]]) -> None:
    given = {spec.name: spec for spec in card.outputs}
    for name, counts in channels.items():
        possible = _shapes(keys, counts)
        if name not in given or not any(_fits(given[name], shape) for shape in possible):
            raise ModelLoadError(
                f"{card.label}: the backbone gives {_signature(card.outputs)}; expected float32 {name}"
                f" {_alternatives(possible)}, as {len(card.classes)} classes, stride {keys.head.stride} and the head's"
                " keys say"
            )


def _fits(spec: TensorSpec, expected: tuple[int | str, ...]) -> bool:
    """Whether a tensor may have a shape; a word on either side stands for any number."""
    return (
        spec.dtype == "float32"
        and len(spec.shape) == len(expected)
        and all(
            isinstance(met, str) or isinstance(wanted, str) or met == wanted
            for met, wanted in zip(spec.shape, expected, strict=True)
        )
    )


def _signature(specs: tuple[TensorSpec, ...]) -> str:
    return ", ".join(f"{spec.dtype} {spec.name} {list(spec.shape)}" for spec in specs)


def _alternatives(shapes: Sequence[tuple[int | str, ...]]) -> str:
    return " or ".join(str(list(shape)) for shape in shapes)

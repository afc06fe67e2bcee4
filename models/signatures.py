"""Checks of a card's shapes by the runtime that will use them, before the first frame."""

from __future__ import annotations

from collections.abc import Sequence

from vedette.errors import ModelLoadError
from vedette.models.cards import ModelCard


def fixed_size(card: ModelCard, *, channels_first: bool) -> tuple[int, int]:
    """Height and width of an image model's input.

    Args:
        card: of a model with one input, ``1x3xHxW`` or ``1xHxWx3``.
        channels_first: which of the two.

    Raises:
        ModelLoadError: the input is not like that, or its size varies.
    """
    spec = card.inputs[0]
    shape = spec.shape if len(spec.shape) == 4 else (0, 0, 0, 0)
    batch, channels, height, width = shape if channels_first else (shape[0], shape[3], shape[1], shape[2])
    image_like = (batch, channels) == (1, 3) and spec.dtype == "float32" and len(card.inputs) == 1
    if not image_like or not isinstance(height, int) or not isinstance(width, int):
        expected = "1x3xHxW" if channels_first else "1xHxWx3"
        raise ModelLoadError(
            f"{card.label}: family {card.family} takes one float32 input {expected} of fixed size;"
            f" the card says {[(one.name, one.dtype, list(one.shape)) for one in card.inputs]}"
        )
    return height, width


def require_shape(card: ModelCard, expected: tuple[int | str, ...]) -> None:
    """Check a model's only output.

    Args:
        card: of the model.
        expected: the shape that its family reads; a word never fits, and says what would.

    Raises:
        ModelLoadError: the card gives another.
    """
    require_shapes(card, [expected])


def require_shapes(card: ModelCard, expected: Sequence[tuple[int | str, ...]]) -> None:
    """Check all outputs of a model.

    Args:
        card: of the model.
        expected: the shapes that its family reads, in the card's order; a word never fits, and says what would.

    Raises:
        ModelLoadError: the card gives others.
    """
    met = [one.shape for one in card.outputs]
    if met != list(expected) or any(isinstance(length, str) for shape in expected for length in shape):
        what = "one output" if len(expected) == 1 else f"{len(expected)} outputs"
        raise ModelLoadError(
            f"{card.label}: family {card.family} with {len(card.classes)} classes and this input gives {what}"
            f" {', '.join(str(list(shape)) for shape in expected)}; the card says {[list(shape) for shape in met]}"
        )

"""What the shapes of a 2D export tell, and what a shape must be to be one of its family's.

| family                    | output                | what its shape tells                                            |
|---------------------------|-----------------------|-----------------------------------------------------------------|
| `yolox`                   | ``1xNx(5+C)``         | strides by N, classes C                                         |
| `nanodet_plus`, `nanodet` | ``1xNx(C+4B)``        | strides by N; C and the bins B only together                    |
| `yolov8`                  | see `yolov8.layout`   | layout by N, classes C but for end to end                       |
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vedette.errors import ModelLoadError
from vedette.models.cards import Family, TensorSpec
from vedette.models.grids import Grid
from vedette.models.nanodet.decode import STRIDE_CHOICES_PX as NANODET_STRIDES_PX
from vedette.models.yolov8.layout import BOX_ROWS, layout_of
from vedette.models.yolov8.layout import STRIDE_CHOICES_PX as YOLOV8_STRIDES_PX
from vedette.models.yolox.decode import BOX_COLUMNS
from vedette.models.yolox.decode import STRIDE_CHOICES_PX as YOLOX_STRIDES_PX

BIN_COUNTS: Final = (8, 11, 17)
"""Of NanoDet's distances: its configurations have `reg_max` 7, NanoDet-g 10, its head 16 by default."""
_YOLOV5_BOXES: Final = 3  # of each cell


def input_size_px(path: Path, inputs: Sequence[TensorSpec]) -> tuple[int, int]:
    """Width and height of a model's input.

    Args:
        path: named in errors.
        inputs: of the model.

    Raises:
        ModelLoadError: it does not take one image of fixed size.
    """
    if len(inputs) == 1 and inputs[0].dtype == "float32" and len(inputs[0].shape) == 4:
        batch, channels, height_px, width_px = inputs[0].shape
        if (batch, channels) == (1, 3) and isinstance(height_px, int) and isinstance(width_px, int):
            return width_px, height_px
    raise ModelLoadError(
        f"{path}: takes {_signature(inputs)}; expected one input float32 1x3xHxW of fixed size: export without"
        " --dynamic, dynamic axes or half precision, with batch size 1"
    )


def class_count(
    path: Path, family: Family, outputs: Sequence[TensorSpec], size_px: tuple[int, int], named: int | None
) -> int | None:
    """How many classes a model has.

    Args:
        path: named in errors.
        family: of 2D exports.
        outputs: of the model.
        size_px: width and height of its input.
        named: how many names there are; None where nobody gave any.

    Returns:
        The number, or None where the shape does not tell.

    Raises:
        ModelLoadError: the output is not one of the family's.
    """
    shape = outputs[0].shape if len(outputs) == 1 and outputs[0].dtype == "float32" else ()
    if family == "yolov8":
        layout = layout_of(shape, *size_px)
        if layout is not None:
            return layout.class_count
    elif len(shape) == 3 and shape[0] == 1 and isinstance(shape[2], int) and shape[1] in _cell_counts(family, size_px):
        if family == "yolox" and shape[2] > BOX_COLUMNS:
            return shape[2] - BOX_COLUMNS
        if family != "yolox":
            return _nanodet_classes(path, shape[2], named)
    raise ModelLoadError(
        f"{path}: gives {_signature(outputs)}; expected {_expected(family, size_px)} of a {family} export with an input"
        f" of {size_px[0]}x{size_px[1]}{_hint(shape, family, size_px)}"
    )


def _nanodet_classes(path: Path, columns: int, named: int | None) -> int:
    """Columns are classes and four times the bins; the number of classes is COCO's, or that of the names."""
    choices = [columns - 4 * bins for bins in BIN_COUNTS if columns > 4 * bins]
    wanted = 80 if named is None else named
    if wanted in choices:
        return wanted
    raise ModelLoadError(
        f"{path}: {columns} columns of scores and distances; with {wanted} classes they would be"
        f" {(columns - wanted) / 4:g} bins a side, expected one of {', '.join(map(str, BIN_COUNTS))}. Give as many"
        f" class names as the model has classes: {' or '.join(map(str, choices)) or 'none fits'}"
    )


def _cell_counts(family: Family, size_px: tuple[int, int]) -> list[int]:
    choices = {"yolox": YOLOX_STRIDES_PX, "yolov8": YOLOV8_STRIDES_PX}.get(family, NANODET_STRIDES_PX)
    return [len(Grid.of_strides(*size_px, strides)) for strides in choices]


def _expected(family: Family, size_px: tuple[int, int]) -> str:
    cells = " or ".join(map(str, _cell_counts(family, size_px)))
    match family:
        case "yolox":
            return f"one output float32 1xNx({BOX_COLUMNS} + classes), N being {cells},"
        case "yolov8":
            rows = f"({BOX_ROWS} + classes)"
            return f"one output float32 1x{rows}xN or 1xNx{rows}, N being {cells}, or 1xKx6 (end to end),"
        case _:
            return f"one output float32 1xNx(classes + 4 x bins), N being {cells},"


def _hint(shape: tuple[int | str, ...], family: Family, size_px: tuple[int, int]) -> str:
    """What else it may be."""
    if len(shape) == 3 and shape[1] == _YOLOV5_BOXES * _cell_counts("yolov8", size_px)[0]:
        return "; three boxes a cell are YOLOv5's, which is not taken"
    return "; masks and poses are not taken: export a detector" if family == "yolov8" else ""


def _signature(tensors: Sequence[TensorSpec]) -> str:
    return ", ".join(f"{one.name} {one.dtype} {'x'.join(map(str, one.shape))}" for one in tensors)

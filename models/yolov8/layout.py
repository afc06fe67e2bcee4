"""Which of its layouts an export of this kind has; told by the output's shape.

| output          | what it is                                                              |
|-----------------|-------------------------------------------------------------------------|
| ``1x(4+C)xN``   | dense: centre x, y, width, height in input pixels, then C scores        |
| ``1xNx(4+C)``   | the same, transposed                                                    |
| ``1xKx6``       | end to end: x1, y1, x2, y2 in input pixels, score, class; K is not N    |

N is the number of cells of the grids. Scores are between 0 and 1: the logistic function is in the file.

Source: ultralytics/ultralytics, `nn/modules/head.py` (`Detect`), `examples/YOLOv8-ONNXRuntime`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vedette.models.grids import Grid

STRIDE_CHOICES_PX: Final = ((8, 16, 32), (8, 16, 32, 64), (4, 8, 16, 32))
"""Of the grids; the longer ones for exports with a coarser or a finer fourth level."""
BOX_ROWS: Final = 4
END_TO_END_COLUMNS: Final = 6


@dataclass(frozen=True)
class Layout:
    """How an output is to be read.

    Args:
        kind: one of the table above.
        class_count: C; None for end to end, whose shape does not tell.
    """

    kind: Literal["channels_first", "channels_last", "end_to_end"]
    class_count: int | None


def layout_of(shape: tuple[int | str, ...], width_px: int, height_px: int) -> Layout | None:
    """The layout of an output.

    Args:
        shape: of the output, with the batch axis.
        width_px: of the model's input.
        height_px: of the model's input.

    Returns:
        The layout, or None where the shape is none of them.
    """
    if len(shape) != 3 or shape[0] != 1:
        return None
    _, rows, columns = shape
    if not isinstance(rows, int) or not isinstance(columns, int):
        return None
    cells = {len(Grid.of_strides(width_px, height_px, strides)) for strides in STRIDE_CHOICES_PX}
    if columns in cells and rows > BOX_ROWS:
        return Layout("channels_first", rows - BOX_ROWS)
    if rows in cells and columns > BOX_ROWS:
        return Layout("channels_last", columns - BOX_ROWS)
    return Layout("end_to_end", None) if columns == END_TO_END_COLUMNS else None

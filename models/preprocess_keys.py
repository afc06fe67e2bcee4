"""Keys of a card that say how an image becomes the input of somebody else's 2D detector.

Exports of one family take the same shapes and differ in this; a wrong choice gives plausible, worse boxes. So each
choice is a key, and what a family's own exporter does is its default.

Facts: Megvii-BaseDetection/YOLOX, `data_augment.py` (`preproc`); RangiLyu/nanodet, `config/*.yml` (`keep_ratio`,
`normalize`); ultralytics/ultralytics, `examples/YOLOv8-ONNXRuntime`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

Value = Annotated[float, Field(ge=-1e6, le=1e6)]
Divisor = Annotated[float, Field(gt=0, le=1e6)]


class Preprocess(BaseModel):
    """From an image of bytes, BGR, to the model's input: ``(value - mean) / deviation``."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    channels: Literal["bgr", "rgb"] = Field(description="Their order in the input.")
    fit: Literal["stretch", "top_left", "centre"] = Field(
        description="Resized to the whole input; or with its proportions kept, and the rest of the input padded."
    )
    pad: float = Field(114.0, ge=0, le=255, description="Value of the padding, before mean and deviation.")
    mean: tuple[Value, Value, Value] = Field((0.0, 0.0, 0.0), description="In the order of the channels.")
    deviation: tuple[Divisor, Divisor, Divisor] = Field(
        (1.0, 1.0, 1.0), description="In the order of the channels; 255 each for inputs from 0 to 1."
    )


_NANODET: Final = Preprocess(
    channels="bgr", fit="stretch", mean=(103.53, 116.28, 123.675), deviation=(57.375, 57.12, 58.395)
)
USUAL_PREPROCESS: Final[Mapping[str, Preprocess]] = {
    "yolox": Preprocess(channels="bgr", fit="top_left"),
    "nanodet": _NANODET,
    "nanodet_plus": _NANODET,
    "yolov8": Preprocess(channels="rgb", fit="centre", deviation=(255.0, 255.0, 255.0)),
}
"""What the exporter of each family expects; other families have no such keys."""


def with_usual_preprocess(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of a card with those keys of `preprocess` filled in that it leaves out.

    Args:
        values: by key of the card.
    """
    usual = USUAL_PREPROCESS.get(str(values.get("family")))
    given = values.get("preprocess") or {}
    if usual is None or not isinstance(given, Mapping):
        return values
    return {**values, "preprocess": {**usual.model_dump(), **given}}
